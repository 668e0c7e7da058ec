// What callers did, recorded as a scene, happens again bit by bit.
#include "support/random.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <optional>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;

// Two cloths, a hand and a collider with scripts of their own, and one without.
SceneDesc stage(int substeps) {
    SceneDesc scene;
    scene.solver.method = "limits";
    scene.solver.threads = 1;
    scene.solver.substeps = substeps;
    scene.cloths = {{.shape = GridShape{.size = {0.6f, 0.6f}, .cells = {8, 8}}, .position = {0, 0.4f, 0}},
                    {.name = "disk", .shape = DiskShape{.radius = 0.3f, .particles = 60}, .position = {0, 0.5f, 0}}};
    scene.colliders = {{.shape = Sphere{0.2f}, .rotation = {0, 20, 10}},
                       {.shape = Box{{0.2f, 0.2f, 0.2f}},
                        .motion = {{.t = 0.1, .position = Vec3{0.3f, 0, 0}},
                                   {.t = 1.7, .position = Vec3{-0.3f, 0.1f, 0}, .rotation = Vec3{0, 90, 0}}}}};
    scene.grabs = {{.cloth = "disk", .vertex = Index{3}, .path = {{0.31, {0.2f, 0.6f, 0}}, {1.2, {0, 0.7f, 0.1f}}}}};
    return scene;
}

// Plays `caller(simulation, step)` before each step; the hashes after each.
template <class Caller>
std::vector<std::uint64_t> play(Simulation& simulation, int steps, Caller&& caller) {
    std::vector<std::uint64_t> hashes;
    for (int k = 0; k < steps; ++k) {
        caller(simulation, k);
        EXPECT_TRUE(simulation.step(frame).finite);
        hashes.push_back(simulation.hash());
    }
    return hashes;
}

template <class Caller>
void expect_the_same_again(const SceneDesc& scene, int steps, Caller&& caller) {
    Simulation original = make_simulation(scene);
    original.start_recording();
    const std::vector<std::uint64_t> hashes = play(original, steps, caller);
    Simulation untouched = make_simulation(scene);
    EXPECT_NE(play(untouched, steps, [](Simulation&, int) {}).back(), hashes.back()) << "the caller did nothing";

    const SceneDesc recorded = original.recorded(scene);
    EXPECT_FLOAT_EQ(recorded.duration, static_cast<float>(steps) / 30);
    Simulation replay = make_simulation(recorded);
    const std::vector<std::uint64_t> again = play(replay, steps, [](Simulation&, int) {});
    for (int k = 0; k < steps; ++k)
        ASSERT_EQ(again[static_cast<std::size_t>(k)], hashes[static_cast<std::size_t>(k)]) << "step " << k;
    EXPECT_EQ(replay.time(), original.time());
}

TEST(Recording, AHandThatTakesMovesAndLetsGo) {
    GrabId hand = 0;
    expect_the_same_again(stage(4), 40, [&](Simulation& simulation, int k) {
        if (k == 3) hand = simulation.grab_vertex(80);
        if (k >= 5 && k < 20) simulation.move_grab(hand, {0.3f, 0.4f + 0.013f * static_cast<float>(k), 0.3f});
        if (k == 30) simulation.release(hand);
    });
}

TEST(Recording, AHandThatStillHoldsAtTheEnd) {
    expect_the_same_again(stage(3), 30, [](Simulation& simulation, int k) {
        if (k == 10) simulation.move_grab(simulation.grab({0, 0.4f, 0}), {0, 0.8f, 0});
    });
}

TEST(Recording, ABrushOverSeveralCloths) {
    GrabId hand = 0;
    expect_the_same_again(stage(4), 30, [&](Simulation& simulation, int k) {
        if (k == 2) {
            hand = simulation.grab({0.1f, 0.45f, 0}, 0.2f);
            EXPECT_GT(simulation.world().hands.back().held.size(), 5u);
        }
        simulation.move_grab(hand, {0.1f, 0.45f + 0.01f * static_cast<float>(k), 0.05f});
        if (k == 20) simulation.release(hand);
    });
}

