// The energy of a triangle in its plane: derivatives against differences, and answers known from the law.
#include "energies/membrane.h"

#include "support/random.h"

#include <Eigen/Eigenvalues>

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

using Vector9 = Eigen::Matrix<double, 9, 1>;

constexpr MembraneStiffness law = {.warp = 800, .weft = 500, .across = 150, .shear = 60};

Eigen::Vector2d in_square(test::Random& random) {
    const double x = random.uniform(-0.1, 0.1), y = random.uniform(-0.1, 0.1);
    return {x, y};
}

// Triangles of any shape that are no slivers, and somewhere in space, drawn out, sheared or squeezed.
struct Sample {
    MembraneTriangle triangle;
    Eigen::Matrix3d x;
};
Sample random_sample(test::Random& random, double strain) {
    for (;;) {
        const std::array<Eigen::Vector2d, 3> corners = {in_square(random), in_square(random), in_square(random)};
        Sample sample = {make_membrane({0, 1, 2}, corners), {}};
        if (sample.triangle.area < 1e-3) continue;
        const Vec3d w = random.direction(), t = random.in_ball(1);
        const Eigen::Vector3d warp = Eigen::Vector3d(w.x, w.y, w.z), helper(t.x, t.y, t.z + 2);
        const Eigen::Vector3d weft = warp.cross(helper).normalized();
        Eigen::Matrix<double, 3, 2> f;
        f << warp, weft;
        for (int k = 0; k < 6; ++k) f(k % 3, k / 3) += random.uniform(-strain, strain);
        for (int k = 0; k < 3; ++k) sample.x.col(k) = f * corners[static_cast<std::size_t>(k)];
        return sample;
    }
}

Eigen::Matrix3d moved(const Eigen::Matrix3d& x, int coordinate, double by) {
    Eigen::Matrix3d y = x;
    y(coordinate % 3, coordinate / 3) += by;
    return y;
}

TEST(Membrane, ForceAndHessianAreTheDifferencesOfEnergyAndForce) {
    test::Random random(1);
    for (int k = 0; k < 200; ++k) {
        const auto [triangle, x] = random_sample(random, 0.3);
        const ElementEnergy at = membrane_energy(triangle, law, x);
        constexpr double h = 1e-6;
        for (int c = 0; c < 9; ++c) {
            const ElementEnergy after = membrane_energy(triangle, law, moved(x, c, h));
            const ElementEnergy before = membrane_energy(triangle, law, moved(x, c, -h));
            EXPECT_NEAR((after.energy - before.energy) / (2 * h), at.gradient[c], 1e-6 * (1 + at.gradient.norm()));
            const Vector9 column = (after.gradient - before.gradient) / (2 * h);
            EXPECT_LT((column - at.hessian.col(c)).norm(), 1e-5 * (1 + at.hessian.norm()));
        }
    }
}

TEST(Membrane, AtRestInAnyPlaceThereIsNoForce) {
    test::Random random(2);
    for (int k = 0; k < 50; ++k) {
        const auto [triangle, x] = random_sample(random, 0);
        const ElementEnergy at = membrane_energy(triangle, law, x);
        EXPECT_NEAR(at.energy, 0, 1e-20);
        EXPECT_LT(at.gradient.norm(), 1e-9);
    }
}

TEST(Membrane, ThePositiveHessianHasNoNegativeEigenvalueAndIsTheExactOneInTension) {
    test::Random random(3);
    int squeezed = 0;
    for (int k = 0; k < 200; ++k) {
        const auto [triangle, x] = random_sample(random, 0.5);
        const Eigen::Matrix<double, 9, 9> exact = membrane_energy(triangle, law, x).hessian;
        const Eigen::Matrix<double, 9, 9> positive = membrane_energy(triangle, law, x, Hessian::positive).hessian;
        const double least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>(positive).eigenvalues()[0];
        EXPECT_GT(least, -1e-9 * positive.norm());
        const double exact_least = Eigen::SelfAdjointEigenSolver<Eigen::Matrix<double, 9, 9>>(exact).eigenvalues()[0];
        if (exact_least < -1e-9 * exact.norm())
            ++squeezed;
        else
            EXPECT_LT((exact - positive).norm(), 1e-9 * exact.norm());
    }
    EXPECT_GT(squeezed, 20);
}

TEST(Membrane, StretchContractionAndShearFollowTheLaw) {
    const std::array<Eigen::Vector2d, 3> corners = {Eigen::Vector2d(0, 0), Eigen::Vector2d(0.2, 0.05),
                                                    Eigen::Vector2d(0.03, 0.1)};
    const MembraneTriangle triangle = make_membrane({0, 1, 2}, corners);
    const auto energy = [&](double warp, double weft, double sine) {
        Eigen::Matrix<double, 3, 2> f = Eigen::Matrix<double, 3, 2>::Zero();
        f(0, 0) = warp;
        f(0, 1) = weft * sine, f(1, 1) = weft * std::sqrt(1 - sine * sine);
        Eigen::Matrix3d x;
        for (int k = 0; k < 3; ++k) x.col(k) = f * corners[static_cast<std::size_t>(k)];
        return membrane_energy(triangle, law, x).energy / triangle.area;
    };
    EXPECT_NEAR(energy(1.1, 1, 0), 0.5 * 800 * 0.01, 1e-12);
    EXPECT_NEAR(energy(1, 1.2, 0), 0.5 * 500 * 0.04, 1e-12);
    EXPECT_NEAR(energy(1.1, 1.2, 0), 0.5 * (800 * 0.01 + 500 * 0.04) + 150 * 0.02, 1e-12);
    EXPECT_NEAR(energy(1, 1, 0.1), 0.5 * 60 * 0.01, 1e-12);
    // Drawn out along the warp and free across, the weft gives by across/weft of it.
    const double contraction = 0.1 * 150 / 500;
    EXPECT_LT(energy(1.1, 1 - contraction, 0), energy(1.1, 1 - contraction + 1e-3, 0));
    EXPECT_LT(energy(1.1, 1 - contraction, 0), energy(1.1, 1 - contraction - 1e-3, 0));
}

TEST(Membrane, ATriangleThatIsCrushedToAPointStaysFinite) {
    const MembraneTriangle triangle =
        make_membrane({0, 1, 2}, {Eigen::Vector2d(0, 0), Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 1)});
    const ElementEnergy at = membrane_energy(triangle, law, Eigen::Matrix3d::Zero(), Hessian::positive);
    EXPECT_TRUE(std::isfinite(at.energy) && at.gradient.allFinite() && at.hessian.allFinite());
}

} // namespace
} // namespace taffeta
