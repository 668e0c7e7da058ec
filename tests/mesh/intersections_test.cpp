// Crossing triangles: known cases, another method as the oracle, and the search against all pairs.
#include "mesh/intersections.h"

#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffeta {
namespace {

// The gap between two triangles along the best of the eleven axes that can separate them; negative: none does.
double gap_by_axes(const Corners& a, const Corners& b) {
    std::array<Vec3d, 3> p, q;
    for (std::size_t k = 0; k < 3; ++k) p[k] = vector_cast<double>(a[k]), q[k] = vector_cast<double>(b[k]);
    std::vector<Vec3d> axes = {cross(p[1] - p[0], p[2] - p[0]), cross(q[1] - q[0], q[2] - q[0])};
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l) axes.push_back(cross(p[(k + 1) % 3] - p[k], q[(l + 1) % 3] - q[l]));
    double gap = -1e300;
    for (const Vec3d& axis : axes) {
        const Vec3d n = normalized(axis);
        const auto [p_low, p_high] = std::minmax({dot(n, p[0]), dot(n, p[1]), dot(n, p[2])});
        const auto [q_low, q_high] = std::minmax({dot(n, q[0]), dot(n, q[1]), dot(n, q[2])});
        gap = std::max(gap, std::max(q_low - p_high, p_low - q_high));
    }
    return gap;
}

TEST(TrianglesIntersect, KnownCases) {
    const Corners floor = {Vec3{-1, 0, -1}, Vec3{-1, 0, 2}, Vec3{2, 0, -1}};
    EXPECT_TRUE(triangles_intersect(floor, {Vec3{0, -1, 0}, Vec3{0, 1, 0}, Vec3{0.2f, 1, 0.2f}}));
    EXPECT_FALSE(triangles_intersect(floor, {Vec3{0, 0.1f, 0}, Vec3{0, 1, 0}, Vec3{0.2f, 1, 0.2f}})); // above
    EXPECT_FALSE(triangles_intersect(floor, {Vec3{5, -1, 0}, Vec3{5, 1, 0}, Vec3{5.2f, 1, 0.2f}}));   // beside
    EXPECT_FALSE(triangles_intersect(floor, {Vec3{0, 1, 0}, Vec3{1, 1, 0}, Vec3{0, 1, 1}}));          // parallel
    // A large one that the first pierces with all its corners outside.
    EXPECT_TRUE(triangles_intersect(floor, {Vec3{0, -9, 0}, Vec3{0, 9, -9}, Vec3{0, 9, 9}}));
    // Far from the origin, and tiny.
    const Vec3 far = {1000, -500, 200};
    EXPECT_TRUE(triangles_intersect({floor[0] + far, floor[1] + far, floor[2] + far},
                                    {Vec3{0, -1, 0} + far, Vec3{0, 1, 0} + far, Vec3{0.2f, 1, 0.2f} + far}));
    EXPECT_TRUE(triangles_intersect({floor[0] * 1e-6f, floor[1] * 1e-6f, floor[2] * 1e-6f},
                                    {Vec3{0, -1e-6f, 0}, Vec3{0, 1e-6f, 0}, Vec3{2e-7f, 1e-6f, 2e-7f}}));
}

TEST(TrianglesIntersect, AgreesWithTheTestOfSeparatingAxes) {
    test::Random random(17);
    int crossing = 0, apart = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        Corners a, b;
        for (Vec3& p : a) p = random.in_cube_float(1);
        for (Vec3& p : b) p = random.in_cube_float(1);
        const double gap = gap_by_axes(a, b);
        if (std::abs(gap) < 1e-9) continue; // touching: either answer is right
        ++(gap < 0 ? crossing : apart);
        ASSERT_EQ(triangles_intersect(a, b), gap < 0) << "trial " << trial;
        ASSERT_EQ(triangles_intersect(b, a), gap < 0);
        ASSERT_EQ(triangles_intersect({a[1], a[2], a[0]}, {b[2], b[1], b[0]}), gap < 0);
    }
    EXPECT_GT(crossing, 1000);
    EXPECT_GT(apart, 1000);
}

