// Parts of a cloth: ranges of its particles, each of which a thread works on for long and finds in its cache.
//
// Parts only share the work well where each hangs together, and only share a cache line where one ends and the next
// begins: so particles are numbered part after part, whatever the order of the vertices they come from.
#pragma once

#include "mesh/topology.h"

#include <span>
#include <vector>

namespace taffeta {

// Enough particles for some 80 us of work, so that sharing out parts costs little, and few enough to have several parts
// in a cloth that is worth sharing out. What joins parts holds less well than what lies within one: with 4,096 fine
// disks stretched visibly more.
constexpr Index partition_size = 8192;

// Halves the range [0, count), and the halves again, until none has more than `most`. Where each begins, and the end of
// the last.
std::vector<Index> halve_range(Index count, Index most);

// The parts of a world: those of each cloth in turn, of `counts` particles each, but small cloths next to each other
// share one. Where each begins, and the end of the last.
std::vector<Index> partition_cloths(std::span<const Index> counts, Index most);

// An order of the vertices in which the ranges of halve_range() are parts that hang together, and neighbours are near
// each other. Within a range vertices keep their own order where that is as good. Depends on the pairs and their order
// alone.
std::vector<Index> order_by_partition(std::span<const Pair> pairs, Index vertex_count, Index most);

} // namespace taffeta
