#include <taffeta/render.h>

#include "support/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta::render {
namespace {

Camera random_camera(test::Random& random) {
    const auto point = [&](float size) {
        return Vec3{random.uniform_float(-size, size), random.uniform_float(-size, size),
                    random.uniform_float(-size, size)};
    };
    return {point(3), point(0.5f), random.uniform_float(20, 90)};
}

TEST(Camera, LooksAtTheMiddleOfThePicture) {
    const Camera camera = {{1, 2, 3}, {0, 0.5f, 0}, 40};
    const Projected p = project(camera, {640, 480}, camera.at);
    EXPECT_NEAR(p.x, 320, 1e-3);
    EXPECT_NEAR(p.y, 240, 1e-3);
    EXPECT_NEAR(p.depth, length(camera.at - camera.from), 1e-5);
}

TEST(Camera, UpIsUpAndRightIsRight) {
    const Camera camera = {{0, 0, 3}, {0, 0, 0}, 40};
    EXPECT_LT(project(camera, {640, 480}, {0, 0.1f, 0}).y, 240);
    EXPECT_GT(project(camera, {640, 480}, {0.1f, 0, 0}).x, 320);
}

TEST(Camera, FieldOfViewIsTheVerticalAngle) {
    const Camera camera = {{0, 0, 1}, {0, 0, 0}, 60};
    const float half = std::tan(30 * 3.14159265f / 180);
    EXPECT_NEAR(project(camera, {800, 200}, {0, half, 0}).y, 0, 1e-3);
    EXPECT_NEAR(project(camera, {800, 200}, {4 * half, 0, 0}).x, 800, 1e-3);
}

TEST(Camera, RaysGoThroughTheirPixels) {
    test::Random random(3);
    const Size size = {1280, 720};
    for (int k = 0; k < 200; ++k) {
        const Camera camera = random_camera(random);
        const float x = random.uniform_float(0, 1280), y = random.uniform_float(0, 720);
        const Ray ray = ray_through(camera, size, x, y);
        EXPECT_NEAR(length(ray.direction), 1, 1e-5);
        const Projected p = project(camera, size, ray.origin + ray.direction * random.uniform_float(0.5f, 5));
        EXPECT_NEAR(p.x, x, 0.02);
        EXPECT_NEAR(p.y, y, 0.02);
    }
}

TEST(Camera, LooksStraightDownToo) {
    const Camera camera = {{0, 3, 0}, {0, 0, 0}, 40};
    const Projected p = project(camera, {100, 100}, {0.1f, 0, 0.2f});
    EXPECT_TRUE(std::isfinite(p.x) && std::isfinite(p.y));
    EXPECT_GT(p.x, 50);
    EXPECT_GT(p.y, 50); // the top of the picture is -Z
}

TEST(Camera, FramingPutsEverythingIntoThePictureAndFillsIt) {
    test::Random random(5);
    for (int k = 0; k < 50; ++k) {
        std::vector<Vec3> points;
        for (int n = 0; n < 30; ++n)
            points.push_back(
                {random.uniform_float(1, 3), random.uniform_float(-1, 0.5f), random.uniform_float(4, 4.2f)});
        const Size size = {random.uniform_float(0, 1) < 0.5f ? 1280 : 400, 720};
        const Camera camera = framed(random_camera(random), size, points);
        float widest = 0;
        for (const Vec3& p : points) {
            const Projected q = project(camera, size, p);
            ASSERT_GT(q.depth, 0);
            const float x = std::abs(2 * q.x / static_cast<float>(size.width) - 1), y = std::abs(2 * q.y / 720 - 1);
            widest = std::max({widest, x, y});
        }
        EXPECT_LE(widest, 1);
        EXPECT_GT(widest, 0.8f);
    }
}

} // namespace
} // namespace taffeta::render
