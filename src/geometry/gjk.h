// The closest points of two convex polygons, with any number of corners [GJK88, MKE03].
//
// In double, for any finite corners: a polygon may be a point, an edge, a triangle, or have corners that lie on one
// line or at one place. Their order is of no concern, for what is measured is their convex hull, which need not be flat
// either. The points are always on the polygons, so that a distance is never too small by more than its own rounding.
#pragma once

#include <taffeta/math.h>

#include <span>

namespace taffeta {

struct ClosestOfPolygons {
    Vec3d on_a = {}, on_b = {}; // m
    double distance = 0;        // m, between these; 0 where the polygons cross, touch or overlap
};

// Neither is empty.
ClosestOfPolygons closest_of_polygons(std::span<const Vec3d> a, std::span<const Vec3d> b);

} // namespace taffeta
