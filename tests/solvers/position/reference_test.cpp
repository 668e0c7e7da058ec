// The oracle itself: what the paper prints, to the last digits of double precision.
#include "solvers/position/reference.h"

#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

TEST(ReferenceLimit, AStretchedEdgeComesBackToItsGreatestLength) { // F08
    test::Random random(1);
    for (int trial = 0; trial < 1000; ++trial) {
        const double l = random.uniform(0.01, 2);
        const Vec3d start = random.in_cube(0.1);
        std::vector<Vec3d> x = {start, start + random.direction() * (1.3 * l)};
        const std::vector<double> w = {random.uniform(0.1, 1000), random.uniform(0.1, 1000)};
        project_reference_limit({0, 1, 0.9 * l, 1.1 * l}, x, w);
        EXPECT_NEAR(length(x[1] - x[0]), 1.1 * l, 1e-12);
    }
}

TEST(ReferenceLimit, ACompressedEdgeComesBackToItsLeastLength) { // F08
    std::vector<Vec3d> x = {{}, {0, 0.5, 0}};
    project_reference_limit({0, 1, 0.9, 1.1}, x, {2, 3});
    EXPECT_NEAR(length(x[1] - x[0]), 0.9, 1e-12);
}

TEST(ReferenceLimit, WithinTheDeadZoneNotABitChanges) { // F08
    const std::vector<Vec3d> before = {{0.1, 0.2, 0.3}, {1.05, 0.21, 0.33}};
    std::vector<Vec3d> x = before;
    project_reference_limit({0, 1, 0.9, 1.1}, x, {2, 3});
    EXPECT_EQ(x, before);
}

TEST(ReferenceLimit, InfiniteMassesFollowEquation11) { // F12
    std::vector<Vec3d> x = {{}, {3, 0, 0}};
    project_reference_limit({0, 1, 1, 1}, x, {0, 0});
    EXPECT_EQ(x[1], (Vec3d{3, 0, 0}));
    project_reference_limit({0, 1, 1, 1}, x, {0, 5});
    EXPECT_EQ(x[0], Vec3d{});
    EXPECT_NEAR(x[1].x, 1, 1e-15);
    x = {{1, 1, 1}, {1, 1, 1}};
    project_reference_limit({0, 1, 1, 1}, x, {1, 1}); // coincident: no direction, nothing to do
    EXPECT_EQ(x[0], (Vec3d{1, 1, 1}));
}

// Edges and bending pairs in mesh order.
ReferenceCloth make_cloth(const Mesh& mesh, double d_min, double d_max, double bend) {
    ReferenceCloth cloth;
    for (const Vec3& p : mesh.positions) cloth.x.push_back(vector_cast<double>(p));
    cloth.x_prev = cloth.rest = cloth.x;
    for (const double m : lump_masses(mesh.positions, mesh.triangles, 0.15)) cloth.inverse_mass.push_back(1 / m);
    const Topology topology = make_topology(mesh.triangles);
    const auto rest = [&](const Pair& pair) { return length(cloth.x[pair.j] - cloth.x[pair.i]); };
    for (const Pair& pair : topology.edges)
        cloth.limits.push_back({pair.i, pair.j, d_min * rest(pair), d_max * rest(pair)});
    for (const Pair& pair : topology.opposite) cloth.limits.push_back({pair.i, pair.j, bend * rest(pair), 1e300});
    return cloth;
}

TEST(ReferenceCloth, CentreOfMassOf1024IrregularMassesStays) { // F09
    const Mesh mesh = test::make_irregular(make_grid({1, 1}, {31, 31}, Diagonals::alternate), 0.01, 5);
    ReferenceCloth cloth = make_cloth(mesh, 1, 1, 0.9);
    ASSERT_EQ(cloth.x.size(), 1024u);
    cloth.gravity = {};
    test::Random random(6);
    for (Vec3d& p : cloth.x) p = random.in_cube(0.5);
    cloth.x_prev = cloth.x;
    const auto centre = [&] {
        Vec3d sum;
        double mass = 0;
        for (std::size_t p = 0; p < cloth.x.size(); ++p) {
            sum += cloth.x[p] * (1 / cloth.inverse_mass[p]);
            mass += 1 / cloth.inverse_mass[p];
        }
        return sum * (1 / mass);
    };
    const Vec3d before = centre();
    for (int step = 0; step < 1200; ++step) cloth.step(1.0 / 120);
    EXPECT_LE(length(centre() - before), 1e-12); // L = 1 m
}

