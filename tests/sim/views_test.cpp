// What views show: stretch, contacts, boxes and hands.
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::scene_with;

std::vector<float> stretch_of(const Simulation& simulation) {
    std::vector<float> stretch(simulation.vertex_count());
    simulation.copy_stretch(stretch);
    return stretch;
}

std::vector<std::uint8_t> touch_of(const Simulation& simulation) {
    std::vector<std::uint8_t> touch(simulation.vertex_count());
    simulation.copy_touch(touch);
    return touch;
}

// Two triangles side by side whose common edge is a seam: the vertices 1, 3 and 2, 4 coincide.
Mesh seam() {
    return {{{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, {1, 0, 0}, {0, 0, 1}, {1, 0, 1}}, {{0, 2, 1}, {3, 4, 5}}, {}};
}

TEST(Views, VerticesOfASeamShareAParticle) {
    const Simulation simulation = make_simulation(scene_with(seam()));
    const auto particle = simulation.particle_of_vertex();
    ASSERT_EQ(particle.size(), 6u);
    EXPECT_EQ(particle[1], particle[3]);
    EXPECT_EQ(particle[2], particle[4]);
    EXPECT_NE(particle[0], particle[5]);
}

TEST(Views, StretchIsThatOfTheEdgeFarthestFromItsRestLength) {
    Simulation simulation = make_simulation(scene_with(seam()));
    for (const float stretch : stretch_of(simulation)) EXPECT_EQ(stretch, 1.0f);
    test::world_of(simulation).state.x[0].x = -1; // the edge from vertex 0 to 1 is twice as long
    const std::vector<float> stretch = stretch_of(simulation);
    EXPECT_FLOAT_EQ(stretch[0], 2.0f);
    EXPECT_FLOAT_EQ(stretch[1], 2.0f);
    EXPECT_FLOAT_EQ(stretch[3], 2.0f) << "joined with vertex 1";
    EXPECT_FLOAT_EQ(stretch[2], std::sqrt(2.0f));
    EXPECT_FLOAT_EQ(stretch[4], std::sqrt(2.0f));
    EXPECT_EQ(stretch[5], 1.0f);
}

TEST(Views, GreatestStretchIsThatOfTheMeasure) {
    SceneDesc scene = scene_with(GridShape{.cells = {8, 8}});
    scene.cloths[0].pins = {CornerPin{"+x+z"}};
    Simulation simulation = make_simulation(scene);
    for (int k = 0; k < 15; ++k) simulation.step(frame);
    const std::vector<float> stretch = stretch_of(simulation);
    const float measured = simulation.measure().max_stretch;
    EXPECT_GT(measured, 1.001f);
    EXPECT_FLOAT_EQ(*std::max_element(stretch.begin(), stretch.end()), measured);
}

TEST(Views, TouchTellsCollidersHandsAndPinsApart) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {10, 10}});
    scene.cloths[0].position = {0, 0.36f, 0};
    scene.cloths[0].pins = {CornerPin{"-x-z"}};
    scene.colliders = {{.shape = Sphere{0.35f}}};
    Simulation simulation = make_simulation(scene);
    for (const std::uint8_t touch : touch_of(simulation)) EXPECT_EQ(touch & ~Simulation::is_pinned, 0);
    const GrabId hand = simulation.grab_vertex(120);
    for (int k = 0; k < 5; ++k) simulation.step(frame);
    std::vector<std::uint8_t> touch = touch_of(simulation);
    EXPECT_EQ(touch[0], Simulation::is_pinned);
    EXPECT_EQ(touch[120], Simulation::is_held);
    EXPECT_EQ(touch[60], Simulation::touches_collider) << "the middle lies on the sphere";
    EXPECT_EQ(touch[10], 0);
    simulation.release(hand);
    touch = touch_of(simulation);
    EXPECT_EQ(touch[120], 0);
}

TEST(Views, ClothThatLiesOnClothTouchesIt) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {10, 10}});
    scene.cloths[0].pins = {BoxPin{{-1, -1, -1}, {1, 1, 1}}}; // a table
    scene.cloths.push_back({.shape = GridShape{.size = {0.3f, 0.3f}, .cells = {3, 3}}, .position = {0, 0.12f, 0}});
    scene.cloths.push_back({.shape = GridShape{.size = {0.3f, 0.3f}, .cells = {3, 3}}, .position = {0, 5, 0}});
    scene.solver.velocity_factor = 0.5f;
    Simulation simulation = make_simulation(scene);
    for (int k = 0; k < 20; ++k) simulation.step(frame);
    const std::vector<std::uint8_t> touch = touch_of(simulation);
    const auto count_of = [&](int cloth, Index count) {
        const Index first = simulation.first_vertex(cloth);
        return std::count_if(touch.begin() + first, touch.begin() + first + count,
                             [](std::uint8_t bits) { return (bits & Simulation::touches_cloth) != 0; });
    };
    EXPECT_GT(count_of(0, 121), 0);
    EXPECT_GT(count_of(1, 16), 8);
    EXPECT_EQ(count_of(2, 16), 0) << "still falling";
}

