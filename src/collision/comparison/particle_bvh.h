// A hierarchy of boxes over particles, to look at: the tree that [FGL03] 4 searches. (Here
// collision/broad_phase/particle_grid.h searches.)
//
// Its structure is made once from the flat cloth, where neighbours in the tree are neighbours in the fabric. It is a
// perfect binary one: each node holds a range of the particles and hands one half of it to each child.
#pragma once

#include "core/state.h"

#include <cstddef>
#include <span>
#include <vector>

namespace taffeta {

class Hierarchy {
public:
    Hierarchy() = default;
    // Over the particles named by `members`; `rest` are their places on the cutting table and `radius` half the
    // distance they keep, in m, both by particle. `piece` numbers the pieces of cloth.
    Hierarchy(std::span<const Index> members, std::span<const Vec3> rest, std::span<const float> radius,
              std::span<const Index> piece);

    int levels() const { return levels_; } // 0 if there is nothing in it, else the root is on level 0

    // Calls use(low, high) for every box of a level that holds particles, where they are at `x` and grown by their
    // radii.
    template <class Use>
    void for_boxes(int level, std::span<const Vec4> x, Use&& use) const {
        visit(level, 0, order_.size(), [&](std::size_t begin, std::size_t end) {
            if (begin == end) return;
            Vec3 low, high;
            bound(begin, end, x, low, high);
            use(low, high);
        });
    }

private:
    template <class Node>
    static void visit(int depth, std::size_t begin, std::size_t end, const Node& node) {
        if (depth == 0) return node(begin, end);
        const std::size_t middle = begin + (end - begin) / 2;
        visit(depth - 1, begin, middle, node);
        visit(depth - 1, middle, end, node);
    }
    void bound(std::size_t begin, std::size_t end, std::span<const Vec4> x, Vec3& low, Vec3& high) const;

    int levels_ = 0;
    std::vector<Index> order_ = {};  // particles from the leftmost leaf to the rightmost
    std::vector<float> radius_ = {}; // m, in that order
};

} // namespace taffeta
