#include "render/camera.h"

#include "render/models.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::render {
namespace {

constexpr float radians = std::numbers::pi_v<float> / 180;

float half_height(const Camera& camera) { // of the picture at distance 1
    return std::tan(camera.fov / 2 * radians);
}

float aspect(Size size) {
    return static_cast<float>(size.width) / static_cast<float>(size.height);
}

} // namespace

CameraAxes camera_axes(const Camera& camera) {
    Vec3 forward = normalized(camera.at - camera.from);
    if (forward == Vec3{}) forward = {0, 0, -1};
    // Straight up or down there is no horizon; then the top of the picture is -Z.
    const bool is_vertical = std::abs(forward.y) > 0.99999f;
    const Vec3 right =
        normalized(cross(forward, is_vertical ? Vec3{0, 0, forward.y > 0 ? 1.0f : -1.0f} : Vec3{0, 1, 0}));
    return {right, cross(right, forward), forward};
}

Ray ray_through(const Camera& camera, Size size, float x, float y) {
    const CameraAxes axes = camera_axes(camera);
    const float h = half_height(camera);
    const float right = (2 * x / static_cast<float>(size.width) - 1) * h * aspect(size);
    const float up = (1 - 2 * y / static_cast<float>(size.height)) * h;
    return {camera.from, normalized(axes.forward + axes.right * right + axes.up * up)};
}

Projected project(const Camera& camera, Size size, const Vec3& point) {
    const CameraAxes axes = camera_axes(camera);
    const Vec3 d = point - camera.from;
    const float depth = dot(d, axes.forward), h = half_height(camera);
    const float right = dot(d, axes.right) / (depth * h * aspect(size)), up = dot(d, axes.up) / (depth * h);
    return {(right + 1) / 2 * static_cast<float>(size.width), (1 - up) / 2 * static_cast<float>(size.height), depth};
}

Camera framed(const Camera& camera, Size size, std::span<const Vec3> positions) {
    if (positions.empty()) return camera;
    // A margin of a tenth around everything, seen from where the outermost point just fits.
    const Vec3 centre = ball_around(positions).centre;
    const CameraAxes axes = camera_axes(camera);
    const float h = half_height(camera) / 1.1f, w = h * aspect(size);
    float distance = 0.05f;
    for (const Vec3& p : positions) {
        const Vec3 d = p - centre;
        const float sideways = std::max(std::abs(dot(d, axes.right)) / w, std::abs(dot(d, axes.up)) / h);
        distance = std::max(distance, sideways - dot(d, axes.forward));
    }
    return {centre - axes.forward * distance, centre, camera.fov};
}

Camera scene_camera(const SceneDesc& scene, const Simulation& simulation) {
    if (scene.view.camera) return *scene.view.camera;
    std::vector<Vec3> positions(simulation.vertex_count());
    simulation.copy_positions(positions);
    for (std::size_t k = 0; k < scene.colliders.size(); ++k) {
        if (std::holds_alternative<Plane>(scene.colliders[k].shape)) continue; // planes have no end
        add_collider_points(scene.colliders[k].shape, simulation, static_cast<int>(k), positions);
    }
    const Camera from_front_right = {{0.55f, 0.4f, 0.8f}, {0, 0, 0}, 35};
    return framed(from_front_right, {4, 3}, positions);
}

Mat4 view_matrix(const Vec3& from, const CameraAxes& axes) {
    const Vec3 &r = axes.right, &u = axes.up, &f = axes.forward;
    return {{r.x, u.x, -f.x, 0, r.y, u.y, -f.y, 0, r.z, u.z, -f.z, 0, -dot(r, from), -dot(u, from), dot(f, from), 1}};
}

Mat4 perspective(float fov_degrees, float aspect, const DepthRange& range) {
    const float cotangent = 1 / std::tan(fov_degrees / 2 * radians), depth = range.near - range.far;
    return {{cotangent / aspect, 0, 0, 0, 0, cotangent, 0, 0, 0, 0, (range.far + range.near) / depth, -1, 0, 0,
             2 * range.far * range.near / depth, 0}};
}

Mat4 orthographic(float half_width, const DepthRange& range) {
    const float s = 1 / half_width, depth = range.near - range.far;
    return {{s, 0, 0, 0, 0, s, 0, 0, 0, 0, 2 / depth, 0, 0, 0, (range.far + range.near) / depth, 1}};
}

} // namespace taffeta::render
