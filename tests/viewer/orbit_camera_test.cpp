#include "viewer/orbit_camera.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta::viewer {
namespace {

constexpr render::Size size = {800, 600};
const Camera start = {.from = {2, 1.5f, 3}, .at = {0.1f, 0.5f, -0.2f}, .fov = 40};

float distance(const Camera& camera) {
    return length(camera.from - camera.at);
}

TEST(OrbitCamera, IsTheCameraItWasMadeOf) {
    const Camera camera = OrbitCamera(start).camera();
    EXPECT_LT(length(camera.from - start.from), 1e-5f);
    EXPECT_EQ(camera.at, start.at);
    EXPECT_EQ(camera.fov, start.fov);
}

TEST(OrbitCamera, OrbitKeepsPivotAndDistance) {
    OrbitCamera orbit(start);
    orbit.orbit(123, -77, size);
    EXPECT_EQ(orbit.camera().at, start.at);
    EXPECT_NEAR(distance(orbit.camera()), distance(start), 1e-5f);
    EXPECT_GT(length(orbit.camera().from - start.from), 0.5f);
}

TEST(OrbitCamera, NeverTurnsOverThePoles) {
    OrbitCamera orbit(start);
    for (const float drag : {10'000.0f, -20'000.0f}) {
        orbit.orbit(0, drag, size);
        const Vec3 back = orbit.camera().from - orbit.camera().at;
        EXPECT_GT(std::hypot(back.x, back.z), 0.01f * length(back));
    }
}

TEST(OrbitCamera, PanMovesThePivotWithThePointer) {
    OrbitCamera orbit(start);
    const auto before = render::project(orbit.camera(), size, start.at);
    orbit.pan(50, -30, size);
    const auto after = render::project(orbit.camera(), size, start.at);
    EXPECT_NEAR(after.x - before.x, 50, 0.05f);
    EXPECT_NEAR(after.y - before.y, -30, 0.05f);
}

TEST(OrbitCamera, ZoomGoesTowardsThePivotAndNeverThroughIt) {
    OrbitCamera orbit(start);
    orbit.zoom(1);
    EXPECT_LT(distance(orbit.camera()), distance(start));
    orbit.zoom(10'000);
    EXPECT_GT(distance(orbit.camera()), 0);
    orbit.zoom(-100'000);
    EXPECT_TRUE(std::isfinite(distance(orbit.camera())));
    EXPECT_EQ(orbit.camera().at, start.at);
}

TEST(OrbitCamera, StraightDownHasADirection) {
    const Camera camera = OrbitCamera({.from = {0, 3, 0}, .at = {0, 0, 0}, .fov = 35}).camera();
    EXPECT_TRUE(is_finite(camera.from));
    EXPECT_NEAR(distance(camera), 3, 1e-5f);
}

} // namespace
} // namespace taffeta::viewer