TEST(Views, BoxesOfEveryLevelHoldTheCloth) {
    SceneDesc scene = scene_with(DiskShape{.radius = 0.5f, .particles = 150});
    scene.cloths[0].pins = {CornerPin{"+x"}};
    Simulation simulation = make_simulation(scene);
    ASSERT_EQ(simulation.hierarchy_levels(), 6) << "150 particles fill 19 leaves, of 32";
    std::vector<Simulation::Box> boxes;
    for (int step = 0; step < 2; ++step) { // before the first step too
        for (int level = 0; level < simulation.hierarchy_levels(); ++level) {
            simulation.copy_hierarchy(level, boxes);
            ASSERT_FALSE(boxes.empty());
            EXPECT_LE(boxes.size(), std::size_t{1} << level);
            for (const Simulation::Box& box : boxes) EXPECT_TRUE(is_finite(box.low) && is_finite(box.high));
            const std::vector<Vec3> positions = test::positions_of(simulation);
            for (const Vec3& p : positions) {
                EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(),
                                        [&](const Simulation::Box& box) {
                                            return p.x >= box.low.x && p.x <= box.high.x && p.y >= box.low.y &&
                                                   p.y <= box.high.y && p.z >= box.low.z && p.z <= box.high.z;
                                        }))
                    << "level " << level;
            }
        }
        simulation.step(frame);
    }
}

TEST(Views, WithoutSelfCollisionThereIsNoHierarchy) {
    SceneDesc scene = scene_with(GridShape{.cells = {3, 3}});
    scene.cloths[0].self_collision = SelfCollision::none;
    EXPECT_EQ(make_simulation(scene).hierarchy_levels(), 0);
}

// A sheet that falls on a pinned one, by triangles.
SceneDesc layers(float speed) {
    SceneDesc scene = scene_with(GridShape{.size = {0.4f, 0.4f}, .cells = {10, 10}});
    scene.solver.method = "xpbd";
    scene.cloths[0].pins = {BoxPin{{-1, -1, -1}, {1, 1, 1}}};
    scene.cloths.push_back(
        {.shape = GridShape{.size = {0.2f, 0.2f}, .cells = {6, 6}}, .position = {0.01f, 0.01f, 0.02f}});
    scene.cloths[1].velocity = {0, -speed, 0};
    return scene;
}

TEST(Views, BoxesOfATreeOverTrianglesHoldClothAndBodies) {
    SceneDesc scene = layers(0);
    scene.colliders = {{.shape = Box{{0.2f, 0.2f, 0.2f}}, .position = {0, -0.5f, 0}}};
    Simulation simulation = make_simulation(scene);
    ASSERT_GE(simulation.hierarchy_levels(), 3);
    std::vector<Simulation::Box> boxes;
    std::size_t fewer = 0;
    for (int step = 0; step < 2; ++step, fewer = 0) {
        for (int level = 0; level < simulation.hierarchy_levels(); ++level) {
            simulation.copy_hierarchy(level, boxes);
            EXPECT_GT(boxes.size(), fewer);
            fewer = boxes.size();
            std::vector<Vec3> points = test::positions_of(simulation);
            points.push_back({0.1f, -0.6f, 0.1f}); // a corner of the body
            for (const Vec3& p : points)
                EXPECT_TRUE(std::any_of(boxes.begin(), boxes.end(),
                                        [&](const Simulation::Box& box) {
                                            return p.x >= box.low.x && p.x <= box.high.x && p.y >= box.low.y &&
                                                   p.y <= box.high.y && p.z >= box.low.z && p.z <= box.high.z;
                                        }))
                    << "level " << level;
        }
        simulation.step(frame);
    }
    EXPECT_EQ(boxes.size(), simulation.triangles().size() + 12);
}

TEST(Views, ClosePairsAreWhereClothLiesOnCloth) {
    Simulation simulation = make_simulation(layers(0));
    std::vector<Simulation::ClosePair> pairs;
    simulation.copy_close_pairs(pairs);
    EXPECT_TRUE(pairs.empty());
    test::run(simulation, 0.5);
    simulation.copy_close_pairs(pairs);
    ASSERT_GT(pairs.size(), 20);
    for (const Simulation::ClosePair& pair : pairs) {
        EXPECT_FALSE(pair.with_body);
        EXPECT_LT(length(pair.a - pair.b), 0.01f);
        EXPECT_LT(std::max(std::abs(pair.a.x), std::abs(pair.a.z)), 0.15f) << "below the small sheet";
    }
    const std::vector<std::uint8_t> touch = touch_of(simulation);
    EXPECT_NE(touch[simulation.first_vertex(1) + 24] & Simulation::touches_cloth, 0) << "its middle";
    EXPECT_EQ(touch[0] & Simulation::touches_cloth, 0) << "a corner of the large one";
}

