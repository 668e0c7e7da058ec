// Solid bodies that cloth rests on: simple shapes with a distance and a normal everywhere, which may move.
#pragma once

#include "core/state.h"

#include <taffeta/scene.h>

#include <cstdint>
#include <span>

namespace taffeta {

struct SurfacePoint {
    float distance = 0; // m, negative inside
    Vec3 normal;        // unit, outwards
};

// Of a point in the shape's own frame. Exact Euclidean distance for every shape, inside too; where several surface
// points are nearest one of them is taken, always the same.
SurfacePoint nearest_surface(const Sphere& sphere, const Vec3& local);
SurfacePoint nearest_surface(const Box& box, const Vec3& local);
SurfacePoint nearest_surface(const Plane& plane, const Vec3& local);
SurfacePoint nearest_surface(const Capsule& capsule, const Vec3& local);
SurfacePoint nearest_surface(const Cylinder& cylinder, const Vec3& local);
// Meshes have no distance everywhere: nothing is near them here, and collide() passes them by.
SurfacePoint nearest_surface(const BodyMesh& mesh, const Vec3& local);

// Of a sphere about the origin that holds the shape (m); infinite for planes and meshes.
float reach_of(const ColliderShape& shape);

struct Body {
    ColliderShape shape;
    Pose pose;      // at the end of the substep
    Pose pose_prev; // at its beginning
};

// Of a point in the world, with the body at the end of the substep.
SurfacePoint nearest_surface(const Body& body, const Vec3& world);

// The same for a particle on its way through the substep: where it has come in, if it has, so that it goes back to that
// side of a thin body.
SurfacePoint surface_on_the_way(const Body& body, const Vec3& from, const Vec3& to);

// How much of its sliding a particle loses that a body sets back.
//   share:   the share `friction` of it, whatever the pressure [FGL03] Eq. 20
//   coulomb: as far as `friction` times the way it was set back, so all of it where that is more. Over a substep of h
//   the
//            ways are h^2/m times the forces: what is below the limit sticks, what is above slides with that much
//            resistance
enum class Friction { share, coulomb };

// What a cloth is to a body.
struct Skin {
    float thickness = 0; // m, the threshold t
    float friction = 0;  // c_f in 0..1, or Coulomb's coefficient
    Friction law = Friction::share;
};

// A particle that one body pushes into another is set back again in further rounds, which skip all others; friction has
// its say in the first round alone.
enum class Round { first, again };

// Sets every particle closer than the thickness back along the normal (Eq. 18), to the side it came from, and removes
// friction's part of its tangential motion relative to the body's own (Eq. 19-21, after [Vas01] for moving
// bodies). Marks the particles it sets back in `touched` and returns how many they are.
int collide(const Body& body, const Skin& skin, Round round, std::span<Vec4> x, std::span<const Vec4> x_prev,
            std::span<std::uint8_t> touched);

// The same to the bit, one particle after the other: for readers, for the tests, and for the last few of a cloth.
int collide_singly(const Body& body, const Skin& skin, Round round, std::span<Vec4> x, std::span<const Vec4> x_prev,
                   std::span<std::uint8_t> touched);

} // namespace taffeta
