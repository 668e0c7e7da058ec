// Odd meshes, odd numbers, steps under stress: finite always, or said so.
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::run;
using test::scene_with;

void expect_runs_finite(const SceneDesc& scene, double seconds = 1) {
    Simulation simulation = make_simulation(scene);
    EXPECT_TRUE(run(simulation, seconds));
    EXPECT_TRUE(test::all_finite(simulation));
    const Measure measure = simulation.measure();
    EXPECT_TRUE(std::isfinite(measure.max_stretch) && std::isfinite(measure.mean_stretch) &&
                std::isfinite(measure.kinetic_energy));
}

SceneDesc on_sphere(const Mesh& mesh) {
    SceneDesc scene = scene_with(mesh);
    scene.cloths[0].position = {0, 0.4f, 0};
    scene.colliders = {{.shape = Sphere{0.3f}}};
    return scene;
}

TEST(OddMesh, OneTriangle) {
    expect_runs_finite(on_sphere(test::make_one_triangle()));
}

TEST(OddMesh, AllVerticesPinned) {
    SceneDesc scene = scene_with(GridShape{.cells = {5, 5}});
    scene.cloths[0].pins = {BoxPin{{-9, -9, -9}, {9, 9, 9}}};
    scene.colliders = {{.shape = Sphere{}}};
    Simulation simulation = make_simulation(scene);
    const std::uint64_t before = simulation.hash();
    EXPECT_TRUE(run(simulation, 1));
    EXPECT_EQ(simulation.hash(), before);
}

TEST(OddMesh, AnUnreferencedVertexStaysWhereItIs) {
    const SceneDesc scene = on_sphere(test::make_with_unreferenced_vertex());
    Simulation simulation = make_simulation(scene);
    const Vec3 before = simulation.position(5);
    EXPECT_TRUE(run(simulation, 1));
    EXPECT_EQ(simulation.position(5), before);
    EXPECT_LT(simulation.position(0).y, 0.39);
}

TEST(OddMesh, ATriangleWithoutArea) {
    expect_runs_finite(on_sphere(test::make_with_zero_area()));
    Mesh tip = test::make_one_triangle(); // a vertex that only a triangle without area holds
    tip.positions.push_back({0.05f, 0, 0});
    tip.triangles.push_back({0, 3, 2});
    SceneDesc scene = on_sphere(tip);
    expect_runs_finite(scene);
    Simulation simulation = make_simulation(scene);
    run(simulation, 0.2);
    EXPECT_LT(simulation.position(3).y, 0.39); // it falls with the rest
    EXPECT_LT(simulation.measure().max_stretch, 1.5);
    Mesh point; // all three corners at one place
    point.positions = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    point.triangles = {{0, 1, 2}};
    expect_runs_finite(on_sphere(point));
    scene = on_sphere(point);
    scene.cloths[0].weld = false;
    expect_runs_finite(scene);
    Mesh named_twice = test::make_one_triangle();
    named_twice.triangles.push_back({1, 1, 2});
    expect_runs_finite(on_sphere(named_twice));
}

TEST(OddMesh, TrianglesThatAreThereTwice) {
    Mesh mesh = make_grid({0.3f, 0.3f}, {6, 6}, Diagonals::cross);
    mesh.triangles.insert(mesh.triangles.end(), mesh.triangles.begin(), mesh.triangles.end());
    expect_runs_finite(on_sphere(mesh));
}

TEST(OddMesh, AnEdgeWithManyTriangles) {
    expect_runs_finite(on_sphere(test::make_non_manifold_fan()));
}

TEST(OddMesh, AVertexWithManyNeighbours) {
    Mesh mesh;
    mesh.positions.push_back({});
    constexpr Index around = 300;
    for (Index k = 0; k < around; ++k) {
        const double angle = 2 * 3.141592653589793 * k / around;
        mesh.positions.push_back(
            {static_cast<float>(0.3 * std::cos(angle)), 0, static_cast<float>(0.3 * std::sin(angle))});
        mesh.triangles.push_back({0, 1 + (k + 1) % around, 1 + k});
    }
    expect_runs_finite(on_sphere(mesh));
}

