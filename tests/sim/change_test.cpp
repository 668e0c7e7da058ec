// Parameters may change while the cloth moves.
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <functional>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;

// Two cloths of two fabrics over a sphere, one of them pinned, and a hand from the start.
SceneDesc rich_scene() {
    SceneDesc scene;
    scene.solver.method = "limits";
    scene.solver.threads = 1;
    scene.fabrics = {Fabric{.name = "silk"}, Fabric{.name = "wool", .density = 0.3f}};
    scene.cloths = {
        {.fabric = "silk", .shape = GridShape{.size = {0.6f, 0.6f}, .cells = {9, 9}}, .position = {0, 0.4f, 0}},
        {.fabric = "wool", .shape = DiskShape{.radius = 0.3f, .particles = 80}, .position = {0, 0.6f, 0}}};
    scene.cloths[0].pins = {CornerPin{"-x-z"}};
    scene.colliders = {{.shape = Sphere{0.3f}}};
    scene.grabs = {{.vertex = Index{99}, .path = {{0, {0.3f, 0.4f, 0.3f}}, {9, {0.3f, 0.9f, 0.3f}}}}};
    return scene;
}

std::uint64_t hash_after(Simulation& simulation, int steps) {
    for (int k = 0; k < steps; ++k) simulation.step(frame);
    return simulation.hash();
}

const std::vector<std::function<void(SceneDesc&)>>& all_changes() {
    static const std::vector<std::function<void(SceneDesc&)>> changes = {
        [](SceneDesc& s) {
            s.gravity = {1, -5, 0};
        },
        [](SceneDesc& s) { s.solver.substeps = 7; },
        [](SceneDesc& s) { s.solver.iterations = 11; },
        [](SceneDesc& s) { s.solver.damping = 2; },
        [](SceneDesc& s) { s.solver.velocity_factor = 0.9f; },
        [](SceneDesc& s) { s.fabrics[0].density = 0.731f; },
        [](SceneDesc& s) { s.fabrics[1].density = 0.05f; },
        [](SceneDesc& s) { s.fabrics[0].thickness = 0.02f; },
        [](SceneDesc& s) { s.fabrics[0].friction = 0.9f; },
        [](SceneDesc& s) { s.fabrics[0].max_stretch = 1.1f; },
        [](SceneDesc& s) { s.fabrics[1].min_stretch = 0.8f; },
        [](SceneDesc& s) { s.fabrics[0].bend_limit = 0.5f; },
        [](SceneDesc& s) { s.cloths[0].fabric = "wool"; },
        [](SceneDesc& s) { std::swap(s.fabrics[0], s.fabrics[1]), s.fabrics[0].density = 0.4f; },
    };
    return changes;
}

TEST(Change, BeforeTheFirstStepItIsAsIfTheSceneHadBeenSo) {
    Simulation original = make_simulation(rich_scene());
    const std::uint64_t unchanged = hash_after(original, 30);
    int number = 0;
    for (const auto& change : all_changes()) {
        SCOPED_TRACE(number++);
        SceneDesc scene = rich_scene();
        change(scene);
        Simulation changed = make_simulation(rich_scene());
        ASSERT_TRUE(changed.change(scene));
        Simulation fresh = make_simulation(scene);
        const std::uint64_t hash = hash_after(fresh, 30);
        EXPECT_EQ(hash_after(changed, 30), hash);
        EXPECT_NE(hash, unchanged) << "the change does nothing";
    }
}

TEST(Change, ThereAndBackLeavesNoTrace) {
    Simulation original = make_simulation(rich_scene());
    Simulation changed = make_simulation(rich_scene());
    hash_after(original, 10);
    hash_after(changed, 10);
    for (const auto& change : all_changes()) {
        SceneDesc scene = rich_scene();
        change(scene);
        ASSERT_TRUE(changed.change(scene));
        ASSERT_TRUE(changed.change(rich_scene()));
    }
    EXPECT_EQ(hash_after(changed, 20), hash_after(original, 20));
}

