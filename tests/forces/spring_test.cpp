// The linear spring of [FGL03] Eq. 4.
#include "forces/spring.h"

#include "support/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

namespace taffeta {
namespace {

TEST(Spring, PullsWhenLongAndPushesWhenShort) {
    EXPECT_EQ(spring_force(Vec3d{}, Vec3d{2, 0, 0}, 10.0, 1.5), (Vec3d{5, 0, 0}));
    EXPECT_EQ(spring_force(Vec3d{}, Vec3d{0, 1, 0}, 10.0, 1.5), (Vec3d{0, -5, 0}));
    EXPECT_EQ(spring_force(Vec3d{}, Vec3d{0, 0, 1.5}, 10.0, 1.5), Vec3d{});
}

TEST(Spring, CoincidentEndsGiveNoForceAndNoNaN) {
    EXPECT_EQ(spring_force(Vec3d{1, 2, 3}, Vec3d{1, 2, 3}, 10.0, 1.0), Vec3d{});
}

TEST(Spring, ForceIsTheGradientOfItsEnergyAndActsBothWays) {
    test::Random random(5);
    for (int trial = 0; trial < 100; ++trial) {
        const Vec3d a = random.in_cube(1), b = random.in_cube(1);
        const double k = random.uniform(1, 50), l = random.uniform(0.1, 2);
        const auto energy = [&](const Vec3d& x) { return 0.5 * k * std::pow(length(b - x) - l, 2); };
        const Vec3d force = spring_force(a, b, k, l);
        for (int axis = 0; axis < 3; ++axis) {
            constexpr double step = 1e-6;
            Vec3d more = a, less = a;
            more[axis] += step;
            less[axis] -= step;
            EXPECT_NEAR(force[axis], -(energy(more) - energy(less)) / (2 * step), 1e-5);
        }
        const Vec3d sum = force + spring_force(b, a, k, l);
        EXPECT_NEAR(length(sum), 0, 1e-12);
    }
}

TEST(Spring, TwoParticlesSwingWithTheirReducedMass) { // F05
    constexpr double k = 40, m_i = 0.3, m_j = 0.7, l = 1, reduced = m_i * m_j / (m_i + m_j);
    const double period = 2 * std::numbers::pi * std::sqrt(reduced / k), dt = period / 200;

    // Verlet, Eq. 15. The length crosses its rest value twice per period.
    Vec3d x_i = {}, x_j = {1.1 * l, 0, 0}, i_prev = x_i, j_prev = x_j;
    std::optional<double> first;
    double last = 0;
    int crossings = 0;
    for (int step = 1; step <= 2100; ++step) {
        const Vec3d f = spring_force(x_i, x_j, k, l);
        const Vec3d i_next = 2 * x_i - i_prev + f * (dt * dt / m_i), j_next = 2 * x_j - j_prev - f * (dt * dt / m_j);
        const double before = length(x_j - x_i) - l, after = length(j_next - i_next) - l;
        if (before * after < 0) {
            last = (step - 1 + before / (before - after)) * dt;
            if (!first) first = last;
            ++crossings;
        }
        i_prev = x_i, x_i = i_next;
        j_prev = x_j, x_j = j_next;
    }
    ASSERT_GE(crossings, 20);
    EXPECT_NEAR((last - *first) / (crossings - 1) * 2 / period, 1, 0.01);
}

} // namespace
} // namespace taffeta