TEST(OddNumbers, ACollidersMillionMetresPerSecond) {
    for (const float friction : {0.0f, 0.5f, 1.0f}) {
        SceneDesc scene = scene_with(GridShape{.cells = {10, 10}});
        scene.fabrics[0].friction = friction;
        scene.colliders = {
            {.shape = Sphere{0.3f},
             .motion = {{.t = 0, .position = Vec3{-1e6f, 0, 0}}, {.t = 2, .position = Vec3{1e6f, 0, 0}}}},
            {.shape = Plane{}, .motion = {{.t = 0, .position = Vec3{0, -1e6f, 0}}, {.t = 1, .position = Vec3{}}}}};
        expect_runs_finite(scene, 3);
    }
}

TEST(OddNumbers, AStepOfTheColliderItself) {
    Simulation simulation = make_simulation(on_sphere(make_disk(0.4f, 200)));
    for (int k = 0; k < 30; ++k) {
        simulation.move_collider(
            0, {{k % 2 == 0 ? 1e6f : 0.0f, 0.3f, 0}, rotation_from_degrees({0, 90.0f * static_cast<float>(k), 0})});
        EXPECT_TRUE(simulation.step(frame).finite);
    }
    EXPECT_TRUE(test::all_finite(simulation));
}

TEST(OddNumbers, AHugeStep) {
    for (const float dt : {1.0f, 10.0f, 1000.0f, 1e6f}) {
        SceneDesc scene = on_sphere(make_disk(0.4f, 200));
        scene.cloths[0].pins = {VertexPin{{0}}};
        Simulation simulation = make_simulation(scene);
        for (int k = 0; k < 5; ++k) {
            simulation.step(dt);
            EXPECT_TRUE(test::all_finite(simulation)) << dt;
        }
        simulation.step(frame);
        EXPECT_TRUE(test::all_finite(simulation)) << dt;
    }
}

TEST(OddNumbers, ATinyStep) {
    Simulation simulation = make_simulation(on_sphere(make_disk(0.4f, 200)));
    for (const float dt : {1e-10f, 1e-20f, 1e-30f, 1e-38f, std::numeric_limits<float>::denorm_min()}) {
        simulation.step(dt);
        EXPECT_TRUE(test::all_finite(simulation)) << dt;
        EXPECT_TRUE(simulation.step(frame).finite) << dt;
    }
    EXPECT_LT(simulation.measure().max_stretch, 2);
}

TEST(OddNumbers, ClothOfAnySizeAndWeightThatIsAccepted) {
    int accepted = 0;
    for (const float scale : {1e-20f, 1e-6f, 1e-3f, 1.0f, 1e3f, 1e4f}) {
        for (const float density : {1e-38f, 1e-20f, 1e-6f, 0.15f, 1e4f}) {
            SceneDesc scene = on_sphere(make_disk(1, 50));
            scene.cloths[0].scale = scale;
            scene.fabrics[0].density = density;
            if (!check(scene).empty()) continue; // to refuse it is fine, too
            ++accepted;
            std::ostringstream name;
            name << "scale " << scale << ", density " << density;
            SCOPED_TRACE(name.str());
            expect_runs_finite(scene, 0.5);
        }
    }
    EXPECT_GE(accepted, 8);
}

TEST(OddNumbers, ClothFarAway) {
    SceneDesc scene = scene_with(GridShape{.cells = {20, 20}});
    scene.cloths[0].position = {1e6f, -1e6f, 1e6f};
    expect_runs_finite(scene);
    scene.cloths[0].position = {};
    scene.cloths[0].velocity = {1e6f, 1e6f, -1e6f};
    expect_runs_finite(scene);
}

TEST(OddNumbers, AllParticlesInOnePlace) {
    SceneDesc scene = scene_with(GridShape{.cells = {20, 20}});
    Simulation simulation = make_simulation(scene);
    for (Vec4& p : test::world_of(simulation).state.particles()) p.set_xyz({0.1f, 0.2f, 0.3f});
    EXPECT_TRUE(run(simulation, 0.2));
    EXPECT_TRUE(test::all_finite(simulation));
}

