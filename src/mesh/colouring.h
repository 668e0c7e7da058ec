// Colours for constraints: two of one colour share no particle, so that a colour may be projected in any order, or all
// at once, with the same result.
#pragma once

#include "mesh/topology.h"

#include <vector>

namespace taffeta {

// The colour of each pair, from 0 without gaps. Depends on the pairs and their order alone.
std::vector<int> colour_pairs(std::span<const Pair> pairs, Index vertex_count);

} // namespace taffeta
