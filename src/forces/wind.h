// Wind: what moving air does to each triangle of cloth [KKTW04], [Wal06] 3.1.
//
//           n               u: the air's velocity past the face; n: its normal, on the side to which the air goes
//           |   drag        c: the cosine between them, from 0 to 1
//      lift |  /
//         \ | /             F = 1/2 rho A |u|^2 c (drag u^ + lift (n - c u^))
//   _______\|/______
//          /                drag acts the way the air goes; lift at right angles to it, towards n, and vanishes for
//         /  u              faces across or along the wind
//
// F is odd in u and does not depend on which side of a face is its front.
#pragma once

#include "core/state.h"

#include <taffeta/mesh.h>
#include <taffeta/scene.h>

#include <span>
#include <vector>

namespace taffeta {

inline constexpr float air_density = 1.2f; // kg/m^3, at 20 degrees and sea level

inline bool blows(const WindDesc& wind) {
    return !(wind.velocity == Vec3{});
}

// The velocity of the air, m/s: gusts that travel with the wind, smooth in space and time, the same on every machine.
// Its components differ from those of wind.velocity by less than turbulence * |velocity|.
Vec3 wind_at(const WindDesc& wind, const Vec3& position, double time);

// What the air that passes a face with velocity u does to it, in N.
Vec3 wind_force(const Vec3& u, const Vec3& a, const Vec3& b, const Vec3& c, float drag, float lift);

// The faces at each particle, one list after the other: those of particle p are at[begin[p]] to at[begin[p + 1] - 1].
struct FacesAt {
    std::vector<Index> begin, at;
};
FacesAt find_faces_at(std::span<const Triangle> faces, Index particles);

// The forces on faces of particles at `time`: xyz in N, w the speed of the air past the face in m/s.
void find_wind_forces(const WindDesc& wind, double time, float drag, float lift, std::span<const Triangle> faces,
                      std::span<const Vec4> x, std::span<const Vec4> v, std::span<Vec4> force);

// Adds what a third of the forces on its faces does in h seconds to the velocity of each particle from `begin` to
// `end`; not more than the speed of the air, so that the longest step and the lightest fabric stay stable.
void add_wind(float h, const FacesAt& faces_at, std::span<const Vec4> force, std::size_t begin, std::size_t end,
              std::span<const Vec4> x, std::span<Vec4> v);

} // namespace taffeta