TEST(OddNumbers, ManySubstepsAndSweeps) {
    SceneDesc scene = scene_with(GridShape{.cells = {3, 3}});
    scene.solver.substeps = 500;
    scene.solver.iterations = 50;
    scene.cloths[0].pins = {VertexPin{{0}}};
    expect_runs_finite(scene, 0.1);
}

// --- a step that cannot be completed

TEST(FailedStep, PutsTheStateBackAndSaysSo) {
    SceneDesc scene = on_sphere(make_disk(0.4f, 200));
    Simulation simulation = make_simulation(scene), twin = make_simulation(scene);
    ASSERT_TRUE(run(simulation, 0.3));
    ASSERT_TRUE(run(twin, 0.3));
    const std::uint64_t before = simulation.hash();
    EXPECT_FALSE(simulation.step(1e30f).finite); // g dt^2 is beyond single precision
    EXPECT_EQ(simulation.hash(), before);
    EXPECT_TRUE(test::all_finite(simulation));
    ASSERT_TRUE(run(simulation, 0.3)); // and goes on as if nothing had been
    ASSERT_TRUE(run(twin, 0.3));
    EXPECT_EQ(simulation.hash(), twin.hash());
}

TEST(FailedStep, LeavesNothingInThePatchesOfPinnedCloth) {
    SceneDesc scene = scene_with(GridShape{.cells = {20, 20}});
    scene.cloths[0].pins = {CornerPin{"-x-z"}};
    Simulation simulation = make_simulation(scene), twin = make_simulation(scene);
    EXPECT_FALSE(simulation.step(1e30f).finite);
    ASSERT_TRUE(run(simulation, 0.3));
    ASSERT_TRUE(run(twin, 0.3));
    EXPECT_EQ(simulation.hash(), twin.hash());
}

TEST(FailedStep, AHandAtTheEndOfTheWorld) {
    SceneDesc scene = scene_with(GridShape{.cells = {5, 5}});
    Simulation simulation = make_simulation(scene);
    const GrabId hand = simulation.grab_vertex(0);
    const std::uint64_t before = simulation.hash();
    simulation.move_grab(hand, {3e38f, 3e38f, 0});
    EXPECT_FALSE(simulation.step(frame).finite);
    EXPECT_EQ(simulation.hash(), before);
    simulation.release(hand);
    EXPECT_TRUE(run(simulation, 0.5));
    EXPECT_LT(simulation.position(0).y, -0.1); // its mass is its own again
}

// A hand of the caller makes one step fail; the scene's hand closes or opens in that very step.
SceneDesc with_scripted_hand(float from, float to) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {5, 5}});
    scene.grabs = {{.vertex = Index{35}, .path = {{from, {0.5f, 0, 0.5f}}, {to, {0.5f, 1, 0.5f}}}}};
    return scene;
}

TEST(FailedStep, AHandThatClosedInItHolds) {
    Simulation simulation = make_simulation(with_scripted_hand(0, 1));
    const GrabId hand = simulation.grab_vertex(0);
    simulation.move_grab(hand, {3e38f, 3e38f, 0});
    ASSERT_FALSE(simulation.step(frame).finite);
    simulation.release(hand);
    for (int k = 0; k < 10; ++k) {
        ASSERT_TRUE(simulation.step(frame).finite);
        const float y = static_cast<float>(simulation.time());
        ASSERT_NEAR(length(simulation.position(35) - (Vec3{0.5f, y, 0.5f})), 0, 1e-5) << "time " << y;
    }
}

TEST(FailedStep, AHandThatOpenedInItHasLetGo) {
    Simulation simulation = make_simulation(with_scripted_hand(0, 0.5f));
    ASSERT_TRUE(run(simulation, 0.5));
    const GrabId hand = simulation.grab_vertex(0);
    simulation.move_grab(hand, {3e38f, 3e38f, 0});
    ASSERT_FALSE(simulation.step(frame).finite);
    simulation.release(hand);
    ASSERT_TRUE(run(simulation, 1));
    EXPECT_LT(simulation.position(35).y, 0.5); // it fell
}

} // namespace
} // namespace taffeta
