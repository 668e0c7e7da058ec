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
//
// The subtrees of one level are the regions of the cloth, at most 16, and a group of pairs is what the search of one of
// them against another, or against itself, finds. In round r of the search region a meets region a xor r, as in a
// tournament: groups of one round share no particle, so that they can be worked on at once, whoever works.
#pragma once

#include "collision/leaf.h"
#include "core/parallel.h"
#include "core/state.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

class Hierarchy {
public:
    Hierarchy() = default;
    // Over the particles named by `members`; `rest` are their places on the cutting table and `radius` half the
    // distance they keep, in m, both by particle. `reach` >= 1 widens the search beyond the distance to be kept. Pairs
    // of one `piece` that the search would find in the rest shape are neighbours and never reported.
    Hierarchy(std::span<const Index> members, std::span<const Vec3> rest, std::span<const float> radius,
              std::span<const Index> piece, float reach);

    void refit(std::span<const Vec4> x, const Parallel& parallel);
    // The pairs by groups, sorted by round.
    std::span<const PairGroup> find_close_pairs(const Parallel& parallel);
    void find_close_pairs(const Parallel& parallel, std::vector<ClosePair>& out); // one group after the other

    bool empty() const { return tree_.leaves.empty(); }
    std::size_t leaf_tests() const; // pairs of leaves the last search compared

    int levels() const; // 0 if there is nothing in it, else the root is on level 0
    // As last refitted; those of places without particles are empty.
    std::span<const Bounds> boxes_of_level(int level) const;

private:
    // The subtrees a and b whose pairs make up a group.
    struct Task {
        std::uint32_t a = 0, b = 0;
        std::size_t leaf_tests = 0;
        SearchMemory memory = {};
    };

    Tree tree_;
    std::vector<Task> tasks_;
    std::vector<PairGroup> groups_; // by task
};

} // namespace taffeta
