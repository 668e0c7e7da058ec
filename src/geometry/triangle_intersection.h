// How two triangles meet, without any error.
#pragma once

#include "geometry/orientation.h"

#include <array>

namespace taffeta {

using Corners = std::array<Vec3, 3>;
using MovingCorners = std::array<MovingPoint, 3>;

enum class Meeting {
    apart,    // they share no point
    touching, // they share points, but each is on the border of one of them, or they lie in one plane
    crossing, // they do not lie in one plane and share a point that is on the border of neither
};

// Exact; corners are finite. Triangles without area never cross; they may be said to touch what they only come close
// to, if the plane of the other does not tell.
Meeting meeting(const Corners& a, const Corners& b);

// Whether two triangles cross. So those do not that only touch, be it with a corner, an edge or along both their
// borders; nor do those of one plane, however they overlap, nor those without area.
bool triangles_intersect(const Corners& a, const Corners& b);

// Whether they cross just after their corners have set out: for all times above zero and below some bound.
bool triangles_intersect_after(const MovingCorners& a, const MovingCorners& b);

// Whether triangles v a b and v c d, which share v, cross: the same as above, but faster.
//
//      a----b
//       \  /
//     c--\/--d    seen from v, which is beneath: a b crosses c d, there or on the way
//        v
bool triangles_intersect_at(const Vec3& v, const std::array<Vec3, 2>& ab, const std::array<Vec3, 2>& cd);

} // namespace taffeta
