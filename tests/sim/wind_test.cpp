// Cloth in the wind.
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::scene_with;

TEST(Wind, AFallingPlateReachesItsTerminalVelocity) { // 1/2 rho v^2 C_d A = density A g
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {4, 4}});
    scene.wind = {.velocity = {1e-4f, 0, 0}, .turbulence = 0};
    scene.fabrics[0].drag = 1.1f;
    Simulation simulation = make_simulation(scene);
    test::run(simulation, 3);
    const float before = simulation.position(12).y;
    test::run(simulation, 1);
    const double speed = static_cast<double>(before - simulation.position(12).y);
    EXPECT_NEAR(speed, std::sqrt(2 * 0.15 * 9.81 / (1.2 * 1.1)), 0.005);
}

TEST(Wind, StillAirDoesNothing) {
    SceneDesc scene = scene_with(GridShape{.cells = {4, 4}});
    Simulation without = make_simulation(scene);
    scene.wind = {.velocity = {}, .turbulence = 1, .seed = 99};
    scene.fabrics[0].drag = scene.fabrics[0].lift = 10;
    Simulation still = make_simulation(scene);
    test::run(without, 0.5);
    test::run(still, 0.5);
    EXPECT_EQ(still.hash(), without.hash());
}

TEST(Wind, FreeClothIsCarriedAlongUntilItGoesWithTheAir) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {6, 6}});
    scene.gravity = {};
    scene.wind = {.velocity = {0, 4, 0}, .turbulence = 0};
    Simulation simulation = make_simulation(scene);
    test::run(simulation, 10);
    const double mass = 0.15;
    EXPECT_NEAR(simulation.measure().kinetic_energy, 0.5 * mass * 16, 0.05 * 0.5 * mass * 16);
    EXPECT_GT(simulation.position(24).y, 30);
}

TEST(Wind, EnergyStaysBoundedInAStorm) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {12, 12}});
    scene.cloths[0].pins = {CornerPin{"-x-z"}, CornerPin{"-x+z"}};
    scene.wind = {.velocity = {30, 0, 5}, .turbulence = 1, .seed = 3};
    scene.fabrics[0].density = 0.02f;
    scene.fabrics[0].drag = scene.fabrics[0].lift = 2;
    Simulation simulation = make_simulation(scene);
    for (int k = 0; k < 150; ++k) {
        ASSERT_TRUE(simulation.step(frame).finite);
        ASSERT_LT(simulation.measure().kinetic_energy, 0.5 * 0.02 * 60 * 60) << "twice as fast as the wind";
    }
}

TEST(Wind, AnAbsurdStormStaysFinite) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {5, 5}});
    scene.wind = {.velocity = {1e6f, -1e6f, 1e6f}, .turbulence = 1, .seed = 3};
    scene.fabrics[0].density = 1e-6f;
    scene.fabrics[0].drag = scene.fabrics[0].lift = 10;
    Simulation simulation = make_simulation(scene);
    for (int k = 0; k < 30; ++k) simulation.step(frame);
    EXPECT_TRUE(test::all_finite(simulation));
}

TEST(Wind, ChangesWhileItBlowsAreThoseOfANewSimulation) {
    SceneDesc scene = scene_with(GridShape{.size = {1, 1}, .cells = {6, 6}});
    Simulation changed = make_simulation(scene);
    scene.wind = {.velocity = {1, 2, 0}, .turbulence = 0.5f, .seed = 5};
    scene.fabrics[0].drag = 1.5f;
    scene.fabrics[0].lift = 0.7f;
    ASSERT_TRUE(changed.change(scene));
    Simulation fresh = make_simulation(scene);
    test::run(changed, 1);
    test::run(fresh, 1);
    EXPECT_EQ(changed.hash(), fresh.hash());
}

} // namespace
} // namespace taffeta
