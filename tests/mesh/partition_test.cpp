// Parts of a cloth are of one size and have few joints; the order they come from is a good one on every mesh.
#include "mesh/partition.h"

#include "support/meshes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace taffeta {
namespace {

// By vertex: the range that it comes into.
std::vector<Index> parts_of(std::span<const Pair> pairs, Index count, Index most) {
    const std::vector<Index> begins = halve_range(count, most), order = order_by_partition(pairs, count, most);
    std::vector<Index> part(count);
    for (Index k = 0, now = 0; k < count; ++k) {
        if (k == begins[now + 1]) ++now;
        part[order[k]] = now;
    }
    return part;
}

TEST(Partition, RangesAreHalvesOfHalves) {
    EXPECT_EQ(halve_range(10'000, 2048), (std::vector<Index>{0, 1250, 2500, 3750, 5000, 6250, 7500, 8750, 10'000}));
    EXPECT_EQ(halve_range(5, 5), (std::vector<Index>{0, 5}));
    EXPECT_EQ(halve_range(5, 3), (std::vector<Index>{0, 2, 5}));
    EXPECT_EQ(halve_range(0, 5), (std::vector<Index>{0, 0}));
}

TEST(Partition, LargeClothsHavePartsOfTheirOwnAndSmallOnesShare) {
    const auto parts = [](std::vector<Index> counts) { return partition_cloths(counts, 10); };
    EXPECT_EQ(parts({16, 3}), (std::vector<Index>{0, 8, 16, 19}));
    EXPECT_EQ(parts({3, 16, 2, 4, 5}), (std::vector<Index>{0, 3, 11, 19, 25, 30}));
    EXPECT_EQ(parts({4, 6}), (std::vector<Index>{0, 10}));
    EXPECT_EQ(parts({}), (std::vector<Index>{0, 0}));
}

TEST(Partition, TheOrderHasEveryVertexOnce) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const auto count = static_cast<Index>(mesh.positions.size());
        std::vector<Index> order = order_by_partition(make_topology(mesh.triangles).edges, count, 7);
        std::sort(order.begin(), order.end());
        ASSERT_EQ(order.size(), count);
        for (Index v = 0; v < count; ++v) ASSERT_EQ(order[v], v);
    }
}

TEST(Partition, FewEdgesJoinParts) { // two sides of each square part own them: 2 * 32 * 2 edges of its 3 * 32 * 32
    const Mesh grid = make_grid({1, 1}, {127, 127}, Diagonals::left);
    for (const Mesh& mesh : {grid, test::make_shuffled(grid, 1)}) {
        const std::vector<Pair> edges = make_topology(mesh.triangles).edges;
        const std::vector<Index> parts = parts_of(edges, 128 * 128, 1024);
        const auto joints =
            std::count_if(edges.begin(), edges.end(), [&](const Pair& edge) { return parts[edge.i] != parts[edge.j]; });
        EXPECT_LT(static_cast<double>(joints), 0.06 * static_cast<double>(edges.size()));
    }
}

TEST(Partition, OneThatIsNumberedInRowsKeepsItsOrder) {
    const Mesh mesh = make_disk(1, 5000);
    const std::vector<Index> order = order_by_partition(make_topology(mesh.triangles).edges, 5000, 8192);
    EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(Partition, OneThatIsNumberedAtRandomGetsAnOrderInWhichNeighboursAreNear) {
    const Mesh mesh = test::make_shuffled(make_disk(1, 5000), 2);
    const std::vector<Pair> edges = make_topology(mesh.triangles).edges;
    const std::vector<Index> order = order_by_partition(edges, 5000, 8192);
    std::vector<double> number(5000);
    for (std::size_t k = 0; k < order.size(); ++k) number[order[k]] = static_cast<double>(k);
    double sum = 0;
    for (const Pair& edge : edges) sum += std::abs(number[edge.i] - number[edge.j]);
    EXPECT_LT(sum / static_cast<double>(edges.size()), 100); // about 70 to a row; before, 1,667
}

TEST(Partition, VerticesWithoutPairsAreOrderedToo) {
    std::vector<Index> order = order_by_partition({}, 3, 2);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<Index>{0, 1, 2}));
    EXPECT_TRUE(order_by_partition({}, 0, 5).empty());
}

} // namespace
} // namespace taffeta
