// The same bits for every number of threads.
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

// ThreadSanitizer makes every access some thirty times slower, and sees a race in the first frame as well as in the
// third and of two threads as well as of eight.
#ifdef __SANITIZE_THREAD__
constexpr std::array thread_counts = {2};
constexpr int frames_each = 1;
#else
constexpr std::array thread_counts = {1, 2, 8};
constexpr int frames_each = 3;
#endif

// Cloths of more than 20,000 particles, so that every loop is shared out; a few frames each.
SceneDesc dropped_on_bodies() {
    SceneDesc scene = test::scene_with(GridShape{.size = {2, 2}, .cells = {149, 149}});
    scene.solver.velocity_factor = 0.99f;
    scene.solver.substeps = 2;
    scene.cloths[0].position = {0, 0.31f, 0};
    scene.cloths[0].velocity = {0, -2, 0};
    scene.colliders = {{.shape = Sphere{0.3f}},
                       {.shape = Box{{0.3f, 0.5f, 0.3f}},
                        .rotation = {0, 30, 0},
                        .motion = {{.t = 0, .position = Vec3{0.6f, 0, 0}}, {.t = 1, .position = Vec3{-0.6f, 0.3f, 0}}}},
                       {.shape = Plane{}, .position = {0, 0.2f, 0}}};
    return scene;
}

SceneDesc layers() {
    SceneDesc scene = test::scene_with(DiskShape{.radius = 0.7f, .particles = 7000});
    scene.solver.substeps = 2;
    scene.cloths[0].pins = {CornerPin{"+x"}};
    for (int k = 1; k < 4; ++k) {
        scene.cloths.push_back(scene.cloths[0]);
        scene.cloths.back().pins.clear();
        scene.cloths.back().position = {0.01f, 0.012f * static_cast<float>(k), 0.005f};
        scene.cloths.back().velocity = {0, -1, 0};
    }
    scene.colliders = {{.shape = Plane{}, .position = {0, -0.05f, 0}}};
    return scene;
}

SceneDesc hung_and_grabbed() {
    SceneDesc scene = test::scene_with(GridShape{.size = {1, 1}, .cells = {104, 104}, .diagonals = Diagonals::cross});
    scene.solver.substeps = 2;
    scene.cloths[0].pins = {CornerPin{"-x-z"}, CornerPin{"+x-z"}};
    scene.grabs = {
        {.near = Vec3{0, 0, 0.5f}, .radius = 0.2f, .path = {{0, {0, 0, 0.5f}}, {0.2f, {0, 0.1f, -0.4f}}, {1, {}}}}};
    return scene;
}

// Everything crumpled together at the start: the search finds very many pairs.
void crumple(Simulation& simulation) {
    for (Vec4& p : test::world_of(simulation).state.particles()) {
        p.y = 0.03f * std::sin(40 * p.x) * std::cos(35 * p.z);
        p.x *= 0.7f;
        p.z *= 0.8f;
    }
}

void expect_the_same_for_all_threads(SceneDesc scene, int frames, bool crumpled = false, Index at_least = 20'000) {
    std::vector<std::uint64_t> expected;
    for (const int threads : thread_counts) {
        scene.solver.threads = threads;
        Simulation simulation = test::make_simulation(scene);
        ASSERT_EQ(simulation.threads(), threads);
        ASSERT_GT(simulation.world().state.count(), at_least);
        if (crumpled) crumple(simulation);
        for (int k = 0; k < frames; ++k) {
            ASSERT_TRUE(simulation.step(test::frame).finite);
            if (threads == thread_counts.front()) expected.push_back(simulation.hash());
            ASSERT_EQ(simulation.hash(), expected[static_cast<std::size_t>(k)]) << threads << " threads, frame " << k;
        }
    }
}

TEST(Threads, SameHashForOneTwoAndEightOnBodies) {
    expect_the_same_for_all_threads(dropped_on_bodies(), frames_each);
}

TEST(Threads, SameHashForOneTwoAndEightInLayers) {
    expect_the_same_for_all_threads(layers(), frames_each);
}

TEST(Threads, SameHashForOneTwoAndEightWithHands) {
    expect_the_same_for_all_threads(hung_and_grabbed(), frames_each);
}

TEST(Threads, SameHashForOneTwoAndEightWhenCrumpled) {
    expect_the_same_for_all_threads(dropped_on_bodies(), frames_each, true);
}

TEST(Threads, SameHashForOneTwoAndEightInTheWind) {
    SceneDesc scene = hung_and_grabbed();
    scene.wind = {{3, 1, 6}, 0.8f, 4};
    expect_the_same_for_all_threads(scene, frames_each);
}

TEST(Threads, SameHashForOneTwoAndEightWithElements) {
    SceneDesc scene = hung_and_grabbed();
    scene.colliders = layers().colliders;
    scene.solver.method = "xpbd";
    scene.solver.velocity_factor = {};
    scene.fabrics[0].stretch_damping = scene.fabrics[0].bend_damping = 0.001f;
    scene.cloths[0].self_collision = SelfCollision::particles;
    expect_the_same_for_all_threads(scene, 1);
}

TEST(Threads, SameHashForOneTwoAndEightWithTriangles) {
    SceneDesc scene = layers();
    scene.solver.method = "xpbd";
    scene.cloths.resize(3);
    for (std::size_t k = 0; k < scene.cloths.size(); ++k) {
        scene.cloths[k].self_collision = SelfCollision::triangles;
        scene.cloths[k].shape = DiskShape{.radius = 0.2f, .particles = 500};
        scene.cloths[k].velocity = {0, -4.0f * static_cast<float>(k), 0};
    }
    expect_the_same_for_all_threads(scene, frames_each, false, 1400);
}

TEST(Threads, SameReportsForAllThreads) {
    SceneDesc scene = layers();
    std::vector<std::array<int, 2>> reports;
    for (const int threads : thread_counts) {
        scene.solver.threads = threads;
        Simulation simulation = test::make_simulation(scene);
        simulation.step(test::frame);
        const StepReport report = simulation.step(test::frame);
        reports.push_back({report.contacts, report.self_contacts});
    }
    for (const std::array<int, 2>& report : reports) EXPECT_EQ(report, reports[0]);
    EXPECT_GT(reports[0][0], 0);
    EXPECT_GT(reports[0][1], 0);
}

TEST(Threads, ZeroMeansAllCores) {
    SceneDesc scene = test::scene_with(GridShape{});
    scene.solver.threads = 0;
    EXPECT_GE(test::make_simulation(scene).threads(), 1);
}

TEST(Threads, SeveralSimulationsLiveSideBySide) {
    SceneDesc scene = dropped_on_bodies();
    scene.solver.threads = 2;
    Simulation first = test::make_simulation(scene);
    scene.solver.threads = 8;
    Simulation second = test::make_simulation(scene);
    for (int k = 0; k < 2; ++k) {
        first.step(test::frame);
        second.step(test::frame);
    }
    EXPECT_EQ(first.hash(), second.hash());
}

} // namespace
} // namespace taffeta
