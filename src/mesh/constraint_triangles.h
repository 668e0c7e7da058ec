// Pairs of vertices in groups of up to three that share their vertices.
//
//      2
//     / \         a whole group has the sides 0-1, 1-2, 2-0: three vertices for three pairs instead of six,
//    0---1        so that whoever works on pairs fetches and stores half as much
#pragma once

#include "mesh/topology.h"

#include <array>
#include <vector>

namespace taffeta {

struct Triple {
    static constexpr Index none = ~Index{0};
    std::array<Index, 3> vertex = {none, none, none};
    std::array<Index, 3> pair = {none, none, none}; // the number of the pair that joins vertex k and vertex k + 1, or 0
};

// Every pair is in one triple: triangles of one kind of pairs as long as there are any, which leaves fewest over, then
// other triangles, then two pairs that meet, then single ones; in the order of their first pair. `kind` is of each
// pair. Depends on the pairs, their order and kinds alone.
std::vector<Triple> group_pairs(std::span<const Pair> pairs, const std::vector<bool>& kind, Index vertex_count);

} // namespace taffeta
