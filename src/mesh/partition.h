// Parts of a cloth: neighbours stay together, so that a thread can work on one part for long and finds it in its cache.
#pragma once

#include "mesh/topology.h"

#include <vector>

namespace taffeta {

// The part of each vertex, from 0 without gaps, none with more than `most` vertices and all of about one size. Depends
// on the pairs and their order alone.
std::vector<Index> part_vertices(std::span<const Pair> pairs, Index vertex_count, Index most);

} // namespace taffeta
