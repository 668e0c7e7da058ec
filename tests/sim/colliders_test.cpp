// Cloth against bodies through the whole step: clearance, friction, motion [FGL03] Eq. 18-21.
#include "sim/step/motion.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::run;
using test::scene_with;

struct Named {
    const char* name;
    ColliderShape shape;
};
const std::vector<Named>& all_shapes() {
    static const std::vector<Named> shapes = {{"sphere", Sphere{0.25f}},
                                              {"box", Box{{0.3f, 0.4f, 0.35f}}},
                                              {"plane", Plane{{0.1f, 1, 0.05f}}},
                                              {"capsule", Capsule{0.12f, 0.4f}},
                                              {"cylinder", Cylinder{0.2f, 0.3f}}};
    return shapes;
}

// Least distance of a state to a collider, in double and from the definition of each shape.
double least_distance(const ColliderShape& shape, const Pose& pose, const std::vector<Vec3>& positions) {
    struct Distance {
        Vec3d p;
        double operator()(const Sphere& s) const { return length(p) - s.radius; }
        double operator()(const Plane& s) const { return dot(p, normalized(vector_cast<double>(s.normal))); }
        double operator()(const Capsule& c) const {
            return length(p - Vec3d{0, std::clamp(p.y, -0.5 * c.height, 0.5 * c.height), 0}) - c.radius;
        }
        static double outside(double a, double b) { // of two slabs that cross at a right angle
            return a > 0 && b > 0 ? std::hypot(a, b) : std::max(a, b);
        }
        double operator()(const Cylinder& c) const {
            return outside(std::hypot(p.x, p.z) - c.radius, std::abs(p.y) - 0.5 * c.height);
        }
        double operator()(const Box& b) const {
            return outside(outside(std::abs(p.x) - 0.5 * b.size.x, std::abs(p.y) - 0.5 * b.size.y),
                           std::abs(p.z) - 0.5 * b.size.z);
        }
        double operator()(const BodyMesh&) const { return HUGE_VAL; }
    };
    double least = 1e9;
    for (const Vec3& p : positions) {
        const Vec3d d = vector_cast<double>(p) - vector_cast<double>(pose.position);
        Vec3d local; // the rows of the rotation are the world's axes: transpose
        for (std::size_t row = 0; row < 3; ++row)
            local += vector_cast<double>(pose.rotation.row[row]) * d[static_cast<int>(row)];
        least = std::min(least, std::visit(Distance{local}, shape));
    }
    return least;
}

SceneDesc cloth_above(const ColliderDesc& collider) {
    SceneDesc scene = scene_with(GridShape{.size = {0.6f, 0.6f}, .cells = {20, 20}});
    scene.solver.velocity_factor = 0.99f;
    scene.fabrics[0].thickness = 0.01f;
    scene.fabrics[0].friction = 0.5f;
    scene.cloths[0].position = {0.02f, 0.4f, 0.01f};
    scene.colliders = {collider};
    return scene;
}

void expect_clear(const SceneDesc& scene, double seconds) { // F18
    Simulation simulation = make_simulation(scene);
    const double thickness = scene.fabrics[0].thickness;
    double closest = 1e9;
    int contacts = 0;
    for (int k = 0; k < static_cast<int>(seconds * 30); ++k) {
        const StepReport report = simulation.step(frame);
        ASSERT_TRUE(report.finite);
        contacts += report.contacts;
        const double least =
            least_distance(scene.colliders[0].shape, simulation.collider_pose(0), test::positions_of(simulation));
        ASSERT_GE(least, thickness - 1e-5) << "frame " << k;
        closest = std::min(closest, least);
    }
    EXPECT_NEAR(closest, thickness, 1e-5); // set back to the thickness, not farther
    EXPECT_GT(contacts, 0);
}

TEST(Clearance, IsTheThicknessOnEveryShape) { // F18
    for (const auto& [name, shape] : all_shapes()) {
        SCOPED_TRACE(name);
        expect_clear(cloth_above({.shape = shape}), 1.5);
    }
}

