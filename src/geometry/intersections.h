// Which triangles of a surface cross each other.
#pragma once

#include <taffeta/mesh.h>

#include <span>
#include <vector>

namespace taffeta {

using Corners = std::array<Vec3, 3>;

// Whether two triangles share a point. In double; triangles that merely touch within its rounding may go either way,
// and coplanar ones count as apart. Two triangles cross exactly if an edge of one passes through the other.
bool triangles_intersect(const Corners& a, const Corners& b);

// All crossing pairs of triangles without a common vertex, each once, lower index first, sorted. Vertices at exactly
// one place in `rest` (seams) count as common. Of a sheet, `rest` is its undeformed shape; empty: the positions.
std::vector<std::array<Index, 2>> find_self_intersections(std::span<const Vec3> positions,
                                                          std::span<const Triangle> triangles,
                                                          std::span<const Vec3> rest = {});

} // namespace taffeta
