// A figure that walks in trousers, for the collision benchmark: the size of that in [MKE03] Table 1.
#pragma once

#include "core/state.h"

#include <taffeta/body.h>

#include <vector>

namespace taffeta::bench {

// The trousers move with the bones beside them, as the material does: no cloth is simulated.
struct Walker {
    std::vector<Triangle> triangles = {}; // of the trousers, then of the body
    std::vector<Vec3> standing = {};      // m, the vertices, those of the trousers first
    std::size_t garment_triangles = 0, garment_vertices = 0;
    BodyMesh body = {};
    std::vector<std::vector<Skeleton::Influence>> influences = {}; // of the bones on each vertex of the trousers

    std::vector<Vec4> at(double seconds) const; // where the vertices are
};

Walker make_walker(int steps);

} // namespace taffeta::bench
