// Colours share no particle, are about equally long and few.
#include "mesh/colouring.h"

#include "mesh/topology.h"
#include "support/meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace taffeta {
namespace {

constexpr Index none = ~Index{0};

std::vector<Pair> constraints_of(const Mesh& mesh) {
    const Topology topology = make_topology(mesh.triangles);
    std::vector<Pair> pairs = topology.edges;
    pairs.insert(pairs.end(), topology.opposite.begin(), topology.opposite.end());
    return pairs;
}

std::vector<int> colour_pairs(const std::vector<Pair>& pairs, Index vertex_count) {
    std::vector<VertexGroup> groups;
    for (const Pair& pair : pairs) groups.push_back({pair.i, pair.j, none});
    return colour_groups(groups, vertex_count);
}

// The number of colours; fails if two pairs of one colour share a vertex or a colour is skipped.
int expect_proper(const std::vector<Pair>& pairs, const std::vector<int>& colours) {
    EXPECT_EQ(colours.size(), pairs.size());
    if (colours.empty()) return 0;
    const int count = *std::max_element(colours.begin(), colours.end()) + 1;
    std::vector<std::set<Index>> used(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        EXPECT_GE(colours[k], 0);
        auto& seen = used[static_cast<std::size_t>(colours[k])];
        EXPECT_TRUE(seen.insert(pairs[k].i).second) << "pair " << k;
        EXPECT_TRUE(seen.insert(pairs[k].j).second) << "pair " << k;
    }
    for (const auto& seen : used) EXPECT_FALSE(seen.empty());
    return count;
}

TEST(Colouring, NoColourSharesAParticleOnAnyMesh) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const std::vector<Pair> pairs = constraints_of(mesh);
        expect_proper(pairs, colour_pairs(pairs, static_cast<Index>(mesh.positions.size())));
    }
}

TEST(Colouring, NeedsAtMostTwiceTheDegree) { // what greedy colouring of edges guarantees
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const std::vector<Pair> pairs = constraints_of(mesh);
        std::vector<int> degree(mesh.positions.size(), 0);
        for (const Pair& pair : pairs) ++degree[pair.i], ++degree[pair.j];
        const int most = *std::max_element(degree.begin(), degree.end());
        EXPECT_LE(expect_proper(pairs, colour_pairs(pairs, static_cast<Index>(degree.size()))), 2 * most - 1);
    }
}

TEST(Colouring, ColoursOfALargeClothAreBalanced) {
    const std::vector<Mesh> meshes = {make_grid({1, 1}, {60, 60}, Diagonals::alternate),
                                      make_grid({1, 1}, {40, 40}, Diagonals::cross), make_disk(1, 3000)};
    for (const Mesh& mesh : meshes) {
        const std::vector<Pair> pairs = constraints_of(mesh);
        const std::vector<int> colours = colour_pairs(pairs, static_cast<Index>(mesh.positions.size()));
        const int count = expect_proper(pairs, colours);
        std::vector<int> size(static_cast<std::size_t>(count), 0);
        for (const int c : colours) ++size[static_cast<std::size_t>(c)];
        const auto [least, most] = std::minmax_element(size.begin(), size.end());
        EXPECT_LE(*most, 2 * *least);
        std::vector<int> degree(mesh.positions.size(), 0);
        for (const Pair& pair : pairs) ++degree[pair.i], ++degree[pair.j];
        EXPECT_LE(count, *std::max_element(degree.begin(), degree.end()) + 3); // the degree is the least possible
    }
}

TEST(Colouring, AVertexWithHundredsOfNeighboursHasAsManyColours) {
    std::vector<Pair> star;
    for (Index k = 1; k <= 300; ++k) star.push_back({0, k});
    for (Index k = 1; k < 300; ++k) star.push_back({k, k + 1});
    EXPECT_EQ(expect_proper(star, colour_pairs(star, 301)), 300);
}

TEST(Colouring, TrianglesOfOneColourShareNoVertex) {
    const Mesh mesh = make_disk(1, 3000);
    const std::vector<VertexGroup> groups(mesh.triangles.begin(), mesh.triangles.end());
    const std::vector<int> colours = colour_groups(groups, 3000);
    std::set<std::pair<int, Index>> seen;
    for (std::size_t k = 0; k < groups.size(); ++k)
        for (const Index v : groups[k]) EXPECT_TRUE(seen.insert({colours[k], v}).second);
}

TEST(Colouring, DependsOnThePairsAlone) {
    const Mesh mesh = make_disk(1, 500);
    const std::vector<Pair> pairs = constraints_of(mesh);
    EXPECT_EQ(colour_pairs(pairs, 500), colour_pairs(pairs, 500));
    EXPECT_EQ(colour_pairs(pairs, 500), colour_pairs(pairs, 5000));
    EXPECT_TRUE(colour_pairs({}, 10).empty());
}

} // namespace
} // namespace taffeta
