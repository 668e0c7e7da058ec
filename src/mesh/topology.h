// What follows from the triangles alone: edges, the pairs of vertices opposite an edge, and what is odd.
#pragma once

#include <taffeta/mesh.h>

#include <span>
#include <vector>

namespace taffeta {

struct Pair {
    Index i = 0, j = 0;
    bool operator==(const Pair&) const = default;
};

struct Topology {
    std::vector<Pair> edges; // i < j, sorted: the structural constraints
    // The two vertices opposite an interior edge: the bending constraints [FGL03] 3. One per interior edge of a
    // manifold; k triangles at one edge give k - 1, neighbours in triangle order.
    //        i
    //       / \                                         .
    //      a---b      edge (a, b), opposite pair (i, j)
    //       \ /                                         .
    //        j
    std::vector<Pair> opposite;
    std::vector<Pair> non_manifold_edges; // shared by more than two triangles
};

// Triangles that name a vertex twice count for nothing.
Topology make_topology(std::span<const Triangle> triangles);

// For each vertex the first vertex with exactly its position: seams of garments, vertices split for their UVs.
std::vector<Index> find_coincident(std::span<const Vec3> positions);

// Lumped masses m_i = density * sum(area / 3) in kg [FGL03] Eq. 1, in double.
std::vector<double> lump_masses(std::span<const Vec3> positions, std::span<const Triangle> triangles, double density);

double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c); // m^2

bool names_a_vertex_twice(const Triangle& t);

} // namespace taffeta
