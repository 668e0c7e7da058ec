// Keeping particles of cloth apart [FGL03] 4: a length limit with a least distance only, between those that come close.
#pragma once

#include "collision/near.h"
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

// Moves the particles of all lists apart, one list after the other on one thread: every second list at once, then the
// others. So lists must share particles with the one before and the one after only, as those of slabs do; the last is
// before the first. Returns how many pairs were too close. Gives the same bits for every number of threads.
int separate(std::span<const NearList> lists, const Parallel& parallel, std::span<Vec4> x);

} // namespace taffeta
