// Colours for constraints: two of one colour share no particle, so that a colour may be projected in any order, or all
// at once, with the same result.
#pragma once

#include <taffeta/mesh.h>

#include <array>
#include <span>
#include <vector>

namespace taffeta {

// The colour of each group of up to three vertices, from 0 without gaps; places without a vertex name one that does not
// exist. Depends on the groups and their order alone.
using VertexGroup = std::array<Index, 3>;
std::vector<int> colour_groups(std::span<const VertexGroup> groups, Index vertex_count);

} // namespace taffeta