TEST(Change, InMotionTheStateGoesOn) {
    Simulation simulation = make_simulation(rich_scene());
    hash_after(simulation, 10);
    const GrabId hand = simulation.grab_vertex(0);
    const Vec3 pinned = simulation.position(0);
    for (const auto& change : all_changes()) {
        SceneDesc scene = rich_scene();
        change(scene);
        const std::vector<Vec3> before = test::positions_of(simulation);
        const double time = simulation.time();
        ASSERT_TRUE(simulation.change(scene));
        EXPECT_EQ(test::positions_of(simulation), before) << "nothing jumps";
        EXPECT_EQ(simulation.time(), time);
        ASSERT_TRUE(simulation.step(frame).finite);
        const std::vector<Vec3> after = test::positions_of(simulation);
        for (std::size_t v = 0; v < after.size(); ++v) EXPECT_LT(length(after[v] - before[v]), 0.2f);
        EXPECT_EQ(simulation.position(0), pinned);
    }
    simulation.release(hand);
    ASSERT_TRUE(simulation.step(frame).finite);
    EXPECT_EQ(simulation.position(0), pinned) << "no longer held, but pinned still";
    EXPECT_NEAR(simulation.position(99).y, 0.4f + 0.5f * static_cast<float>(simulation.time()) / 9, 1e-5f);
}

// A tetrahedron: every edge is also a pair of opposite vertices of another.
TEST(Change, LimitsOfOnePairKeepTheirKinds) {
    const Mesh tetrahedron = {
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}, {}};
    const auto limits_of = [](const Simulation& simulation) { // all of them: accelerated they stand in two lists
        std::vector<Limit> limits = simulation.world().limits.in_order();
        const std::vector<Limit> lengths = simulation.world().lengths.in_order();
        limits.insert(limits.end(), lengths.begin(), lengths.end());
        return limits;
    };
    for (const bool acceleration : {false, true}) {
        SceneDesc scene = test::scene_with(tetrahedron);
        scene.solver.acceleration = acceleration;
        Simulation changed = make_simulation(scene);
        scene.fabrics[0].bend_limit = 0.4f;
        scene.fabrics[0].max_stretch = 1.2f;
        ASSERT_TRUE(changed.change(scene));
        const Simulation fresh = make_simulation(scene);
        const std::vector<Limit> a = limits_of(changed), b = limits_of(fresh);
        ASSERT_EQ(a.size(), 12u);
        ASSERT_EQ(b.size(), 12u);
        for (std::size_t k = 0; k < a.size(); ++k) {
            EXPECT_EQ(a[k].shortest, b[k].shortest);
            EXPECT_EQ(a[k].longest, b[k].longest);
        }
    }
}

TEST(Change, AnotherSceneIsRefusedAndNothingChanges) {
    const std::vector<std::pair<std::string, std::function<void(SceneDesc&)>>> others = {
        {"cloth", [](SceneDesc& s) { s.cloths.pop_back(); }},
        {"cloth.1", [](SceneDesc& s) { s.cloths[1].shape = DiskShape{.radius = 0.3f, .particles = 81}; }},
        {"cloth.0", [](SceneDesc& s) { s.cloths[0].pins.clear(); }},
        {"collider", [](SceneDesc& s) { s.colliders.clear(); }},
        {"collider.0", [](SceneDesc& s) { s.colliders[0].shape = Box{}; }},
        {"grab.0", [](SceneDesc& s) { s.grabs[0].radius = 1; }},
        {"grab", [](SceneDesc& s) { s.grabs.clear(); }},
    };
    Simulation original = make_simulation(rich_scene());
    Simulation refused = make_simulation(rich_scene());
    for (const auto& [key, make_other] : others) {
        SCOPED_TRACE(key);
        SceneDesc scene = rich_scene();
        make_other(scene);
        scene.gravity = {};
        const Result<void> result = refused.change(scene);
        ASSERT_FALSE(result);
        ASSERT_EQ(result.errors().size(), 1u);
        EXPECT_EQ(result.errors()[0].key, key);
        EXPECT_NE(result.errors()[0].message.find("make a new simulation"), std::string::npos);
    }
    SceneDesc wrong = rich_scene();
    wrong.fabrics[0].density = -1;
    wrong.solver.iterations = 0;
    wrong.gravity = {};
    const Result<void> result = refused.change(wrong);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.errors().size(), 2u);
    EXPECT_EQ(hash_after(refused, 20), hash_after(original, 20));
}

TEST(Change, WhatDoesNotMoveClothMayDiffer) {
    Simulation simulation = make_simulation(rich_scene());
    SceneDesc scene = resolved(rich_scene());
    scene.view.floor = -1.0f;
    scene.colliders[0].colour = Colour{};
    scene.duration = 100;
    scene.solver.threads = 2;
    EXPECT_TRUE(simulation.change(scene));
}

} // namespace
} // namespace taffeta
