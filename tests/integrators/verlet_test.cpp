// Verlet with position velocities, [FGL03] Eq. 12-17: closed forms of free fall.
#include "integrators/verlet.h"

#include "solvers/position/reference.h"
#include "support/random.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <sstream>

namespace taffeta {
namespace {

constexpr double g = 9.81;

// Fall after n steps of w' = c w + g dt^2, by the recurrence in extended precision.
long double fall_by_recurrence(long double dt, long double c, int n) {
    long double w = 0, fall = 0;
    for (int k = 0; k < n; ++k) {
        w = c * w + 9.81L * dt * dt;
        fall += w;
    }
    return fall;
}

struct Fall {
    double distance = 0, speed = 0; // m, m/s
};

// One particle through the fast kernels.
Fall fall_fast(float dt, float c, int n, float start = 0) {
    std::vector<Vec4> x = {{start, start, start, 1}}, x_prev = x, v(1);
    for (int k = 0; k < n; ++k) {
        predict(dt, {0, -9.81f, 0}, c, x, x_prev, v);
        update_velocities(dt, {}, x, x_prev, v);
    }
    return {static_cast<double>(start) - x[0].y, -static_cast<double>(v[0].y)};
}

Fall fall_reference(double dt, double c, int n) {
    ReferenceCloth cloth;
    cloth.x = cloth.x_prev = {{}};
    cloth.inverse_mass = {1};
    cloth.velocity_factor = c;
    for (int k = 0; k < n; ++k) cloth.step(dt);
    return {-cloth.x[0].y, (cloth.x_prev[0].y - cloth.x[0].y) / dt};
}

TEST(Verlet, FreeFallFollowsTheClosedForm) { // F14: g dt^2 n(n+1)/2
    EXPECT_NEAR(fall_reference(1.0 / 120, 1, 120).distance / 4.945875, 1, 1e-12);
    EXPECT_NEAR(fall_fast(1.0f / 120, 1, 120).distance / 4.945875, 1, 1e-5);
    EXPECT_NEAR(fall_reference(1.0 / 120, 1, 120).speed / g, 1, 1e-12);
    EXPECT_NEAR(fall_fast(1.0f / 120, 1, 120).speed / g, 1, 1e-5);
}

TEST(Verlet, BothFormsOfThePaperAgree) { // F14: Eq. 12-14 against Eq. 15, with forces that change
    test::Random random(1);
    std::vector<Vec3d> accelerations;
    for (int k = 0; k < 120; ++k) accelerations.push_back(random.in_cube(20));
    constexpr double dt = 1.0 / 120;
    Vec3d euler = {0.1, 0.2, 0.3}, euler_prev = euler;
    Vec3d verlet = euler, verlet_prev = euler;
    ReferenceCloth cloth;
    cloth.x = cloth.x_prev = {euler};
    cloth.inverse_mass = {1};
    for (const Vec3d& a : accelerations) {
        const Vec3d v = (euler - euler_prev) * (1 / dt) + a * dt; // Eq. 14, 12
        euler_prev = euler;
        euler += v * dt;                                             // Eq. 13
        const Vec3d next = 2 * verlet - verlet_prev + a * (dt * dt); // Eq. 15
        verlet_prev = verlet;
        verlet = next;
        cloth.gravity = a;
        cloth.step(dt);
        ASSERT_NEAR(length(euler - verlet), 0, 1e-12);
        ASSERT_NEAR(length(cloth.x[0] - verlet), 0, 1e-12);
    }
}

TEST(Verlet, TheVelocityFactorGivesThePapersFall) {                                 // F15
    EXPECT_NEAR(fall_reference(1.0 / 120, 0.99, 120).distance, 3.449758627, 5e-10); // as many digits as are given
    EXPECT_NEAR(fall_reference(1.0 / 120, 0.99, 120).distance /
                    static_cast<double>(fall_by_recurrence(1.0L / 120, 0.99L, 120)),
                1, 1e-12);
    EXPECT_NEAR(fall_fast(1.0f / 120, 0.99f, 120).distance / 3.449758627, 1, 1e-5);
}

TEST(Verlet, FallsAsPreciselyFarFromTheOrigin) {
    EXPECT_NEAR(fall_fast(1.0f / 120, 0.99f, 120, 100).distance / 3.449758627, 1, 1e-3);
    EXPECT_NEAR(fall_fast(1.0f / 120, 0.99f, 120, 100).speed / 5.727565, 1, 1e-5);
}

TEST(Verlet, TerminalSpeedIsGDtOverOneMinusC) { // F15
    EXPECT_NEAR(fall_reference(1.0 / 120, 0.99, 4000).speed, 8.175, 1e-9);
    EXPECT_NEAR(fall_fast(1.0f / 120, 0.99f, 4000).speed, 8.175, 8.175e-5);
    EXPECT_NEAR(fall_fast(0.0083f, 0.99f, 4000).speed, 8.1423, 8.1423e-5);
}

TEST(Verlet, EveryRowOfTheTableOfFallsIsMet) { // F15
    std::ifstream table(TAFFETA_SOURCE_DIR "/../shared/data/fuhrmann_freefall_recurrence.csv");
    if (!table) GTEST_SKIP() << "the table of falls is not beside the source; its main row is tested above";
    std::string line;
    std::getline(table, line);
    int rows = 0;
    while (std::getline(table, line)) {
        SCOPED_TRACE(line);
        std::vector<double> cell;
        std::istringstream cells(line);
        for (std::string text; std::getline(cells, text, ',');) cell.push_back(std::stod(text));
        ASSERT_EQ(cell.size(), 9u);
        const double c = cell[1], t = cell[3], fall = cell[4], speed = cell[6], terminal = cell[7];
        const int n = static_cast<int>(cell[2]);
        const double dt = t / n; // the first column is rounded
        EXPECT_NEAR(fall_reference(dt, c, n).distance, fall, 6e-10);
        EXPECT_NEAR(fall_reference(dt, c, n).speed, speed, 6e-7);
        const Fall fast = fall_fast(static_cast<float>(dt), static_cast<float>(c), n);
        EXPECT_NEAR(fast.distance / fall, 1, 1e-5);
        EXPECT_NEAR(fast.speed / speed, 1, 1e-5);
        if (std::isfinite(terminal)) {
            EXPECT_NEAR(fall_reference(dt, c, 5000).speed / terminal, 1, 1e-6);
        }
        ++rows;
    }
    EXPECT_EQ(rows, 8);
}

TEST(Verlet, HeldParticlesDoNotFall) {
    std::vector<Vec4> x = {{1, 2, 3, 0}}, x_prev(1), v = {{5, 5, 5, 0}};
    predict(0.01f, {0, -9.81f, 0}, 1, x, x_prev, v);
    EXPECT_EQ(x[0].xyz(), (Vec3{1, 2, 3}));
    EXPECT_EQ(x_prev[0].xyz(), (Vec3{1, 2, 3}));
    update_velocities(0.01f, {}, x, x_prev, v);
    EXPECT_EQ(v[0].xyz(), Vec3{});
}

TEST(Verlet, AHandsMotionIsTheHeldParticlesVelocity) {
    std::vector<Vec4> x = {{1, 2, 3, 0}}, x_prev(1), v(1);
    predict(0.5f, {0, -9.81f, 0}, 1, x, x_prev, v);
    x[0].set_xyz({2, 2, 1});
    update_velocities(0.5f, {}, x, x_prev, v);
    EXPECT_EQ(v[0].xyz(), (Vec3{2, 0, -4}));
}

TEST(Verlet, ACorrectedPositionIsAChangeOfVelocity) { // Eq. 14
    test::Random random(3);
    for (int trial = 0; trial < 1000; ++trial) {
        const float h = random.uniform_float(0.001f, 0.1f);
        const Vec3 start = random.in_cube_float(1), velocity = random.in_cube_float(5);
        std::vector<Vec4> x = {{start.x, start.y, start.z, 2}}, x_prev(1),
                          v = {{velocity.x, velocity.y, velocity.z, 0}};
        predict(h, {0, -9.81f, 0}, 0.9f, x, x_prev, v);
        const Vec3 corrected = x[0].xyz() + random.in_cube_float(0.1);
        x[0].set_xyz(corrected);
        update_velocities(h, {}, x, x_prev, v);
        const Vec3d expected = (vector_cast<double>(corrected) - vector_cast<double>(start)) * (1.0 / h);
        // The rounding of places near 1 m shows in a velocity as 1e-7 m / h.
        EXPECT_NEAR(length(vector_cast<double>(v[0].xyz()) - expected), 0, 5e-7 / h + 1e-5);
    }
}

TEST(Verlet, WithoutCorrectionTheVelocityKeepsItsBits) {
    std::vector<Vec4> x = {{1000, -500, 0.1f, 1}}, x_prev(1), v = {{0.123f, 4.56f, -7.89f, 0}};
    predict(1e-4f, {}, 1, x, x_prev, v);
    update_velocities(1e-4f, {}, x, x_prev, v);
    EXPECT_EQ(v[0].xyz(), (Vec3{0.123f, 4.56f, -7.89f}));
}

// --- the same through the whole step

SceneDesc falling_cloth(int substeps) {
    SceneDesc scene = test::scene_with(GridShape{.size = {0.2f, 0.2f}, .cells = {4, 4}});
    scene.solver.substeps = substeps;
    return scene;
}

double mean_speed(const Simulation& simulation) {
    const State& state = simulation.world().state;
    double sum = 0;
    for (Index p = 0; p < state.count(); ++p) sum += static_cast<double>(length(state.v[p].xyz()));
    return sum / state.count();
}

TEST(Step, AFallingClothFollowsTheRecurrence) { // F15, F14
    for (const bool damped : {true, false}) {
        SceneDesc scene = falling_cloth(4);
        if (damped) scene.solver.velocity_factor = 0.99f;
        Simulation simulation = test::make_simulation(scene);
        ASSERT_TRUE(test::run(simulation, 1));
        const double fall = damped ? 3.449758627 : 4.945875;
        for (Index v = 0; v < simulation.vertex_count(); ++v)
            ASSERT_NEAR(-simulation.position(v).y / fall, 1, 1e-5) << "vertex " << v;
    }
}

TEST(Step, DampingDoesNotDependOnTheStep) { // F15's note: the velocity factor does
    for (const int substeps : {1, 4, 16}) {
        SceneDesc scene = falling_cloth(substeps);
        scene.gravity = {};
        scene.solver.damping = 2;
        scene.cloths[0].velocity = {1, 0, 0};
        Simulation simulation = test::make_simulation(scene);
        ASSERT_TRUE(test::run(simulation, 1));
        EXPECT_NEAR(mean_speed(simulation) / std::exp(-2.0), 1, 5e-4) << substeps << " substeps";
    }
}

TEST(Step, DampingDoesNotDependOnTheFrameRate) {
    for (const int rate : {10, 30, 240}) {
        SceneDesc scene = falling_cloth(1);
        scene.gravity = {};
        scene.solver.damping = 2;
        scene.cloths[0].velocity = {1, 0, 0};
        Simulation simulation = test::make_simulation(scene);
        for (int k = 0; k < rate; ++k) simulation.step(1.0f / static_cast<float>(rate));
        EXPECT_NEAR(mean_speed(simulation) / std::exp(-2.0), 1, 5e-4) << rate << " steps";
    }
}

TEST(Step, TheLengthOfTheStepMayVary) {
    Simulation simulation = test::make_simulation(falling_cloth(4));
    double time = 0;
    test::Random random(9);
    for (int k = 0; k < 100; ++k) {
        const float dt = random.uniform_float(1e-4f, 0.05f);
        ASSERT_TRUE(simulation.step(dt).finite);
        time += dt;
    }
    EXPECT_NEAR(simulation.time(), time, 1e-9);
    EXPECT_NEAR(-simulation.world().state.v[0].y / (g * time), 1, 1e-4);
}

} // namespace
} // namespace taffeta
