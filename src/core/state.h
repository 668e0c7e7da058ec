// The state of all particles: parallel arrays of 16 bytes per particle, so that one aligned load fetches one particle
// and eight of them transpose into vectors (docs/decisions/0001-data-layout.md).
#pragma once

#include <taffeta/math.h>

#include <bit>
#include <span>
#include <vector>

namespace taffeta {

struct alignas(16) Vec4 {
    float x = 0, y = 0, z = 0, w = 0;

    Vec3 xyz() const { return {x, y, z}; }
    void set_xyz(const Vec3& p) { x = p.x, y = p.y, z = p.z; }
};
static_assert(sizeof(Vec4) == 16);

// A particle as one vector of the processor: three fifths of the time of its numbers one by one.
using Lanes4 [[gnu::vector_size(16)]] = float;
inline Lanes4 lanes(const Vec4& p) {
    return std::bit_cast<Lanes4>(p);
}
inline Vec4 vec4(const Lanes4& p) {
    return std::bit_cast<Vec4>(p);
}

struct State {
    // One particle more than there are: the last one is held at the origin and fills incomplete blocks of constraints.
    // After it, in x and x_prev alone, the vertices of bodies; their w is 0.
    std::vector<Vec4> x;      // m; x.w is the inverse mass in 1/kg, 0 while held or pinned
    std::vector<Vec4> x_prev; // m, where the substep began, with its w
    std::vector<Vec4> v;      // m/s; w is 0
    std::vector<float> w;     // 1/kg, the particle's own inverse mass, whoever holds it; 0 is pinned

    Index count() const { return static_cast<Index>(w.size()); }
    Index sentinel() const { return count(); }
    std::span<Vec4> particles() { return std::span(x).first(count()); }
    std::span<const Vec4> particles() const { return std::span(x).first(count()); }
};

} // namespace taffeta