TEST(Clearance, IsTheThicknessOnTurnedShapes) { // F18
    for (const auto& [name, shape] : all_shapes()) {
        SCOPED_TRACE(name);
        expect_clear(cloth_above({.shape = shape, .position = {0.05f, 0.02f, -0.1f}, .rotation = {25, 40, -15}}), 1.5);
    }
}

TEST(Clearance, IsTheThicknessOnMovingAndTurningShapes) { // F18
    for (const auto& [name, shape] : all_shapes()) {
        SCOPED_TRACE(name);
        const ColliderDesc collider = {
            .shape = shape,
            .motion = {{.t = 0, .position = Vec3{}, .rotation = Vec3{}},
                       {.t = 0.5f, .position = Vec3{0.1f, 0, 0.1f}, .rotation = Vec3{10, 30, 0}},
                       {.t = 1.5f, .position = Vec3{-0.2f, 0.2f, 0}, .rotation = Vec3{0, 90, 20}}}};
        expect_clear(cloth_above(collider), 1.5);
    }
}

TEST(Clearance, HoldsForEachOfSeveralBodies) {
    SceneDesc scene = cloth_above({.shape = Box{{0.3f, 0.2f, 0.3f}}, .position = {0, 0.1f, 0}});
    scene.colliders.push_back({.shape = Plane{}});
    scene.colliders.push_back({.shape = Sphere{0.1f}, .position = {0.25f, 0.1f, 0.1f}});
    Simulation simulation = make_simulation(scene);
    for (int k = 0; k < 60; ++k) {
        ASSERT_TRUE(simulation.step(frame).finite);
        for (int c = 0; c < simulation.collider_count(); ++c)
            ASSERT_GE(least_distance(scene.colliders[static_cast<std::size_t>(c)].shape, simulation.collider_pose(c),
                                     test::positions_of(simulation)),
                      0.01 - 1e-5)
                << "frame " << k << ", collider " << c;
    }
}

TEST(Clearance, FastClothDoesNotPassAThinPlate) {
    SceneDesc scene = cloth_above({.shape = Box{{2, 0.02f, 2}}});
    scene.cloths[0].velocity = {0, -3, 0}; // 25 mm per substep, more than the plate is thick
    Simulation simulation = make_simulation(scene);
    for (int k = 0; k < 30; ++k) {
        ASSERT_TRUE(simulation.step(frame).finite);
        for (const Vec3& p : test::positions_of(simulation)) ASSERT_GE(p.y, 0.02f - 1e-5f) << "frame " << k;
    }
}

// --- friction

SceneDesc triangle_on_plane(const Vec3& normal, float c_f) {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {0, 0, 0.05f}, {0.05f, 0, 0}};
    mesh.triangles = {{0, 1, 2}};
    SceneDesc scene = scene_with(mesh);
    scene.fabrics[0].friction = c_f;
    scene.fabrics[0].thickness = 0.001f;
    scene.colliders = {{.shape = Plane{normal}}};
    return scene;
}

TEST(Friction, OnAnInclineClothCreepsAsThePaperPredicts) { // F19: it is not Coulomb's
    constexpr double angle = 5 * std::numbers::pi / 180, c_f = 0.5, c = 0.99, dt = 1.0 / 120;
    SceneDesc scene =
        triangle_on_plane({static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle)), 0}, 0.5f);
    scene.solver.velocity_factor = 0.99f;
    scene.cloths[0].rotation = {0, 0, -5}; // lies on the plane
    scene.cloths[0].position = {0, 0.0011f, 0};
    Simulation simulation = make_simulation(scene);
    ASSERT_TRUE(run(simulation, 2));
    const Vec3 before = simulation.position(0);
    ASSERT_TRUE(run(simulation, 1));
    const double speed = static_cast<double>(length(simulation.position(0) - before));
    const double expected = (1 - c_f) * 9.81 * std::sin(angle) * dt / (1 - (1 - c_f) * c);
    EXPECT_NEAR(expected, 0.0071, 0.00005);
    EXPECT_NEAR(speed / expected, 1, 0.01);
    EXPECT_LT(simulation.position(0).y, before.y); // downhill
}