TEST(SelfIntersections, EqualAllPairsOnCrumpledStatesOfEveryMesh) {
    test::Random random(23);
    std::size_t found_in_all = 0;
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        std::vector<Vec3> state = mesh.positions;
        for (Vec3& p : state) p += random.in_cube_float(0.05);
        std::vector<Index> place(mesh.positions.size());
        for (Index v = 0; v < place.size(); ++v) // the first vertex at the same place, by comparison with all
            place[v] = static_cast<Index>(std::find(mesh.positions.begin(), mesh.positions.end(), mesh.positions[v]) -
                                          mesh.positions.begin());
        for (Index v = 0; v < place.size(); ++v) state[v] = state[place[v]];

        std::vector<std::array<Index, 2>> all_pairs;
        for (Index s = 0; s < mesh.triangles.size(); ++s) {
            for (Index t = s + 1; t < mesh.triangles.size(); ++t) {
                const Triangle &a = mesh.triangles[s], &b = mesh.triangles[t];
                if (triangles_intersect({state[a[0]], state[a[1]], state[a[2]]},
                                        {state[b[0]], state[b[1]], state[b[2]]}))
                    all_pairs.push_back({s, t});
            }
        }
        EXPECT_EQ(find_self_intersections(state, mesh.triangles, mesh.positions), all_pairs);
        EXPECT_EQ(inspect(mesh, state).intersections, all_pairs);
        found_in_all += all_pairs.size();
    }
    EXPECT_GT(found_in_all, 100u);
}

TEST(SelfIntersections, FlatMeshesHaveNone) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        EXPECT_TRUE(find_self_intersections(mesh.positions, mesh.triangles).empty());
    }
    EXPECT_TRUE(find_self_intersections({}, {}).empty());
}

TEST(SelfIntersections, AFoldThroughItselfIsFound) {
    Mesh mesh = make_grid({1, 0.1f}, {20, 2}, Diagonals::left);
    for (Vec3& p : mesh.positions) { // a loop like the Greek alpha
        const double angle = 8.0 * p.x;
        p = {static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(0.9 * angle)), p.z};
    }
    EXPECT_FALSE(find_self_intersections(mesh.positions, mesh.triangles).empty());
}

// A fan of triangles about one vertex, of which the last is folded through the first.
TEST(SelfIntersections, TrianglesWithACommonVertexAreFoundWhereTheyCrossBeyondIt) {
    std::vector<Vec3> x = {{0, 0, 0}, {1, 0, -0.5f}, {1, 0, 0.5f}, {0.5f, -1, 0.1f}, {0.5f, 1, 0.1f}};
    const std::vector<Triangle> triangles = {{0, 1, 2}, {0, 3, 4}};
    using Pairs = std::vector<std::array<Index, 2>>;
    EXPECT_EQ(find_self_intersections(x, triangles), (Pairs{{0, 1}}));
    x[3].x = x[4].x = 2; // the other edge goes through
    EXPECT_EQ(find_self_intersections(x, triangles), (Pairs{{0, 1}}));
    x[3].x = x[4].x = 1; // the edges meet
    EXPECT_EQ(find_self_intersections(x, triangles), (Pairs{{0, 1}}));
    x[3].x = x[4].x = -1; // behind the vertex
    EXPECT_TRUE(find_self_intersections(x, triangles).empty());
    x[3] = {0.5f, 0, 0.1f}, x[4] = {0.5f, 1, 0.1f}; // stands on it
    EXPECT_TRUE(find_self_intersections(x, triangles).empty());
    x[3] = {0.5f, 0, 0.1f}, x[4] = {2, 0, 2}; // in its plane
    EXPECT_TRUE(find_self_intersections(x, triangles).empty());
}

