// Method "implicit": answers known in advance, stability, friction that holds, momentum.
#include <taffeta/simulation.h>

#include "integrators/momentum.h"
#include "mesh/topology.h"
#include "sim/world.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <numeric>

namespace taffeta {
namespace {

constexpr float gravity = 9.81f;

SceneDesc sheet_scene(std::array<float, 2> size, std::array<int, 2> cells) {
    SceneDesc scene;
    scene.solver = {.method = "implicit", .substeps = 1, .iterations = 20, .threads = 1};
    scene.cloths.push_back(
        {.shape = GridShape{size, cells, Diagonals::alternate}, .self_collision = SelfCollision::none});
    return scene;
}

// Of the mass.
Vec3 mean_position(const Simulation& simulation) {
    const std::vector<double> mass = lump_masses(simulation.rest_positions(), simulation.triangles(), 1);
    Vec3d sum;
    double total = 0;
    for (Index v = 0; v < simulation.vertex_count(); ++v) {
        sum += vector_cast<double>(simulation.position(v)) * mass[v];
        total += mass[v];
    }
    return vector_cast<float>(sum * (1 / total));
}

// Half of its weight per width draws out a strip that hangs: sigma g L / (2 K).
TEST(Implicit, AHangingStripIsDrawnOutByHalfItsWeight) {
    SceneDesc scene = sheet_scene({0.4f, 0.05f}, {16, 2});
    scene.cloths[0].rotation = {0, 0, -90}; // x, the warp, hangs down
    scene.cloths[0].pins = {VertexPin{{0, 17, 34}}};
    scene.fabrics.push_back({.density = 2, .stretch = {200, 100}, .poisson = 0, .shear = 50, .bend = {1e-4f, 1e-4f}});
    auto simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    const SettleReport report = simulation->settle();
    EXPECT_TRUE(report.settled) << report.residual;
    const float length = simulation->position(17).y - simulation->position(16 + 17).y;
    const double expected = 2 * 9.81 * 0.4 / (2 * 200); // of the length
    EXPECT_NEAR(static_cast<double>(length) / 0.4 - 1, expected, 0.005 * expected);
}

// Gamma = 5: the drop of the tip is 0.585721 of its distance (the heavy elastica, to six digits).
TEST(Implicit, AnOverhangingStripDropsAsTheElasticaDoes) {
    constexpr float cell = 0.005f;
    constexpr int cells = 20;
    SceneDesc scene = sheet_scene({(cells + 1) * cell, 2 * cell}, {cells + 1, 2});
    VertexPin clamp; // two columns: the clamp is half a cell before the second
    for (Index row = 0; row < 3; ++row) clamp.vertices.insert(clamp.vertices.end(), {row * 22, row * 22 + 1});
    scene.cloths[0].pins = {clamp};
    const float overhang = (cells + 0.5f) * cell;
    const float stiffness = 0.15f * gravity * overhang * overhang * overhang / 5;
    scene.fabrics.push_back({.density = 0.15f, .bend = {stiffness, stiffness}});
    auto simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    const Vec3 origin = simulation->position(22) + Vec3{cell / 2, 0, 0};
    ASSERT_TRUE(simulation->settle().settled);
    const Vec3 tip = simulation->position(22 + 21) - origin;
    EXPECT_NEAR(-tip.y / tip.x, 0.585721f, 0.005f * 0.585721f);
}

// [BW98]: stiff cloth at one step per frame of 1/30 s.
TEST(Implicit, StiffClothAtAThirtiethOfASecondIsStableLinearisedAndIterated) {
    for (const int iterations : {1, 8}) {
        SceneDesc scene = sheet_scene({0.5f, 0.5f}, {5, 5});
        scene.solver.iterations = iterations;
        scene.cloths[0].pins = {CornerPin{"-x-z"}, CornerPin{"+x-z"}};
        scene.fabrics.push_back({.stretch = {1e4f, 1e4f}, .shear = 1e3f});
        auto simulation = Simulation::create(scene);
        ASSERT_TRUE(simulation);
        for (int frame = 0; frame < 45; ++frame) {
            ASSERT_TRUE(simulation->step(1.0f / 30).finite);
            EXPECT_LT(simulation->measure().max_stretch, 1.2f) << iterations << " iterations, frame " << frame;
        }
        EXPECT_LT(simulation->measure().kinetic_energy, 0.05);
    }
}

SceneDesc incline_scene(float friction, float degrees) {
    SceneDesc scene = sheet_scene({0.1f, 0.1f}, {3, 3});
    scene.solver.substeps = 2;
    const float radians = degrees * std::numbers::pi_v<float> / 180;
    const Vec3 normal = {std::sin(radians), std::cos(radians), 0};
    scene.colliders.push_back({.shape = Plane{normal}, .friction = friction});
    scene.cloths[0].rotation = {0, 0, -degrees};
    scene.fabrics.push_back({.thickness = 0.001f});
    scene.cloths[0].position = normal * 0.001f;
    return scene;
}

TEST(Implicit, ClothSticksOnASlopeBelowTheAngleOfFrictionAndSlidesAboveIt) { // Coulomb
    for (const float friction : {0.2f, 0.6f}) {
        const float limit = std::atan(friction) * 180 / std::numbers::pi_v<float>;
        auto below = Simulation::create(incline_scene(friction, limit - 2));
        ASSERT_TRUE(below);
        for (int k = 0; k < 5; ++k) below->step(1.0f / 30); // to lie down
        const Vec3 start = mean_position(*below);
        for (int k = 0; k < 60; ++k) below->step(1.0f / 30);
        EXPECT_LT(length(mean_position(*below) - start), 1e-4f) << friction;

        const float angle = limit + 2, radians = angle * std::numbers::pi_v<float> / 180;
        auto above = Simulation::create(incline_scene(friction, angle));
        ASSERT_TRUE(above);
        for (int k = 0; k < 5; ++k) above->step(1.0f / 30);
        const Vec3 a = mean_position(*above);
        above->step(1.0f / 30);
        const Vec3 b = mean_position(*above);
        for (int k = 0; k < 29; ++k) above->step(1.0f / 30);
        const Vec3 c = mean_position(*above);
        above->step(1.0f / 30);
        const Vec3 d = mean_position(*above);
        const float acceleration = (length(d - c) - length(b - a)) * 30 / 1.0f;
        const float expected = gravity * (std::sin(radians) - friction * std::cos(radians));
        EXPECT_NEAR(acceleration, expected, 0.05f * expected) << friction;
    }
}

TEST(Implicit, ClothInFreeFlightKeepsItsCentreAndItsSpin) {
    SceneDesc scene = sheet_scene({0.5f, 0.5f}, {6, 6});
    scene.gravity = {};
    scene.solver.substeps = 4;
    scene.solver.iterations = 4;
    scene.fabrics.push_back({});
    auto simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    // Turned by two hands, then left alone.
    const GrabId left = simulation->grab_vertex(0), right = simulation->grab_vertex(48);
    for (int k = 1; k <= 10; ++k) {
        const float angle = 0.1f * static_cast<float>(k);
        const Vec3 at = {0.354f * std::cos(angle), 0, 0.354f * std::sin(angle)};
        simulation->move_grab(left, -at), simulation->move_grab(right, at);
        simulation->step(1.0f / 30);
    }
    simulation->release(left), simulation->release(right);
    simulation->step(1.0f / 30);
    const World& world = simulation->world();
    std::vector<Index> everyone(world.state.count());
    std::iota(everyone.begin(), everyone.end(), Index{0});
    const auto momentum = [&] { return momentum_of(everyone, world.state.x, world.state.v, world.mass); };
    const Vec3d before = momentum().angular, push = momentum().linear;
    const Vec3 start = mean_position(*simulation);
    for (int k = 0; k < 30; ++k) simulation->step(1.0f / 30);
    EXPECT_LT(length(momentum().angular - before), 0.01 * length(before)); // in a second
    double mass = 0;
    for (const double m : world.mass) mass += m;
    const Vec3 expected = start + vector_cast<float>(push * (1 / mass));
    EXPECT_LT(length(mean_position(*simulation) - expected), 5e-6f); // 1e-5 of the size
    EXPECT_GT(length(before), 1e-4);
}

TEST(Implicit, AStripThatIsPushedTogetherBucklesOnceAndSmoothly) { // [CK02]
    SceneDesc scene = sheet_scene({0.2f, 0.02f}, {20, 2});
    scene.gravity = {0, -0.05f, 0}; // tells it which way
    scene.solver.iterations = 12;
    scene.fabrics.push_back({.bend = {1e-4f, 1e-4f}});
    scene.cloths[0].pins = {VertexPin{{0, 21, 42}}};
    auto simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    std::vector<GrabId> hands;
    std::vector<Vec3> starts;
    for (const Index v : {20u, 41u, 62u}) {
        starts.push_back(simulation->position(v));
        hands.push_back(simulation->grab_vertex(v));
    }
    simulation->settle();
    float deepest = 0;
    for (int frame = 1; frame <= 60; ++frame) { // by half of its length in two seconds
        const Vec3 way = {-0.1f * static_cast<float>(frame) / 60, 0, 0};
        for (std::size_t k = 0; k < hands.size(); ++k) simulation->move_grab(hands[k], starts[k] + way);
        ASSERT_TRUE(simulation->step(1.0f / 30).finite);
        const float depth = -simulation->position(21 + 10).y;
        EXPECT_GT(depth, deepest - 1e-4f) << "frame " << frame; // no snapping back
        deepest = std::max(deepest, depth);
        EXPECT_LT(simulation->measure().max_stretch, 1.05f);
    }
    // Half of the length taken: an arch about 0.37 of it high.
    EXPECT_GT(deepest, 0.06f);
    EXPECT_LT(deepest, 0.09f);
}

TEST(Implicit, SettlingIsForThisMethodAlone) {
    SceneDesc scene = sheet_scene({0.1f, 0.1f}, {2, 2});
    scene.solver.method = "limits";
    scene.solver.iterations = 4;
    auto simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    EXPECT_FALSE(simulation->settle().settled);
}

} // namespace
} // namespace taffeta
