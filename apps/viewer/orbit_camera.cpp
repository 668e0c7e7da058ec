#include "orbit_camera.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::viewer {
namespace {

constexpr float pi = std::numbers::pi_v<float>;
constexpr float steepest = 89 * pi / 180; // straight down, the horizon would have no direction
constexpr float zoom_per_notch = 0.9f;
constexpr float nearest = 0.02f, farthest = 500; // m

} // namespace

OrbitCamera::OrbitCamera(const Camera& camera) {
    take(camera);
}

void OrbitCamera::take(const Camera& camera) {
    const Vec3 back = camera.from - camera.at;
    at_ = camera.at;
    distance_ = std::clamp(length(back), nearest, farthest);
    const Vec3 direction = normalized(back);
    pitch_ = std::clamp(std::asin(std::clamp(direction.y, -1.0f, 1.0f)), -steepest, steepest);
    if (direction.x != 0 || direction.z != 0) yaw_ = std::atan2(direction.x, direction.z);
    fov_ = camera.fov;
}

Camera OrbitCamera::camera() const {
    const Vec3 back = {std::cos(pitch_) * std::sin(yaw_), std::sin(pitch_), std::cos(pitch_) * std::cos(yaw_)};
    return {.from = at_ + back * distance_, .at = at_, .fov = fov_};
}

// A drag over the height of the window turns by half a circle.
void OrbitCamera::orbit(float dx, float dy, render::Size size) {
    const float radians_per_pixel = pi / static_cast<float>(std::max(size.height, 1));
    yaw_ = std::remainder(yaw_ - dx * radians_per_pixel, 2 * pi);
    pitch_ = std::clamp(pitch_ + dy * radians_per_pixel, -steepest, steepest);
}

void OrbitCamera::pan(float dx, float dy, render::Size size) {
    const float metres_per_pixel =
        2 * distance_ * std::tan(fov_ * pi / 360) / static_cast<float>(std::max(size.height, 1));
    const Vec3 right = {std::cos(yaw_), 0, -std::sin(yaw_)};
    const Vec3 up = {-std::sin(pitch_) * std::sin(yaw_), std::cos(pitch_), -std::sin(pitch_) * std::cos(yaw_)};
    at_ += right * (-dx * metres_per_pixel) + up * (dy * metres_per_pixel);
}

void OrbitCamera::zoom(float notches) {
    distance_ = std::clamp(distance_ * std::pow(zoom_per_notch, notches), nearest, farthest);
}

void OrbitCamera::frame(std::span<const Vec3> positions, render::Size size) {
    if (!positions.empty()) take(render::framed(camera(), size, positions));
}

} // namespace taffeta::viewer
