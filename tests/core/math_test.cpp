// Vectors, rotations and poses: what the interface means by them.
#include "support/random.h"

#include <taffeta/math.h>

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

void expect_near(const Vec3& a, const Vec3& b, double tolerance) {
    EXPECT_NEAR(a.x, b.x, tolerance);
    EXPECT_NEAR(a.y, b.y, tolerance);
    EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(Vector3, CrossProductIsRightHanded) {
    EXPECT_EQ(cross(Vec3{1, 0, 0}, Vec3{0, 1, 0}), (Vec3{0, 0, 1}));
    EXPECT_EQ(cross(Vec3{0, 1, 0}, Vec3{0, 0, 1}), (Vec3{1, 0, 0}));
}

TEST(Vector3, NormalizedZeroStaysZero) {
    EXPECT_EQ(normalized(Vec3{}), Vec3{});
    EXPECT_NEAR(length(normalized(Vec3{3, -4, 12})), 1, 1e-7);
}

TEST(Vector3, IsFiniteSeesEachCoordinate) {
    for (int axis = 0; axis < 3; ++axis) {
        for (const float bad : {INFINITY, -INFINITY, NAN}) {
            Vec3 p = {1, 2, 3};
            EXPECT_TRUE(is_finite(p));
            p[axis] = bad;
            EXPECT_FALSE(is_finite(p));
        }
    }
}

TEST(Rotation, DegreesTurnCounterClockwiseAboutEachAxis) {
    expect_near(rotation_from_degrees({90, 0, 0}) * Vec3{0, 1, 0}, {0, 0, 1}, 1e-6);
    expect_near(rotation_from_degrees({0, 90, 0}) * Vec3{0, 0, 1}, {1, 0, 0}, 1e-6);
    expect_near(rotation_from_degrees({0, 0, 90}) * Vec3{1, 0, 0}, {0, 1, 0}, 1e-6);
}

TEST(Rotation, TurnsAboutXThenYThenZ) {
    const Vec3 p = {0.3f, -0.7f, 0.2f};
    const Vec3 one_by_one = rotation_from_degrees({0, 0, 70}) *
                            (rotation_from_degrees({0, -40, 0}) * (rotation_from_degrees({25, 0, 0}) * p));
    expect_near(rotation_from_degrees({25, -40, 70}) * p, one_by_one, 1e-6);
}

TEST(Rotation, QuaternionsCarryEveryRotation) {
    test::Random random(1);
    for (int k = 0; k < 1000; ++k) {
        const Rotation rotation = rotation_from_degrees(random.in_cube_float(360));
        const Rotation again = to_rotation(to_quaternion(rotation));
        for (std::size_t row = 0; row < 3; ++row) expect_near(again.row[row], rotation.row[row], 2e-6);
    }
    for (const Vec3 half_turn : {Vec3{180, 0, 0}, Vec3{0, 180, 0}, Vec3{0, 0, 180}, Vec3{}}) {
        const Rotation rotation = rotation_from_degrees(half_turn);
        const Rotation again = to_rotation(to_quaternion(rotation));
        for (std::size_t row = 0; row < 3; ++row) expect_near(again.row[row], rotation.row[row], 1e-6);
    }
}

TEST(Pose, LocalUndoesWorld) {
    test::Random random(2);
    for (int k = 0; k < 1000; ++k) {
        const Pose pose = {random.in_cube_float(3), rotation_from_degrees(random.in_cube_float(180))};
        const Vec3 p = random.in_cube_float(2);
        expect_near(pose.to_local(pose.to_world(p)), p, 3e-6);
    }
}

TEST(Pose, InterpolationMeetsItsEndsExactly) {
    const Pose a = {{1, 2, 3}, rotation_from_degrees({10, 20, 30})};
    const Pose b = {{-2, 0, 5}, rotation_from_degrees({40, -50, 160})};
    EXPECT_EQ(interpolate(a, b, 0), a);
    EXPECT_EQ(interpolate(a, b, 1), b);
}

TEST(Pose, InterpolationIsRigidAndTakesTheShorterWay) {
    const Pose a = {{}, rotation_from_degrees({0, 170, 0})};
    const Pose b = {{1, 0, 0}, rotation_from_degrees({0, -170, 0})};
    const Pose half = interpolate(a, b, 0.5f);
    expect_near(half.position, {0.5f, 0, 0}, 1e-7);
    expect_near(half.rotation * Vec3{1, 0, 0}, {-1, 0, 0}, 1e-6); // 180 degrees, not 0
    for (const float part : {0.1f, 0.3f, 0.8f}) {
        const Rotation r = interpolate(a, b, part).rotation;
        for (std::size_t row = 0; row < 3; ++row) {
            EXPECT_NEAR(length(r.row[row]), 1, 1e-6);
            EXPECT_NEAR(dot(r.row[row], r.row[(row + 1) % 3]), 0, 1e-6);
        }
    }
}

} // namespace
} // namespace taffeta
