// The force of the wind on a face, and turbulence.
#include "forces/wind.h"

#include "support/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace taffeta {
namespace {

// A right triangle in XZ with two sides of this length.
Vec3 force_on_plate(const Vec3& u, float side, float drag, float lift) {
    return wind_force(u, {0, 0, 0}, {0, 0, side}, {side, 0, 0}, drag, lift);
}

TEST(Wind, PlateAcrossTheWindHasTheTextbookDrag) { // 1/2 rho A v^2 C
    const Vec3 force = force_on_plate({0, 3, 0}, 2, 0.7f, 0.5f);
    EXPECT_NEAR(force.y, 0.5f * 1.2f * 2.0f * 9.0f * 0.7f, 1e-5f);
    EXPECT_NEAR(force.x, 0, 1e-6f) << "there is no lift on a plate across the wind";
    EXPECT_NEAR(force.z, 0, 1e-6f);
}

TEST(Wind, ForceGrowsWithTheAreaAndTheSquareOfTheSpeed) {
    const Vec3 u = {1, 2, -0.5f};
    const Vec3 one = force_on_plate(u, 1, 0.7f, 0.5f), large = force_on_plate(u, 3, 0.7f, 0.5f),
               fast = force_on_plate(u * 4, 1, 0.7f, 0.5f);
    for (int axis = 0; axis < 3; ++axis) {
        EXPECT_NEAR(large[axis], 9 * one[axis], 1e-4f);
        EXPECT_NEAR(fast[axis], 16 * one[axis], 1e-4f);
    }
}

TEST(Wind, DragGoesWithTheCosineAndLiftIsAcrossTheWind) {
    for (int degrees = 0; degrees <= 90; degrees += 5) {
        const double angle = degrees * std::numbers::pi / 180; // between the wind and the normal
        const Vec3 u = vector_cast<float>(Vec3d{2 * std::sin(angle), 2 * std::cos(angle), 0});
        const double full = 0.5 * 1.2 * 0.5 * 4;
        const Vec3 drag = force_on_plate(u, 1, 1, 0), lift = force_on_plate(u, 1, 0, 1);
        EXPECT_NEAR(dot(drag, normalized(u)), full * std::cos(angle), 1e-5);
        EXPECT_NEAR(length(cross(drag, u)), 0, 1e-5) << "the way the air goes";
        EXPECT_NEAR(dot(lift, u), 0, 1e-5);
        EXPECT_NEAR(length(lift), full * std::cos(angle) * std::sin(angle), 1e-5);
        EXPECT_GE(lift.y, -1e-6) << "towards the lee";
    }
}

TEST(Wind, FrontAndBackFeelTheSameAndTheOppositeWindTheOpposite) {
    test::Random random(3);
    for (int trial = 0; trial < 100; ++trial) {
        const Vec3 a = random.in_cube_float(1), b = random.in_cube_float(1), c = random.in_cube_float(1);
        const Vec3 u = random.in_cube_float(5);
        const Vec3 front = wind_force(u, a, b, c, 0.7f, 0.3f), back = wind_force(u, a, c, b, 0.7f, 0.3f),
                   opposite = wind_force(u * -1, a, b, c, 0.7f, 0.3f);
        EXPECT_NEAR(length(front - back), 0, 1e-5f);
        EXPECT_NEAR(length(front + opposite), 0, 1e-5f);
        EXPECT_GE(dot(front, u), 0) << "air never drives cloth against its own way";
    }
}

TEST(Wind, FacesWithoutAreaAndAirThatRestsGiveNoForceAndNoNaN) {
    EXPECT_EQ(wind_force({1, 2, 3}, {1, 1, 1}, {1, 1, 1}, {2, 2, 2}, 1, 1), Vec3{});
    EXPECT_EQ(force_on_plate({}, 1, 1, 1), Vec3{});
}

TEST(Wind, FacesAtAParticleAreThoseThatNameIt) {
    const Mesh mesh = make_grid({1, 1}, {3, 2}, Diagonals::alternate);
    const auto particles = static_cast<Index>(mesh.positions.size());
    const FacesAt faces_at = find_faces_at(mesh.triangles, particles);
    for (Index p = 0; p < particles; ++p) {
        std::vector<Index> expected;
        for (Index f = 0; f < mesh.triangles.size(); ++f)
            for (const Index corner : mesh.triangles[f])
                if (corner == p) expected.push_back(f);
        EXPECT_EQ(
            std::vector<Index>(faces_at.at.begin() + faces_at.begin[p], faces_at.at.begin() + faces_at.begin[p + 1]),
            expected);
    }
}

TEST(Wind, OneStepNeverMakesClothFasterThanTheAir) {
    const std::vector<Triangle> faces = {{0, 1, 2}};
    const std::vector<Vec4> x = {{0, 0, 0, 1e6f}, {0, 0, 1, 1e6f}, {1, 0, 0, 1e6f}}; // a microgram each
    std::vector<Vec4> v(3), force(1);
    find_wind_forces({{0, 20, 0}, 0, 1}, 0, 10, 10, faces, x, v, force);
    add_wind(1.0f, find_faces_at(faces, 3), force, 0, 3, x, v);
    for (const Vec4& velocity : v) EXPECT_NEAR(velocity.y, 20, 1e-4f);
}

// --- turbulence

constexpr WindDesc gusty = {.velocity = {3, 0, 4}, .turbulence = 0.6f, .seed = 7};

TEST(Turbulence, StaysWithinItsShareOfTheSpeedAndReachesMuchOfIt) {
    test::Random random(4);
    float largest = 0;
    Vec3d sum;
    constexpr int trials = 20'000;
    for (int trial = 0; trial < trials; ++trial) {
        const Vec3 gust = wind_at(gusty, random.in_cube_float(50), random.uniform(0, 100)) - gusty.velocity;
        for (int axis = 0; axis < 3; ++axis) {
            ASSERT_LE(std::abs(gust[axis]), 0.6f * 5);
            largest = std::max(largest, std::abs(gust[axis]));
        }
        sum += vector_cast<double>(gust);
    }
    EXPECT_GT(largest, 0.5f * 0.6f * 5);
    EXPECT_LT(length(sum) / trials, 0.05) << "on the whole the wind is that of the scene";
}

TEST(Turbulence, IsSmoothInSpaceAndTime) {
    test::Random random(5);
    for (int trial = 0; trial < 1000; ++trial) {
        const Vec3 p = random.in_cube_float(20);
        const double t = random.uniform(0, 50);
        const Vec3 here = wind_at(gusty, p, t);
        EXPECT_LT(length(wind_at(gusty, p + Vec3{1e-3f, 0, 0}, t) - here), 0.1f);
        EXPECT_LT(length(wind_at(gusty, p, t + 1e-3) - here), 0.3f);
    }
}

TEST(Turbulence, DependsOnTheSeedAndIsNothingWithoutTurbulence) {
    WindDesc other = gusty;
    other.seed = 8;
    EXPECT_NE(wind_at(gusty, {1, 2, 3}, 4), wind_at(other, {1, 2, 3}, 4));
    other.turbulence = 0;
    EXPECT_EQ(wind_at(other, {1, 2, 3}, 4), other.velocity);
}

TEST(Turbulence, HasTheSameBitsOnEveryMachine) {
    const Vec3 gust = wind_at(gusty, {1.5f, -2.25f, 0.125f}, 3.5);
    EXPECT_EQ(gust.x, 0x1.84c596p+1f) << std::hexfloat << gust.x;
    EXPECT_EQ(gust.y, 0x1.eeb348p-2f) << std::hexfloat << gust.y;
    EXPECT_EQ(gust.z, 0x1.04c22cp+2f) << std::hexfloat << gust.z;
}

TEST(Turbulence, PlacesThatAreNoNumbersGiveNoTrap) {
    const float nan = std::nanf("");
    EXPECT_EQ(wind_at(gusty, {nan, 1e38f, 0}, 1), gusty.velocity);
}

} // namespace
} // namespace taffeta
