// The human figure and its trousers: closed, free of crossings and clear of each other.
#include "content/figure.h"

#include "collision/colliders/body_mesh.h"
#include "content/figure_shape.h"
#include "content/surface_net.h"
#include "mesh/intersections.h"
#include "mesh/topology.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <set>

namespace taffeta {
namespace {

// Vertices minus edges plus triangles, with coincident vertices joined; edges with more than two triangles fail.
int euler_number(const Mesh& mesh) {
    const std::vector<Index> first = find_coincident(mesh.positions);
    std::vector<Triangle> triangles = mesh.triangles;
    for (Triangle& t : triangles)
        for (Index& v : t) v = first[v];
    const Topology topology = make_topology(triangles);
    EXPECT_TRUE(topology.non_manifold_edges.empty());
    const std::set<Index> vertices(first.begin(), first.end());
    return static_cast<int>(vertices.size()) - static_cast<int>(topology.edges.size()) +
           static_cast<int>(triangles.size());
}

double volume(const Mesh& mesh) { // positive if it is closed and faces outwards
    double six_times = 0;
    for (const Triangle& t : mesh.triangles)
        six_times += dot(vector_cast<double>(mesh.positions[t[0]]),
                         cross(vector_cast<double>(mesh.positions[t[1]]), vector_cast<double>(mesh.positions[t[2]])));
    return six_times / 6;
}

// Directed edges without their opposite.
std::size_t open_edges(const Mesh& mesh) {
    std::set<std::pair<Index, Index>> edges;
    for (const Triangle& t : mesh.triangles)
        for (std::size_t k = 0; k < 3; ++k) edges.insert({t[k], t[(k + 1) % 3]});
    EXPECT_EQ(edges.size(), 3 * mesh.triangles.size()); // each once
    return static_cast<std::size_t>(std::count_if(edges.begin(), edges.end(), [&](auto& e) {
        return edges.count({e.second, e.first}) == 0;
    }));
}

TEST(SurfaceNet, OfABallIsClosedAndLiesOnIt) {
    const Mesh mesh = make_surface_net([](const Vec3d& p) { return length(p) - 0.5; },
                                       {.low = {-0.6, -0.61, -0.62}, .cell = 0.05, .cells = {24, 25, 26}});
    EXPECT_EQ(open_edges(mesh), 0u);
    EXPECT_EQ(euler_number(mesh), 2);
    EXPECT_NEAR(volume(mesh), std::numbers::pi / 6, 0.01);
    for (const Vec3& p : mesh.positions) EXPECT_NEAR(length(p), 0.5f, 1e-4f);
}

TEST(Figure, IsOneClosedSurfaceOfTheSizeOfAPerson) {
    const BodyMesh figure = make_figure();
    const Mesh& mesh = *figure.mesh;
    EXPECT_FALSE(figure.deforms());
    EXPECT_NEAR(static_cast<double>(mesh.triangles.size()), 28784, 300); // [MKE03] Table 1
    EXPECT_EQ(open_edges(mesh), 0u);
    EXPECT_EQ(euler_number(mesh), 2);
    EXPECT_NEAR(volume(mesh), 0.065, 0.015); // m^3, of a person of 65 kg
    const auto [low, high] = std::minmax_element(mesh.positions.begin(), mesh.positions.end(),
                                                 [](const Vec3& a, const Vec3& b) { return a.y < b.y; });
    EXPECT_NEAR(low->y, 0, 1e-3f);
    EXPECT_NEAR(high->y, 1.75f, 0.02f);
}

TEST(Figure, WalksWithItsSolesOnTheGroundAndWithoutCrossingItself) {
    const BodyMesh figure = make_figure({.steps = 4, .pace = 2});
    const Mesh& mesh = *figure.mesh;
    std::vector<Vec3> placed(mesh.positions.size());
    place_body_mesh(figure, {}, 0, placed);
    for (std::size_t v = 0; v < placed.size(); ++v) ASSERT_LT(length(placed[v] - mesh.positions[v]), 1e-5f); // stands
    float farthest = 0;
    for (int k = 0; k <= 20; ++k) {
        place_body_mesh(figure, {}, 0.1 * k, placed);
        float lowest = 1;
        for (std::size_t v = 0; v < placed.size(); ++v) {
            lowest = std::min(lowest, placed[v].y);
            farthest = std::max(farthest, length(placed[v] - mesh.positions[v]));
        }
        EXPECT_NEAR(lowest, 0, 0.01f) << 0.1 * k << " s";
        if (k % 5 != 2) continue; // looking at all would take long
        EXPECT_TRUE(find_self_intersections(placed, mesh.triangles).empty()) << 0.1 * k << " s";
    }
    EXPECT_GT(farthest, 0.3f); // a foot
}

TEST(Figure, EveryPointOfItsSkinHasWeightsThatSumToOne) {
    for (const Vec3& p : make_figure().mesh->positions) {
        float sum = 0;
        for (const Skeleton::Influence& influence : figure_influences(vector_cast<double>(p))) {
            EXPECT_GT(influence.weight, 0);
            sum += influence.weight;
        }
        ASSERT_NEAR(sum, 1, 1e-6f);
    }
}

TEST(Trousers, AreOneSurfaceWithThreeHolesClearOfTheFigure) {
    const BodyMesh figure = make_figure();
    for (const int particles : {833, 2500, 10000}) {
        const Mesh mesh = make_trousers(particles);
        const std::vector<Index> first = find_coincident(mesh.positions);
        const std::set<Index> joined(first.begin(), first.end());
        EXPECT_NEAR(static_cast<double>(joined.size()), particles, 0.02 * particles);
        EXPECT_EQ(euler_number(mesh), -1);
        EXPECT_TRUE(find_self_intersections(mesh.positions, mesh.triangles).empty());
        for (const Vec3& p : mesh.positions) {
            const double gap = figure_distance(vector_cast<double>(p));
            ASSERT_GT(gap, 0.005);
            ASSERT_LT(gap, 0.06);
        }
        if (particles > 833) continue; // whose flat triangles come closest
        const Mesh& body = *figure.mesh;
        EXPECT_TRUE(find_intersections({mesh.positions, mesh.triangles}, {body.positions, body.triangles}).empty());
    }
}

} // namespace
} // namespace taffeta
