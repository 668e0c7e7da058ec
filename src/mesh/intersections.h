// Which triangles of a surface cross each other, or those of another surface.
//
// Pairs count that cross (triangles_intersect), and, where surfaces only touch triangle by triangle but pass through
// each other all the same, those of passages.h. So it is seen whatever passes through, be its vertices exactly in the
// plane of the other; and what lies on the other, or stands on it with an edge or a corner, does not count.
#pragma once

#include "geometry/triangle_intersection.h"
#include "mesh/degenerate_intersections.h"

#include <taffeta/mesh.h>

#include <span>
#include <vector>

namespace taffeta {

// All such pairs of triangles of one surface, each once, lower index first, sorted. Vertices are common to triangles if
// they are one, or at exactly one place both in `positions` and in `rest` (seams). Of a sheet, `rest` is its undeformed
// shape; empty: the positions. Triangles with one common vertex count only if they cross, beyond it; those with
// two never do. Triangles with a corner that is not finite cross nothing.
std::vector<std::array<Index, 2>> find_self_intersections(std::span<const Vec3> positions,
                                                          std::span<const Triangle> triangles,
                                                          std::span<const Vec3> rest = {});

// All such pairs of a triangle of `a` and a triangle of `b`, in this order, sorted.
std::vector<std::array<Index, 2>> find_intersections(const SurfaceView& a, const SurfaceView& b);

} // namespace taffeta
