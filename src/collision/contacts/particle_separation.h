// Keeping particles of cloth apart [FGL03] 4: a length limit with a least distance only, between those that come close.
#pragma once

#include "collision/broad_phase/particle_grid.h"
#include "core/parallel.h"
#include "core/state.h"
#include "mesh/topology.h"

#include <span>
#include <vector>

namespace taffeta {

// Half the distance each particle keeps, in m. The distance depends on the size of the triangles: it must stop a
// particle at the middle of a triangle and an edge at the middle of an edge, where the nearest particles are farthest.
// `rest` are the particles' places on the cutting table in m; a particle without edges gets 0.
std::vector<float> radii_from_edges(std::span<const Pair> edges, std::span<const Vec3> rest);

// The sweep of a substep, counted from 0, after which particles are searched for and kept apart the first time: where
// the first sweeps have led them is nearer to where they will be than where they were predicted
// (docs/decisions/0009-self-collision-at-scale.md).
constexpr int first_separation(int sweeps) {
    return sweeps < 4 ? 0 : 1;
}

// Moves the particles apart that a search has found: those of every second slab at once, then the others. Returns how
// many pairs were too close. Gives the same bits for every number of threads. `x` with the sentinel.
int separate(const Grid& grid, const Parallel& parallel, std::span<Vec4> x);

} // namespace taffeta
