// What a step promises: pins hold, seams stay closed, the centre of mass stays, few sweeps stay stable, runs repeat.
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::run;
using test::scene_with;

TEST(Step, SeamVerticesCoincideExactlyAfterTenSeconds) { // F01
    std::vector<std::array<Index, 2>> seam;
    SceneDesc scene = scene_with(test::make_seamed(&seam));
    scene.solver.velocity_factor = 0.99f;
    scene.cloths[0].pins = {VertexPin{{0}}};
    scene.colliders = {{.shape = Sphere{0.1f}, .position = {0.05f, -0.3f, 0}}};
    Simulation simulation = make_simulation(scene);
    ASSERT_TRUE(run(simulation, 10));
    for (const auto& [a, b] : seam) EXPECT_EQ(simulation.position(a), simulation.position(b));
    EXPECT_LT(simulation.measure().max_stretch, 1.5);
}

TEST(Step, EveryMeshFallsOnASphereAndStaysFinite) { // F01
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        SceneDesc scene = scene_with(mesh);
        scene.cloths[0].position = {0, 0.3f, 0};
        scene.colliders = {{.shape = Sphere{0.15f}}, {.shape = Plane{}, .position = {0, -0.3f, 0}}};
        Simulation simulation = make_simulation(scene);
        ASSERT_TRUE(run(simulation, 1.5));
        const test::Extent extent = test::extent_of(test::positions_of(simulation));
        EXPECT_LT(length(extent.high - extent.low), 3);
        EXPECT_LT(simulation.measure().max_stretch, 3);
    }
}

// Random places for every particle, at rest: the hardest start there is.
void scatter(Simulation& simulation, double half, std::uint32_t seed) {
    test::Random random(seed);
    State& state = test::world_of(simulation).state;
    for (Index p = 0; p < state.count(); ++p) state.x[p].set_xyz(random.in_cube_float(half));
    state.x_prev = state.x;
}

// How far the centre of mass of 1024 irregular masses goes in 1200 steps without gravity; L = 1 m.
double drift(std::optional<float> velocity_factor, SelfCollision self, std::uint32_t seed) {
    SceneDesc scene = scene_with(test::make_irregular(make_grid({1, 1}, {31, 31}, Diagonals::alternate), 0.01, 5));
    scene.gravity = {};
    scene.solver.velocity_factor = velocity_factor;
    scene.cloths[0].self_collision = self;
    Simulation simulation = make_simulation(scene);
    EXPECT_EQ(simulation.world().mass.size(), 1024u);
    scatter(simulation, 0.5, seed);
    const Vec3d before = test::centre_of_mass(simulation.world());
    EXPECT_TRUE(run(simulation, 10));
    return length(test::centre_of_mass(simulation.world()) - before);
}

TEST(Step, CentreOfMassStaysWithThePapersDamping) { // F09
    EXPECT_LE(drift(0.99f, SelfCollision::none, 6), 1e-5);
    EXPECT_LE(drift(0.99f, SelfCollision::particles, 7), 1e-5);
}

TEST(Step, CentreOfMassStaysWithoutDamping) { // F09
    EXPECT_LE(drift({}, SelfCollision::none, 6), 1e-5);
}

TEST(Step, PinnedVerticesDoNotMoveABit) { // F12
    SceneDesc scene = scene_with(GridShape{.size = {0.5f, 0.5f}, .cells = {10, 10}});
    scene.cloths[0].position = {0.123f, 4.567f, -0.891f};
    scene.cloths[0].rotation = {10, 20, 30};
    scene.cloths[0].velocity = {3, -1, 2};
    scene.cloths[0].pins = {VertexPin{{0, 1, 10, 60}}};                           // 0 and 1 are joined by an edge
    scene.colliders = {{.shape = Sphere{0.2f}, .position = {0.1f, 4.5f, -0.9f}}}; // around the pin in the middle
    Simulation simulation = make_simulation(scene);
    const std::vector<Vec3> before = test::positions_of(simulation);
    ASSERT_TRUE(run(simulation, 3));
    for (const Index v : {0u, 1u, 10u, 60u}) EXPECT_EQ(simulation.position(v), before[v]) << v;
    EXPECT_NE(simulation.position(120), before[120]);
    EXPECT_TRUE(test::all_finite(simulation));
}

