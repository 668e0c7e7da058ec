// Signs of volumes and crossings of triangles against whole numbers, where rounding would lie.
#include "geometry/orientation.h"

#include "geometry/triangle_intersection.h"
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

// Just after: at a time of 2^-149, which is early enough on lattices.
WholeVector true_place(const MovingPoint& p) {
    const WholeVector at = test::to_whole(p.at), way = test::to_whole(p.way);
    const test::Whole late(1.0f);
    return {at[0] * late + way[0], at[1] * late + way[1], at[2] * late + way[2]};
}

MovingPoint set_out(test::Random& random) {
    const Vec3 at = on_a_lattice(random, 1), way = on_a_lattice(random, 1);
    return {at, random.below(3) == 0 ? Vec3{} : way};
}

TEST(Orientation, JustAfterPointsSetOutIsThatOfWholeNumbers) {
    test::Random random(7);
    int decided_late = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        std::array<MovingPoint, 4> points;
        for (MovingPoint& p : points) p = set_out(random);
        const WholeVector origin = true_place(points[0]);
        const int expected =
            dot(cross(true_place(points[1]) - origin, true_place(points[2]) - origin), true_place(points[3]) - origin)
                .sign();
        ASSERT_EQ(orientation_after(points), expected) << "trial " << trial;
        decided_late += expected != 0 && orientation(points[0].at, points[1].at, points[2].at, points[3].at) == 0;
    }
    EXPECT_GT(decided_late, 1000);
}

TEST(Orientation, SideOfAPlaneIsThatOfWholeNumbers) {
    test::Random random(8);
    int zeros = 0;
    for (const auto& [name, point] : sources()) {
        SCOPED_TRACE(name);
        for (int trial = 0; trial < 500; ++trial) {
            const Vec3 normal = point(random), origin = point(random), x = point(random);
            const int expected = dot(test::to_whole(normal), test::to_whole(x) - test::to_whole(origin)).sign();
            ASSERT_EQ(plane_side(normal, origin, x), expected) << "trial " << trial;
            zeros += expected == 0;
        }
    }
    EXPECT_GT(zeros, 100);
}

// The difference of two triangles is a solid; they share a point if the origin is not outside, and cross if it is
// within. Its sides have eleven normals, or, if it is flat, these and the normals of its edges in its plane.
Meeting true_meeting(const std::array<WholeVector, 3>& p, const std::array<WholeVector, 3>& q) {
    const auto is_zero = [](const WholeVector& n) { return n[0].sign() == 0 && n[1].sign() == 0 && n[2].sign() == 0; };
    const WholeVector p_normal = cross(p[1] - p[0], p[2] - p[0]), q_normal = cross(q[1] - q[0], q[2] - q[0]);
    std::vector<WholeVector> axes = {p_normal, q_normal};
    for (std::size_t k = 0; k < 3; ++k) {
        const WholeVector p_edge = p[(k + 1) % 3] - p[k], q_edge = q[(k + 1) % 3] - q[k];
        for (std::size_t l = 0; l < 3; ++l) axes.push_back(cross(p_edge, q[(l + 1) % 3] - q[l]));
        axes.push_back(cross(p_edge, p_normal));
        axes.push_back(cross(q_edge, q_normal));
    }
    const bool is_flat = is_zero(cross(p_normal, q_normal));
    bool is_within = !is_flat;
    for (const WholeVector& axis : axes) {
        if (is_zero(axis)) continue; // of parallel edges
        int before = 0, behind = 0;
        for (const WholeVector& from : p) {
            for (const WholeVector& to : q) {
                const int sign = dot(axis, to - from).sign();
                before += sign<0, behind += sign> 0;
            }
        }
        if (before == 9 || behind == 9) return Meeting::apart;
        if (before == 0 || behind == 0) is_within = false;
    }
    return is_within ? Meeting::crossing : Meeting::touching;
}

