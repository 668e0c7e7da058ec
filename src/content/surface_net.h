// Triangles for the surface where a function is zero.
#pragma once

#include <taffeta/mesh.h>

#include <functional>

namespace taffeta {

// A function of space that is negative inside a body, about as steep as a distance, and smooth where it is zero.
using Implicit = std::function<double(const Vec3d&)>;

struct Block { // of cubes
    Vec3d low = {};
    double cell = 0; // m, the side of one
    std::array<int, 3> cells = {};
};

// One vertex in each cube that the surface passes, one quadrilateral around each edge of cubes that it cuts: a surface
// net. The vertices are then evened out along the surface and lie on it. Closed and facing outwards where the surface
// stays within the block and no cube holds two sheets of it.
Mesh make_surface_net(const Implicit& body, const Block& block);

// The next point down the gradient where the function is zero, by steps of Newton.
Vec3d onto_surface(const Implicit& body, Vec3d p, int steps);

} // namespace taffeta
