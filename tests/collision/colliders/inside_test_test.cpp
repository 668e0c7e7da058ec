#include "collision/colliders/inside_test.h"
#include "geometry/closest.h"
#include "mesh/generators.h"
#include "support/meshes.h"
#include "support/random.h"

#include <taffeta/scene.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

Mesh torus() {
    return test::make_tube(16, 32, 0.06f, 0.2f, true);
}

// Within the ring that the torus is an approximation of, by a margin for its flat faces.
double depth_in_torus(const Vec3d& p) {
    return 0.06 - std::hypot(std::hypot(p.x, p.z) - 0.2, p.y);
}

TEST(Solid, ABoxContainsWhatIsBetweenItsFaces) {
    const Mesh box = make_collider_mesh(Box{{0.4f, 0.2f, 0.6f}});
    const Solid solid(box.positions, box.triangles);
    ASSERT_TRUE(solid.is_closed());
    test::Random random(1);
    for (int k = 0; k < 2000; ++k) {
        const Vec3d p = random.in_cube(0.4);
        const double depth = std::min({0.2 - std::abs(p.x), 0.1 - std::abs(p.y), 0.3 - std::abs(p.z)});
        EXPECT_EQ(solid.contains(p), depth > 0) << p.x << ' ' << p.y << ' ' << p.z;
        const auto exit = solid.nearest_exit(p);
        ASSERT_TRUE(exit);
        if (depth > 0) {
            EXPECT_NEAR(exit->distance, depth, 1e-7);
        }
    }
}

TEST(Solid, WindingIsOneInsideAndZeroOutsideOfATorus) {
    const Mesh mesh = torus();
    const Solid solid(mesh.positions, mesh.triangles);
    ASSERT_TRUE(solid.is_closed());
    test::Random random(2);
    int inside = 0;
    for (int k = 0; k < 4000; ++k) {
        Vec3d p = random.in_cube(0.3);
        p.y *= 0.3;
        const double depth = depth_in_torus(p);
        if (std::abs(depth) < 0.003) continue; // the faces are flat
        EXPECT_NEAR(std::abs(solid.winding(p)), depth > 0 ? 1 : 0, 0.05);
        EXPECT_EQ(solid.contains(p), depth > 0);
        inside += depth > 0 ? 1 : 0;
    }
    EXPECT_GT(inside, 500);
}

TEST(Solid, TheNearestExitIsThatOfAllTriangles) {
    const Mesh mesh = torus();
    const Solid solid(mesh.positions, mesh.triangles);
    test::Random random(3);
    for (int k = 0; k < 300; ++k) {
        const Vec3d p = random.in_cube(0.3);
        double nearest = 1;
        for (const Triangle& t : mesh.triangles)
            nearest = std::min(nearest, closest_on_triangle(p, {vector_cast<double>(mesh.positions[t[0]]),
                                                                vector_cast<double>(mesh.positions[t[1]]),
                                                                vector_cast<double>(mesh.positions[t[2]])})
                                            .squared);
        const auto exit = solid.nearest_exit(p);
        ASSERT_TRUE(exit);
        EXPECT_NEAR(exit->distance, std::sqrt(nearest), 1e-12);
        EXPECT_NEAR(length(exit->place - p), exit->distance, 1e-12);
        EXPECT_FALSE(solid.nearest_exit(p, 0.99 * exit->distance));
        // The normal leads outside from within, and back to the place from without.
        EXPECT_FALSE(solid.contains(exit->place + exit->normal * 1e-4));
        if (!solid.contains(p)) {
            EXPECT_LT(length(exit->place + exit->normal * exit->distance - p), 1e-9);
        }
    }
}

TEST(Solid, TurnedInsideOutItIsTheSame) {
    Mesh mesh = make_collider_mesh(Sphere{0.2f});
    for (Triangle& t : mesh.triangles) std::swap(t[0], t[1]);
    const Solid solid(mesh.positions, mesh.triangles);
    ASSERT_TRUE(solid.is_closed());
    EXPECT_TRUE(solid.contains({0.1, 0.05, 0}));
    EXPECT_FALSE(solid.contains({0.3, 0, 0}));
    // On the surface itself, the triangles say which way is out.
    const Vec3d corner = vector_cast<double>(mesh.positions[mesh.triangles[5][0]]);
    const auto exit = solid.nearest_exit(corner);
    ASSERT_TRUE(exit);
    EXPECT_GT(dot(exit->normal, corner), 0);
}

TEST(Solid, PartsThatOverlapHaveNoWayOutIntoEachOther) {
    const Mesh sphere = make_collider_mesh(Sphere{0.2f});
    Mesh mesh;
    test::append(sphere, {-0.1f, 0, 0}, mesh);
    test::append(sphere, {0.1f, 0, 0}, mesh);
    const Solid solid(mesh.positions, mesh.triangles);
    ASSERT_TRUE(solid.is_closed());
    test::Random random(4);
    int inside = 0;
    for (int k = 0; k < 500; ++k) {
        const Vec3d p = random.in_cube(0.2);
        if (!solid.contains(p)) continue;
        ++inside;
        const auto exit = solid.nearest_exit(p);
        ASSERT_TRUE(exit);
        EXPECT_FALSE(solid.contains(exit->place + exit->normal * 2e-5));
    }
    EXPECT_GT(inside, 100);
}

TEST(Solid, WhatIsOpenHasNoInside) {
    Mesh mesh = make_collider_mesh(Sphere{0.2f});
    mesh.triangles.pop_back();
    const Solid bowl(mesh.positions, mesh.triangles);
    EXPECT_FALSE(bowl.is_closed());
    EXPECT_FALSE(bowl.contains({}));
    // From within, its wall is met from within.
    const auto exit = bowl.nearest_exit({0, 0, 0.19});
    ASSERT_TRUE(exit);
    EXPECT_LT(dot(exit->normal, exit->place), 0);
}

TEST(Solid, TwofoldAndFlatTrianglesChangeNothing) {
    Mesh mesh = make_collider_mesh(Box{{0.4f, 0.4f, 0.4f}});
    const Solid plain(mesh.positions, mesh.triangles);
    const Triangle first = mesh.triangles[0];
    mesh.triangles.push_back({first[1], first[2], first[0]}); // the same face, named otherwise
    mesh.triangles.push_back({first[0], first[0], first[1]});
    const Solid solid(mesh.positions, mesh.triangles);
    EXPECT_TRUE(solid.is_closed());
    for (const Vec3d& p : {Vec3d{0.1, 0.15, 0}, Vec3d{0.19, -0.19, 0.1}, Vec3d{0.21, 0, 0}})
        EXPECT_NEAR(solid.winding(p), plain.winding(p), 1e-12);
}

TEST(Solid, NothingHasNoExit) {
    const Solid solid({}, {});
    EXPECT_FALSE(solid.is_closed());
    EXPECT_FALSE(solid.contains({}));
    EXPECT_FALSE(solid.nearest_exit({}));
}

} // namespace
} // namespace taffeta