Meeting true_meeting(const Corners& a, const Corners& b) {
    std::array<WholeVector, 3> p, q;
    for (std::size_t k = 0; k < 3; ++k) p[k] = test::to_whole(a[k]), q[k] = test::to_whole(b[k]);
    return true_meeting(p, q);
}

bool has_area(const Corners& t) {
    const WholeVector n =
        cross(test::to_whole(t[1]) - test::to_whole(t[0]), test::to_whole(t[2]) - test::to_whole(t[0]));
    return n[0].sign() != 0 || n[1].sign() != 0 || n[2].sign() != 0;
}

TEST(Meeting, IsThatOfWholeNumbers) {
    test::Random random(9);
    std::array<int, 3> count = {};
    for (const auto& [name, point] : sources()) {
        SCOPED_TRACE(name);
        for (int trial = 0; trial < 400; ++trial) {
            Corners a, b;
            for (Vec3& p : a) p = point(random);
            for (Vec3& p : b) p = point(random);
            const auto kind = random.below(6);
            if (kind == 0) b[0] = a[random.below(3)];                               // touch with a corner
            if (kind == 1) b[1] = a[1], b[2] = a[0];                                // with an edge
            if (kind == 2) a[0].y = a[1].y = a[2].y = b[0].y = b[1].y = 0;          // with an edge in the plane
            if (kind == 3) a[0].z = a[1].z = a[2].z = b[0].z = b[1].z = b[2].z = 0; // in one plane
            if (!has_area(a) || !has_area(b)) continue;
            const Meeting expected = true_meeting(a, b);
            ++count.at(static_cast<std::size_t>(expected));
            ASSERT_EQ(meeting(a, b), expected) << "trial " << trial;
            ASSERT_EQ(meeting(b, a), expected) << "trial " << trial;
            ASSERT_EQ(meeting({a[1], a[2], a[0]}, {b[2], b[1], b[0]}), expected) << "trial " << trial;
        }
    }
    for (const int some : count) EXPECT_GT(some, 100);
}

TEST(TrianglesIntersect, JustAfterTheySetOutIsThatOfWholeNumbers) {
    test::Random random(10);
    int crossing = 0, crossing_late = 0;
    for (int trial = 0; trial < 5000; ++trial) {
        MovingCorners a, b;
        Corners a_now, b_now;
        std::array<WholeVector, 3> a_then, b_then;
        for (std::size_t k = 0; k < 3; ++k) {
            a[k] = set_out(random), b[k] = set_out(random);
            a_now[k] = a[k].at, b_now[k] = b[k].at;
            a_then[k] = true_place(a[k]), b_then[k] = true_place(b[k]);
        }
        const bool expected = true_meeting(a_then, b_then) == Meeting::crossing;
        ASSERT_EQ(triangles_intersect_after(a, b), expected) << "trial " << trial;
        ASSERT_EQ(triangles_intersect_after(b, a), expected) << "trial " << trial;
        crossing += expected;
        crossing_late += expected && !triangles_intersect(a_now, b_now);
    }
    EXPECT_GT(crossing, 300);
    EXPECT_GT(crossing_late, 30);
}

TEST(TrianglesIntersect, BeyondACommonCornerIsThatOfWholeNumbers) {
    test::Random random(11);
    int crossing = 0;
    for (const auto& [name, point] : sources()) {
        SCOPED_TRACE(name);
        for (int trial = 0; trial < 400; ++trial) {
            const Vec3 v = point(random), a = point(random), b = point(random), c = point(random), d = point(random);
            const bool expected = true_meeting(Corners{v, a, b}, Corners{v, c, d}) == Meeting::crossing;
            ASSERT_EQ(triangles_intersect_at(v, {a, b}, {c, d}), expected) << "trial " << trial;
            ASSERT_EQ(triangles_intersect_at(v, {d, c}, {a, b}), expected) << "trial " << trial;
            crossing += expected;
        }
    }
    EXPECT_GT(crossing, 100);
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
            const bool expected = true_meeting(a, b) == Meeting::crossing;
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
