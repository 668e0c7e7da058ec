// Hands [FGL03] 3: what is held follows exactly and outranks everything.
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::scene_with;

SceneDesc sheet(int cells = 10) {
    SceneDesc scene = scene_with(GridShape{.size = {0.5f, 0.5f}, .cells = {cells, cells}});
    scene.solver.velocity_factor = 0.99f;
    return scene;
}

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_NEAR(length(a - b), 0, tolerance)
        << a.x << " " << a.y << " " << a.z << " and " << b.x << " " << b.y << " " << b.z;
}

// Linear between keys, in double, for comparison.
Vec3 on_path(const std::vector<GrabDesc::Key>& path, double t) {
    for (std::size_t k = 1; k < path.size(); ++k) {
        if (t > path[k].t) continue;
        const double part = (t - path[k - 1].t) / (path[k].t - path[k - 1].t);
        const Vec3d a = vector_cast<double>(path[k - 1].position), b = vector_cast<double>(path[k].position);
        return vector_cast<float>(a + (b - a) * part);
    }
    return path.back().position;
}

TEST(ScriptedHand, TheHeldVertexFollowsThePath) { // F13
    SceneDesc scene = sheet();
    scene.grabs = {
        {.vertex = Index{0},
         .path = {{0, {-0.25f, 0, -0.25f}}, {0.7f, {0.3f, 0.5f, 0.1f}}, {1.4f, {-0.5f, 1, 0.4f}}, {2, {0, 1, 0}}}}};
    Simulation simulation = make_simulation(scene);
    for (int k = 1; k <= 60; ++k) {
        ASSERT_TRUE(simulation.step(frame).finite);
        expect_near(simulation.position(0), on_path(scene.grabs[0].path, k / 30.0), 1e-6);
    }
}

TEST(ScriptedHand, FollowsAtEveryFrameRateAndNumberOfSubsteps) { // F13
    for (const int rate : {24, 30, 60, 144}) {
        for (const int substeps : {1, 3, 4}) {
            SceneDesc scene = sheet(4);
            scene.solver.substeps = substeps;
            scene.grabs = {{.near = Vec3{0.25f, 0, 0.25f}, .path = {{0, {0.25f, 0, 0.25f}}, {1, {0, 1, 0}}}}};
            Simulation simulation = make_simulation(scene);
            for (int k = 1; k < rate; ++k) {
                simulation.step(1.0f / static_cast<float>(rate));
                expect_near(simulation.position(24), on_path(scene.grabs[0].path, static_cast<double>(k) / rate), 2e-6);
            }
        }
    }
}

TEST(ScriptedHand, WaitsForItsFirstKeyAndLetsGoAtItsLast) { // F13
    SceneDesc scene = sheet();
    scene.gravity = {};
    scene.grabs = {{.vertex = Index{0}, .path = {{0.5f, {-0.25f, 0, -0.25f}}, {1, {-0.25f, 0.5f, -0.25f}}}}};
    Simulation simulation = make_simulation(scene);
    const float own = simulation.world().state.w[0];
    ASSERT_GT(own, 0);
    for (int k = 1; k <= 45; ++k) {
        simulation.step(frame);
        const bool held = k > 15 && k <= 30;
        EXPECT_EQ(simulation.world().state.x[0].w, held ? 0 : own) << "frame " << k;
    }
    EXPECT_TRUE(simulation.world().hands.empty());
    EXPECT_GT(simulation.position(0).y, 0.5); // it moves on
}

TEST(ScriptedHand, SeveralAtOnceEachOnItsPath) { // F13
    SceneDesc scene = sheet();
    for (const Index vertex : {0u, 10u, 110u, 120u}) {
        const Vec3 start = make_grid({0.5f, 0.5f}, {10, 10}, Diagonals::alternate).positions[vertex];
        scene.grabs.push_back({.vertex = vertex, .path = {{0, start}, {2, start * 0.5f + Vec3{0, 0.3f, 0}}}});
    }
    Simulation simulation = make_simulation(scene);
    for (int k = 1; k < 60; ++k) {
        ASSERT_TRUE(simulation.step(frame).finite);
        for (const GrabDesc& grab : scene.grabs)
            expect_near(simulation.position(*grab.vertex), on_path(grab.path, k / 30.0), 1e-6);
    }
}

