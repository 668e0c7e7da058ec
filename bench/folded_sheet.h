// A square sheet in ten layers, or flat, turned out of the axes, for timing searches of what is close.
#pragma once

#include "core/state.h"

#include <taffeta/mesh.h>

#include <vector>

namespace taffeta::bench {

struct FoldedSheet {
    std::vector<Triangle> triangles = {};
    std::vector<Vec3> rest = {};
    std::vector<Vec4> x = {};
    float epsilon = 0; // m; layers are three quarters of it apart
};

FoldedSheet make_folded_sheet(int cells); // along each side
FoldedSheet make_flat_sheet(int cells);

} // namespace taffeta::bench
