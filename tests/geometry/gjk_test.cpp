// The closest points of convex polygons, against those of triangles and brute force.
#include "geometry/gjk.h"

#include "geometry/closest.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace taffeta {
namespace {

std::vector<Vec3d> points_of(const Corners& corners) {
    std::vector<Vec3d> points;
    for (const Vec3& p : corners) points.push_back(vector_cast<double>(p));
    return points;
}

// Whether a place is in the hull of points: then it is as near to it as rounding allows.
double distance_to(const Vec3d& place, std::span<const Vec3d> points) {
    return closest_of_polygons(std::span(&place, 1), points).distance;
}

constexpr int kinds = 12;
struct Pair {
    Corners a, b;
};
Pair pair_of(int kind, test::Random& random) {
    Pair pair;
    for (Vec3& p : pair.a) p = random.in_cube_float(1);
    for (Vec3& p : pair.b) p = random.in_cube_float(1);
    Corners &a = pair.a, &b = pair.b;
    const Vec3 up = {0, 3, 0};
    switch (kind) {
    case 1: // parallel planes, exactly
        for (Vec3& p : a) p.y = 0.25f;
        for (Vec3& p : b) p.y = 0.5f;
        break;
    case 2: // one plane; they overlap or not
        for (Vec3& p : a) p.y = 0.25f;
        for (Vec3& p : b) p.y = 0.25f, p.x += 0.8f;
        break;
    case 3: b[1] = a[2]; break; // touch with a corner
    case 4:                     // touch with an edge
        b[0] = a[0];
        b[1] = a[1];
        break;
    case 5: b = a; break;
    case 6: // no area
        a = {Vec3{0, 1, 0}, Vec3{1, 2, 0.5f}, Vec3{0.5f, 1.5f, 0.25f}};
        for (Vec3& p : a) p += up;
        break;
    case 7: // edges and points, on either side
        a[2] = a[1] = a[0] + up;
        b[2] = b[1];
        break;
    case 8: // slivers
        a[2] = a[0] + (a[1] - a[0]) * 0.3f;
        for (Vec3& p : a) p += up;
        break;
    case 9: // almost parallel, close
        for (std::size_t k = 0; k < 3; ++k) b[k] = a[k] + Vec3{0.1f, 0.01f, 0} + random.in_cube_float(1e-4);
        break;
    case 10: // small and far off
        for (Vec3& p : a) p = p * 0.01f + Vec3{5, 0, -3};
        for (Vec3& p : b) p = p * 0.01f + Vec3{5, 0.015f, -3};
        break;
    case 11: // parallel edges
        b[0] = a[0] + up;
        b[1] = a[1] + up;
        break;
    default: break;
    }
    return pair;
}

TEST(Gjk, EqualsTheDistanceOfTriangles) { // M13
    test::Random random(1);
    int apart = 0, together = 0;
    for (int k = 0; k < 100'000; ++k) {
        const auto [a, b] = pair_of(k % kinds, random);
        const std::vector<Vec3d> p = points_of(a), q = points_of(b);
        const ClosestOfPolygons found = closest_of_polygons(p, q);
        const double expected = triangle_distance(a, b);
        ASSERT_NEAR(found.distance, expected, 1e-9) << "pair " << k << " of kind " << k % kinds;
        ASSERT_NEAR(length(found.on_a - found.on_b), found.distance, 1e-9) << "pair " << k;
        (expected > 0 ? apart : together) += 1;
    }
    EXPECT_GT(apart, 40'000);
    EXPECT_GT(together, 10'000);
}

TEST(Gjk, ClosestPointsAreOnThePolygons) {
    test::Random random(2);
    for (int k = 0; k < 3000; ++k) {
        const auto [a, b] = pair_of(k % kinds, random);
        const std::vector<Vec3d> p = points_of(a), q = points_of(b);
        const ClosestOfPolygons found = closest_of_polygons(p, q);
        ASSERT_LT(closest_on_triangle(found.on_a, {p[0], p[1], p[2]}).squared, 1e-24) << k;
        ASSERT_LT(closest_on_triangle(found.on_b, {q[0], q[1], q[2]}).squared, 1e-24) << k;
        ASSERT_NEAR(closest_of_polygons(q, p).distance, found.distance, 1e-12) << k;
    }
}

// An octagon whose corners lie in one plane without any rounding.
std::vector<Vec3> octagon(test::Random& random) {
    const auto dyadic = [&] { return static_cast<float>(random.below(129)) / 64 - 1; };
    const Vec3 origin = {dyadic(), dyadic(), dyadic()};
    const Vec3 u = {dyadic(), dyadic(), dyadic()}, v = {dyadic(), dyadic(), dyadic()};
    std::vector<Vec3> corners;
    for (const auto& [i, j] : {std::pair{1, 0}, {2, 0}, {3, 1}, {3, 2}, {2, 3}, {1, 3}, {0, 2}, {0, 1}})
        corners.push_back(origin + u * static_cast<float>(i) + v * static_cast<float>(j));
    return corners;
}

TEST(Gjk, OctagonsEqualAllTrianglesOfThem) {
    test::Random random(3);
    int apart = 0, together = 0;
    for (int k = 0; k < 1500; ++k) {
        const std::vector<Vec3> a = octagon(random), b = octagon(random);
        double expected = 1e9;
        for (std::size_t i = 2; i < a.size(); ++i)
            for (std::size_t j = 2; j < b.size(); ++j)
                expected = std::min(expected, triangle_distance({a[0], a[i - 1], a[i]}, {b[0], b[j - 1], b[j]}));
        std::vector<Vec3d> p, q;
        for (const Vec3& corner : a) p.push_back(vector_cast<double>(corner));
        for (const Vec3& corner : b) q.push_back(vector_cast<double>(corner));
        std::reverse(q.begin() + 2, q.end()); // the order is of no concern
        ASSERT_NEAR(closest_of_polygons(p, q).distance, expected, 1e-9) << k;
        (expected > 0 ? apart : together) += 1;
    }
    EXPECT_GT(apart, 500);
    EXPECT_GT(together, 150);
}

TEST(Gjk, PointsAndEdgesArePolygonsToo) {
    const std::vector<Vec3d> point = {{0, 2, 0}}, edge = {{-1, 0, 0}, {1, 0, 0}}, across = {{0, 1, -1}, {0, 1, 1}};
    const std::vector<Vec3d> square = {{-1, 0, -1}, {1, 0, -1}, {1, 0, 1}, {-1, 0, 1}};
    EXPECT_EQ(closest_of_polygons(point, point).distance, 0);
    EXPECT_EQ(closest_of_polygons(point, edge).distance, 2);
    EXPECT_EQ(closest_of_polygons(edge, across).distance, 1);
    EXPECT_EQ(closest_of_polygons(square, across).distance, 1);
    EXPECT_EQ(closest_of_polygons(point, square).on_b, (Vec3d{0, 0, 0}));
    const std::vector<Vec3d> through = {{0.3, -1, 0.2}, {0.3, 1, 0.2}};
    EXPECT_NEAR(closest_of_polygons(square, through).distance, 0, 1e-15);
    EXPECT_NEAR(distance_to(closest_of_polygons(square, through).on_a, through), 0, 1e-15);
    const std::vector<Vec3d> many(9, Vec3d{0, 0, 4});
    EXPECT_EQ(closest_of_polygons(many, square).distance, 3);
}

} // namespace
} // namespace taffeta
