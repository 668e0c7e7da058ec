// Edges, opposite pairs and masses of every test mesh, against counting by hand and Euler's formula.
#include "mesh/topology.h"

#include "support/meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace taffeta {
namespace {

using test::TestMesh;

std::vector<Triangle> welded(const Mesh& mesh) {
    const std::vector<Index> first = find_coincident(mesh.positions);
    std::vector<Triangle> triangles;
    for (const Triangle& t : mesh.triangles) triangles.push_back({first[t[0]], first[t[1]], first[t[2]]});
    return triangles;
}

// The third vertices of the triangles at each edge.
std::map<std::array<Index, 2>, std::vector<Index>> edges_by_hand(const std::vector<Triangle>& triangles) {
    std::map<std::array<Index, 2>, std::vector<Index>> edges;
    for (const Triangle& t : triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const Index a = t[k], b = t[(k + 1) % 3];
            edges[{std::min(a, b), std::max(a, b)}].push_back(t[(k + 2) % 3]);
        }
    return edges;
}

TEST(Topology, EdgesAreThoseOfTheTrianglesSortedAndOnce) { // F01
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const std::vector<Triangle> triangles = welded(mesh);
        const Topology topology = make_topology(triangles);
        const auto by_hand = edges_by_hand(triangles);
        ASSERT_EQ(topology.edges.size(), by_hand.size());
        auto edge = topology.edges.begin();
        for (const auto& [ends, opposite] : by_hand) {
            EXPECT_EQ(edge->i, ends[0]);
            EXPECT_EQ(edge->j, ends[1]);
            ++edge;
        }
    }
}

TEST(Topology, EdgeCountFollowsEulersFormulaOnEveryMesh) { // F01
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const std::vector<Triangle> triangles = welded(mesh);
        std::set<Index> vertices;
        for (const Triangle& t : triangles) vertices.insert(t.begin(), t.end());
        const auto edges = static_cast<int>(make_topology(triangles).edges.size());
        EXPECT_EQ(static_cast<int>(vertices.size()) - edges + static_cast<int>(triangles.size()), euler);
    }
}

TEST(Topology, OneOppositePairPerInteriorEdge) { // F02
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        if (!manifold) continue;
        SCOPED_TRACE(name);
        const std::vector<Triangle> triangles = welded(mesh);
        const Topology topology = make_topology(triangles);
        // Each triangle has three edges, each interior edge two triangles.
        EXPECT_EQ(topology.opposite.size(), 3 * triangles.size() - topology.edges.size());
        EXPECT_TRUE(topology.non_manifold_edges.empty());
        std::size_t interior = 0;
        for (const auto& [ends, opposite] : edges_by_hand(triangles)) {
            if (opposite.size() != 2) continue;
            ++interior;
            const bool there =
                std::any_of(topology.opposite.begin(), topology.opposite.end(), [&, o = opposite](Pair p) {
                    return (p.i == o[0] && p.j == o[1]) || (p.i == o[1] && p.j == o[0]);
                });
            EXPECT_TRUE(there) << "edge " << ends[0] << " " << ends[1];
        }
        EXPECT_EQ(topology.opposite.size(), interior);
    }
}

TEST(Topology, KTrianglesAtAnEdgeGiveKMinusOnePairs) {
    const Topology topology = make_topology(test::make_non_manifold_fan().triangles);
    EXPECT_EQ(topology.edges.size(), 9u);
    ASSERT_EQ(topology.non_manifold_edges.size(), 1u);
    EXPECT_EQ(topology.non_manifold_edges[0], (Pair{0, 1}));
    ASSERT_EQ(topology.opposite.size(), 3u);
    EXPECT_EQ(topology.opposite[0], (Pair{2, 3}));
    EXPECT_EQ(topology.opposite[1], (Pair{3, 4}));
    EXPECT_EQ(topology.opposite[2], (Pair{4, 5}));
}

TEST(Topology, ATriangleThatIsThereTwiceDoesNotBendAgainstItself) {
    const std::vector<Triangle> twice = {{0, 1, 2}, {1, 2, 0}};
    const Topology topology = make_topology(twice);
    EXPECT_EQ(topology.edges.size(), 3u);
    EXPECT_TRUE(topology.opposite.empty());
}