TEST(Step, AnEdgeBetweenPinsThatIsTooLongIsLeftAlone) { // F12
    SceneDesc scene = scene_with(GridShape{.size = {0.5f, 0.5f}, .cells = {6, 6}});
    Simulation simulation = make_simulation(scene);
    simulation.grab_vertex(0);
    const GrabId hand = simulation.grab_vertex(1);
    simulation.move_grab(hand, {0.5f, 0.5f, 0}); // pulled apart by two hands
    ASSERT_TRUE(run(simulation, 1));
    EXPECT_EQ(simulation.position(0), (Vec3{-0.25f, 0, -0.25f}));
    EXPECT_EQ(simulation.position(1), (Vec3{0.5f, 0.5f, 0}));
    EXPECT_TRUE(test::all_finite(simulation));
}

TEST(Step, OneSweepStaysStableFor20Seconds) { // F11
    for (const int corners : {1, 2}) {
        SCOPED_TRACE(corners);
        SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {39, 39}}); // 40 x 40 particles
        scene.solver.iterations = 1;
        scene.solver.velocity_factor = 0.99f;
        scene.cloths[0].pins = {CornerPin{"-x-z"}};
        if (corners == 2) scene.cloths[0].pins.emplace_back(CornerPin{"+x-z"});
        Simulation simulation = make_simulation(scene);
        double early = 0, late = 0; // greatest distance from the first pin
        for (int k = 0; k < 600; ++k) {
            ASSERT_TRUE(simulation.step(frame).finite);
            if (k % 10 != 0) continue;
            for (const Vec3& p : test::positions_of(simulation)) {
                const double d = static_cast<double>(length(p - simulation.position(0)));
                ASSERT_TRUE(std::isfinite(d));
                (k < 300 ? early : late) = std::max(k < 300 ? early : late, d);
            }
        }
        EXPECT_LT(early, 20);          // stable is not good: it does hang through
        EXPECT_LT(late, 1.05 * early); // and does not grow
    }
}

TEST(Step, StretchStaysWithinItsLimitWithManySweeps) { // F23
    for (const float d_max : {1.0f, 1.02f, 1.04f, 1.06f, 1.08f, 1.1f}) {
        SCOPED_TRACE(d_max);
        SceneDesc scene = scene_with(GridShape{.size = {0.5f, 0.5f}, .cells = {10, 10}});
        scene.solver.iterations = 100;
        scene.solver.velocity_factor = 0.99f;
        scene.fabrics[0].max_stretch = d_max;
        scene.fabrics[0].min_stretch = 0.9f;
        scene.cloths[0].pins = {CornerPin{"-x-z"}};
        Simulation simulation = make_simulation(scene);
        ASSERT_TRUE(run(simulation, 1.5));
        EXPECT_LE(simulation.measure().max_stretch, d_max * 1.02);
        EXPECT_GT(simulation.measure().max_stretch, d_max * 0.99);
    }
}

TEST(Step, ThePapersSettingsRunForEveryStretchLimit) { // F23
    for (const float d_max : {1.0f, 1.05f, 1.1f}) {
        SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {31, 31}});
        scene.solver.velocity_factor = 0.99f;
        scene.fabrics[0].max_stretch = d_max;
        scene.cloths[0].pins = {CornerPin{"-x-z"}};
        Simulation simulation = make_simulation(scene);
        ASSERT_TRUE(run(simulation, 3));
        EXPECT_LT(simulation.measure().mean_stretch, d_max * 1.05);
    }
}

SceneDesc busy_scene() {
    SceneDesc scene = scene_with(DiskShape{.radius = 0.4f, .particles = 400});
    scene.solver.velocity_factor = 0.99f;
    scene.cloths[0].position = {0, 0.5f, 0};
    scene.cloths.push_back({.shape = GridShape{.size = {0.3f, 0.3f}, .cells = {8, 8}, .diagonals = Diagonals::cross},
                            .position = {0.1f, 0.8f, 0},
                            .rotation = {20, 0, 0}});
    scene.colliders = {
        {.shape = Sphere{0.2f}},
        {.shape = Box{{0.2f, 0.2f, 0.2f}},
         .rotation = {0, 30, 0},
         .motion = {{.t = 0, .position = Vec3{0.5f, 0, 0}}, {.t = 1, .position = Vec3{-0.5f, 0.3f, 0}}}}};
    scene.grabs = {{.vertex = Index{399}, .path = {{0.2f, {0.4f, 0.5f, 0}}, {0.9f, {0.4f, 1, 0}}}}};
    return scene;
}

