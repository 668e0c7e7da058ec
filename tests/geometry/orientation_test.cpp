// Signs of volumes and crossings of triangles against whole numbers, where rounding would lie.
#include "geometry/orientation.h"

#include "geometry/intersections.h"
#include "support/random.h"
#include "support/whole.h"

#include <gtest/gtest.h>

#include <bit>
#include <cfloat>
#include <cmath>
#include <functional>

namespace taffeta {
namespace {

using test::WholeVector;

int true_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const WholeVector origin = test::to_whole(a);
    return dot(cross(test::to_whole(b) - origin, test::to_whole(c) - origin), test::to_whole(d) - origin).sign();
}

// Sources of points: everywhere, of every magnitude, on few places, and near a plane.
struct Source {
    const char* name;
    std::function<Vec3(test::Random&)> point;
};

float any_float(test::Random& random) {
    for (;;) {
        const auto bits = (random.below(65536) << 16) | random.below(65536);
        if (const float value = std::bit_cast<float>(bits); std::isfinite(value)) return value;
    }
}

Vec3 on_a_lattice(test::Random& random, float cell) {
    const auto whole = [&] { return cell * (static_cast<float>(random.below(5)) - 2); };
    const float x = whole(), y = whole(), z = whole();
    return {x, y, z};
}

std::vector<Source> sources() {
    return {{"cube", [](test::Random& r) { return r.in_cube_float(1); }},
            {"any",
             [](test::Random& r) {
                 const float x = any_float(r), y = any_float(r), z = any_float(r);
                 return Vec3{x, y, z};
             }},
            {"lattice", [](test::Random& r) { return on_a_lattice(r, 1); }},
            {"lattice of tenths",
             [](test::Random& r) {
                 return on_a_lattice(r, 0.1f) + Vec3{0.3f, 0.7f, 100};
             }},
            {"tiny lattice", [](test::Random& r) { return on_a_lattice(r, FLT_TRUE_MIN); }},
            {"huge lattice", [](test::Random& r) { return on_a_lattice(r, FLT_MAX / 2); }},
            {"huge and tiny",
             [](test::Random& r) { return on_a_lattice(r, r.below(2) == 0 ? FLT_TRUE_MIN : FLT_MAX / 2); }},
            {"slanted plane", [](test::Random& r) { // but for its rounding
                 const float x = r.uniform_float(-1, 1), y = r.uniform_float(-1, 1);
                 return Vec3{x, y, 0.3f * x + 0.7f * y};
             }}};
}

TEST(Orientation, IsThatOfWholeNumbers) {
    test::Random random(5);
    int zeros = 0;
    for (const auto& [name, point] : sources()) {
        SCOPED_TRACE(name);
        for (int trial = 0; trial < 1000; ++trial) {
            const Vec3 a = point(random), b = point(random), c = point(random), d = point(random);
            const int expected = true_orientation(a, b, c, d);
            ASSERT_EQ(orientation(a, b, c, d), expected) << "trial " << trial;
            ASSERT_EQ(exact_orientation(a, b, c, d), expected) << "trial " << trial;
            ASSERT_EQ(orientation(b, a, c, d), -expected);
            zeros += expected == 0;
        }
    }
    EXPECT_GT(zeros, 400);
}

TEST(Orientation, OneBitBesideAPlaneIsSeen) {
    const Vec3 a = {0.1f, 0.2f, 0.3f}, b = {1.1f, 0.2f, 0.3f}, c = {0.1f, 0.2f, 1.3f}; // y = 0.2, looking down
    for (const float x : {-1e6f, 0.1f, 3e7f}) {
        EXPECT_EQ(orientation(a, b, c, {x, 0.2f, 0.5f}), 0);
        EXPECT_EQ(orientation(a, b, c, {x, std::nextafter(0.2f, 1.0f), 0.5f}), -1);
        EXPECT_EQ(orientation(a, b, c, {x, std::nextafter(0.2f, 0.0f), 0.5f}), 1);
    }
}

// The difference of two triangles is a solid whose sides have these eleven normals; they cross if the origin is within.
bool truly_cross(const Corners& a, const Corners& b) {
    std::array<WholeVector, 3> p, q;
    for (std::size_t k = 0; k < 3; ++k) p[k] = test::to_whole(a[k]), q[k] = test::to_whole(b[k]);
    const auto is_zero = [](const WholeVector& n) { return n[0].sign() == 0 && n[1].sign() == 0 && n[2].sign() == 0; };
    std::vector<WholeVector> axes = {cross(p[1] - p[0], p[2] - p[0]), cross(q[1] - q[0], q[2] - q[0])};
    if (is_zero(axes[0]) || is_zero(axes[1]) || is_zero(cross(axes[0], axes[1]))) return false; // it has no inside
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l) axes.push_back(cross(p[(k + 1) % 3] - p[k], q[(l + 1) % 3] - q[l]));
    for (const WholeVector& axis : axes) {
        if (is_zero(axis)) continue; // of parallel edges
        bool some_before = false, some_after = false;
        for (const WholeVector& from : p) {
            for (const WholeVector& to : q) {
                const int sign = dot(axis, to - from).sign();
                some_before = some_before || sign < 0;
                some_after = some_after || sign > 0;
            }
        }
        if (!some_before || !some_after) return false;
    }
    return true;
}

TEST(TrianglesIntersect, IsThatOfWholeNumbers) {
    test::Random random(6);
    for (const auto& [name, point] : sources()) {
        SCOPED_TRACE(name);
        for (int trial = 0; trial < 400; ++trial) {
            Corners a, b;
            for (Vec3& p : a) p = point(random);
            for (Vec3& p : b) p = point(random);
            if (random.below(4) == 0) b[0] = a[random.below(3)]; // touch
            const bool expected = truly_cross(a, b);
            ASSERT_EQ(triangles_intersect(a, b), expected) << "trial " << trial;
            ASSERT_EQ(triangles_intersect(b, a), expected) << "trial " << trial;
            ASSERT_EQ(triangles_intersect({a[1], a[2], a[0]}, {b[2], b[1], b[0]}), expected) << "trial " << trial;
        }
    }
}

TEST(TrianglesIntersect, TouchingIsNotCrossing) {
    const Corners floor = {Vec3{-2, 0, -2}, Vec3{-2, 0, 4}, Vec3{4, 0, -2}};
    const auto wall = [](float low) { return Corners{Vec3{-1, low, 0}, Vec3{1, low, 0}, Vec3{0, 1, 0}}; };
    EXPECT_FALSE(triangles_intersect(floor, wall(0))); // stands on it with an edge
    EXPECT_TRUE(triangles_intersect(floor, wall(-FLT_TRUE_MIN)));
    EXPECT_FALSE(triangles_intersect(floor, wall(FLT_TRUE_MIN)));
    EXPECT_FALSE(triangles_intersect(floor, {Vec3{0, 0, 0}, Vec3{1, 1, 0}, Vec3{0, 1, 0}}));        // a corner
    EXPECT_FALSE(triangles_intersect(floor, {Vec3{-2, -1, 0}, Vec3{-2, 1, 0}, Vec3{-3, 0, 1}}));    // edge and edge
    EXPECT_FALSE(triangles_intersect(floor, {Vec3{-1, 0, -1}, Vec3{-1, 0, 2}, Vec3{2, 0, -1}}));    // in one plane
    EXPECT_FALSE(triangles_intersect(floor, {Vec3{-1, -1, -1}, Vec3{-1, 1, -1}, Vec3{-1, 3, -1}})); // without area
}

} // namespace
} // namespace taffeta
