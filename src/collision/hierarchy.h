// A hierarchy of boxes over particles, for finding those that come close [FGL03] 4.
//
// Its structure is made once from the flat cloth, where neighbours in the tree are neighbours in the fabric, and stays;
// refit() brings the boxes up to date from bottom to top; find_close_pairs() tests the tree against itself.
//
// Guarantee: after refit(x), find_close_pairs() reports every pair closer than reach * (radius_i + radius_j), once,
// whatever the shape of the cloth; brute force is the oracle in the tests. The order of the pairs depends on x alone,
// not on the number of threads.
//
// The tree is a perfect binary one: node n has the children 2n+1 and 2n+2, all leaves are on one level and hold up to
// eight particles. So it needs no pointers, a level is a range, and two nodes under comparison are always on one level.
#pragma once

#include "collision/leaf.h"
#include "core/parallel.h"
#include "core/state.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

struct ClosePair {
    Index i = 0, j = 0;
    float distance = 0; // m, to be kept: radius_i + radius_j

    bool operator==(const ClosePair&) const = default;
};

class Hierarchy {
public:
    struct alignas(16) Bounds { // 32 bytes: two to a cache line
        Vec4 low, high;         // m
        bool empty() const { return !(low.x <= high.x); }
    };

    Hierarchy() = default;
    // Over the particles named by `members`; `rest` are their places on the cutting table and `radius` half the
    // distance they keep, in m, both by particle. `reach` >= 1 widens the search beyond the distance to be kept. Pairs
    // of one `piece` that the search would find in the rest shape are neighbours and never reported.
    Hierarchy(std::span<const Index> members, std::span<const Vec3> rest, std::span<const float> radius,
              std::span<const Index> piece, float reach);

    void refit(std::span<const Vec4> x, const Parallel& parallel);
    void find_close_pairs(const Parallel& parallel, std::vector<ClosePair>& out);

    bool empty() const { return leaves_.empty(); }
    std::size_t leaf_tests() const { return leaf_tests_; } // pairs of leaves the last search compared

    int levels() const; // 0 if there is nothing in it, else the root is on level 0
    // As last refitted; those of places without particles are empty.
    std::span<const Bounds> boxes_of_level(int level) const;

private:
    struct NodePair {
        std::uint32_t a = 0, b = 0;
    };

    std::uint32_t first_leaf() const { return static_cast<std::uint32_t>(leaves_.size()) - 1; }
    void collect_work();
    void search(NodePair start, std::vector<NodePair>& stack, std::vector<ClosePair>& out, std::size_t& tests) const;
    void compare_leaves(std::uint32_t leaf_a, std::uint32_t leaf_b, std::vector<ClosePair>& out) const;

    // By leaf, from left to right. What every comparison reads is apart from what only hits do.
    std::vector<Leaf> leaves_;
    std::vector<RestLeaf> rest_leaves_;
    std::vector<std::array<Index, Leaf::size>> particles_;
    std::vector<Bounds> bounds_; // by node, grown by reach * radius
    float reach_ = 1;

    // Kept between searches so that a step does not allocate.
    struct Work {
        NodePair start;
        std::vector<NodePair> stack;
        std::vector<ClosePair> found;
        std::size_t tests = 0;
    };
    std::vector<Work> work_;
    std::size_t work_count_ = 0;
    std::vector<NodePair> frontier_, next_frontier_;
    std::size_t leaf_tests_ = 0;
};

} // namespace taffeta