TEST(Step, TheSameSceneGivesTheSameBits) {
    Simulation first = make_simulation(busy_scene()), second = make_simulation(busy_scene());
    for (int k = 0; k < 45; ++k) {
        first.step(frame);
        second.step(frame);
        ASSERT_EQ(first.hash(), second.hash()) << "frame " << k;
    }
}

TEST(Step, AMovedSimulationGoesOnAsBefore) {
    Simulation stays = make_simulation(busy_scene()), source = make_simulation(busy_scene());
    ASSERT_TRUE(run(stays, 0.5));
    ASSERT_TRUE(run(source, 0.5));
    Simulation moved = std::move(source);
    ASSERT_TRUE(run(stays, 0.3));
    ASSERT_TRUE(run(moved, 0.3));
    Simulation assigned = make_simulation(scene_with(GridShape{}));
    assigned = std::move(moved);
    ASSERT_TRUE(run(stays, 0.2));
    ASSERT_TRUE(run(assigned, 0.2));
    EXPECT_EQ(stays.hash(), assigned.hash());
    EXPECT_EQ(stays.time(), assigned.time());
}

TEST(Step, LookingAtASimulationDoesNotChangeIt) {
    Simulation watched = make_simulation(busy_scene()), left_alone = make_simulation(busy_scene());
    for (int k = 0; k < 30; ++k) {
        watched.step(frame);
        left_alone.step(frame);
        (void)watched.measure();
        (void)test::positions_of(watched);
        (void)watched.seconds_by_stage();
    }
    EXPECT_EQ(watched.hash(), left_alone.hash());
}

TEST(Step, TheHashSeesTheSmallestMotion) {
    Simulation simulation = make_simulation(scene_with(GridShape{}));
    const std::uint64_t before = simulation.hash();
    Vec4& p = test::world_of(simulation).state.x[500];
    p.z = std::nextafter(p.z, 1.0f);
    EXPECT_NE(simulation.hash(), before);
}

TEST(Measure, ClothAtRestHasStretchOneAndNoEnergy) {
    const Measure measure = make_simulation(scene_with(make_disk(0.5f, 300))).measure();
    EXPECT_NEAR(measure.max_stretch, 1, 1e-6);
    EXPECT_NEAR(measure.mean_stretch, 1, 1e-6);
    EXPECT_EQ(measure.kinetic_energy, 0);
}

TEST(Measure, EnergyIsHalfTheMassTimesSpeedSquared) {
    SceneDesc scene = scene_with(GridShape{.size = {2, 1}, .cells = {8, 8}});
    scene.fabrics[0].density = 0.25f;
    scene.cloths[0].velocity = {3, 0, 4};
    EXPECT_NEAR(make_simulation(scene).measure().kinetic_energy, 0.5 * 0.5 * 25, 1e-5);
}

TEST(Measure, AStretchedStateShowsItsLongestEdge) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {1, 1}, .diagonals = Diagonals::left});
    Simulation simulation = make_simulation(scene);
    for (Vec4& p : test::world_of(simulation).state.particles()) p.x *= 2;
    EXPECT_NEAR(simulation.measure().max_stretch, 2, 1e-6);
    EXPECT_NEAR(simulation.measure().mean_stretch, (2 + 2 + 1 + 1 + std::sqrt(5.0 / 2)) / 5, 1e-6);
}

TEST(Stages, HaveNamesAndTimesThatGrow) {
    Simulation simulation = make_simulation(scene_with(GridShape{}));
    const auto before = simulation.seconds_by_stage();
    EXPECT_FALSE(before.empty());
    for (const auto& [name, seconds] : before) EXPECT_EQ(seconds, 0) << name;
    run(simulation, 0.2);
    double sum = 0;
    for (const auto& [name, seconds] : simulation.seconds_by_stage()) {
        EXPECT_GE(seconds, 0) << name;
        sum += seconds;
    }
    EXPECT_GT(sum, 0);
}

} // namespace
} // namespace taffeta
