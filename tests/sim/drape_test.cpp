// Fig. 2: what the bending coefficient does to a drape.
#include "support/simulations.h"

#include <gtest/gtest.h>

namespace taffeta {
namespace {

// As scenes/sphere_soft.toml, with 16 sweeps: the more there are the more the coefficient shows.
double shadow_on_sphere(float bend_limit) {
    SceneDesc scene = test::scene_with(GridShape{.size = {1, 1}, .cells = {39, 39}});
    scene.solver.velocity_factor = 0.99f;
    scene.solver.iterations = 16;
    scene.solver.acceleration = false;
    scene.fabrics[0].bend_limit = bend_limit;
    scene.fabrics[0].friction = 0.5f;
    scene.cloths[0].position = {0, 0.4f, 0};
    scene.colliders = {{.shape = Sphere{0.35f}}};
    Simulation simulation = test::make_simulation(scene);
    EXPECT_EQ(simulation.vertex_count(), 1600u);
    EXPECT_TRUE(test::run(simulation, 3));
    return test::shadow_area(test::positions_of(simulation), simulation.triangles(), 0.001);
}

TEST(Drape, TheShadowGrowsWithTheBendingCoefficient) { // F10
    const double limp = shadow_on_sphere(0.80f), soft = shadow_on_sphere(0.89f), stiff = shadow_on_sphere(0.99f);
    EXPECT_LT(limp, soft);
    EXPECT_LT(soft, stiff);
    EXPECT_GE(stiff - soft, 0.015) << limp << " " << soft << " " << stiff << " m^2";
    EXPECT_GT(limp, 0.385); // the sphere's own shadow
    EXPECT_LT(stiff, 1);
}

TEST(Shadow, OfAFlatClothIsItsArea) { // the measure itself
    const Mesh grid = make_grid({0.5f, 0.3f}, {5, 3}, Diagonals::alternate);
    EXPECT_NEAR(test::shadow_area(grid.positions, grid.triangles, 0.001), 0.15, 0.001);
    Mesh twice = grid; // two layers cast one shadow
    for (const Vec3& p : grid.positions) twice.positions.push_back(p + Vec3{0, 1, 0});
    const auto first = static_cast<Index>(grid.positions.size());
    for (const Triangle& t : grid.triangles) twice.triangles.push_back({first + t[0], first + t[1], first + t[2]});
    EXPECT_NEAR(test::shadow_area(twice.positions, twice.triangles, 0.001), 0.15, 0.001);
}

} // namespace
} // namespace taffeta