TEST(Friction, OfOneHoldsClothOnASteepPlane) { // F19
    SceneDesc scene = triangle_on_plane({1, 1, 0}, 1);
    scene.cloths[0].rotation = {0, 0, -45};
    scene.cloths[0].position = {0, 0.0015f, 0};
    Simulation simulation = make_simulation(scene);
    run(simulation, 1);
    const Vec3 before = simulation.position(0);
    run(simulation, 2);
    EXPECT_NEAR(length(simulation.position(0) - before), 0, 1e-4);
}

TEST(Friction, OfZeroLetsClothSlideAsOnIce) {
    SceneDesc scene = triangle_on_plane({1, 1, 0}, 0);
    scene.cloths[0].rotation = {0, 0, -45};
    scene.cloths[0].position = {0, 0.0015f, 0};
    Simulation simulation = make_simulation(scene);
    run(simulation, 1);
    const double way = static_cast<double>(length(simulation.position(0)));
    EXPECT_NEAR(way, 0.5 * 9.81 * std::sin(std::numbers::pi / 4), 0.06); // n(n+1) instead of n^2 steps, and the start
}

TEST(Friction, OfTheColliderOutranksTheFabrics) {
    SceneDesc scene = triangle_on_plane({1, 1, 0}, 0);
    scene.cloths[0].rotation = {0, 0, -45};
    scene.cloths[0].position = {0, 0.0015f, 0};
    scene.colliders[0].friction = 1.0f;
    Simulation simulation = make_simulation(scene);
    run(simulation, 1);
    EXPECT_NEAR(length(simulation.position(0)), 0, 0.01);
}

TEST(Friction, ClothFollowsAMovingPlate) { // F19
    SceneDesc scene = scene_with(GridShape{.size = {0.3f, 0.3f}, .cells = {8, 8}});
    scene.fabrics[0].friction = 1;
    scene.cloths[0].position = {0, 0.101f, 0};
    scene.colliders = {{.shape = Box{{1, 0.2f, 1}},
                        .motion = {{.t = 0.5f, .position = Vec3{}}, {.t = 2.5f, .position = Vec3{0.6f, 0, 0.2f}}}}};
    Simulation simulation = make_simulation(scene);
    run(simulation, 0.5);
    const std::vector<Vec3> before = test::positions_of(simulation);
    run(simulation, 2);
    for (Index v = 0; v < simulation.vertex_count(); ++v)
        ASSERT_NEAR(length(simulation.position(v) - before[v] - (Vec3{0.6f, 0, 0.2f})), 0, 1e-3) << v;
}

TEST(Friction, ClothFollowsATurntable) { // F19
    SceneDesc scene = scene_with(GridShape{.size = {0.3f, 0.3f}, .cells = {8, 8}});
    scene.fabrics[0].friction = 1;
    scene.cloths[0].position = {0.4f, 0.101f, 0}; // beside the axis: nothing but friction holds it
    scene.colliders = {{.shape = Cylinder{0.8f, 0.2f},
                        .motion = {{.t = 0.5f, .rotation = Vec3{}}, {.t = 4.5f, .rotation = Vec3{0, 360, 0}}}}};
    Simulation simulation = make_simulation(scene);
    run(simulation, 0.5);
    const std::vector<Vec3> before = test::positions_of(simulation);
    run(simulation, 4);
    for (Index v = 0; v < simulation.vertex_count(); ++v) // one turn: back where it was
        ASSERT_NEAR(length(simulation.position(v) - before[v]), 0, 2e-3) << v;
}

// --- the simple response

