// A figure that walks in trousers, for the collision benchmark: the size of that in [MKE03] Table 1.
#pragma once

#include "core/state.h"

#include <taffeta/mesh.h>

#include <vector>

namespace taffeta::bench {

struct Walker {
    std::vector<Triangle> triangles = {}; // of the trousers, then of the body
    std::size_t garment_triangles = 0, garment_vertices = 0;

    std::vector<Vec4> at(double seconds) const; // where the vertices are, those of the trousers first
};

Walker make_walker();

} // namespace taffeta::bench
