// Where surfaces that touch pass through each other.
//
// Surfaces in special position need no two triangles that cross: where an edge of one lies in the plane of the other,
// the triangles at it only touch that.
//
//       \   /                       \   /
//        \ /                         \ /
//   ------+------  touches      ------+------  passes through, though each of its triangles only touches
//                                    / \ .
//
// What tells the two apart is that touching ends when a surface makes way, however little, while a passage stays. So
// each surface in turn sets out to either of its sides, every vertex along its normal; triangles then cross or they do
// not ([EM90] moves points likewise, but anywhere). A place counts if it has crossing triangles whichever surface sets
// out, to whichever side, and its pairs are those of the one that has the fewest. Places in one plane do not count.
#pragma once

#include <taffeta/mesh.h>

#include <span>
#include <vector>

namespace taffeta {

// A surface, as spans that the caller keeps.
struct SurfaceView {
    std::span<const Vec3> positions = {};
    std::span<const Triangle> triangles = {};
};

// A surface whose triangles name one vertex per place, as find_coincident() has them: seams are closed.
struct WeldedSurface {
    std::span<const Vec3> positions = {};
    std::vector<Triangle> triangles = {};

    WeldedSurface(const SurfaceView& surface, std::span<const Index> place);
};

// Of all pairs of triangles of `a` and `b` that touch or cross, those that count: all that cross, and at each place
// where others touch those of the way that has fewest, none if it has none. Where a place ends is where no pair that
// touches is beside the last, such that they share a triangle and their others share a vertex. Sorted.
std::vector<std::array<Index, 2>> find_passages(const WeldedSurface& a, const WeldedSurface& b,
                                                std::span<const std::array<Index, 2>> touching);

// The same for the touching pairs of a surface with itself, lower index first.
std::vector<std::array<Index, 2>> find_passages(const WeldedSurface& surface,
                                                std::span<const std::array<Index, 2>> touching);

} // namespace taffeta
