#include "viewer/simulation_thread.h"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

namespace taffeta::viewer {
namespace {

using namespace std::chrono_literals;

SceneDesc sheet(int cells = 6) {
    SceneDesc scene;
    scene.solver.method = "limits";
    scene.frame_rate = 100;
    scene.solver.substeps = 1;
    scene.solver.threads = 1;
    scene.cloths.push_back({.name = "sheet", .shape = GridShape{.cells = {cells, cells}}});
    scene.colliders.push_back({.shape = Sphere{0.2f}, .position = {0, -2, 0}});
    return resolved(scene);
}

Load load_of(const SceneDesc& scene, std::uint64_t generation = 1) {
    return {scene, std::make_unique<Simulation>(std::move(*Simulation::create(scene))), generation};
}

// Frames until one is as wished; fails after a while.
bool wait_for(SimulationThread& thread, const std::function<bool(const Frame&)>& is_wished) {
    const auto end = std::chrono::steady_clock::now() + 20s;
    while (std::chrono::steady_clock::now() < end) {
        thread.update();
        if (is_wished(thread.frame())) return true;
        std::this_thread::sleep_for(1ms);
    }
    return false;
}

auto has_steps(long steps) {
    return [steps](const Frame& frame) { return frame.statistics.steps >= steps; };
}

TEST(SimulationThread, KeepsToTheClock) {
    SimulationThread thread({});
    thread.send(load_of(sheet()));
    ASSERT_TRUE(wait_for(thread, has_steps(1)));
    const auto began = std::chrono::steady_clock::now();
    const double at = thread.frame().snapshot.time;
    ASSERT_TRUE(wait_for(thread, has_steps(60)));
    const double real = std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
    const double simulated = thread.frame().snapshot.time - at;
    EXPECT_LT(simulated, real + 0.03); // never ahead, but for the steps it owed
}

TEST(SimulationThread, SlowsDownWhereItCannotKeepUp) {
    SceneDesc scene = sheet(60);
    scene.frame_rate = 10'000; // no machine does this
    SimulationThread thread({});
    thread.send(load_of(scene));
    ASSERT_TRUE(wait_for(thread, [](const Frame& frame) { return !frame.statistics.keeps_up; }));
    EXPECT_LT(thread.frame().statistics.speed, 0.95);
    // It goes on step by step, and answers at once.
    thread.send(TogglePause{});
    EXPECT_TRUE(wait_for(thread, [](const Frame& frame) { return frame.statistics.paused; }));
}

TEST(SimulationThread, TenThousandParticlesMoveOnWhileNobodyLooks) {
    SimulationThread thread({});
    SceneDesc scene = sheet(99);
    scene.cloths[0].self_collision = SelfCollision::none;
    thread.send(load_of(scene));
    ASSERT_TRUE(wait_for(thread, has_steps(1)));
    const long before = thread.frame().statistics.steps;
    std::this_thread::sleep_for(400ms); // a picture that takes long
    ASSERT_TRUE(thread.update());
    EXPECT_GT(thread.frame().statistics.steps, before);
}

TEST(SimulationThread, PausedItStepsOnlyWhenTold) {
    SimulationThread thread({.paused = true, .hash = true});
    thread.send(load_of(sheet()));
    ASSERT_TRUE(wait_for(thread, [](const Frame& frame) { return frame.generation == 1; }));
    std::this_thread::sleep_for(50ms);
    thread.update();
    EXPECT_EQ(thread.frame().statistics.steps, 0);
    thread.send(StepOnce{});
    ASSERT_TRUE(wait_for(thread, has_steps(1)));
    std::this_thread::sleep_for(50ms);
    thread.update();
    EXPECT_EQ(thread.frame().statistics.steps, 1);

    const std::uint64_t stepped = thread.frame().statistics.hash;
    thread.send(Reset{});
    ASSERT_TRUE(wait_for(thread, [](const Frame& frame) { return frame.statistics.steps == 0; }));
    EXPECT_NE(thread.frame().statistics.hash, stepped);
    thread.send(StepOnce{});
    ASSERT_TRUE(wait_for(thread, has_steps(1)));
    EXPECT_EQ(thread.frame().statistics.hash, stepped);
}

TEST(SimulationThread, EveryStepThatWasAskedForIsDone) {
    SimulationThread thread({.paused = true});
    thread.send(load_of(sheet()));
    for (int k = 0; k < 5; ++k) thread.send(StepOnce{});
    ASSERT_TRUE(wait_for(thread, has_steps(5)));
    std::this_thread::sleep_for(50ms);
    thread.update();
    EXPECT_EQ(thread.frame().statistics.steps, 5);
}

TEST(SimulationThread, HeldVertexIsWhereTheHandIs) {
    SimulationThread thread({.paused = true});
    thread.send(load_of(sheet()));
    const Vec3 target = {0.1f, 0.4f, 0.2f};
    thread.send(Grab{1, 10, 0, {}});
    thread.send(MoveHand{1, target});
    thread.send(StepOnce{});
    ASSERT_TRUE(wait_for(thread, has_steps(1)));
    EXPECT_EQ(thread.frame().snapshot.positions[10], target);
    ASSERT_EQ(thread.frame().hands.size(), 1u);
    EXPECT_TRUE(thread.frame().hands[0].follows);
}

TEST(SimulationThread, ReleasesComeBeforeGrabsWhateverTheirOrder) {
    SimulationThread thread({.paused = true});
    thread.send(load_of(sheet()));
    thread.send(Grab{1, 10, 0, {0, 1, 0}});
    thread.send(StepOnce{});
    ASSERT_TRUE(wait_for(thread, has_steps(1)));
    thread.send(Grab{2, 10, 0, {0, 2, 0}}); // the vertex is still held by the first
    thread.send(Release{1});
    thread.send(StepOnce{});
    ASSERT_TRUE(wait_for(thread, has_steps(2)));
    EXPECT_EQ(thread.frame().snapshot.positions[10], (Vec3{0, 2, 0}));
}

TEST(SimulationThread, ASecondHandOnTheSameVertexIsKnownNotToFollow) {
    SimulationThread thread({.paused = true});
    thread.send(load_of(sheet()));
    thread.send(Grab{1, 10, 0, {0, 1, 0}});
    thread.send(Grab{2, 10, 0, {0, 2, 0}});
    thread.send(StepOnce{});
    ASSERT_TRUE(wait_for(thread, has_steps(1)));
    ASSERT_EQ(thread.frame().hands.size(), 2u);
    EXPECT_TRUE(thread.frame().hands[0].follows);
    EXPECT_FALSE(thread.frame().hands[1].follows);
}

TEST(SimulationThread, ErrorsOfAChangeAreToldAndChangeNothing) {
    SimulationThread thread({.paused = true});
    thread.send(load_of(sheet()));
    SceneDesc bad = sheet();
    bad.solver.iterations = 0;
    thread.send(Change{bad});
    std::vector<Event> events;
    ASSERT_TRUE(wait_for(thread, [&](const Frame&) {
        events = thread.take_events();
        return !events.empty();
    }));
    const auto* notice = std::get_if<Notice>(&events[0]);
    ASSERT_NE(notice, nullptr);
    EXPECT_TRUE(notice->is_error);
    EXPECT_NE(notice->text.find("iterations"), std::string::npos) << notice->text;
    thread.send(StepOnce{});
    EXPECT_TRUE(wait_for(thread, has_steps(1)));
}

TEST(SimulationThread, WhatWasRecordedGivesTheSameBitsAgain) {
    const SceneDesc scene = sheet();
    SimulationThread thread({.paused = true, .hash = true});
    thread.send(load_of(scene));
    thread.send(StartRecording{});
    const auto step_to = [&thread](long steps) {
        thread.send(StepOnce{});
        return wait_for(thread, has_steps(steps));
    };
    ASSERT_TRUE(step_to(1));
    thread.send(Grab{1, 0, 0, {-0.5f, 0.2f, -0.5f}});
    ASSERT_TRUE(step_to(2));
    thread.send(MoveHand{1, {-0.4f, 0.3f, -0.5f}});
    thread.send(MoveCollider{0, {.position = {0, -0.3f, 0}}});
    ASSERT_TRUE(step_to(3));
    thread.send(Release{1});
    thread.send(Grab{2, 20, 0.2f, {0.1f, 0.1f, 0}});
    for (long steps = 4; steps <= 8; ++steps) ASSERT_TRUE(step_to(steps));
    const std::uint64_t hash = thread.frame().statistics.hash;
    thread.send(StopRecording{});
    std::vector<Event> events;
    ASSERT_TRUE(wait_for(thread, [&](const Frame&) {
        events = thread.take_events();
        return !events.empty();
    }));
    const auto* recorded = std::get_if<RecordedScene>(&events[0]);
    ASSERT_NE(recorded, nullptr);
    EXPECT_EQ(recorded->scene.grabs.size(), 2u);

    auto again = Simulation::create(recorded->scene);
    ASSERT_TRUE(again) << again.errors()[0].to_string();
    for (int k = 0; k < 8; ++k) again->step(1 / scene.frame_rate);
    EXPECT_EQ(again->hash(), hash);
}

} // namespace
} // namespace taffeta::viewer
