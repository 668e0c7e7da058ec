// Parts of a cloth are of one size, hang together and have few joints.
#include "mesh/partition.h"

#include "support/meshes.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace taffeta {
namespace {

std::vector<Index> sizes_of(const std::vector<Index>& parts) {
    std::vector<Index> sizes(parts.empty() ? 0 : *std::max_element(parts.begin(), parts.end()) + 1);
    for (const Index part : parts) ++sizes[part];
    return sizes;
}

TEST(Partition, EveryPartOfEveryMeshIsFilledAndSmallEnough) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const auto count = static_cast<Index>(mesh.positions.size());
        const std::vector<Index> parts = part_vertices(make_topology(mesh.triangles).edges, count, 7);
        ASSERT_EQ(parts.size(), count);
        for (const Index size : sizes_of(parts)) {
            EXPECT_GT(size, 0u);
            EXPECT_LE(size, 7u);
        }
    }
}

TEST(Partition, PartsAreOfOneSize) {
    const Mesh mesh = make_disk(1, 10'000);
    const std::vector<Index> sizes = sizes_of(part_vertices(make_topology(mesh.triangles).edges, 10'000, 2048));
    EXPECT_EQ(sizes, std::vector<Index>(8, 1250));
}

TEST(Partition, FewEdgesJoinParts) { // two sides of each square part own them: 2 * 32 * 2 edges of its 3 * 32 * 32
    const Mesh mesh = make_grid({1, 1}, {127, 127}, Diagonals::left);
    const std::vector<Pair> edges = make_topology(mesh.triangles).edges;
    const std::vector<Index> parts = part_vertices(edges, 128 * 128, 1024);
    const auto joints =
        std::count_if(edges.begin(), edges.end(), [&](const Pair& edge) { return parts[edge.i] != parts[edge.j]; });
    EXPECT_LT(static_cast<double>(joints), 0.06 * static_cast<double>(edges.size()));
}

TEST(Partition, VerticesWithoutPairsAreDividedToo) {
    EXPECT_EQ(sizes_of(part_vertices({}, 10, 5)), (std::vector<Index>{5, 5}));
    EXPECT_TRUE(part_vertices({}, 0, 5).empty());
}

} // namespace
} // namespace taffeta
