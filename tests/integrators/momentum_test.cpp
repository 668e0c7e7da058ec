// What a rigid correction gives back.
#include "integrators/momentum.h"

#include "support/random.h"

#include <gtest/gtest.h>

#include <numeric>

namespace taffeta {
namespace {

struct Cloud {
    std::vector<Vec4> x, v;
    std::vector<double> mass;
    std::vector<Index> all;
};

Cloud some_cloud(bool in_line) {
    test::Random random(2);
    Cloud cloud;
    for (Index p = 0; p < 50; ++p) {
        const Vec3 at = in_line ? Vec3{random.uniform_float(-1, 1), 0, 0} : random.in_cube_float(1);
        const Vec3 way = random.in_cube_float(2);
        cloud.x.push_back({at.x, at.y, at.z, 0});
        cloud.v.push_back({way.x, way.y, way.z, 0});
        cloud.mass.push_back(random.uniform(0.1, 1));
        cloud.all.push_back(p);
    }
    return cloud;
}

double largest(const Vec3d& a) {
    return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
}

TEST(Momentum, IsWhatItWasAfterVelocitiesWereChangedAtRandom) {
    Cloud cloud = some_cloud(false);
    const Momentum before = momentum_of(cloud.all, cloud.x, cloud.v, cloud.mass);
    test::Random random(3);
    for (Vec4& v : cloud.v) v.set_xyz(v.xyz() + random.in_cube_float(0.5));
    restore_momentum(before, cloud.all, cloud.x, cloud.mass, cloud.v);
    const Momentum after = momentum_of(cloud.all, cloud.x, cloud.v, cloud.mass);
    EXPECT_LT(largest(after.linear - before.linear), 1e-5);
    EXPECT_LT(largest(after.angular - before.angular), 1e-5);
}

TEST(Momentum, OfARigidTurnIsInertiaTimesRate) {
    Cloud cloud = some_cloud(true); // about y: the sum of m x^2 about the centre
    double mass = 0, centre = 0, inertia = 0;
    for (Index p = 0; p < 50; ++p) mass += cloud.mass[p], centre += cloud.mass[p] * static_cast<double>(cloud.x[p].x);
    centre /= mass;
    for (Index p = 0; p < 50; ++p) {
        const double arm = static_cast<double>(cloud.x[p].x) - centre;
        inertia += cloud.mass[p] * arm * arm;
        cloud.v[p] = {0, 0, static_cast<float>(-3 * arm), 0};
    }
    EXPECT_NEAR(momentum_of(cloud.all, cloud.x, cloud.v, cloud.mass).angular.y, 3 * inertia, 1e-5);
}

TEST(Momentum, APieceInALineIsNotTurnedAboutIt) {
    Cloud cloud = some_cloud(true);
    Momentum wanted = momentum_of(cloud.all, cloud.x, cloud.v, cloud.mass);
    wanted.angular.x += 1;
    wanted.angular.y += 1;
    restore_momentum(wanted, cloud.all, cloud.x, cloud.mass, cloud.v);
    const Momentum after = momentum_of(cloud.all, cloud.x, cloud.v, cloud.mass);
    EXPECT_NEAR(after.angular.y, wanted.angular.y, 1e-5);
    for (const Vec4& v : cloud.v) EXPECT_TRUE(is_finite(v.xyz()));
}

} // namespace
} // namespace taffeta
