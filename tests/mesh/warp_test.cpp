// Where the warp runs: in the plane of every triangle, and nowhere if nothing says where.
#include "mesh/warp.h"
#include "support/meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// A grid with texture coordinates that are its x and z, turned by an angle.
Mesh turned_texture(float angle) {
    Mesh mesh = make_grid({1, 1}, {4, 3}, Diagonals::alternate);
    mesh.uv.clear();
    for (const Vec3& p : mesh.positions)
        mesh.uv.push_back(
            {std::cos(angle) * p.x + std::sin(angle) * p.z, -std::sin(angle) * p.x + std::cos(angle) * p.z});
    return mesh;
}

Mesh one_triangle(const Vec3& a, const Vec3& b, const Vec3& c) {
    return {.positions = {a, b, c}, .triangles = {{0, 1, 2}}};
}

void expect_near(const Vec3& found, const Vec3& expected) {
    EXPECT_LT(length(found - expected), 1e-5f) << found.x << " " << found.y << " " << found.z;
}

Vec3 normal_of(const Mesh& mesh, const Triangle& t) {
    return normalized(cross(mesh.positions[t[1]] - mesh.positions[t[0]], mesh.positions[t[2]] - mesh.positions[t[0]]));
}

TEST(Warp, GridsAndDisksHaveItAlongX) {
    for (const Mesh& mesh : {make_grid({1, 2}, {3, 5}, Diagonals::cross), make_disk(0.5f, 60)})
        for (const Vec3& warp : warp_directions(mesh, {})) expect_near(warp, {1, 0, 0});
}

TEST(Warp, LiesInThePlaneAndHasLengthOne) {
    for (const test::TestMesh& one : test::all_meshes()) {
        SCOPED_TRACE(one.name);
        const Mesh& mesh = one.mesh;
        for (const std::optional<Vec3> given : {std::optional<Vec3>(), std::optional<Vec3>({0.3f, 1, -2})}) {
            const std::vector<Vec3> warp = warp_directions(mesh, given);
            ASSERT_EQ(warp.size(), mesh.triangles.size());
            for (std::size_t t = 0; t < warp.size(); ++t) {
                if (warp[t] == Vec3{}) continue;
                EXPECT_NEAR(length(warp[t]), 1, 1e-5);
                EXPECT_NEAR(dot(warp[t], normal_of(mesh, mesh.triangles[t])), 0, 1e-4);
            }
        }
    }
}

TEST(Warp, RunsAlongUOfTheTexture) {
    for (const float angle : {0.0f, 0.4f, 1.9f, -2.5f})
        for (const Vec3& warp : warp_directions(turned_texture(angle), {}))
            expect_near(warp, {std::cos(angle), 0, std::sin(angle)});
}

TEST(Warp, AScaledOrMirroredTextureKeepsTheWayOfU) {
    Mesh mesh = turned_texture(0.4f);
    for (auto& [u, v] : mesh.uv) u = 3 + 100 * u, v = 0.5f - v;
    for (const Vec3& warp : warp_directions(mesh, {})) expect_near(warp, {std::cos(0.4f), 0, std::sin(0.4f)});
}

TEST(Warp, AGivenOneGoesBeforeTheTexture) {
    for (const Vec3& warp : warp_directions(turned_texture(0.4f), Vec3{0, 5, 2})) expect_near(warp, {0, 0, 1});
}

TEST(Warp, WithoutTextureXGivesWayToZWhereTheClothStandsAcrossIt) {
    expect_near(warp_directions(one_triangle({0, 0, 0}, {1, 1, 0}, {0, 0, 1}), {})[0],
                normalized(Vec3{1, 1, 0})); // x, laid down onto a slope
    expect_near(warp_directions(one_triangle({0, 0, 0}, {0, 1, 0}, {0, 0, 1}), {})[0], {0, 0, 1});
    expect_near(warp_directions(one_triangle({0, 0, 0}, {0.01f, 1, 0}, {0, 0, 1}), {})[0], {0, 0, 1});
}

TEST(Warp, IsNowhereWhereNothingSaysWhere) {
    const Mesh triangle = one_triangle({0, 0, 0}, {1, 0, 0}, {0, 0, 1});
    EXPECT_EQ(warp_directions(triangle, Vec3{0, 1, 0})[0], Vec3{});
    EXPECT_EQ(triangles_without_warp(triangle, Vec3{0, 1, 0}), std::vector<Index>{0});

    Mesh folded = turned_texture(0);
    for (const Index v : folded.triangles[5]) folded.uv[v][1] = 0.25f;
    EXPECT_EQ(warp_directions(folded, {})[5], Vec3{});
    const std::vector<Index> lost = triangles_without_warp(folded, {});
    EXPECT_NE(std::find(lost.begin(), lost.end(), 5u), lost.end());
    EXPECT_TRUE(triangles_without_warp(folded, Vec3{1, 0, 0}).empty());
}

TEST(Warp, TrianglesWithoutAreaHaveNoSay) {
    const Mesh flat = one_triangle({0, 0, 0}, {1, 0, 0}, {0.5f, 0, 0});
    EXPECT_EQ(warp_directions(flat, {})[0], Vec3{});
    EXPECT_TRUE(triangles_without_warp(flat, {}).empty());
    const Mesh twice = {.positions = {{0, 0, 0}, {1, 0, 0}}, .triangles = {{0, 1, 1}}};
    EXPECT_TRUE(triangles_without_warp(twice, Vec3{0, 1, 0}).empty());
}

} // namespace
} // namespace taffeta