TEST(Views, ClosePairsWithBodiesSaySo) {
    SceneDesc scene = layers(0);
    scene.cloths.pop_back();
    scene.cloths[0].pins = {};
    scene.colliders = {{.shape = Box{{0.3f, 0.2f, 0.3f}}, .position = {0, -0.11f, 0}}};
    Simulation simulation = make_simulation(scene);
    test::run(simulation, 0.3);
    std::vector<Simulation::ClosePair> pairs;
    simulation.copy_close_pairs(pairs);
    EXPECT_GT(std::count_if(pairs.begin(), pairs.end(), [](const auto& pair) { return pair.with_body; }), 0);
}

TEST(Views, ImpactsAreWhereClothWasStopped) {
    SceneDesc scene = layers(3);
    scene.solver.substeps = 1;
    Simulation simulation = make_simulation(scene);
    std::vector<Vec3> impacts;
    simulation.copy_impacts(impacts);
    EXPECT_TRUE(impacts.empty());
    const StepReport report = simulation.step(frame / 4); // in which the sheet would pass through the other
    simulation.copy_impacts(impacts);
    EXPECT_EQ(impacts.size(), static_cast<std::size_t>(report.impacts));
    ASSERT_FALSE(impacts.empty());
    for (const Vec3& p : impacts) EXPECT_TRUE(p.y > -0.001f && p.y < 0.02f) << p.y << ", would be at -0.015";
}

TEST(Views, ZonesAreWhatMovedAsOne) {
    // A plate that strikes the sheet at 20 m/s and tumbles.
    SceneDesc scene = layers(0);
    scene.cloths.pop_back();
    scene.cloths[0].pins = {};
    scene.solver.substeps = 1;
    scene.gravity = {};
    const Vec3 start = {0, -0.2f, 0}, end = {0, 5.8f, 0};
    scene.colliders = {{.shape = Box{{0.2f, 0.02f, 0.2f}}}};
    scene.colliders[0].motion = {{.t = 0, .position = start, .rotation = Vec3{10, 20, 5}},
                                 {.t = 0.3, .position = end, .rotation = Vec3{80, 300, 40}}};
    Simulation simulation = make_simulation(scene);
    std::vector<Vec3> zones;
    int with_zones = 0;
    for (int k = 0; k < 36; ++k) {
        const StepReport report = simulation.step(1.0f / 120);
        simulation.copy_zones(zones);
        EXPECT_EQ(zones.empty(), report.zones == 0) << "of the last substep alone, " << k;
        with_zones += zones.empty() ? 0 : 1;
        const std::vector<Vec3> positions = test::positions_of(simulation);
        for (const Vec3& p : zones) EXPECT_NE(std::find(positions.begin(), positions.end(), p), positions.end());
    }
    EXPECT_GT(with_zones, 0);
    EXPECT_LT(with_zones, 36);
}

TEST(Views, WithoutTrianglesThereAreNoPairsOfThem) {
    Simulation simulation = make_simulation(scene_with(GridShape{.cells = {3, 3}}));
    simulation.step(frame);
    std::vector<Simulation::ClosePair> pairs = {{}};
    std::vector<Vec3> impacts = {{}}, zones = {{}};
    simulation.copy_close_pairs(pairs);
    simulation.copy_impacts(impacts);
    simulation.copy_zones(zones);
    EXPECT_TRUE(pairs.empty() && impacts.empty() && zones.empty());
}

TEST(Views, HandsAreWhereCallersAndScriptsPutThem) {
    SceneDesc scene = scene_with(GridShape{.cells = {3, 3}});
    scene.grabs = {{.vertex = Index{0}, .path = {{0, {1, 2, 3}}, {9, {1, 2, 3}}}}};
    Simulation simulation = make_simulation(scene);
    EXPECT_TRUE(simulation.hands().empty());
    const GrabId hand = simulation.grab_vertex(15);
    simulation.move_grab(hand, {0.5f, 0.1f, 0.5f});
    simulation.step(frame);
    const std::vector<Vec3> hands = simulation.hands();
    ASSERT_EQ(hands.size(), 2u);
    EXPECT_EQ(hands[0], (Vec3{0.5f, 0.1f, 0.5f}));
    EXPECT_EQ(hands[1], (Vec3{1, 2, 3}));
}

} // namespace
} // namespace taffeta