TEST(Topology, TrianglesThatNameAVertexTwiceCountForNothing) {
    const std::vector<Triangle> triangles = {{0, 0, 1}, {2, 3, 2}, {4, 4, 4}, {0, 1, 2}};
    const Topology topology = make_topology(triangles);
    EXPECT_EQ(topology.edges.size(), 3u);
    EXPECT_TRUE(names_a_vertex_twice(triangles[0]));
    EXPECT_TRUE(names_a_vertex_twice(triangles[1]));
    EXPECT_FALSE(names_a_vertex_twice(triangles[3]));
}

TEST(Topology, NoTrianglesNoEdges) {
    EXPECT_TRUE(make_topology({}).edges.empty());
}

TEST(Coincident, ExactlyEqualPlacesFindTheFirstOfThem) {
    const std::vector<Vec3> positions = {{1, 2, 3}, {0, 0, 0}, {1, 2, 3}, {1, 2, std::nextafter(3.0f, 4.0f)},
                                         {0, 0, 0}, {1, 2, 3}};
    EXPECT_EQ(find_coincident(positions), (std::vector<Index>{0, 1, 0, 3, 1, 0}));
}

TEST(Coincident, EverySeamVertexFindsItsTwin) {
    std::vector<std::array<Index, 2>> seam;
    const Mesh mesh = test::make_seamed(&seam);
    const std::vector<Index> first = find_coincident(mesh.positions);
    ASSERT_EQ(seam.size(), 9u);
    std::size_t joined = 0;
    for (Index v = 0; v < first.size(); ++v) joined += first[v] != v ? 1 : 0;
    EXPECT_EQ(joined, seam.size());
    for (const auto& [a, b] : seam) EXPECT_EQ(first[b], a);
}

TEST(Masses, SumIsDensityTimesAreaOnEveryMesh) { // F03
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        constexpr double density = 0.237;
        double area = 0; // by Heron's formula, not by a cross product
        for (const Triangle& t : mesh.triangles) {
            std::array<double, 3> side = {};
            for (std::size_t k = 0; k < 3; ++k)
                side[k] = length(vector_cast<double>(mesh.positions[t[k]]) -
                                 vector_cast<double>(mesh.positions[t[(k + 1) % 3]]));
            const double s = (side[0] + side[1] + side[2]) / 2;
            area += std::sqrt(std::max(0.0, s * (s - side[0]) * (s - side[1]) * (s - side[2])));
        }
        double sum = 0;
        for (const double m : lump_masses(mesh.positions, mesh.triangles, density)) sum += m;
        EXPECT_NEAR(sum / (density * area), 1, 1e-12);
    }
}

TEST(Masses, AnEquilateralTriangleHasThreeEqualOnes) {                   // F03
    const std::vector<Vec3> corners = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}; // all sides exactly alike
    const std::vector<Triangle> one = {{0, 1, 2}};
    const std::vector<double> masses = lump_masses(corners, one, 2.0);
    EXPECT_EQ(masses[0], masses[1]);
    EXPECT_EQ(masses[1], masses[2]);
    EXPECT_NEAR(masses[0], 2.0 * std::sqrt(3) / 2 / 3, 1e-15);
}

TEST(Masses, EachParticleHasAThirdOfEachOfItsTriangles) {         // [FGL03] Eq. 1
    const Mesh grid = make_grid({2, 2}, {2, 2}, Diagonals::left); // triangles of 0.5 m^2
    const std::vector<double> masses = lump_masses(grid.positions, grid.triangles, 6);
    const std::vector<double> triangles_at = {2, 3, 1, 3, 6, 3, 1, 3, 2};
    for (std::size_t v = 0; v < 9; ++v) EXPECT_NEAR(masses[v], triangles_at[v], 1e-12) << v;
}

TEST(Area, IsExactFarFromTheOriginAndZeroForALine) {
    EXPECT_EQ(triangle_area({1000, 0, 0}, {1001, 0, 0}, {1000, 2, 0}), 1.0);
    EXPECT_EQ(triangle_area({0, 0, 0}, {1, 2, 3}, {2, 4, 6}), 0.0);
}

} // namespace
} // namespace taffeta