TEST(SelfIntersections, FoldedFlatOnItselfDoesNotCross) {
    Mesh mesh = make_grid({1, 1}, {8, 8}, Diagonals::alternate);
    const std::vector<Vec3> rest = mesh.positions;
    for (Vec3& p : mesh.positions) p.x = std::abs(p.x);
    EXPECT_TRUE(find_self_intersections(mesh.positions, mesh.triangles, rest).empty());
    for (Vec3& p : mesh.positions) p.z = std::abs(p.z); // once more
    EXPECT_TRUE(find_self_intersections(mesh.positions, mesh.triangles, rest).empty());
}

// Cloths of one shape have the same rest positions, which does not join them.
TEST(SelfIntersections, ClothsOfOneShapeCross) {
    const Mesh sheet = make_grid({1, 1}, {2, 2}, Diagonals::left);
    Mesh two = sheet;
    test::append(sheet, {}, two);
    std::vector<Vec3> x = two.positions;
    for (std::size_t v = sheet.positions.size(); v < x.size(); ++v)
        x[v] = Vec3{0.1f, 0.9f * x[v].x + 0.1f, x[v].z + 0.03f};
    EXPECT_GE(find_self_intersections(x, two.triangles, two.positions).size(), 4u);
    two.uv.clear();
    EXPECT_EQ(inspect(two, x).non_manifold_edges, 0u);
}

TEST(Intersections, EqualAllPairsOfTwoCrumpledMeshes) {
    test::Random random(29);
    std::size_t found_in_all = 0;
    const auto meshes = test::all_meshes();
    for (std::size_t k = 0; k < meshes.size(); ++k) {
        Mesh a = meshes[k].mesh, b = meshes[(k + 1) % meshes.size()].mesh;
        SCOPED_TRACE(meshes[k].name);
        for (Vec3& p : a.positions) p += random.in_cube_float(0.1);
        for (Vec3& p : b.positions) p += random.in_cube_float(0.1);
        if (k % 3 == 0) a.positions[0].y = std::numeric_limits<float>::quiet_NaN(); // its triangles cross nothing
        std::vector<std::array<Index, 2>> all_pairs;
        for (Index s = 0; s < a.triangles.size(); ++s) {
            for (Index t = 0; t < b.triangles.size(); ++t) {
                const Corners p = {a.positions[a.triangles[s][0]], a.positions[a.triangles[s][1]],
                                   a.positions[a.triangles[s][2]]};
                const Corners q = {b.positions[b.triangles[t][0]], b.positions[b.triangles[t][1]],
                                   b.positions[b.triangles[t][2]]};
                if (is_finite(p[0]) && is_finite(p[1]) && is_finite(p[2]) && triangles_intersect(p, q))
                    all_pairs.push_back({s, t});
            }
        }
        EXPECT_EQ(find_intersections({a.positions, a.triangles}, {b.positions, b.triangles}), all_pairs);
        found_in_all += all_pairs.size();
    }
    EXPECT_GT(found_in_all, 100u);
    EXPECT_TRUE(find_intersections({}, {}).empty());
}

TEST(Inspection, CountsWhatIsOdd) {
    EXPECT_EQ(inspect(test::make_non_manifold_fan()).non_manifold_edges, 1u);
    EXPECT_EQ(inspect(test::make_with_zero_area()).degenerate_triangles, 1u);
    const Inspection good = inspect(make_disk(0.5f, 300));
    EXPECT_EQ(good.non_manifold_edges, 0u);
    EXPECT_EQ(good.degenerate_triangles, 0u);
    EXPECT_TRUE(good.intersections.empty());
    EXPECT_EQ(inspect(Mesh{}).degenerate_triangles, 0u);
}

TEST(Inspection, SeamsAreJoined) {
    EXPECT_EQ(inspect(test::make_seamed()).non_manifold_edges, 0u);
    EXPECT_TRUE(inspect(test::make_seamed()).intersections.empty());
}

} // namespace
} // namespace taffeta