TEST(ReferenceCloth, PinnedParticlesStay) { // F12
    ReferenceCloth cloth = make_cloth(make_grid({1, 1}, {8, 8}, Diagonals::alternate), 1, 1, 0.9);
    cloth.inverse_mass[0] = cloth.inverse_mass[1] = cloth.inverse_mass[8] = 0;
    const std::vector<Vec3d> before = cloth.x;
    for (int step = 0; step < 240; ++step) cloth.step(1.0 / 120);
    for (const std::size_t p : {0u, 1u, 8u}) EXPECT_EQ(cloth.x[p], before[p]);
    for (const Vec3d& p : cloth.x) EXPECT_TRUE(is_finite(p));
    EXPECT_LT(cloth.x[76].y, -0.5);
}

TEST(ReferenceCloth, SpheresAndBoxesKeepTheThickness) { // F18: 1e-6
    for (const bool on_sphere : {true, false}) {
        ReferenceCloth cloth = make_cloth(make_grid({1, 1}, {14, 14}, Diagonals::alternate), 1, 1, 0.9);
        cloth.thickness = 0.01;
        cloth.friction = 0.5;
        cloth.velocity_factor = 0.99;
        if (on_sphere)
            cloth.spheres = {{{0.01, -0.4, 0}, 0.35}};
        else
            cloth.boxes = {{{-0.3, -0.5, -0.2}, {0.3, -0.1, 0.2}}};
        double least = 1e9;
        for (int step = 0; step < 360; ++step) {
            cloth.step(1.0 / 120);
            for (const Vec3d& p : cloth.x) {
                double d = length(p - Vec3d{0.01, -0.4, 0}) - 0.35;
                if (!on_sphere) {
                    const Vec3d beyond = {std::max(0.0, std::abs(p.x) - 0.3), std::max(0.0, std::abs(p.y + 0.3) - 0.2),
                                          std::max(0.0, std::abs(p.z) - 0.2)};
                    d = length(beyond);
                }
                ASSERT_GE(d, 0.01 - 1e-6);
                least = std::min(least, d);
            }
        }
        EXPECT_NEAR(least, 0.01, 1e-6);
    }
}

TEST(ReferenceCloth, FrictionScalesTheTangentialStep) { // F19
    for (const double c_f : {0.0, 0.3, 1.0}) {
        ReferenceCloth cloth;
        cloth.x = {{0.01, 0.999, 0.02}};
        cloth.x_prev = {{0, 1, 0}};
        cloth.inverse_mass = {1};
        cloth.gravity = {};
        cloth.boxes = {{{-5, 0, -5}, {5, 1, 5}}};
        cloth.friction = c_f;
        cloth.step(1.0 / 120);
        EXPECT_NEAR(cloth.x[0].x, 0.01 + 0.01 * (1 - c_f), 1e-15);
        EXPECT_NEAR(cloth.x[0].z, 0.02 + 0.02 * (1 - c_f), 1e-15);
        EXPECT_NEAR(cloth.x[0].y, 1, 1e-15);
    }
}

TEST(ReferenceCloth, SelfCollisionKeepsLayersApart) { // F16
    // One sheet falls on another that is held.
    Mesh both = make_grid({0.5f, 0.5f}, {10, 10}, Diagonals::alternate);
    test::append(make_grid({0.3f, 0.3f}, {6, 6}, Diagonals::alternate), {0.012f, 0.1f, 0.017f}, both);
    ReferenceCloth cloth = make_cloth(both, 1, 1, 0.9);
    for (std::size_t p = 0; p < 121; ++p) cloth.inverse_mass[p] = 0;
    cloth.self_radius.assign(both.positions.size(), 0.03);
    cloth.velocity_factor = 0.99;
    cloth.iterations = 20;
    for (int step = 0; step < 60; ++step) cloth.step(1.0 / 120);
    double least = 1e9;
    for (std::size_t i = 0; i < 121; ++i)
        for (std::size_t j = 121; j < both.positions.size(); ++j)
            least = std::min(least, length(cloth.x[j] - cloth.x[i]));
    EXPECT_GE(least, 0.06 * 0.99);
    EXPECT_LE(least, 0.06 * 1.05);
}

} // namespace
} // namespace taffeta
