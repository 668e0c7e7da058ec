// On which side of a plane a point lies, without any error.
#pragma once

#include <taffeta/math.h>

#include <array>

namespace taffeta {

// The sign of the volume of a b c d: 1 if d is on the side from which a b c run counter-clockwise, -1 if it is on the
// other, 0 if the four lie in one plane. Exact for all finite coordinates.
//
//        d      1
//      c | b
//       \|/
//        a
int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// The same, always by the long way that the other takes where rounding leaves a doubt.
int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d);

// A point that sets out from where it is.
struct MovingPoint {
    Vec3 at = {}, way = {};
};

// The sign of the volume just after points have set out: that of at + e way for every e > 0 below some bound. It is 0
// only if the four stay in one plane. Exact.
int orientation_after(const std::array<MovingPoint, 4>& points);

// The sign of normal . (x - point): 1 if x is before the plane, -1 if behind it, 0 if in it. Exact.
int plane_side(const Vec3& normal, const Vec3& point, const Vec3& x);

} // namespace taffeta
