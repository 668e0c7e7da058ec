// On which side of a plane a point lies, without any error.
#pragma once

#include <taffeta/math.h>

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

} // namespace taffeta
