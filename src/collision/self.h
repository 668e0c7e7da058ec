// Keeping particles of cloth apart [FGL03] 4: a length limit with a least distance only, between those that come close.
#pragma once

#include "collision/pairs.h"
#include "core/parallel.h"
#include "core/state.h"
#include "mesh/topology.h"

#include <span>
#include <vector>

namespace taffeta {

// Half the distance each particle keeps, in m. The distance depends on the size of the triangles: it must stop a
// particle at the middle of a triangle and an edge at the middle of an edge, where the nearest particles are farthest.
// `edges` are pairs of particles with the lengths `rest_length`; a particle without edges gets 0.
std::vector<float> radii_from_edges(std::span<const Pair> edges, std::span<const float> rest_length, Index count);

// The candidates of a substep and how they are kept apart: those of one group of the search after the other on one
// thread, the groups of one round on all.
class Candidates {
public:
    explicit Candidates(Index particles = 0) : packer_(particles) {}

    void replace(std::span<const PairGroup> groups, const Parallel& parallel);
    // Moves each pair that is closer than its distance apart, by mass. Returns how many were. The last of `x` is the
    // sentinel. Gives the same bits for every number of threads.
    int separate(const Parallel& parallel, std::span<Vec4> x) const;

    std::span<const PairGroup> groups() const { return groups_; }

private:
    // Calls body(group) for the groups of one round on all threads, one round after the other.
    template <class Body>
    void for_groups(const Parallel& parallel, Body&& body) const;

    std::span<const PairGroup> groups_; // as the search keeps them
    std::size_t pairs_ = 0;
    std::vector<std::vector<PairBlock>> blocks_; // by group
    PairPacker packer_;
};

} // namespace taffeta