TEST(ScriptedHand, ABrushTakesAllWithinItsRadiusAndKeepsTheirPlaces) { // F13
    SceneDesc scene = sheet();
    const Vec3 start = {-0.25f, 0, -0.25f};
    scene.grabs = {{.vertex = Index{0}, .radius = 0.11f, .path = {{0, start}, {1, start + Vec3{0.2f, 0.5f, 0}}}}};
    Simulation simulation = make_simulation(scene);
    const std::vector<Vec3> before = test::positions_of(simulation);
    for (int k = 1; k < 30; ++k) {
        simulation.step(frame);
        int held = 0;
        for (Index v = 0; v < simulation.vertex_count(); ++v) {
            const bool within = length(before[v] - before[0]) <= 0.11f;
            EXPECT_EQ(simulation.world().state.x[v].w == 0, within) << v;
            if (!within) continue;
            ++held;
            expect_near(simulation.position(v), on_path(scene.grabs[0].path, k / 30.0) + (before[v] - before[0]), 2e-6);
        }
        EXPECT_EQ(held, 6); // 0, 1 and 2 cells along both sides, and the diagonal neighbour
    }
}

TEST(ScriptedHand, TakesTheNamedClothOnly) {
    SceneDesc scene = sheet();
    scene.cloths.push_back(
        {.name = "upper", .shape = GridShape{.size = {0.5f, 0.5f}, .cells = {4, 4}}, .position = {0, 0.1f, 0}});
    scene.grabs = {{.cloth = "upper", .near = Vec3{0, 0, 0}, .path = {{0, {0, 0.1f, 0}}, {5, {0, 0.1f, 0}}}}};
    Simulation simulation = make_simulation(scene);
    simulation.step(frame);
    expect_near(simulation.position(simulation.first_vertex(1) + 12), {0, 0.1f, 0}, 1e-6);
    EXPECT_LT(simulation.position(60).y, 0);
}

TEST(Hand, MovesWithTheCallAndIsThereWhenTheStepEnds) { // F13
    Simulation simulation = make_simulation(sheet());
    const GrabId hand = simulation.grab({0.25f, 0.05f, 0.25f});
    for (int k = 0; k < 30; ++k) {
        const Vec3 target = {0.25f + 0.02f * static_cast<float>(k), std::sin(0.3f * static_cast<float>(k)), 0.25f};
        simulation.move_grab(hand, target);
        ASSERT_TRUE(simulation.step(frame).finite);
        EXPECT_EQ(simulation.position(120), target);
    }
    const Vec3 last = simulation.position(120);
    simulation.step(frame); // not told where to go, it stays
    EXPECT_EQ(simulation.position(120), last);
}

TEST(Hand, TakesTheNearestParticle) {
    Simulation simulation = make_simulation(sheet());
    simulation.grab({0.26f, 0.01f, -0.24f});
    EXPECT_EQ(simulation.world().state.x[10].w, 0);
    int held = 0;
    for (Index v = 0; v < simulation.vertex_count(); ++v) held += simulation.world().state.x[v].w == 0 ? 1 : 0;
    EXPECT_EQ(held, 1);
}

TEST(Hand, LetsGoWithItsMassAndItsMotion) { // F13
    SceneDesc scene = sheet();
    scene.gravity = {};
    scene.solver.velocity_factor.reset();
    Simulation simulation = make_simulation(scene);
    const GrabId hand = simulation.grab({}, 10); // all of it
    for (int k = 1; k <= 30; ++k) {
        simulation.move_grab(hand, {0.02f * static_cast<float>(k), 0, 0});
        simulation.step(frame);
    }
    simulation.release(hand);
    for (Index p = 0; p < simulation.world().state.count(); ++p) {
        EXPECT_EQ(simulation.world().state.x[p].w, simulation.world().state.w[p]);
        EXPECT_GT(simulation.world().state.x[p].w, 0);
        EXPECT_NEAR(simulation.world().state.v[p].x, 0.6, 1e-4);
    }
    const Vec3 before = simulation.position(60);
    ASSERT_TRUE(test::run(simulation, 1));
    expect_near(simulation.position(60), before + Vec3{0.6f, 0, 0}, 1e-3);
}

