// The closest points of a point and a triangle, of two edges, and of two triangles.
//
// In double, for any finite input: triangles without area, edges without length and parallel ones too. The answer is
// always that of two points on the shapes (all weights from 0 to 1), so that a distance is never too small by more than
// its own rounding; nor too large by more than 1e-12 of the extent of what is given.
#pragma once

#include "geometry/triangle_intersection.h"

#include <array>

namespace taffeta {

struct ClosestOnTriangle {
    std::array<double, 3> weight = {}; // of the corners; their sum is 1
    double squared = 0;                // m^2, the distance

    Vec3d at(const std::array<Vec3d, 3>& c) const { return c[0] * weight[0] + c[1] * weight[1] + c[2] * weight[2]; }
};
ClosestOnTriangle closest_on_triangle(const Vec3d& p, const std::array<Vec3d, 3>& corners);

//   a0 ---s------ a1
//         |                the places are a0 + s (a1 - a0) and b0 + t (b1 - b0)
//   b0 ---t------ b1
struct ClosestOfEdges {
    double s = 0, t = 0;
    double squared = 0; // m^2, the distance
};
ClosestOfEdges closest_of_edges(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1);

// In m; 0 where they cross. The closest points of two triangles that do not are a corner and a face or on two edges.
double triangle_distance(const Corners& a, const Corners& b);

} // namespace taffeta
