// Which triangles of a surface cross each other, or those of another surface.
#pragma once

#include <taffeta/mesh.h>

#include <span>
#include <vector>

namespace taffeta {

using Corners = std::array<Vec3, 3>;

// Whether two triangles cross: whether they do not lie in one plane and share a point that is on the border of neither.
// Exact. So triangles do not cross that only touch, be it with a corner, an edge or along both their borders; nor do
// those of one plane, however they overlap, nor those without area. Corners are finite.
bool triangles_intersect(const Corners& a, const Corners& b);

// All crossing pairs of triangles without a common vertex, each once, lower index first, sorted. Vertices at exactly
// one place in `rest` (seams) count as common. Of a sheet, `rest` is its undeformed shape; empty: the positions.
// Triangles with a corner that is not finite cross nothing.
std::vector<std::array<Index, 2>> find_self_intersections(std::span<const Vec3> positions,
                                                          std::span<const Triangle> triangles,
                                                          std::span<const Vec3> rest = {});

// A surface, as spans that the caller keeps.
struct SurfaceView {
    std::span<const Vec3> positions = {};
    std::span<const Triangle> triangles = {};
};

// All crossing pairs of a triangle of `a` and a triangle of `b`, in this order, sorted.
std::vector<std::array<Index, 2>> find_intersections(const SurfaceView& a, const SurfaceView& b);

} // namespace taffeta