TEST(Hand, ReleaseOfWhatIsPinnedLeavesItPinned) {
    SceneDesc scene = sheet();
    scene.cloths[0].pins = {VertexPin{{0}}};
    Simulation simulation = make_simulation(scene);
    const GrabId hand = simulation.grab_vertex(0);
    simulation.move_grab(hand, {0, 1, 0});
    simulation.step(frame);
    EXPECT_EQ(simulation.position(0), (Vec3{0, 1, 0})); // hands outrank pins
    simulation.release(hand);
    test::run(simulation, 0.5);
    EXPECT_EQ(simulation.position(0), (Vec3{0, 1, 0}));
}

TEST(Hand, OutranksCollidersAndLimits) {
    SceneDesc scene = sheet();
    scene.colliders = {{.shape = Sphere{0.3f}, .position = {0, -0.4f, 0}}};
    Simulation simulation = make_simulation(scene);
    const GrabId hand = simulation.grab_vertex(60);
    simulation.move_grab(hand, {0, -0.4f, 0}); // into the middle of the sphere
    ASSERT_TRUE(simulation.step(frame).finite);
    EXPECT_EQ(simulation.position(60), (Vec3{0, -0.4f, 0}));
    simulation.move_grab(hand, {50, 0, 0}); // far beyond what the cloth allows
    ASSERT_TRUE(simulation.step(frame).finite);
    EXPECT_EQ(simulation.position(60), (Vec3{50, 0, 0}));
    EXPECT_TRUE(test::all_finite(simulation));
}

TEST(Hand, WhatOneHoldsAnotherLeavesToIt) {
    Simulation simulation = make_simulation(sheet());
    const GrabId first = simulation.grab_vertex(0), second = simulation.grab_vertex(0),
                 brush = simulation.grab_vertex(0, 0.06f);
    EXPECT_NE(first, second);
    simulation.move_grab(first, {0, 1, 0});
    simulation.move_grab(second, {0, 2, 0});
    simulation.move_grab(brush, simulation.position(0));
    simulation.step(frame);
    EXPECT_EQ(simulation.position(0), (Vec3{0, 1, 0}));
    simulation.release(second);
    EXPECT_EQ(simulation.world().state.x[0].w, 0); // still in the first hand
    simulation.release(first);
    EXPECT_GT(simulation.world().state.x[0].w, 0);
    EXPECT_EQ(simulation.world().state.x[1].w, 0); // still under the brush
    simulation.release(brush);
    EXPECT_GT(simulation.world().state.x[1].w, 0);
}

TEST(Hand, UnknownIdsAndEmptyHandsAreHarmless) {
    Simulation simulation = make_simulation(sheet());
    simulation.release(99);
    simulation.move_grab(99, {1, 2, 3});
    const GrabId empty = simulation.grab({100, 0, 0}, 0.01f);
    simulation.move_grab(empty, {0, 0, 0});
    EXPECT_TRUE(simulation.step(frame).finite);
    simulation.release(empty);
    simulation.release(empty);
    EXPECT_TRUE(simulation.step(frame).finite);
}

TEST(Hand, OnASeamMovesBothSides) {
    std::vector<std::array<Index, 2>> seam;
    Simulation simulation = make_simulation(scene_with(test::make_seamed(&seam)));
    const GrabId hand = simulation.grab_vertex(seam[3][1]);
    simulation.move_grab(hand, {0, 0.2f, 0});
    simulation.step(frame);
    EXPECT_EQ(simulation.position(seam[3][0]), (Vec3{0, 0.2f, 0}));
    EXPECT_EQ(simulation.position(seam[3][1]), (Vec3{0, 0.2f, 0}));
}

} // namespace
} // namespace taffeta
