// Keeping particles of cloth apart [FGL03] 4: a length limit with a least distance only, between those that come close.
#pragma once

#include "collision/hierarchy.h"
#include "core/state.h"
#include "mesh/topology.h"

#include <span>
#include <vector>

namespace taffeta {

// Half the distance each particle keeps, in m. The distance depends on the size of the triangles: it must stop a
// particle at the middle of a triangle and an edge at the middle of an edge, where the nearest particles are farthest.
// `edges` are pairs of particles with the lengths `rest_length`; a particle without edges gets 0.
std::vector<float> radii_from_edges(std::span<const Pair> edges, std::span<const float> rest_length, Index count);

// Moves each pair that is closer than its distance apart, by mass, one after the other. Returns how many were.
int separate(std::span<const ClosePair> pairs, std::span<Vec4> x);

} // namespace taffeta
