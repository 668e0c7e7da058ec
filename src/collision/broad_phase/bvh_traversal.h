// The search for pairs of triangles that come close, down trees of bounding volumes (collision/broad_phase/bvh.h)
// [MKE03] 6.
//
// Guarantee: find_self() and find_between() give every pair of triangles closer than the epsilon of the last refit,
// once; of trees with clusters, the pairs of clusters that these are in, whose parts
// collision/broad_phase/triangle_clusters.h compares. Pairs and their order depend on the positions alone, not on the
// number of threads nor on the instruction set.
#pragma once

#include "collision/broad_phase/bvh.h"
#include "core/parallel.h"
#include "core/state.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

class NormalCones; // collision/broad_phase/normal_cones.h

struct TreePair {
    Index a = 0, b = 0;
    bool operator==(const TreePair&) const = default;
};

// Pairs that one part of a traversal has found. The vectors are longer than what is in use and never shrink, so that a
// step does not allocate.
struct TreePairs {
    std::vector<TreePair> found = {}, open = {};
    std::size_t found_count = 0, open_count = 0;
    std::size_t box_tests = 0; // pairs of volumes compared

    std::span<const TreePair> pairs() const { return std::span(found).first(found_count); }
};

// A search for pairs, with the memory it needs.
class Traversal {
public:
    // Pairs of triangles of one tree, lower index first, or of clusters (numbers of blocks), each with itself too.
    void find_self(const Tree& tree, const Parallel& parallel);
    // The same without pairs that `normal_cones` rules out: regions, and pairs of them, of one group or adjacent ones
    // that are flat; and pairs of triangles there that have a vertex in common [MKE03] 6.2.
    void find_self(const Tree& tree, const NormalCones& normal_cones, const Parallel& parallel);
    // The same without pairs of which neither is in a slot that `chosen` has a bit for; by block, a bit for each slot,
    // those of what holds such slots, too.
    void find_self(const Tree& tree, std::span<const std::uint8_t> chosen, const Parallel& parallel);
    // Pairs of triangles or clusters, one of each tree; these are of one shape.
    void find_between(const Tree& a, const Tree& b, const Parallel& parallel);

    std::span<const TreePairs> lists() const { return std::span(lists_).first(list_count_); }
    std::size_t box_tests() const;

private:
    void find(const Tree& a, const Tree& b, bool is_self, const NormalCones* normal_cones, const std::uint8_t* chosen,
              const Parallel& parallel);

    std::vector<TreePairs> lists_ = {};
    std::size_t list_count_ = 0;
};

} // namespace taffeta