TEST(Reflection, ClothOnAMovingPlateFollowsItsVelocity) { // W33, c_fric = 0
    for (const std::string method : {"limits", "xpbd"}) {
        SceneDesc scene = scene_with(GridShape{.size = {0.3f, 0.3f}, .cells = {8, 8}});
        scene.solver.method = method;
        scene.fabrics[0].friction = 1;
        scene.cloths[0].position = {0, 0.101f, 0};
        scene.colliders = {
            {.shape = Box{{1, 0.2f, 1}},
             .reflection = 0.0f,
             .motion = {{.t = 0.5f, .position = Vec3{}}, {.t = 2.5f, .position = Vec3{0.6f, 0.3f, 0.2f}}}}};
        Simulation simulation = make_simulation(scene);
        run(simulation, 0.5);
        const std::vector<Vec3> before = test::positions_of(simulation);
        run(simulation, 1);
        for (Index v = 0; v < simulation.vertex_count(); ++v) {
            ASSERT_NEAR(length(simulation.position(v) - before[v] - Vec3{0.3f, 0.15f, 0.1f}), 0, 3e-3)
                << method << v; // a substep behind
            const Vec3 velocity = simulation.world().state.v[v].xyz();
            ASSERT_NEAR(length(velocity - Vec3{0.3f, 0.15f, 0.1f}), 0, 2e-3) << method << v;
        }
    }
}

TEST(Reflection, ClothRisesAgainToTheSquareOfIt) { // of the height it has fallen
    for (const float reflection : {0.0f, 0.5f, 0.9f}) {
        SceneDesc scene = scene_with(GridShape{.size = {0.2f, 0.2f}, .cells = {4, 4}});
        scene.solver.substeps = 40;
        scene.cloths[0].position = {0, 0.5f + scene.fabrics[0].thickness, 0};
        scene.colliders = {{.shape = Plane{}, .reflection = reflection}};
        Simulation simulation = make_simulation(scene);
        run(simulation, std::sqrt(2 * 0.5 / 9.81) + 1.0 / 30);
        float highest = 0;
        for (int k = 0; k < 20; ++k) {
            simulation.step(frame);
            highest = std::max(highest, simulation.position(12).y);
        }
        EXPECT_NEAR(highest, 0.5 * static_cast<double>(reflection * reflection), 0.02) << reflection;
    }
}

TEST(Reflection, SlidingIsScaledInEverySubstep) { // W32
    SceneDesc scene = scene_with(GridShape{.size = {0.2f, 0.2f}, .cells = {4, 4}});
    scene.solver.substeps = 5;
    scene.cloths[0].position = {0, scene.fabrics[0].thickness, 0};
    scene.cloths[0].velocity = {1, 0, 0.5f};
    scene.colliders = {{.shape = Plane{}, .friction = 0.1f, .reflection = 0.0f}};
    Simulation simulation = make_simulation(scene);
    for (int steps = 1; steps <= 3; ++steps) {
        simulation.step(frame);
        const auto left = static_cast<float>(std::pow(0.9, 5 * steps));
        EXPECT_NEAR(length(simulation.world().state.v[12].xyz() - Vec3{left, 0, 0.5f * left}), 0, 1e-4) << steps;
    }
}

// --- motion

TEST(Motion, IsLinearBetweenKeysAndHeldOutside) {
    const std::vector<Collider::Key> keys = {
        {1, {0, 0, 0}, {0, 0, 0}}, {2, {1, 2, 3}, {0, 90, 0}}, {4, {1, 0, 3}, {0, 90, 0}}};
    EXPECT_EQ(scripted_pose(keys, -5).position, Vec3{});
    EXPECT_EQ(scripted_pose(keys, 1).position, Vec3{});
    EXPECT_EQ(scripted_pose(keys, 1.5).position, (Vec3{0.5f, 1, 1.5f}));
    EXPECT_EQ(scripted_pose(keys, 2).position, (Vec3{1, 2, 3}));
    EXPECT_EQ(scripted_pose(keys, 3).position, (Vec3{1, 1, 3}));
    EXPECT_EQ(scripted_pose(keys, 100).position, (Vec3{1, 0, 3}));
    const Vec3 turned = scripted_pose(keys, 1.5).rotation * Vec3{1, 0, 0};
    EXPECT_NEAR(turned.x, std::sqrt(0.5), 1e-6);
    EXPECT_NEAR(turned.z, -std::sqrt(0.5), 1e-6);
}

