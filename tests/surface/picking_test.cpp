#include <taffeta/surface.h>

#include "support/random.h"

#include <gtest/gtest.h>

#include <vector>

namespace taffeta {
namespace {

TEST(FirstHit, NamesTriangleDistanceAndPlace) {
    const std::vector<Vec3> p = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, -2}, {1, 0, -2}, {0, 1, -2}};
    const std::vector<Triangle> triangles = {{3, 4, 5}, {0, 1, 2}};
    const auto hit = first_hit({{0.25f, 0.5f, 3}, {0, 0, -1}}, triangles, p);
    ASSERT_TRUE(hit);
    EXPECT_EQ(hit->triangle, 1u);
    EXPECT_FLOAT_EQ(hit->distance, 3);
    EXPECT_FLOAT_EQ(hit->barycentric[0], 0.25f);
    EXPECT_FLOAT_EQ(hit->barycentric[1], 0.25f);
    EXPECT_FLOAT_EQ(hit->barycentric[2], 0.5f);
}

TEST(FirstHit, SeesBothSidesAndNothingBehind) {
    const std::vector<Vec3> p = {{-1, -1, 0}, {1, -1, 0}, {0, 1, 0}};
    const std::vector<Triangle> triangles = {{0, 1, 2}};
    EXPECT_TRUE(first_hit({{0, 0, 1}, {0, 0, -1}}, triangles, p));
    EXPECT_TRUE(first_hit({{0, 0, -1}, {0, 0, 1}}, triangles, p));
    EXPECT_FALSE(first_hit({{0, 0, 1}, {0, 0, 1}}, triangles, p));
    EXPECT_FALSE(first_hit({{2, 0, 1}, {0, 0, -1}}, triangles, p));
    EXPECT_FALSE(first_hit({{0, 0, 1}, {0, 0, -1}}, {}, p));
}

TEST(FirstHit, TrianglesWithoutAreaAreNotThere) {
    const std::vector<Vec3> p = {{-1, 0, 0}, {1, 0, 0}, {0, 0, 0}};
    const std::vector<Triangle> triangles = {{0, 1, 2}, {0, 0, 0}};
    EXPECT_FALSE(first_hit({{0, 0, 1}, {0, 0, -1}}, triangles, p));
}

TEST(FirstHit, NoRaySlipsThroughTheEdgesAndVerticesOfASheet) {
    Mesh sheet = make_grid({1, 1}, {10, 10}, Diagonals::alternate);
    test::Random random(7);
    for (Vec3& p : sheet.positions) p.y = random.uniform_float(-0.1f, 0.1f);
    for (const Triangle& t : sheet.triangles)
        for (std::size_t k = 0; k < 3; ++k) {
            const Vec3 &a = sheet.positions[t[k]], &b = sheet.positions[t[(k + 1) % 3]];
            for (const float part : {0.0f, 0.3f, 0.5f}) {
                const Vec3 target = a + (b - a) * part;
                const bool is_border = std::abs(target.x) > 0.49f || std::abs(target.z) > 0.49f;
                if (is_border) continue;
                const Vec3 from = {random.uniform_float(-0.2f, 0.2f), 2, random.uniform_float(-0.2f, 0.2f)};
                EXPECT_TRUE(first_hit({from, normalized(target - from)}, sheet.triangles, sheet.positions));
            }
        }
}

} // namespace
} // namespace taffeta
