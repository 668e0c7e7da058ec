// A tree of bounding volumes over the triangles of a mesh [MKE03], which collision/broad_phase/bvh_traversal.h searches
// for those that come close.
//
// Its structure is made once from the flat cloth, where neighbours in the tree are neighbours in the fabric; refit()
// fits the volumes to where the cloth is. Volumes depend on the positions alone (after refit_lazily() on earlier ones,
// too), not on the number of threads nor on the instruction set.
//
// The volumes of eight siblings make a block, one row for each face of them, so that another volume is compared with
// all eight at once. A slot is one of a block's eight places; it has a volume and something in it:
//
//     block 0              the root alone
//       block              slots with blocks below, or with a triangle
//         block
//
// Two kinds of trees. With `clusters` all triangles are in blocks of eight that hold nothing else: a cluster; traversal
// ends there. This is the fast way. Without, the tree is that of the paper: any arity, split where the volume is
// longest, down to single triangles.
#pragma once

#include "core/parallel.h"
#include "core/state.h"
#include "geometry/cone.h"

#include <taffeta/mesh.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

struct TreeShape {
    int k = 6;            // 6, 8, 14 or 18
    int arity = 8;        // 2, 4 or 8; fewer than eight leave slots empty
    bool clusters = true; // with eight only
};

struct alignas(32) TreeRow {
    static constexpr std::size_t slots = 8;
    std::array<float, slots> slot = {};
};

// What is in a slot: a block, or an end of the traversal.
struct TreeItem {
    static constexpr Index none = 0xffffffff, face_bit = 0x80000000, cluster_bit = 0x40000000;
    static constexpr Index number_bits = cluster_bit - 1;

    static bool is_end(Index item) { return item >= cluster_bit; }
    static Index number(Index item) { return item & number_bits; } // of the triangle or block
};

// Meshes in one tree: their triangles follow each other. A slot holds one of them where it can, for what is together on
// the cutting table need not be together in the world. Those from `first_passive` on, bodies say, are searched against
// the others, not against themselves or each other.
struct TreeGroups {
    std::vector<Index> begin = {};        // their first triangles; ascending, the first is 0; none: one mesh
    Index first_passive = TreeItem::none; // triangle; that of a group
};

struct TreeView; // of the kernels
struct TreeFit;

class Tree {
public:
    static constexpr std::size_t slots = TreeRow::slots;
    using Slots = std::array<Index, slots>;

    Tree() = default;
    // `rest` are the vertices' places on the cutting table.
    Tree(std::span<const Triangle> triangles, std::span<const Vec3> rest, const TreeShape& shape = {},
         const TreeGroups& groups = {});

    // Fits the volumes to positions by vertex, from the ends upwards, so that those of triangles not farther apart than
    // `epsilon` m overlap. The result is that of inserting all vertices below it into each volume, to the bit [MKE03]
    // Eq. 2.
    void refit(std::span<const Vec4> x, float epsilon, const Parallel& parallel);
    // The same around the ways from `x` to `x_end`, for vertices that move straight between them.
    void refit_swept(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon, const Parallel& parallel);
    // The same with volumes around `x` that are inflated along the cone of the ways of the triangles of a block
    // [MKE03] 3.3, which was to save the time of inserting the ends. Larger than those of refit_swept().
    void refit_oriented(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon, const Parallel& parallel);
    // As refit(), with volumes that have `tolerance` m to spare in every direction: blocks of triangles of which no
    // vertex has moved farther since they were fitted are left as they are, and so is what holds only such blocks
    // [MKE03] 4.3. Returns how many blocks were fitted.
    std::size_t refit_lazily(std::span<const Vec4> x, float epsilon, float tolerance, const Parallel& parallel);

    const TreeShape& shape() const { return shape_; }
    bool empty() const { return triangle_count_ == 0; }
    std::size_t depth() const { return level_begin_.size(); } // of blocks below one another
    std::size_t block_count() const { return items_.size(); }

    // Of a block: the number of slots in use, which are its first; what is in them; the slot that it is in.
    std::size_t count(Index block) const { return count_[block]; }
    const Slots& items(Index block) const { return items_[block]; }
    Index slot_of(Index block) const { return slot_of_[block]; } // block * 8 + place
    bool is_passive(Index slot) const { return (passive_[slot / slots] >> slot % slots & 1U) != 0; }
    // Its rows: low and high for each direction, m times the length of the normal; then the longest side, m. Empty
    // slots overlap nothing.
    const TreeRow* rows(Index block) const { return rows_.data() + block * row_count(); }
    std::size_t row_count() const { return static_cast<std::size_t>(shape_.k) + 1; }
    // By corner and slot, the vertices of the triangles in a block that has any; other slots repeat one of them.
    const std::array<Slots, 3>& corners(Index block) const { return corners_[corners_of_[block]]; }
    bool has_faces(Index block) const { return corners_of_[block] != TreeItem::none; }
    // Of a block with triangles: their ways, after refit_oriented().
    const VelocityCone& velocity_cone(Index block) const { return velocity_cones_[corners_of_[block]]; }

    TreeView view() const;

private:
    void build(std::span<const Triangle> triangles, std::span<const Vec3> rest, const TreeGroups& groups);
    void refit(const TreeFit& fit, const Parallel& parallel);

    TreeShape shape_;
    std::size_t triangle_count_ = 0;
    std::vector<Index> level_begin_ = {}; // first block of each level, from the root down
    std::vector<Slots> items_ = {};       // by block
    std::vector<std::uint8_t> count_ = {};
    std::vector<std::uint8_t> passive_ = {}; // by block, a bit for each slot
    std::vector<Index> slot_of_ = {};
    std::vector<Index> corners_of_ = {}; // place in the next, or none
    std::vector<std::array<Slots, 3>> corners_ = {};
    std::vector<TreeRow> rows_ = {};
    std::vector<VelocityCone> velocity_cones_ = {}; // as corners_

    // Of refit_lazily(): whether the volumes are its; where corners were when they were fitted, by corner and axis, as
    // corners_; and which blocks were fitted the last time.
    bool are_lazy_ = false;
    float lazy_epsilon_ = 0, lazy_tolerance_ = 0; // m
    std::vector<std::array<std::array<TreeRow, 3>, 3>> fitted_ = {};
    std::vector<std::uint8_t> is_fitted_ = {};
};

} // namespace taffeta
