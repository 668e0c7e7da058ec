// Triangle meshes: what cloth is cut from and what colliders look like.
#pragma once

#include <taffeta/math.h>

#include <array>
#include <span>
#include <string>
#include <vector>

namespace taffeta {

using Triangle = std::array<Index, 3>; // counter-clockwise seen from the front

struct Mesh {
    std::vector<Vec3> positions = {}; // m
    std::vector<Triangle> triangles = {};
    std::vector<std::array<float, 2>> uv = {}; // per vertex, or empty; v grows upwards, as in .obj
    bool operator==(const Mesh&) const = default;
};

// How the cells of a grid are cut into triangles.
//   left      right     alternate   cross
//   +---+     +---+     +---+---+   +---+
//   | \ |     | / |     | \ | / |   |\ /|
//   |  \|     |/  |     |  \|/  |   | X |
//   +---+     +---+     +---+---+   |/ \|
//                                   +---+
enum class Diagonals { left, right, alternate, cross };

// A rectangle in XZ, centred, normal +Y. Vertex j*(cells[0]+1)+i lies at
// x = -size[0]/2 + i*size[0]/cells[0], z = -size[1]/2 + j*size[1]/cells[1];
// `cross` adds the cell centres after these, in the same order.
Mesh make_grid(std::array<float, 2> size, std::array<int, 2> cells, Diagonals diagonals);

// A disk in XZ, centred, normal +Y, irregularly triangulated with exactly `particles` vertices (at least 4).
Mesh make_disk(float radius, int particles);

// Trousers for the figure of <taffeta/body.h> as it stands, 1 cm from its skin, of about so many particles once the
// vertices of the seams, which coincide, are joined. Texture coordinates are in metres, u along the legs.
Mesh make_trousers(int particles);

// What is wrong with the surface of a mesh; vertices at exactly one place, at rest and now, count as one. Triangles
// cross if they do not lie in one plane and share a point that is on the border of neither, or if they touch where the
// surface passes through itself between them: where moving either part to either side, however little, makes no end of
// it. Else touching is not crossing. This is decided without rounding.
struct Inspection {
    std::vector<std::array<Index, 2>> intersections = {}; // pairs of triangles that cross, beyond a vertex they share
    std::size_t non_manifold_edges = 0;                   // shared by more than two triangles
    std::size_t degenerate_triangles = 0;                 // without area
};

// `positions` is a deformed state of the mesh; empty: its own positions.
Inspection inspect(const Mesh& mesh, std::span<const Vec3> positions = {});

} // namespace taffeta
