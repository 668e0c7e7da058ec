// Cloth that does not pass through cloth or bodies of triangles, in every method.
#include "collision/colliders/inside_test.h"
#include "mesh/generators.h"
#include "support/meshes.h"
#include "support/simulations.h"
#include "support/triangles.h"

#include <taffeta/mesh.h>

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

namespace taffeta {
namespace {

using test::body_of;
using test::box_body;
using test::frame;
using test::make_simulation;
using test::scene_of;
using test::watch;
using test::Watched;

// A sheet that falls on its edge and folds into a heap.
SceneDesc heap_scene(const std::string& method, int cells) {
    SceneDesc scene = scene_of(method, {.size = {0.5f, 0.5f}, .cells = {cells, cells}});
    scene.cloths[0].position = {0, 0.35f, 0};
    scene.cloths[0].rotation = {75, 0, 20};
    scene.colliders = {{.shape = Plane{}}};
    return scene;
}

TEST(Triangles, AHeapDoesNotPassThroughItself) {
    for (const std::string method : {"xpbd", "limits", "implicit"}) {
        SCOPED_TRACE(method);
        Simulation simulation = make_simulation(heap_scene(method, method == "implicit" ? 12 : 24));
        const Watched watched = watch(simulation, 1.2);
        EXPECT_EQ(watched.crossings, 0);
        EXPECT_EQ(watched.all.unresolved, 0);
        EXPECT_GT(watched.all.self_contacts, 0);
    }
}

TEST(Triangles, TheSameHeapWithoutThemDoes) { // so the test above can fail
    SceneDesc scene = heap_scene("xpbd", 24);
    scene.cloths[0].self_collision = SelfCollision::none;
    Simulation simulation = make_simulation(scene);
    EXPECT_GT(watch(simulation, 1.2).crossings, 100);
}

TEST(Triangles, FlatClothHasNoContacts) {
    for (const float thickness : {0.0001f, 0.005f, 0.05f}) { // a cell is 25 mm
        SceneDesc scene = scene_of("xpbd", {.size = {0.5f, 0.5f}, .cells = {20, 20}});
        scene.fabrics[0].thickness = thickness;
        scene.gravity = {};
        Simulation simulation = make_simulation(scene);
        const Watched watched = watch(simulation, 0.2);
        EXPECT_EQ(watched.all.self_contacts + watched.all.impacts, 0) << thickness;
    }
}

TEST(Triangles, SheetsThatMeetFastDoNotPassThroughEachOther) {
    for (const float speed : {1.0f, 10.0f, 50.0f}) {
        SCOPED_TRACE(speed);
        SceneDesc scene = scene_of("xpbd", {.size = {0.4f, 0.4f}, .cells = {10, 10}});
        scene.cloths.push_back(scene.cloths[0]);
        scene.gravity = {};
        scene.cloths[0].velocity = {0, speed, 0};
        scene.cloths[1].position = {0.03f, 0.1f, 0.02f};
        scene.cloths[1].rotation = {3, 25, 2};
        scene.cloths[1].velocity = {0, -speed, 0};
        Simulation simulation = make_simulation(scene);
        const Watched watched = watch(simulation, 0.5);
        EXPECT_EQ(watched.crossings, 0);
        EXPECT_GT(watched.all.impacts, 0);
    }
}

TEST(Triangles, AHandDoesNotPullClothThroughCloth) {
    SceneDesc scene = scene_of("xpbd", {.size = {0.4f, 0.4f}, .cells = {16, 16}});
    scene.cloths[0].pins = {CornerPin{"-x-z"}, CornerPin{"-x+z"}, CornerPin{"+x-z"}, CornerPin{"+x+z"}};
    scene.cloths.push_back(scene.cloths[0]);
    scene.cloths[1].pins = {};
    scene.cloths[1].position = {0, 0.02f, 0};
    Simulation simulation = make_simulation(scene);
    const GrabId hand = simulation.grab({0, 0.02f, 0}, 0.03f, 1);
    std::size_t crossings = 0;
    for (int k = 0; k < 5; ++k) { // 6 m/s down, straight at the sheet below
        simulation.move_grab(hand, {0, 0.02f - 0.2f * static_cast<float>(k + 1), 0});
        ASSERT_TRUE(simulation.step(frame).finite);
        crossings += test::count_crossings(simulation);
    }
    EXPECT_EQ(crossings, 0);
}

TEST(Triangles, CoarseClothDoesNotPassThroughTheCornersOfABody) { // O11
    for (const std::string method : {"xpbd", "limits", "implicit"}) {
        for (const int cells : {1, 2, 7}) {
            SCOPED_TRACE(method + ", cells " + std::to_string(cells));
            SceneDesc scene = scene_of(method, {.size = {1, 1}, .cells = {cells, cells}});
            scene.cloths[0].position = {0.03f, 0.4f, 0.02f};
            scene.cloths[0].rotation = {0, 17, 0};
            scene.colliders = {{.shape = box_body({0.15f, 0.15f, 0.15f})}};
            scene.colliders[0].rotation = {45, 0, 35}; // on a corner
            Simulation simulation = make_simulation(scene);
            const Watched watched = watch(simulation, 1);
            EXPECT_EQ(watched.crossings, 0);
            EXPECT_EQ(watched.all.unresolved, 0);
            EXPECT_GT(watched.all.self_contacts, 0);
        }
    }
}

TEST(Triangles, SimpleBodiesDoNotShowThrough) {
    const std::vector<ColliderShape> shapes = {Box{{0.3f, 0.05f, 0.3f}}, Sphere{0.2f}, Capsule{0.05f, 0.3f},
                                               Cylinder{0.2f, 0.1f}};
    for (const ColliderShape& shape : shapes) {
        SCOPED_TRACE(shape.index());
        SceneDesc scene = scene_of("xpbd", {.size = {0.6f, 0.6f}, .cells = {12, 12}});
        scene.cloths[0].position = {0, 0.25f, 0};
        scene.cloths[0].rotation = {0, 20, 0};
        scene.colliders = {{.shape = shape}};
        Simulation simulation = make_simulation(scene);
        const Watched watched = watch(simulation, 1);
        EXPECT_EQ(watched.crossings, 0);
        EXPECT_EQ(watched.all.unresolved, 0);
    }
}

TEST(Triangles, ClothThatStartsInASimpleBodyIsBroughtOut) {
    SceneDesc scene = scene_of("xpbd", {.size = {0.3f, 0.3f}, .cells = {12, 12}});
    scene.colliders = {{.shape = Box{{1, 0.2f, 1}}, .position = {0, -0.09f, 0}}}; // its top is 1 cm above the cloth
    Simulation simulation = make_simulation(scene);
    EXPECT_EQ(watch(simulation, 0.5).crossings, 0);
    for (const Vec3& p : test::positions_of(simulation)) EXPECT_GT(p.y, 0.01f);
}

// A flight of three steps, which rises along X: where steps meet, its surface is hollow.
Mesh stairs() {
    const std::vector<std::array<float, 2>> outline = {{0, 0},       {0.45f, 0},    {0.45f, 0.3f}, {0.3f, 0.3f},
                                                       {0.3f, 0.2f}, {0.15f, 0.2f}, {0.15f, 0.1f}, {0, 0.1f}};
    const std::vector<std::array<Index, 3>> side = {{0, 6, 7}, {0, 1, 6}, {1, 4, 6}, {4, 5, 6}, {1, 2, 4}, {2, 3, 4}};
    Mesh mesh;
    const auto count = static_cast<Index>(outline.size());
    for (const float z : {-0.3f, 0.3f})
        for (const auto& [x, y] : outline) mesh.positions.push_back({x, y, z});
    for (const auto& [a, b, c] : side) {
        mesh.triangles.push_back({a, c, b});
        mesh.triangles.push_back({count + a, count + b, count + c});
    }
    for (Index k = 0; k < count; ++k) {
        const Index next = (k + 1) % count;
        mesh.triangles.push_back({k, next, count + next});
        mesh.triangles.push_back({k, count + next, count + k});
    }
    return mesh;
}

struct Start {
    const char* name;
    Mesh mesh;
    Vec3 position, rotation; // of the cloth, which is 1 cm below the surface
};

TEST(Triangles, ClothThatStartsInAClosedMeshIsBroughtOut) {
    const std::vector<Start> starts = {
        {"sphere", make_collider_mesh(Sphere{0.2f}), {0, 0.19f, 0}, {0, 10, 0}},
        {"box", *box_body({0.25f, 0.1f, 0.25f}).mesh, {0.03f, 0.09f, 0.02f}, {0, 20, 0}},
        {"wide box", *box_body({0.1f, 0.1f, 0.1f}).mesh, {0.01f, 0.09f, 0.02f}, {0, 20, 0}},
        {"torus", test::make_tube(16, 32, 0.06f, 0.12f, true), {0, 0.05f, 0}, {0, 0, 0}},
        {"stairs", stairs(), {0.225f, 0.25f - 0.012f, 0}, {0, 0, 33.69f}},
    };
    for (const std::string method : {"xpbd", "limits", "implicit"}) {
        for (const Start& start : starts) {
            SCOPED_TRACE(method + ", " + start.name);
            SceneDesc scene = scene_of(method, {.size = {0.3f, 0.3f}, .cells = {12, 12}});
            scene.cloths[0].position = start.position;
            scene.cloths[0].rotation = start.rotation;
            scene.colliders = {{.shape = body_of(start.mesh)}};
            Simulation simulation = make_simulation(scene);
            EXPECT_TRUE(simulation.warnings().empty());
            const Solid solid(start.mesh.positions, start.mesh.triangles);
            ASSERT_TRUE(solid.is_closed());
            EXPECT_EQ(watch(simulation, method == "xpbd" ? 0.3 : 0.05).crossings, 0);
            for (const Vec3& p : test::positions_of(simulation)) EXPECT_FALSE(solid.contains(vector_cast<double>(p)));
        }
    }
}

TEST(Triangles, ABowlDoesNotPushOutWhatLiesInIt) {
    Mesh bowl = make_collider_mesh(Sphere{0.2f});
    std::erase_if(bowl.triangles, [&](const Triangle& t) {
        return bowl.positions[t[0]].y > 0.05f || bowl.positions[t[1]].y > 0.05f || bowl.positions[t[2]].y > 0.05f;
    });
    SceneDesc scene = scene_of("xpbd", {.size = {0.1f, 0.1f}, .cells = {6, 6}});
    scene.cloths[0].position = {0, -0.18f, 0};
    scene.colliders = {{.shape = body_of(bowl)}};
    Simulation simulation = make_simulation(scene);
    EXPECT_EQ(watch(simulation, 0.5).crossings, 0);
    for (const Vec3& p : test::positions_of(simulation)) EXPECT_LT(length(p), 0.2f);
}

TEST(Triangles, BodiesMayHaveHolesAndTrianglesTwiceOrWithoutArea) {
    Mesh odd = *box_body({0.1f, 0.1f, 0.1f}).mesh;
    odd.triangles.erase(odd.triangles.begin()); // a hole at -x
    odd.triangles.push_back(odd.triangles[5]);
    odd.triangles.push_back({6, 7, 7});
    odd.positions.push_back((odd.positions[6] + odd.positions[7]) * 0.5f);
    odd.triangles.push_back({6, 7, 8}); // along an edge
    SceneDesc scene = scene_of("xpbd", {.size = {0.3f, 0.3f}, .cells = {9, 9}});
    scene.cloths[0].position = {0, 0.12f, 0};
    scene.cloths[0].rotation = {0, 25, 0};
    scene.colliders = {{.shape = body_of(odd)}};
    Simulation simulation = make_simulation(scene);
    const Watched watched = watch(simulation, 0.7);
    EXPECT_EQ(watched.crossings + static_cast<std::size_t>(watched.all.unresolved), 0);
    EXPECT_GT(watched.all.self_contacts, 0);
}

TEST(Triangles, ClothThatABodyGoesThroughStartsWithAWarning) {
    SceneDesc scene = scene_of("xpbd", {.size = {0.6f, 0.6f}, .cells = {6, 6}});
    scene.colliders = {{.shape = box_body({0.01f, 1, 0.01f})}}; // a pole through a cell
    scene.cloths[0].position = {0.05f, 0, 0.05f};
    Simulation simulation = make_simulation(scene);
    ASSERT_EQ(simulation.warnings().size(), 1);
    EXPECT_NE(simulation.warnings()[0].find("could not be brought out"), std::string::npos);
    EXPECT_TRUE(simulation.step(frame).finite);
}

TEST(Triangles, AFastBodyTakesClothAlong) {
    for (const float speed : {2.0f, 20.0f, 100.0f}) { // m/s
        SCOPED_TRACE(speed);
        SceneDesc scene = scene_of("xpbd", {.size = {0.6f, 0.6f}, .cells = {12, 12}});
        scene.gravity = {};
        scene.colliders = {{.shape = box_body({0.1f, 0.01f, 0.1f}), .position = {0, -0.2f, 0}}};
        scene.colliders[0].motion = {{.t = 0, .position = Vec3{0, -0.2f, 0}},
                                     {.t = 0.3, .position = Vec3{0, -0.2f + 0.3f * speed, 0}}};
        Simulation simulation = make_simulation(scene);
        const Watched watched = watch(simulation, 0.4);
        EXPECT_EQ(watched.crossings, 0);
        EXPECT_EQ(watched.all.unresolved, 0);
        EXPECT_GT(test::extent_of(test::positions_of(simulation)).high.y, 0.25 * static_cast<double>(speed) - 0.2);
    }
}

TEST(Triangles, WhatCannotBeContinuedIsPutBack) {
    for (const float bad : {1e30f, std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        SceneDesc scene = heap_scene("xpbd", 6);
        scene.colliders.push_back({.shape = box_body({0.1f, 0.1f, 0.1f})});
        Simulation simulation = make_simulation(scene);
        const std::vector<Vec3> before = test::positions_of(simulation);
        test::world_of(simulation).state.v[7] = {bad, -bad, bad, 0};
        EXPECT_FALSE(simulation.step(frame).finite) << bad;
        EXPECT_EQ(test::positions_of(simulation), before) << bad;
    }
}

// What a search has found in a step that was not finite must not be used again.
TEST(Triangles, AfterAStepThatFailedNothingPassesThrough) {
    SceneDesc scene = heap_scene("xpbd", 8);
    scene.colliders.push_back({.shape = box_body({0.1f, 0.1f, 0.1f})});
    Simulation simulation = make_simulation(scene);
    ASSERT_EQ(watch(simulation, 0.2).crossings, 0u);
    State& state = test::world_of(simulation).state;
    const std::vector<Vec4> v = state.v;
    for (Vec4& velocity : state.v) velocity.x = std::numeric_limits<float>::quiet_NaN();
    EXPECT_FALSE(simulation.step(frame).finite);
    state.v = v;
    const Watched after = watch(simulation, 0.8);
    EXPECT_EQ(after.crossings, 0u);
    EXPECT_EQ(after.all.unresolved, 0);
    EXPECT_GT(after.all.impacts + after.all.self_contacts, 0);
}

// Contacts of the last substep before the change are not those of the next.
TEST(Triangles, AChangeOfTheMethodTakesNoContactsAlong) {
    SceneDesc scene = scene_of("xpbd", {.size = {0.4f, 0.4f}, .cells = {8, 8}});
    scene.cloths[0].position = {0, 0.22f, 0};
    scene.colliders = {{.shape = Sphere{0.2f}}};
    Simulation simulation = make_simulation(scene);
    watch(simulation, 0.5);
    scene.solver.method = "implicit";
    ASSERT_TRUE(simulation.change(scene));
    simulation.move_collider(0, {.position = {0, -3, 0}});
    const float before = simulation.position(40).y; // the middle, which lay on the ball
    watch(simulation, 0.3);
    EXPECT_LT(simulation.position(40).y, before - 0.2f);
}

TEST(Triangles, AChangeThereAndBackLeavesNoTrace) {
    const SceneDesc scene = heap_scene("xpbd", 8);
    SceneDesc other = scene;
    other.gravity.y = -5;
    Simulation original = make_simulation(scene), changed = make_simulation(scene);
    watch(original, 0.4), watch(changed, 0.4);
    ASSERT_TRUE(changed.change(other));
    ASSERT_TRUE(changed.change(scene));
    watch(original, 0.2), watch(changed, 0.2);
    EXPECT_EQ(test::positions_of(changed), test::positions_of(original));
}

// The acceleration of a sheet on a pinned one, on a slope, over that of gravity's part along it and friction's.
struct Slide {
    double way = 0;   // m, in all
    double speed = 0; // m/s at the end
};

Slide slide_on_cloth(const std::string& method, float friction, double degrees, double seconds) {
    const double slope = degrees * std::numbers::pi / 180;
    SceneDesc scene = scene_of(method, {.size = {0.8f, 0.3f}, .cells = {25, 10}});
    scene.fabrics[0].friction = friction;
    scene.gravity = {static_cast<float>(9.81 * std::sin(slope)), static_cast<float>(-9.81 * std::cos(slope)), 0};
    scene.cloths[0].pins = {BoxPin{{-9, -9, -9}, {9, 9, 9}}};
    scene.cloths.push_back(scene.cloths[0]);
    scene.cloths[1].pins = {};
    scene.cloths[1].shape = GridShape{.size = {0.15f, 0.15f}, .cells = {5, 5}};
    scene.cloths[1].position = {-0.15f, scene.fabrics[0].thickness, 0.003f};
    scene.cloths[1].rotation = {0, 20, 0};
    Simulation simulation = make_simulation(scene);
    const Index first = simulation.first_vertex(1);
    const auto place = [&] {
        double sum = 0;
        for (Index v = first; v < simulation.vertex_count(); ++v) sum += static_cast<double>(simulation.position(v).x);
        return sum / (simulation.vertex_count() - first);
    };
    const double start = place();
    double before = start;
    for (int k = 0; k < static_cast<int>(std::lround(seconds * 30)); ++k) {
        before = place();
        simulation.step(frame);
    }
    return {place() - start, (place() - before) * 30};
}

TEST(Triangles, ClothHoldsOnClothBelowTheAngleOfFriction) {
    for (const std::string method : {"xpbd", "implicit"})
        for (const float friction : {0.2f, 0.4f, 0.6f}) {
            const double angle = std::atan(static_cast<double>(friction)) * 180 / std::numbers::pi;
            EXPECT_LT(std::abs(slide_on_cloth(method, friction, angle - 2, 1).way), 0.5e-3) << method << friction;
        }
}

TEST(Triangles, ClothSlidesOnClothAboveItAsCoulombSays) {
    for (const std::string method : {"xpbd", "implicit"})
        for (const float friction : {0.2f, 0.4f, 0.6f}) {
            const double slope = std::atan(static_cast<double>(friction)) + 2 * std::numbers::pi / 180;
            const double expected = 9.81 * (std::sin(slope) - static_cast<double>(friction) * std::cos(slope));
            const Slide slid = slide_on_cloth(method, friction, slope * 180 / std::numbers::pi, 1);
            EXPECT_NEAR(slid.speed / (1 - 0.5 / 30), expected, 0.05 * expected) << method << friction;
        }
}

} // namespace
} // namespace taffeta
