// Method "xpbd": what physics says of fabrics with given stiffness.
#include "integrators/momentum.h"
#include "sim/build/elements.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <numbers>
#include <numeric>

namespace taffeta {
namespace {

constexpr double g = 9.81, degree = std::numbers::pi / 180;
constexpr float frame = 1.0f / 60;

SceneDesc xpbd_scene(const ClothShape& shape) {
    SceneDesc scene = test::scene_with(shape);
    scene.solver.method = "xpbd";
    scene.frame_rate = 60;
    scene.cloths[0].self_collision = SelfCollision::none;
    return scene;
}

void run(Simulation& simulation, double seconds) {
    for (int k = 0; k < static_cast<int>(std::lround(60 * seconds)); ++k)
        ASSERT_TRUE(simulation.step(frame).finite) << k;
}

TEST(Xpbd, AHangingStripIsLongerBySigmaGLOverTwoK) {
    constexpr float length = 0.3f, stiffness = 50;
    for (const Diagonals diagonals : {Diagonals::left, Diagonals::alternate}) {
        SceneDesc scene = xpbd_scene(GridShape{{0.075f, length}, {3, 12}, diagonals});
        scene.fabrics[0].stretch = {200, stiffness};
        scene.fabrics[0].shear = 20;
        scene.fabrics[0].bend = {0, 0};
        scene.solver.substeps = 30;
        scene.solver.damping = 6;
        scene.cloths[0].rotation = {90, 0, 0};
        scene.cloths[0].pins = {BoxPin{{-1, 0.149f, -1}, {1, 0.151f, 1}}};
        Simulation simulation = test::make_simulation(scene);
        run(simulation, 2);
        const double lowest = test::extent_of(test::positions_of(simulation)).low.y;
        const double expected = 0.15 * g * static_cast<double>(length * length) / (2 * static_cast<double>(stiffness));
        EXPECT_NEAR((-lowest - static_cast<double>(length) / 2) / expected, 1, 0.03);
    }
}

// A strip clamped at its last three rows, so that bending elements reach no farther; the clamp is half a cell within.
// H/W at Gamma = sigma g L^3 / D is 0.585721 for 5, 1.863930 for 20: theta'' = -Gamma (1 - s) cos theta.
TEST(Xpbd, ACantileverHangsAsTheElasticaDoes) {
    constexpr int cells = 12, rows = 3, across = 2;
    constexpr float side = 0.1f / cells;
    const double effective = (cells + 0.5) * static_cast<double>(side);
    for (const auto& [gamma, expected] : {std::pair(5.0, 0.585721), std::pair(20.0, 1.863930)}) {
        constexpr float whole = side * (cells + rows - 1);
        SceneDesc scene = xpbd_scene(GridShape{{whole, side * across}, {cells + rows - 1, across}});
        const auto d = static_cast<float>(0.15 * g * effective * effective * effective / gamma);
        scene.fabrics[0].bend = {d, d};
        scene.solver.substeps = 60;
        scene.solver.iterations = 3;
        scene.solver.damping = 10;
        scene.cloths[0].position = {whole / 2 - (rows - 1) * side, 0, 0};
        scene.cloths[0].pins = {BoxPin{{-1, -1, -1}, {0.1f * side, 1, 1}}};
        Simulation simulation = test::make_simulation(scene);
        run(simulation, 1.2);
        const Vec3 tip = simulation.position(cells + rows - 1 + (cells + rows)); // in the middle row
        EXPECT_NEAR(static_cast<double>(-tip.y / (tip.x + side / 2)) / expected, 1, 0.03) << gamma;
    }
}

// A strip whose rest shape is an arc, clamped at one end: both methods let its tip down alike.
TEST(Xpbd, ACurledStripHangsAsTheImplicitOneDoes) {
    constexpr int cells = 14, across = 2;
    constexpr float radius = 0.08f, side = 0.1f / cells;
    Mesh mesh = make_grid({cells * side, across * side}, {cells, across}, Diagonals::alternate);
    for (Vec3& p : mesh.positions) {
        const float angle = (p.x + cells * side / 2) / radius;
        p = {radius * std::sin(angle), radius * std::cos(angle) - radius, p.z};
    }
    SceneDesc scene = xpbd_scene(MeshShape{.mesh = mesh});
    scene.fabrics[0].bend = {4e-5f, 4e-5f};
    scene.solver.substeps = 60;
    scene.solver.iterations = 3;
    scene.solver.damping = 10;
    scene.cloths[0].pins = {BoxPin{{-1, -1, -1}, {2.1f * side, 1, 1}}};
    scene.cloths[0].warp = Vec3{1, 0, 0};
    constexpr Index tip = cells + (cells + 1); // in the middle row
    const Vec3 rest = mesh.positions[tip];
    Simulation fast = test::make_simulation(scene);
    run(fast, 1.2);
    scene.solver = {.method = "implicit", .substeps = 1, .iterations = 20, .threads = 1};
    Simulation exact = test::make_simulation(scene);
    ASSERT_TRUE(exact.settle().settled);
    const float drop = length(exact.position(tip) - rest);
    EXPECT_GT(drop, 0.005f);
    EXPECT_LT(length(fast.position(tip) - exact.position(tip)), 0.05f * drop);
}

TEST(Xpbd, FreeClothKeepsItsMomentum) {
    SceneDesc scene = xpbd_scene(GridShape{{1, 1}, {12, 12}});
    scene.gravity = {};
    Simulation simulation = test::make_simulation(scene);
    World& world = test::world_of(simulation);
    for (Index p = 0; p < world.state.count(); ++p) {
        Vec4& x = world.state.x[p];
        x.y = 0.05f * std::sin(7 * x.x) * std::cos(6 * x.z);
        world.state.v[p] = {5.5f * x.z, 0.5f * std::sin(9 * x.z), -5.5f * x.x, 0};
    }
    std::vector<Index> all(world.state.count());
    std::iota(all.begin(), all.end(), Index{0});
    const Momentum before = momentum_of(all, world.state.x, world.state.v, world.mass);
    const Vec3d centre = test::centre_of_mass(world);
    for (int k = 0; k < 1000; ++k) ASSERT_TRUE(simulation.step(frame).finite);
    const Momentum after = momentum_of(all, world.state.x, world.state.v, world.mass);
    EXPECT_LT(length(after.angular - before.angular), 1e-5 * length(before.angular));
    const Vec3d drift = before.linear * (1000 * static_cast<double>(frame) / 0.15);
    EXPECT_LT(length(test::centre_of_mass(world) - centre - drift), 1e-5);
}

// How far a small cloth comes down a plane at this angle.
double slid(float friction, double angle, double seconds) {
    SceneDesc scene = xpbd_scene(GridShape{{0.2f, 0.2f}, {5, 5}});
    const Vec3 normal = {-static_cast<float>(std::sin(angle)), static_cast<float>(std::cos(angle)), 0};
    scene.cloths[0].rotation = {0, 0, static_cast<float>(angle / degree)};
    scene.cloths[0].position = normal * scene.fabrics[0].thickness;
    scene.colliders = {{.shape = Plane{normal}, .friction = friction}};
    Simulation simulation = test::make_simulation(scene);
    const Vec3d start = test::centre_of_mass(simulation.world());
    run(simulation, seconds);
    return length(test::centre_of_mass(simulation.world()) - start);
}

TEST(Xpbd, ClothSticksBelowTheAngleOfFrictionAndSlidesAboveIt) { // Coulomb
    for (const float mu : {0.2f, 0.4f, 0.6f}) {
        const double limit = std::atan(static_cast<double>(mu)), two = 2 * degree;
        EXPECT_LT(slid(mu, limit - two, 5), 1e-5) << mu;
        const double angle = limit + two;
        const double expected = g * (std::sin(angle) - static_cast<double>(mu) * std::cos(angle));
        EXPECT_NEAR(2 * slid(mu, angle, 1) / expected, 1, 0.01) << mu;
    }
}

// The largest strain of warp or weft of triangles that touch no held particle.
double largest_strain(const World& world) {
    double largest = 0;
    for (const StretchBlock& block : world.elements->stretch.blocks)
        for (std::size_t lane = 0; lane < StretchBlock::lanes; ++lane) {
            const Vec4 &a = world.state.x[block.particle[0][lane]], &b = world.state.x[block.particle[1][lane]],
                       &c = world.state.x[block.particle[2][lane]];
            if (a.w == 0 || b.w == 0 || c.w == 0) continue;
            for (const auto& weight : {block.warp, block.weft})
                largest = std::max(largest, static_cast<double>(length((b.xyz() - a.xyz()) * weight[0][lane] +
                                                                       (c.xyz() - a.xyz()) * weight[1][lane])) -
                                                1);
        }
    return largest;
}

TEST(Xpbd, AcceleratedASheetOnTwoCornersStretchesLittleInRealTime) {
    SceneDesc scene = xpbd_scene(GridShape{{1, 1}, {30, 30}});
    scene.solver.substeps = 8;
    scene.cloths[0].pins = {CornerPin{"-x-z"}, CornerPin{"+x-z"}};
    Simulation simulation = test::make_simulation(scene);
    double worst = 0;
    for (int k = 0; k < 60; ++k) {
        simulation.step(frame);
        worst = std::max(worst, largest_strain(simulation.world()));
    }
    EXPECT_LT(worst, 0.05);
    scene.solver.acceleration = false;
    Simulation plain = test::make_simulation(scene);
    double plain_worst = 0;
    for (int k = 0; k < 60; ++k) {
        plain.step(frame);
        plain_worst = std::max(plain_worst, largest_strain(plain.world()));
    }
    EXPECT_GT(plain_worst, 3 * worst);
}

TEST(Xpbd, ErrorsGoDownWithSubstepsAndSweeps) {
    double strain = 1, bend = 1;
    for (const auto& [substeps, iterations] : {std::pair(4, 1), std::pair(4, 8), std::pair(40, 8)}) {
        SceneDesc scene = xpbd_scene(GridShape{{0.3f, 0.3f}, {10, 10}});
        scene.fabrics[0].stretch = {50, 50};
        scene.fabrics[0].bend = {1e-4f, 1e-4f};
        scene.solver.substeps = substeps;
        scene.solver.iterations = iterations;
        scene.solver.acceleration = false;
        scene.cloths[0].pins = {BoxPin{{-0.16f, -1, -1}, {-0.08f, 1, 1}}};
        Simulation simulation = test::make_simulation(scene);
        run(simulation, 0.5);
        const Measure measure = simulation.measure();
        EXPECT_LT(measure.strain_error, 0.5 * strain);
        EXPECT_LT(measure.bend_error, 0.5 * bend);
        strain = measure.strain_error, bend = measure.bend_error;
    }
    EXPECT_LT(strain, 1e-4);
    EXPECT_LT(bend, 0.01);
}

TEST(Xpbd, DampingOfStrainsEndsVibrationsAndLeavesTurningAlone) {
    double turning[2] = {}, vibrating[2] = {}; // J
    for (const int damped : {0, 1}) {
        SceneDesc scene = xpbd_scene(GridShape{{0.3f, 0.3f}, {6, 6}});
        scene.gravity = {};
        scene.fabrics[0].stretch = {10, 10};
        scene.fabrics[0].stretch_damping = damped == 1 ? 0.02f : 0;
        scene.solver.substeps = 16;
        scene.solver.acceleration = false;
        Simulation simulation = test::make_simulation(scene);
        World& world = test::world_of(simulation);
        for (Index p = 0; p < world.state.count(); ++p)
            world.state.v[p] = {2 * world.state.x[p].z + std::sin(30 * world.state.x[p].x), 0, -2 * world.state.x[p].x,
                                0};
        run(simulation, 0.1);
        std::vector<Index> all(world.state.count());
        std::iota(all.begin(), all.end(), Index{0});
        const Momentum momentum = momentum_of(all, world.state.x, world.state.v, world.mass);
        const Vec3d centre = test::centre_of_mass(world);
        double inertia = 0, mass = 0; // about y
        for (const Index p : all) {
            const Vec3d r = vector_cast<double>(world.state.x[p].xyz()) - centre;
            inertia += world.mass[p] * (r.x * r.x + r.z * r.z);
            mass += world.mass[p];
        }
        turning[damped] = momentum.angular.y * momentum.angular.y / (2 * inertia);
        vibrating[damped] =
            simulation.measure().kinetic_energy - turning[damped] - dot(momentum.linear, momentum.linear) / (2 * mass);
    }
    EXPECT_NEAR(turning[1] / turning[0], 1, 0.05);
    EXPECT_LT(vibrating[1], 0.1 * vibrating[0]);
}

TEST(Xpbd, ChangingFabricOrMethodIsAsIfItHadBeenMadeSo) {
    SceneDesc before = xpbd_scene(GridShape{{0.5f, 0.5f}, {10, 10}}), after = before;
    before.cloths[0].pins = after.cloths[0].pins = {CornerPin{"-x-z"}};
    after.fabrics[0].stretch = {40, 90};
    after.fabrics[0].bend = {1e-4f, 2e-4f};
    after.fabrics[0].density = 0.3f;
    SceneDesc limits = after, limp = after;
    limits.solver.method = "limits";
    limp.fabrics[0].bend = {0, 0};
    limp.solver.iterations = 6;
    for (const auto& [from, to] : {std::pair(before, after), std::pair(limits, after), std::pair(after, limits),
                                   std::pair(after, limp), std::pair(limp, after)}) {
        Simulation changed = test::make_simulation(from), made = test::make_simulation(to);
        ASSERT_TRUE(changed.change(to));
        for (int k = 0; k < 10; ++k) changed.step(frame), made.step(frame);
        EXPECT_EQ(changed.hash(), made.hash());
    }
}

} // namespace
} // namespace taffeta