TEST(Motion, OfASceneIsFollowedAndAbsentKeysKeepTheLastValue) {
    SceneDesc scene = scene_with(GridShape{});
    scene.colliders = {
        {.shape = Sphere{},
         .position = {0, -9, 0},
         .rotation = {0, 0, 45},
         .motion = {{.t = 1}, {.t = 2, .position = Vec3{1, -9, 0}}, {.t = 3, .rotation = Vec3{0, 0, 90}}}}};
    Simulation simulation = make_simulation(scene);
    EXPECT_EQ(simulation.collider_count(), 1);
    EXPECT_EQ(simulation.collider_pose(0).position, (Vec3{0, -9, 0}));
    run(simulation, 1.5);
    EXPECT_NEAR(simulation.collider_pose(0).position.x, 0.5, 1e-5);
    EXPECT_NEAR((simulation.collider_pose(0).rotation * Vec3{1, 0, 0}).y, std::sqrt(0.5), 1e-6);
    run(simulation, 2);
    EXPECT_NEAR(simulation.collider_pose(0).position.x, 1, 1e-6);
    EXPECT_NEAR((simulation.collider_pose(0).rotation * Vec3{1, 0, 0}).y, 1, 1e-6);
}

TEST(Motion, ACallersMoveIsThereWhenTheStepEndsAndEndsTheScript) {
    SceneDesc scene = scene_with(GridShape{});
    scene.colliders = {{.shape = Sphere{0.1f},
                        .motion = {{.t = 0, .position = Vec3{0, -9, 0}}, {.t = 9, .position = Vec3{9, -9, 0}}}}};
    Simulation simulation = make_simulation(scene);
    simulation.step(frame);
    const Pose target = {{3, -5, 2}, rotation_from_degrees({0, 90, 0})};
    simulation.move_collider(0, target);
    simulation.step(frame);
    EXPECT_EQ(simulation.collider_pose(0), target);
    run(simulation, 1);
    EXPECT_EQ(simulation.collider_pose(0), target);
}

// --- meshes

const Mesh tetrahedron = {
    {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 2, 1}, {0, 1, 3}, {0, 3, 2}, {1, 2, 3}}, {}};

SceneDesc beside_a_body(const BodyMesh& body) {
    SceneDesc scene = cloth_above({.shape = body});
    scene.colliders[0].position = {1, 2, 3};
    return scene;
}

TEST(MeshColliders, TheirVerticesAreWhereTimeAndMotionPutThem) {
    std::vector<Vec3> raised = tetrahedron.positions;
    for (Vec3& p : raised) p.y += 1;
    const BodyMesh body = {.mesh = tetrahedron,
                           .deformation = BodyFrames{1, std::vector{tetrahedron.positions, raised}}};
    SceneDesc scene = beside_a_body(body);
    scene.colliders.push_back({.shape = Sphere{}});
    scene.colliders[0].motion = {{.t = 0, .position = Vec3{}}, {.t = 1, .position = Vec3{2, 0, 0}}};
    Result<Simulation> simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    std::vector<Vec3> x = {{7, 7, 7}};
    simulation->copy_collider_vertices(0, x);
    EXPECT_EQ(x, tetrahedron.positions);
    simulation->step(0.25f);
    simulation->copy_collider_vertices(0, x);
    EXPECT_EQ(x[1], (Vec3{1.5f, 0.25f, 0}));
    simulation->copy_collider_vertices(1, x);
    EXPECT_TRUE(x.empty());
}

