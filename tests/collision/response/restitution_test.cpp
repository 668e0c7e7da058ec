// The simple response: particles are thrown back as [Wal06] Eq. 16 says.
#include "collision/response/restitution.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace taffeta {
namespace {

constexpr Skin skin = {.thickness = 0.01f, .friction = 0.3f};

struct Thrown {
    int contacts = 0;
    std::vector<Vec4> x = {};
    std::vector<std::uint8_t> touched = {};
    std::vector<Reflected> reflected = {};
};

Thrown thrown(const Body& body, float reflection, const std::vector<Vec4>& x_prev, std::vector<Vec4> x) {
    Thrown result = {.x = std::move(x), .touched = std::vector<std::uint8_t>(x_prev.size(), 0)};
    result.contacts = reflect(body, skin, reflection, 0, static_cast<Index>(x_prev.size()), x_prev, result.x,
                              result.touched, result.reflected);
    return result;
}

TEST(Reflect, ThrowsBackAsPrinted) { // W32
    const Body floor = {Plane{}, {}, {}};
    test::Random random(1);
    for (const float reflection : {0.0f, 0.4f, 1.0f}) {
        for (int k = 0; k < 200; ++k) {
            const Vec3 from = random.in_cube_float(0.1) + Vec3{0, 0.11f, 0}, to = random.in_cube_float(0.1);
            const Thrown t = thrown(floor, reflection, {{from.x, from.y, from.z, 1}}, {{to.x, to.y, to.z, 1}});
            if (to.y >= skin.thickness) {
                ASSERT_EQ(t.contacts, 0);
                ASSERT_EQ(t.x[0].xyz(), to);
                continue;
            }
            ASSERT_EQ(t.contacts, 1);
            ASSERT_EQ(t.touched[0], 1);
            ASSERT_EQ(t.reflected.size(), 1);
            const Vec3 way = to - from, back = t.reflected[0].way;
            ASSERT_FLOAT_EQ(back.y, reflection * std::abs(way.y));
            ASSERT_NEAR(back.x, 0.7f * way.x, 1e-8);
            ASSERT_NEAR(back.z, 0.7f * way.z, 1e-8);
            ASSERT_NEAR(t.x[0].y, skin.thickness, 1e-7); // p' = p + d n
            ASSERT_EQ(t.x[0].x, to.x);
        }
    }
}

TEST(Reflect, VelocitiesAreThoseRelativeToTheBody) { // W33
    // A plate that rises by 2 cm and slides by 5 cm in the substep.
    const Body plate = {Plane{}, {{0.05f, 0.02f, 0}, {}}, {}};
    const Thrown t = thrown(plate, 0.5f, {{0, 0.015f, 0, 1}}, {{0.01f, 0.015f, 0.02f, 1}});
    ASSERT_EQ(t.contacts, 1);
    // Relative to the plate the particle has gone (-0.04, -0.02, 0.02).
    EXPECT_NEAR(t.reflected[0].way.x, 0.05f - 0.7f * 0.04f, 1e-7);
    EXPECT_NEAR(t.reflected[0].way.y, 0.02f + 0.5f * 0.02f, 1e-7);
    EXPECT_NEAR(t.reflected[0].way.z, 0.7f * 0.02f, 1e-7);
}

TEST(Reflect, LeavesWhatIsHeldOrFarOff) {
    const Body ball = {Sphere{0.1f}, {}, {}};
    const std::vector<Vec4> x = {{0, 0.05f, 0, 0}, {0, 0.2f, 0, 1}, {0, 0.105f, 0, 1}};
    const Thrown t = thrown(ball, 0.5f, x, x);
    EXPECT_EQ(t.contacts, 1);
    ASSERT_EQ(t.reflected.size(), 1);
    EXPECT_EQ(t.reflected[0].particle, 2);
    EXPECT_EQ(t.x[0].xyz(), x[0].xyz());
    EXPECT_EQ(t.x[1].xyz(), x[1].xyz());
    EXPECT_NEAR(t.x[2].y, 0.11f, 1e-7);
}

TEST(Reflect, ThinBodiesThrowBackToTheSideOfTheWay) {
    const Body plate = {Box{{1, 0.01f, 1}}, {}, {}};
    const Thrown t = thrown(plate, 1, {{0, 0.05f, 0, 1}}, {{0, -0.004f, 0, 1}}); // beyond its middle
    EXPECT_NEAR(t.x[0].y, 0.005f + skin.thickness, 1e-4);
    EXPECT_NEAR(t.reflected[0].way.y, 0.054f, 1e-6);
}

} // namespace
} // namespace taffeta
