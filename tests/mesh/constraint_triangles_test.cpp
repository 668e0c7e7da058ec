// Groups of pairs keep every pair once and are triangles wherever they can be.
#include "mesh/constraint_triangles.h"

#include "support/meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace taffeta {
namespace {

struct Constraints {
    std::vector<Pair> pairs;
    std::vector<bool> is_bending;
};

Constraints constraints_of(const Mesh& mesh) {
    Topology topology = make_topology(mesh.triangles);
    std::vector<bool> is_bending(topology.edges.size(), false);
    is_bending.resize(topology.edges.size() + topology.opposite.size(), true);
    topology.edges.insert(topology.edges.end(), topology.opposite.begin(), topology.opposite.end());
    return {topology.edges, is_bending};
}

TEST(Triples, HoldEveryPairOfEveryMeshOnceBetweenItsVertices) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const auto [pairs, is_bending] = constraints_of(mesh);
        std::set<Index> seen;
        for (const Triple& triple : group_pairs(pairs, is_bending, static_cast<Index>(mesh.positions.size()))) {
            for (std::size_t side = 0; side < 3; ++side) {
                if (triple.pair[side] == Triple::none) continue;
                EXPECT_TRUE(seen.insert(triple.pair[side]).second);
                const Pair pair = pairs.at(triple.pair[side]);
                const Index a = triple.vertex[side], b = triple.vertex[(side + 1) % 3];
                EXPECT_EQ(std::minmax(a, b), std::minmax(pair.i, pair.j));
            }
        }
        EXPECT_EQ(seen.size(), pairs.size());
    }
}

TEST(Triples, NineOfTenGroupsOfAClothAreTriangles) {
    for (const Mesh& mesh : {make_grid({1, 1}, {40, 40}, Diagonals::left), make_disk(1, 2000)}) {
        const auto [pairs, is_bending] = constraints_of(mesh);
        const std::vector<Triple> triples = group_pairs(pairs, is_bending, static_cast<Index>(mesh.positions.size()));
        const auto whole = std::count_if(triples.begin(), triples.end(),
                                         [](const Triple& triple) { return triple.pair[2] != Triple::none; });
        EXPECT_GT(static_cast<double>(whole), 0.85 * static_cast<double>(triples.size()));
    }
}

TEST(Triples, PairsThatMeetAreGroupedAndLonelyOnesStayAlone) {
    const std::vector<Pair> pairs = {{0, 1}, {1, 2}, {3, 4}};
    const std::vector<Triple> triples = group_pairs(pairs, {false, false, false}, 5);
    ASSERT_EQ(triples.size(), 2u);
    EXPECT_EQ(triples[0].vertex, (std::array<Index, 3>{0, 1, 2}));
    EXPECT_EQ(triples[0].pair, (std::array<Index, 3>{0, 1, Triple::none}));
    EXPECT_EQ(triples[1].vertex, (std::array<Index, 3>{3, 4, Triple::none}));
    EXPECT_TRUE(group_pairs({}, {}, 5).empty());
}

} // namespace
} // namespace taffeta