TEST(MeshColliders, WhatProgramsPutTogetherIsChecked) {
    const auto first_fault = [](const BodyMesh& body) {
        const Faults faults = check(beside_a_body(body));
        return faults.empty() ? "" : faults.front().message;
    };
    const auto expect = [&](const std::string& words, const BodyMesh& body) {
        EXPECT_NE(first_fault(body).find(words), std::string::npos) << words << " is not in: " << first_fault(body);
    };
    const auto frames = [](std::vector<std::vector<Vec3>> positions) {
        return BodyMesh{.mesh = tetrahedron, .deformation = BodyFrames{30, std::move(positions)}};
    };
    EXPECT_EQ(first_fault({.mesh = tetrahedron}), "");
    expect("collider.0.mesh = 0: triangles in the mesh; a body needs at least one", {});
    Mesh broken = tetrahedron;
    broken.triangles[1] = {0, 1, 9};
    expect("collider.0.mesh = 9: triangle 1", {.mesh = broken});
    broken = tetrahedron;
    broken.positions[2].x = NAN;
    expect("vertex 2 is not a finite place", {.mesh = broken});
    EXPECT_EQ(first_fault(frames({tetrahedron.positions})), "");
    expect("collider.0.frames = 0", frames({}));
    expect("collider.0.frames = 3: frame 1", frames({tetrahedron.positions, {{}, {}, {}}}));
    expect("frame 1: vertex 2 is not a finite place", frames({tetrahedron.positions, broken.positions}));

    Skeleton skeleton = {.nodes = {{}}, .joints = {{}}, .channels = {{.times = {0}, .values = {{}}}}};
    skeleton.bind_positions = tetrahedron.positions;
    skeleton.influences.resize(4);
    skeleton.first_influence = {0, 1, 2, 3, 4};
    const auto skinned = [&](const std::function<void(Skeleton&)>& change) {
        Skeleton changed = skeleton;
        change(changed);
        return BodyMesh{.mesh = tetrahedron, .deformation = BodySkin{"walk", changed}};
    };
    EXPECT_EQ(first_fault(skinned([](Skeleton&) {})), "");
    expect("collider.0.clip = \"walk\"", skinned([](Skeleton& s) { s.nodes[0].parent = 0; }));
    expect("before its parent", skinned([](Skeleton& s) { s.nodes[0].parent = 7; }));
    expect("a joint names a node", skinned([](Skeleton& s) { s.joints[0].node = 1; }));
    expect("a channel names a node", skinned([](Skeleton& s) { s.channels[0].node = 1; }));
    expect("no keys", skinned([](Skeleton& s) { s.channels[0].times.clear(); }));
    expect("not one value for each",
           skinned([](Skeleton& s) { s.channels[0].interpolation = Skeleton::Interpolation::cubic_spline; }));
    expect("do not rise", skinned([](Skeleton& s) {
               s.channels[0].times = {1, 1};
               s.channels[0].values.resize(2);
           }));
    expect("not finite", skinned([](Skeleton& s) { s.channels[0].values[0][1] = NAN; }));
    expect("for each vertex", skinned([](Skeleton& s) { s.bind_positions.pop_back(); }));
    expect("for each vertex", skinned([](Skeleton& s) { s.first_influence[1] = 5; }));
    expect("for each vertex", skinned([](Skeleton& s) { s.first_influence.pop_back(); }));
    expect("an influence names a joint", skinned([](Skeleton& s) { s.influences[3].joint = 1; }));
}

TEST(Reflection, IsForSimpleShapesAndMethodsThatSweep) {
    const auto faults_with = [](const ColliderShape& shape, const std::string& method, float reflection) {
        SceneDesc scene = scene_with(GridShape{.cells = {3, 3}});
        scene.solver.method = method;
        scene.colliders = {{.shape = shape, .reflection = reflection}};
        std::string all;
        for (const Fault& fault : check(scene)) all += fault.message;
        return all;
    };
    EXPECT_EQ(faults_with(Sphere{}, "xpbd", 1), "");
    EXPECT_NE(faults_with(Sphere{}, "xpbd", 1.1f).find("collider.0.reflection"), std::string::npos);
    EXPECT_NE(faults_with(Sphere{}, "implicit", 1).find("implicit"), std::string::npos);
    EXPECT_NE(faults_with(BodyMesh{.mesh = tetrahedron}, "xpbd", 1).find("simple shapes"), std::string::npos);
}

} // namespace
} // namespace taffeta
