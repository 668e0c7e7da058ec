// Cones of directions [MKE03] 5: a principal direction and how far others stray from it.
//
//          \  v  /
//           \ | /  angle      every vector of a set lies within the angle around the axis; rounding makes a cone
//            \|/              wider, never narrower
//          axis from here
//
// Of the normals of faces they tell how a region is bent (collision/broad_phase/normal_cones.h), of the ways of
// vertices where their volumes have to grow (Tree::refit_oriented).
#pragma once

#include <taffeta/math.h>

#include <algorithm>
#include <cmath>
#include <span>

namespace taffeta {

struct Cone {
    Vec3 axis = {1, 0, 0};
    float cosine = 1; // of the angle: 1 is the axis alone, -1 all directions

    static constexpr float rounding = 0x1p-21f; // of a cosine of floats; more than four roundings
};

inline float sine_of(float cosine) {
    return std::sqrt(std::max(1 - cosine * cosine, 0.0f));
}

// Around all the vectors; those without length have no direction and count as being inside.
Cone cone_of(std::span<const Vec3> vectors);
// Around all the cones.
Cone cone_around(std::span<const Cone> cones);
// The cosine of the angle of a cone around both, with the axis half way: no more than what is needed to judge a pair.
float merged_cosine(const Cone& a, const Cone& b);

// The ways that vertices go in a step [MKE03] 5.2: a cone and its height.
struct VelocityCone {
    Cone cone = {};
    float height = 0; // m, the longest way

    // Ways shorter than this have no direction: their squares vanish.
    static constexpr float still = 1e-18f; // m

    // m, how far a vertex may get along a direction that is `length` long, times that length. [MKE03] Eq. 1 takes the
    // way along the axis, as long as the longest; that loses vertices which move at an angle to it. The farthest one of
    // a cone is as near to the direction as the cone is, but no nearer. Without branches, so that the directions of a
    // volume are done at once.
    float reach(const Vec3& n, float length) const {
        const float along = std::min(dot(cone.axis, n) / length + Cone::rounding, 1.0f);
        const float of_border = along * cone.cosine + sine_of(along) * sine_of(cone.cosine) + Cone::rounding;
        const float farthest = along >= cone.cosine ? 1.0f : std::max(of_border, 0.0f);
        return (farthest * height * (1 + 0x1p-20f) + still) * length;
    }
};

} // namespace taffeta
