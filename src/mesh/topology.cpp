#include "mesh/topology.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <tuple>

namespace taffeta {

bool names_a_vertex_twice(const Triangle& t) {
    return t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
}

Topology make_topology(std::span<const Triangle> triangles) {
    struct HalfEdge {
        Index i, j, opposite; // i < j
    };
    std::vector<HalfEdge> half_edges;
    half_edges.reserve(3 * triangles.size());
    for (const Triangle& t : triangles) {
        if (names_a_vertex_twice(t)) continue;
        for (std::size_t k = 0; k < 3; ++k) {
            const auto [i, j] = std::minmax(t[k], t[(k + 1) % 3]);
            half_edges.push_back({i, j, t[(k + 2) % 3]});
        }
    }
    // Stable: the triangles at one edge keep their order, which fixes the pairs of non-manifold edges.
    std::stable_sort(half_edges.begin(), half_edges.end(),
                     [](const HalfEdge& a, const HalfEdge& b) { return std::tie(a.i, a.j) < std::tie(b.i, b.j); });

    Topology topology;
    for (std::size_t begin = 0; begin < half_edges.size();) {
        const HalfEdge& edge = half_edges[begin];
        std::size_t end = begin + 1;
        for (; end < half_edges.size() && half_edges[end].i == edge.i && half_edges[end].j == edge.j; ++end) {
            const Pair pair = {half_edges[end - 1].opposite, half_edges[end].opposite};
            if (pair.i != pair.j) topology.opposite.push_back(pair); // equal: the same triangle twice
        }
        topology.edges.push_back({edge.i, edge.j});
        if (end - begin > 2) topology.non_manifold_edges.push_back({edge.i, edge.j});
        begin = end;
    }
    return topology;
}

std::vector<Index> find_coincident(std::span<const Vec3> positions) {
    const auto key = [&](Index v) { return std::tie(positions[v].x, positions[v].y, positions[v].z); };
    std::vector<Index> order(positions.size());
    std::iota(order.begin(), order.end(), Index{0});
    std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });

    std::vector<Index> first(positions.size());
    for (std::size_t k = 0; k < order.size(); ++k) {
        const bool is_new = k == 0 || key(order[k - 1]) != key(order[k]);
        first[order[k]] = is_new ? order[k] : first[order[k - 1]];
    }
    return first;
}

double triangle_area(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3d p = vector_cast<double>(a);
    return 0.5 * length(cross(vector_cast<double>(b) - p, vector_cast<double>(c) - p));
}

std::vector<double> lump_masses(std::span<const Vec3> positions, std::span<const Triangle> triangles, double density) {
    std::vector<double> masses(positions.size(), 0.0);
    for (const Triangle& t : triangles) {
        const double third = density * triangle_area(positions[t[0]], positions[t[1]], positions[t[2]]) / 3;
        for (const Index v : t) masses[v] += third;
    }
    return masses;
}

} // namespace taffeta
