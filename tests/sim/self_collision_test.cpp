// Self-collision through the whole step [FGL03] 4, and Fig. 1.
#include "collision/contacts/particle_separation.h"
#include "mesh/intersections.h"
#include "sim/world.h"
#include "support/close_pairs.h"
#include "support/meshes.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <utility>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::run;
using test::scene_with;

TEST(SelfCollision, FlatClothAtRestHasNoContacts) { // F16
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        for (const float distance : {0.0f, 0.01f, 0.05f, 0.1f, 0.5f, 10.0f}) {
            SCOPED_TRACE(name + ", self_distance " + std::to_string(distance));
            SceneDesc scene = scene_with(mesh);
            scene.gravity = {};
            scene.cloths[0].self_distance = distance;
            scene.cloths[0].position = {0.3f, 1.7f, -0.9f};
            scene.cloths[0].rotation = {15, 35, -75};
            Simulation simulation = make_simulation(scene);
            const std::vector<Vec3> before = test::positions_of(simulation);
            for (int k = 0; k < 3; ++k) EXPECT_EQ(simulation.step(frame).self_contacts, 0);
            double moved = 0;
            for (Index v = 0; v < simulation.vertex_count(); ++v)
                moved = std::max(moved, static_cast<double>(length(simulation.position(v) - before[v])));
            EXPECT_LT(moved, 1e-5);
        }
    }
}

TEST(SelfCollision, ClothLyingOnTheFloorHasNoContacts) { // F16: also under gravity, on its collider
    SceneDesc scene = scene_with(make_disk(0.3f, 200));
    scene.cloths[0].position = {0, 0.001f, 0};
    scene.colliders = {{.shape = Plane{}}};
    Simulation simulation = make_simulation(scene);
    for (int k = 0; k < 60; ++k) ASSERT_EQ(simulation.step(frame).self_contacts, 0) << "frame " << k;
}

// Least distance of particles that are no neighbours, over the distance they should keep.
double least_gap(const Simulation& simulation, double self_distance) {
    const std::vector<Vec3> now = test::positions_of(simulation);
    const std::span<const Vec3> rest = simulation.rest_positions();
    double least = 1e9;
    for (std::size_t i = 0; i < now.size(); ++i) {
        for (std::size_t j = i + 1; j < now.size(); ++j) {
            const bool one_cloth = (i < simulation.first_vertex(1)) == (j < simulation.first_vertex(1));
            // Neighbours in the fabric are those within 1.25 times the distance.
            if (one_cloth && static_cast<double>(length(rest[j] - rest[i])) <= 1.26 * self_distance) continue;
            least = std::min(least, static_cast<double>(length(now[j] - now[i])) / self_distance);
        }
    }
    return least;
}

// What the search of the last substep must have found: the candidates are those of positions that are gone, so the
// search is repeated here where the step ended, and there compared with all pairs.
void expect_no_pair_is_missed(const Simulation& simulation) {
    const World& world = simulation.world();
    const auto radius = radii_from_edges(world.edges, simulation.rest_positions());
    Grid grid = world.grid;
    grid.find_near(world.state.particles(), world.parallel);
    std::set<std::pair<Index, Index>> found;
    for (const test::ClosePair& pair : test::pairs_of(grid.near())) found.insert(std::minmax(pair.i, pair.j));
    for (Index i = 0; i < world.state.count(); ++i) {
        for (Index j = i + 1; j < world.state.count(); ++j) {
            const float distance = radius[i] + radius[j];
            if (length(world.state.x[j].xyz() - world.state.x[i].xyz()) > distance) continue;
            if (length(world.rest_vertices[j] - world.rest_vertices[i]) <= 1.2501f * distance) continue;
            ASSERT_TRUE(found.count({i, j}) == 1) << i << " and " << j;
        }
    }
}

TEST(SelfCollision, NoPairWithinTheDistanceIsMissedWhileClothFallsInAHeap) { // F17
    for (const float dt : {frame, 3 * frame}) {
        SceneDesc scene = scene_with(DiskShape{.radius = 0.6f, .particles = 1200});
        scene.solver.velocity_factor = 0.99f;
        scene.cloths[0].position = {0, 0.65f, 0};
        scene.cloths[0].rotation = {88, 0, 0};
        scene.cloths[0].velocity = {0, -3, 0};
        scene.colliders = {{.shape = Plane{}}};
        Simulation simulation = make_simulation(scene);
        int contacts = 0;
        for (int k = 0; k < 20; ++k) {
            contacts += simulation.step(dt).self_contacts;
            ASSERT_NO_FATAL_FAILURE(expect_no_pair_is_missed(simulation)) << "frame " << k;
        }
        EXPECT_GT(contacts, 1000);
    }
}

// A sheet above a larger one.
SceneDesc two_layers(float distance) {
    SceneDesc scene = scene_with(GridShape{.size = {0.5f, 0.5f}, .cells = {20, 20}});
    scene.solver.velocity_factor = 0.99f;
    scene.fabrics[0].friction = 0.8f;
    scene.cloths[0].self_distance = distance;
    scene.cloths[0].position = {0, 0.005f, 0};
    scene.cloths.push_back(scene.cloths[0]);
    scene.cloths[1].shape = GridShape{.size = {0.3f, 0.3f}, .cells = {12, 12}};
    scene.cloths[1].position = {0.01f, 0.15f, 0.02f};
    scene.cloths[1].rotation = {0, 20, 0};
    return scene;
}

