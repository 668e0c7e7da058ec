// A camera that is turned about a point, as in Blender and three.js: the horizon stays level.
#pragma once

#include <taffeta/render.h>

#include <span>

namespace taffeta::viewer {

class OrbitCamera {
public:
    OrbitCamera() : OrbitCamera(Camera{}) {}
    explicit OrbitCamera(const Camera& camera);

    Camera camera() const;

    // By a drag of so many pixels: what is under the pointer moves with it.
    void orbit(float dx, float dy, render::Size size);
    void pan(float dx, float dy, render::Size size); // exact in the plane of the pivot
    // Towards the pivot by notches of a wheel; negative: away.
    void zoom(float notches);
    // All positions in the picture, seen from the same side.
    void frame(std::span<const Vec3> positions, render::Size size);

private:
    void take(const Camera& camera);

    Vec3 at_ = {};
    float yaw_ = 0, pitch_ = 0; // radians; 0, 0 looks along -Z
    float distance_ = 1;        // m
    float fov_ = 35;            // degrees, vertical
};

} // namespace taffeta::viewer
