// Closest points: known cases, and the search for the minimum of a convex function as the oracle.
#include "geometry/closest.h"

#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace taffeta {
namespace {

// The least squared distance of p to the points a + t u, with t from 0 to `most`.
double squared_to_edge(const Vec3d& p, const Vec3d& a, const Vec3d& u, double most) {
    const double squared = dot(u, u);
    const double t = squared > 0 ? std::clamp(dot(p - a, u) / squared, 0.0, most) : 0;
    const Vec3d apart = p - a - u * t;
    return dot(apart, apart);
}

// The least value of a convex function between 0 and 1.
template <class Function>
double minimum_of(const Function& f) {
    double low = 0, high = 1;
    for (int round = 0; round < 100 && high - low > 1e-17; ++round) {
        const double left = low + (high - low) / 3, right = high - (high - low) / 3;
        (f(left) < f(right) ? high : low) = f(left) < f(right) ? right : left;
    }
    return std::min({f(0.0), f(1.0), f((low + high) / 2)});
}

// The distance to the chords of the triangle along one side is a convex function of where they begin.
double searched_on_triangle(const Vec3d& p, const std::array<Vec3d, 3>& c) {
    const Vec3d u = c[1] - c[0], v = c[2] - c[0];
    return minimum_of([&](double s) { return squared_to_edge(p, c[0] + u * s, v, 1 - s); });
}
double searched_of_edges(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1) {
    return minimum_of([&](double s) { return squared_to_edge(a0 + (a1 - a0) * s, b0, b1 - b0, 1); });
}

// Four points that are in some way special; the last three, or the last two, make the triangle or the edge.
constexpr int kinds = 14;
std::array<Vec3d, 4> points_of(int kind, test::Random& random) {
    std::array<Vec3d, 4> p;
    for (Vec3d& q : p) q = random.in_cube(1);
    const double s = random.uniform(0, 1), t = random.uniform(0, 1), tiny = std::pow(10, random.uniform(-18, -4));
    switch (kind) {
    case 0: p[3] = p[2]; break;                                                         // no length
    case 1: p[1] = p[0], p[3] = p[2]; break;                                            // neither has one
    case 2: p[3] = p[2] + (p[1] - p[0]) * random.uniform(-2, 2); break;                 // parallel
    case 3: p[3] = p[2] + (p[1] - p[0]) * 1.5 + random.in_cube(tiny); break;            // almost parallel
    case 4: p[3] = p[1] + (p[2] - p[1]) * random.uniform(-2, 2); break;                 // no area
    case 5: p[3] = p[1] + (p[2] - p[1]) * s + random.in_cube(tiny); break;              // hardly any
    case 6: p[3] = p[2] = p[1]; break;                                                  // a point
    case 7: p[0] = p[1] + (p[2] - p[1]) * (s * t) + (p[3] - p[1]) * (1 - s); break;     // on the triangle
    case 8: p[0] = p[1] + ((p[2] + (p[3] - p[2]) * t) - p[1]) * (1 / (s + 0.1)); break; // edges that meet, or do not
    case 9: p[0] = p[2]; break;                                                         // a common corner
    case 10:                                                                            // far away
        for (Vec3d& q : p) q += Vec3d{1000, -2000, 500};
        break;
    case 11: // tiny
        for (Vec3d& q : p) q *= 1e-6;
        break;
    case 12: // all on one line
        for (Vec3d& q : p) q = {q.x, 2 * q.x, -q.x};
        break;
    default: break;
    }
    return p;
}

double extent_of(const std::array<Vec3d, 4>& p) {
    double extent = 0;
    for (const Vec3d& q : p) extent = std::max({extent, std::abs(q.x), std::abs(q.y), std::abs(q.z)});
    return extent;
}

TEST(Closest, OnATriangleEqualsTheSearchForTheMinimum) { // M13
    test::Random random(41);
    int inside = 0;
    for (int trial = 0; trial < 100'000; ++trial) {
        const auto [p, a, b, c] = points_of(trial % kinds, random);
        const ClosestOnTriangle closest = closest_on_triangle(p, {a, b, c});
        const double tolerance = 1e-12 * extent_of({p, a, b, c});
        ASSERT_NEAR(std::sqrt(closest.squared), std::sqrt(searched_on_triangle(p, {a, b, c})), tolerance)
            << "trial " << trial;
        const auto [u, v, w] = closest.weight;
        ASSERT_TRUE(u >= 0 && v >= 0 && w >= 0 && u <= 1 && v <= 1 && w <= 1);
        ASSERT_NEAR(u + v + w, 1, 1e-15);
        ASSERT_NEAR(length(p - closest.at({a, b, c})), std::sqrt(closest.squared), tolerance);
        inside += u > 0 && v > 0 && w > 0 ? 1 : 0;
    }
    EXPECT_GT(inside, 5000);
}

TEST(Closest, OfEdgesEqualsTheSearchForTheMinimum) { // M13
    test::Random random(42);
    int inside = 0;
    for (int trial = 0; trial < 100'000; ++trial) {
        const auto [a0, a1, b0, b1] = points_of(trial % kinds, random);
        const auto [s, t, squared] = closest_of_edges(a0, a1, b0, b1);
        const double tolerance = 1e-12 * extent_of({a0, a1, b0, b1});
        ASSERT_NEAR(std::sqrt(squared), std::sqrt(searched_of_edges(a0, a1, b0, b1)), tolerance) << "trial " << trial;
        ASSERT_TRUE(s >= 0 && s <= 1 && t >= 0 && t <= 1);
        const Vec3d at_a = a0 + (a1 - a0) * s, at_b = b0 + (b1 - b0) * t;
        ASSERT_NEAR(length(at_a - at_b), std::sqrt(squared), tolerance);
        inside += s > 0 && s < 1 && t > 0 && t < 1 ? 1 : 0;
    }
    EXPECT_GT(inside, 5000);
}

TEST(Closest, OnATriangleKnownCases) {
    const std::array<Vec3d, 3> c = {Vec3d{0, 0, 0}, Vec3d{4, 0, 0}, Vec3d{0, 4, 0}};
    const auto expect = [&](const Vec3d& p, const std::array<double, 3>& weight, double squared) {
        const ClosestOnTriangle closest = closest_on_triangle(p, c);
        EXPECT_EQ(closest.weight, weight);
        EXPECT_EQ(closest.squared, squared);
    };
    expect({1, 1, 3}, {0.5, 0.25, 0.25}, 9); // above the inside
    expect({1, 2, 0}, {0.25, 0.25, 0.5}, 0); // on it
    expect({-1, -2, 2}, {1, 0, 0}, 9);       // beyond corners
    expect({7, 0, 4}, {0, 1, 0}, 25);
    expect({0, 5, 0}, {0, 0, 1}, 1);
    expect({1, -2, 0}, {0.75, 0.25, 0}, 4); // beyond edges
    expect({3, 3, 1}, {0, 0.5, 0.5}, 3);
    expect({-1, 2, 0}, {0.5, 0, 0.5}, 1);
}

TEST(Closest, OfEdgesKnownCases) {
    const auto expect = [](const ClosestOfEdges& closest, double s, double t, double squared) {
        EXPECT_EQ(closest.s, s);
        EXPECT_EQ(closest.t, t);
        EXPECT_EQ(closest.squared, squared);
    };
    const Vec3d a0 = {-2, 0, 0}, a1 = {2, 0, 0};
    expect(closest_of_edges(a0, a1, {0, -1, 3}, {0, 3, 3}), 0.5, 0.25, 9); // across
    expect(closest_of_edges(a0, a1, {5, 0, 4}, {7, 1, 5}), 1, 0, 25);      // two ends
    expect(closest_of_edges(a0, a1, {1, 2, 0}, {1, 5, 0}), 0.75, 0, 4);    // an end
    expect(closest_of_edges(a0, a0, {-2, -1, 1}, {-2, 3, 1}), 0, 0.25, 1); // a point and an edge
    EXPECT_EQ(closest_of_edges(a0, a1, {-9, 1, 0}, {9, 1, 0}).squared, 1); // parallel, wherever
    EXPECT_EQ(closest_of_edges(a0, a1, {-1, 0, 0}, {9, 0, 0}).squared, 0); // on one line
}

// Numbers that are the same in float and double. (g++ 12 with -O3 leaves out the rounding when a double becomes a float
// and a double again.)
Vec3 on_lattice(test::Random& random) {
    const auto coordinate = [&] { return static_cast<float>(random.below(2048)) / 1024 - 1; };
    const float x = coordinate(), y = coordinate(), z = coordinate();
    return {x, y, z};
}

// No point of one is closer to a point of the other, and some are about as close.
TEST(Closest, TriangleDistanceEqualsDenseSampling) {
    test::Random random(43);
    int crossing = 0, apart = 0;
    constexpr int steps = 24;
    for (int trial = 0; trial < 400; ++trial) {
        Corners a, b;
        for (Vec3& p : a) p = on_lattice(random);
        for (Vec3& p : b) p = on_lattice(random) + Vec3{static_cast<float>(trial % 7) * 0.25f, 0, 0};
        if (trial % 10 == 0) b[2] = b[1];                   // no area
        if (trial % 10 == 1) b = {a[0] * 0.5f, a[1], a[2]}; // a common edge
        std::array<Vec3d, 3> p, q;
        for (std::size_t k = 0; k < 3; ++k) p[k] = vector_cast<double>(a[k]), q[k] = vector_cast<double>(b[k]);
        double sampled = 1e300; // exact for each of the points of a
        for (int i = 0; i <= steps; ++i)
            for (int j = 0; j <= steps - i; ++j) {
                const double u = static_cast<double>(i) / steps, v = static_cast<double>(j) / steps;
                sampled = std::min(sampled, searched_on_triangle(p[0] + (p[1] - p[0]) * u + (p[2] - p[0]) * v, q));
            }
        sampled = std::sqrt(sampled);
        const double distance = triangle_distance(a, b);
        ASSERT_LE(distance, sampled + 1e-9) << "trial " << trial;
        const double spacing = std::max({length(p[1] - p[0]), length(p[2] - p[0]), length(p[2] - p[1])}) / steps;
        ASSERT_GE(distance, sampled - spacing) << "trial " << trial;
        ASSERT_NEAR(distance, triangle_distance(b, a), 1e-14);
        ++(distance == 0 ? crossing : apart);
    }
    EXPECT_GT(crossing, 20);
    EXPECT_GT(apart, 200);
}

} // namespace
} // namespace taffeta