TEST(SelfCollision, ALayerKeepsItsDistanceFromOneThatIsHeld) { // F16
    constexpr float distance = 0.03f;
    SceneDesc scene = two_layers(distance);
    scene.cloths[0].pins = {BoxPin{{-1, -1, -1}, {1, 1, 1}}};
    Simulation simulation = make_simulation(scene);
    int contacts = 0;
    for (int k = 0; k < 30; ++k) {
        const StepReport report = simulation.step(frame);
        ASSERT_TRUE(report.finite);
        contacts += report.self_contacts;
        ASSERT_GE(least_gap(simulation, distance), 0.999) << "frame " << k;
    }
    EXPECT_GT(contacts, 100);
}

TEST(SelfCollision, TwoLayersOnTheFloorKeepTheirDistance) { // F16
    constexpr float distance = 0.03f;
    SceneDesc scene = two_layers(distance);
    scene.colliders = {{.shape = Plane{}}};
    Simulation simulation = make_simulation(scene);
    run(simulation, 1);
    for (int k = 0; k < 15; ++k) { // the floor has the last word and pushes the lower layer up by some
        simulation.step(frame);
        ASSERT_GE(least_gap(simulation, distance), 0.9) << "frame " << k;
    }
    for (Index v = simulation.first_vertex(1); v < simulation.vertex_count(); ++v) // nothing came through
        EXPECT_GT(simulation.position(v).y, 0.5f * distance);
}

TEST(SelfCollision, IsByTrianglesUnlessTheMethodIsLimitsOrTheClothSaysSo) {
    SceneDesc scene;
    scene.cloths = {ClothDesc{.shape = GridShape{.size = {0.3f, 0.3f}, .cells = {3, 3}}}};
    EXPECT_EQ(scene.solver.method, "xpbd"); // by default
    for (const auto& [method, usual] :
         {std::pair{"xpbd", SelfCollision::triangles}, std::pair{"implicit", SelfCollision::triangles},
          std::pair{"limits", SelfCollision::particles}}) {
        scene.solver.method = method;
        scene.cloths[0].self_collision = SelfCollision::usual;
        EXPECT_EQ(cloth_self_collision(scene, 0), usual) << method;
        EXPECT_EQ(resolved(scene).cloths[0].self_collision, usual) << method;
        const Simulation simulation = make_simulation(scene);
        EXPECT_EQ(simulation.world().cloths[0].self_collision, usual) << method;
        EXPECT_EQ(simulation.world().guard.empty(), usual != SelfCollision::triangles) << method;
        for (const auto own : {SelfCollision::none, SelfCollision::particles, SelfCollision::triangles}) {
            scene.cloths[0].self_collision = own;
            EXPECT_EQ(cloth_self_collision(scene, 0), own) << method;
        }
    }
}

TEST(SelfCollision, IsSwitchedOffPerCloth) {
    SceneDesc scene = scene_with(GridShape{.size = {0.3f, 0.3f}, .cells = {6, 6}});
    scene.cloths[0].pins = {BoxPin{{-1, -1, -1}, {1, 1, 1}}};
    scene.cloths.push_back({.shape = scene.cloths[0].shape, .position = {0.01f, 0.2f, 0.01f}});
    for (const auto lower : {SelfCollision::none, SelfCollision::particles}) {
        for (const auto upper : {SelfCollision::none, SelfCollision::particles}) {
            scene.cloths[0].self_collision = lower;
            scene.cloths[1].self_collision = upper;
            Simulation simulation = make_simulation(scene);
            run(simulation, 0.4);
            const bool stopped = simulation.position(simulation.first_vertex(1) + 24).y > 0;
            EXPECT_EQ(stopped, lower == SelfCollision::particles && upper == SelfCollision::particles);
        }
    }
}

// Fig. 1: a round tabletop held at one end (scenes/tabletop_held.toml).
std::size_t intersections_in_the_last_second(SelfCollision self) {
    SceneDesc scene = scene_with(DiskShape{.radius = 0.6f, .particles = 1000});
    scene.solver.velocity_factor = 0.99f;
    scene.fabrics[0].bend_limit = 0.9f;
    scene.cloths[0].position = {0, 1.6f, 0};
    scene.cloths[0].pins = {CornerPin{"+x"}};
    scene.cloths[0].self_collision = self;
    Simulation simulation = make_simulation(scene);
    EXPECT_TRUE(run(simulation, 4));
    std::size_t intersections = 0;
    for (int k = 0; k < 30; ++k) {
        simulation.step(frame);
        intersections +=
            find_self_intersections(test::positions_of(simulation), simulation.triangles(), simulation.rest_positions())
                .size();
    }
    return intersections;
}

TEST(SelfCollision, TheTabletopOfFigure1DoesNotPassThroughItself) { // F20
    const std::size_t off = intersections_in_the_last_second(SelfCollision::none);
    const std::size_t on = intersections_in_the_last_second(SelfCollision::particles);
    EXPECT_GT(off, 0u);
    EXPECT_LE(static_cast<double>(on), 0.01 * static_cast<double>(off)) << on << " with, " << off << " without";
}

} // namespace
} // namespace taffeta