TEST(Recording, CollidersThatCallersMove) {
    expect_the_same_again(stage(4), 50, [](Simulation& simulation, int k) {
        const auto shift = [&](int collider, const Vec3& by) {
            Pose pose = simulation.collider_pose(collider);
            pose.position += by;
            simulation.move_collider(collider, pose);
        };
        if (k >= 5 && k < 25) shift(0, {0.01f, 0.017f, 0});
        if (k == 20) shift(1, {0, 0.1f, 0}); // taken over while it turns along its script
    });
}

TEST(Recording, AHandThatOpensAtOnceLeavesNoTrace) {
    const SceneDesc scene = stage(4);
    Simulation simulation = make_simulation(scene);
    simulation.start_recording();
    simulation.release(simulation.grab_vertex(5, 0.1f));
    simulation.step(frame);
    EXPECT_EQ(simulation.recorded(scene).grabs, scene.grabs);
    EXPECT_EQ(simulation.recorded(scene).colliders, scene.colliders);
}

TEST(Recording, AThingAtRestHasFewKeys) {
    const SceneDesc scene = stage(4);
    Simulation simulation = make_simulation(scene);
    simulation.start_recording();
    const GrabId hand = simulation.grab({0.2f, 0.4f, 0.2f});
    simulation.move_collider(0, {{0.1f, 0.1f, 0.1f}, simulation.collider_pose(0).rotation});
    for (int k = 0; k < 60; ++k) simulation.step(frame);
    simulation.release(hand);
    const SceneDesc recorded = simulation.recorded(scene);
    ASSERT_EQ(recorded.grabs.size(), 2u);
    EXPECT_EQ(recorded.grabs[0].path.size(), 2u);
    EXPECT_EQ(recorded.colliders[0].motion.size(), 3u);
}

TEST(Recording, WithoutItTheSceneComesBackAsItIs) {
    const SceneDesc scene = stage(4);
    Simulation simulation = make_simulation(scene);
    simulation.grab_vertex(3);
    simulation.step(frame);
    EXPECT_EQ(simulation.recorded(scene), scene);
}

// Hands and colliders at random; releases come first between two steps.
class RandomCaller {
public:
    explicit RandomCaller(std::uint32_t seed) : random_(seed) {}

    void operator()(Simulation& simulation, int) {
        for (auto hand = hands_.begin(); hand != hands_.end();) {
            const bool lets_go = random_.uniform(0, 1) < 0.1;
            if (lets_go) simulation.release(hand->first);
            hand = lets_go ? hands_.erase(hand) : std::next(hand);
        }
        if (hands_.size() < 4 && random_.uniform(0, 1) < 0.3) {
            const Index vertex = random_.below(simulation.vertex_count());
            const float radius = random_.uniform(0, 1) < 0.5 ? 0.0f : random_.uniform_float(0, 0.2f);
            const bool by_vertex = random_.uniform(0, 1) < 0.5;
            const Vec3 at = simulation.position(vertex) + random_.in_cube_float(0.02);
            const int cloth = static_cast<int>(random_.below(3)) - 1;
            const GrabId hand = by_vertex ? simulation.grab_vertex(vertex, radius) : simulation.grab(at, radius, cloth);
            hands_[hand] = at;
        }
        for (auto& [hand, at] : hands_) {
            if (random_.uniform(0, 1) < 0.4) continue;
            at += random_.in_cube_float(0.02);
            simulation.move_grab(hand, at);
        }
        for (int collider = 0; collider < simulation.collider_count(); ++collider) {
            if (random_.uniform(0, 1) < 0.8) continue;
            Pose pose = simulation.collider_pose(collider);
            pose.position += random_.in_cube_float(0.02);
            simulation.move_collider(collider, pose);
        }
    }

private:
    test::Random random_;
    std::map<GrabId, Vec3> hands_;
};

TEST(Recording, AnythingCallersDoHappensAgain) {
    for (const int substeps : {1, 2, 3, 4, 7}) {
        for (std::uint32_t seed = 1; seed <= 4; ++seed) {
            SCOPED_TRACE(std::to_string(substeps) + " substeps, seed " + std::to_string(seed));
            expect_the_same_again(stage(substeps), 60, RandomCaller(seed));
        }
    }
}

} // namespace
} // namespace taffeta
