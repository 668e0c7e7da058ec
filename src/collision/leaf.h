// The innermost part of the self-collision search: boxes against boxes, eight particles against eight.
#pragma once

#include "collision/pairs.h"

#include <array>
#include <cstdint>
#include <vector>

namespace taffeta {

// The particles of one leaf of a hierarchy by coordinate, so that a comparison of one with eight is one of vectors.
// Empty places hold no numbers (NaN) and are close to nothing.
struct alignas(64) Leaf {
    static constexpr std::size_t size = 8;
    std::array<float, size> x, y, z; // m
    std::array<float, size> radius;  // m, half the distance to be kept
};

// Where the particles of a leaf lie in the rest shape of their piece of cloth (m), and the number of the piece.
struct alignas(64) RestLeaf {
    std::array<float, Leaf::size> x, y, z, piece;
};

struct alignas(16) Bounds { // 32 bytes: two to a cache line
    Vec4 low, high;         // m
    bool empty() const { return !(low.x <= high.x); }
};

// A perfect binary tree of boxes over leaves; node n has the children 2n+1 and 2n+2.
struct Tree {
    std::vector<Bounds> bounds = {}; // by node, grown by reach * radius
    // By leaf, from left to right. What every comparison reads is apart from what only hits do.
    std::vector<Leaf> leaves = {};
    std::vector<float> largest_radius = {}; // m
    std::vector<Bounds> rest_bounds = {};   // where they lie on the cutting table, grown by reach * radius
    std::vector<RestLeaf> rest_leaves = {};
    std::vector<std::array<Index, Leaf::size>> particles = {};
    float reach = 1;

    std::uint32_t first_leaf() const { return static_cast<std::uint32_t>(leaves.size()) - 1; }
};

struct NodePair {
    std::uint32_t a = 0, b = 0;
};
// Memory of a search that is kept for the next.
struct SearchMemory {
    std::vector<NodePair> level = {}, next_level = {};
};

// Replaces `out` by the close pairs of the subtrees a and b, on one level and a <= b; returns how many pairs of leaves
// were compared. Gives the same pairs in the same order on every instruction set, as do the others.
std::size_t search_subtrees(const Tree& tree, std::uint32_t a, std::uint32_t b, SearchMemory& memory,
                            std::vector<ClosePair>& out);

// Bit 8 k + l is set if particle k of `a` is closer to particle l of `b` than `distance`.
std::uint64_t find_close(const Leaf& a, const Leaf& b, float distance);

// Of neighbours the same bit is set: of one piece, and not farther apart in its rest shape than reach * (radius_k +
// radius_l).
std::uint64_t find_neighbours(const RestLeaf& rest_a, const RestLeaf& rest_b, const Leaf& a, const Leaf& b,
                              float reach);

} // namespace taffeta
