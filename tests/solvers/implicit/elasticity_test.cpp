// The energies of all cloth together: forces against differences, with rest shapes, damping and friction within.
#include "solvers/implicit/elasticity.h"

#include "support/random.h"

#include <taffeta/mesh.h>

#include <gtest/gtest.h>

namespace taffeta {
namespace {

struct Cloth {
    Elasticity elasticity;
    Eigen::Matrix3Xd x; // somewhat deformed
};

// A small sheet, flat or rolled at rest, with everything a law can have.
Cloth some_cloth(bool is_rolled, const SheetLaw& law) {
    const Mesh mesh = make_grid({0.1f, 0.08f}, {5, 4}, Diagonals::alternate);
    test::Random random(3);
    std::vector<Eigen::Vector3d> rest, warp;
    for (const Vec3& p : mesh.positions) {
        const double s = static_cast<double>(p.x), z = static_cast<double>(p.z), radius = 0.06;
        rest.push_back(is_rolled ? Eigen::Vector3d(radius * std::sin(s / radius), radius * std::cos(s / radius), z)
                                 : Eigen::Vector3d(s, 0, z));
    }
    for (const Triangle& t : mesh.triangles) {
        const Eigen::Vector3d a = rest[t[1]] - rest[t[0]], b = rest[t[2]] - rest[t[0]];
        const Eigen::Vector3d along = std::abs(a.x()) > std::abs(b.x()) ? a : b;
        warp.push_back(along.normalized());
    }
    Sheet sheet;
    add_cloth(law, mesh.triangles, rest, warp, {}, sheet);
    Cloth cloth = {Elasticity(std::move(sheet)), Eigen::Matrix3Xd(3, static_cast<Eigen::Index>(rest.size()))};
    for (std::size_t p = 0; p < rest.size(); ++p) {
        const Vec3d off = random.in_ball(0.003);
        cloth.x.col(static_cast<Eigen::Index>(p)) = rest[p] + Eigen::Vector3d(off.x, off.y, off.z);
    }
    return cloth;
}

constexpr SheetLaw with_everything = {.membrane = {.warp = 300, .weft = 200, .across = 30, .shear = 40},
                                      .bending = {.warp = 2e-4, .weft = 1e-4, .across = 1e-5, .twist = 6e-5},
                                      .friction_moment = 2e-4,
                                      .stretch_damping = 0.01,
                                      .bend_damping = 0.02};

TEST(Elasticity, ForcesAreTheDifferencesOfTheEnergy) { // [Wal06] Eq. 4
    const Parallel parallel(1);
    for (const bool is_rolled : {false, true}) {
        Cloth cloth = some_cloth(is_rolled, with_everything);
        Eigen::Matrix3Xd before = cloth.x;
        before.row(1) *= 0.9; // the step came from another shape
        cloth.elasticity.begin_step(before, 0.01, parallel);
        Eigen::Matrix3Xd gradient = Eigen::Matrix3Xd::Zero(3, cloth.x.cols());
        cloth.elasticity.add_gradient(cloth.x, parallel, gradient);
        constexpr double h = 1e-7;
        for (Eigen::Index k = 0; k < cloth.x.size(); k += 5) {
            Eigen::Matrix3Xd after = cloth.x, ahead = cloth.x;
            after.data()[k] += h, ahead.data()[k] -= h;
            const double slope =
                (cloth.elasticity.energy(after, parallel) - cloth.elasticity.energy(ahead, parallel)) / (2 * h);
            EXPECT_NEAR(slope, gradient.data()[k], 1e-6 * gradient.norm());
        }
    }
}

TEST(Elasticity, TheExactStiffnessIsTheDifferenceOfTheForces) {
    const Parallel parallel(1);
    const SheetLaw plain = {.membrane = with_everything.membrane, .bending = with_everything.bending};
    Cloth cloth = some_cloth(false, plain);
    cloth.elasticity.prefer(Curvature::exact);
    const auto gradient_at = [&](const Eigen::Matrix3Xd& x) -> Eigen::Matrix3Xd {
        Eigen::Matrix3Xd gradient = Eigen::Matrix3Xd::Zero(3, x.cols());
        cloth.elasticity.add_gradient(x, parallel, gradient);
        return gradient;
    };
    constexpr double h = 1e-7;
    test::Random random(5);
    Eigen::Matrix3Xd way(3, cloth.x.cols());
    for (Eigen::Index k = 0; k < way.size(); ++k) way.data()[k] = random.uniform(-1, 1);
    const Eigen::Matrix3Xd change = (gradient_at(cloth.x + h * way) - gradient_at(cloth.x - h * way)) / (2 * h);
    gradient_at(cloth.x);
    Stiffness stiffness = cloth.elasticity.make_stiffness();
    cloth.elasticity.fill(parallel, stiffness);
    Eigen::Matrix3Xd product(3, way.cols());
    for (Index p = 0; p < way.cols(); ++p) product.col(p) = stiffness.times(way, p);
    EXPECT_LT((product - change).norm(), 1e-6 * change.norm());
}

TEST(Elasticity, ARolledRestShapeIsAtRest) {
    const Parallel parallel(1);
    const SheetLaw plain = {.membrane = with_everything.membrane, .bending = with_everything.bending};
    Cloth cloth = some_cloth(true, plain);
    const Mesh mesh = make_grid({0.1f, 0.08f}, {5, 4}, Diagonals::alternate);
    for (std::size_t p = 0; p < mesh.positions.size(); ++p) {
        const double s = static_cast<double>(mesh.positions[p].x) / 0.06;
        cloth.x.col(static_cast<Eigen::Index>(p)) =
            Eigen::Vector3d(0.06 * std::sin(s), 0.06 * std::cos(s), static_cast<double>(mesh.positions[p].z));
    }
    Eigen::Matrix3Xd gradient = Eigen::Matrix3Xd::Zero(3, cloth.x.cols());
    cloth.elasticity.add_gradient(cloth.x, parallel, gradient);
    // Flattened, it pulls with about D/R^2 per width and length.
    EXPECT_LT(gradient.norm(), 1e-9);
}

// Bent to and fro, the moment at one curvature differs by the whole of 2HB on the way there and back.
TEST(Elasticity, BendingBackLeavesTheHysteresisOfTheFabric) {
    const Parallel parallel(1);
    SheetLaw law = {.membrane = with_everything.membrane,
                    .bending = {.warp = 1e-5, .weft = 1e-5, .across = 0, .twist = 5e-6},
                    .friction_moment = 3e-4};
    const Mesh mesh = make_grid({0.04f, 0.02f}, {16, 4}, Diagonals::alternate);
    std::vector<Eigen::Vector3d> rest;
    for (const Vec3& p : mesh.positions) rest.emplace_back(static_cast<double>(p.x), 0, static_cast<double>(p.z));
    Sheet sheet;
    add_cloth(law, mesh.triangles, rest, std::vector<Eigen::Vector3d>(mesh.triangles.size(), Eigen::Vector3d::UnitX()),
              {}, sheet);
    Elasticity elasticity(std::move(sheet));
    const auto bent = [&](double curvature) -> Eigen::Matrix3Xd {
        Eigen::Matrix3Xd x(3, static_cast<Eigen::Index>(rest.size()));
        for (std::size_t p = 0; p < rest.size(); ++p) {
            const double angle = rest[p].x() * curvature;
            x.col(static_cast<Eigen::Index>(p)) << std::sin(angle) / curvature, (1 - std::cos(angle)) / curvature,
                rest[p].z();
        }
        return x;
    };
    const auto bend_to = [&](double curvature) {
        elasticity.begin_step(bent(curvature), 1, parallel);
        elasticity.end_step(bent(curvature), parallel);
    };
    // The moment is the energy's slope over curvature, per area.
    const auto moment_at = [&](double curvature) {
        constexpr double step = 0.01, area = 0.04 * 0.02;
        return (elasticity.energy(bent(curvature + step), parallel) -
                elasticity.energy(bent(curvature - step), parallel)) /
               (2 * step * area);
    };
    for (double k = 5; k <= 100; k += 5) bend_to(k);
    const double there = moment_at(100 + 0.1);
    for (double k = 100; k <= 200; k += 5) bend_to(k);
    for (double k = 195; k >= 100; k -= 5) bend_to(k);
    const double back = moment_at(100 - 0.1);
    EXPECT_NEAR(there - back, 2 * law.friction_moment, 0.05 * 2 * law.friction_moment);
    EXPECT_NEAR((there + back) / 2, 1e-5 * 100, 0.05 * 1e-3);
}

TEST(Elasticity, SameBitsForEveryNumberOfThreads) {
    Cloth cloth = some_cloth(true, with_everything);
    Eigen::Matrix3Xd one = Eigen::Matrix3Xd::Zero(3, cloth.x.cols()), four = one;
    cloth.elasticity.add_gradient(cloth.x, Parallel(1), one);
    cloth.elasticity.add_gradient(cloth.x, Parallel(4), four);
    EXPECT_EQ(one, four);
    EXPECT_EQ(cloth.elasticity.energy(cloth.x, Parallel(1)), cloth.elasticity.energy(cloth.x, Parallel(4)));
}

} // namespace
} // namespace taffeta
