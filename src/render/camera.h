// From a camera to the matrices OpenGL wants.
#pragma once

#include "render/gl.h"

#include <taffeta/render.h>

namespace taffeta::render {

// The camera's own frame: `forward` is where it looks.
struct CameraAxes {
    Vec3 right, up, forward;
};
CameraAxes camera_axes(const Camera& camera);

struct DepthRange {
    float near = 0.01f, far = 100; // m
};
Mat4 view_matrix(const Vec3& from, const CameraAxes& axes);
Mat4 perspective(float fov_degrees, float aspect, const DepthRange& range);
Mat4 orthographic(float half_width, const DepthRange& range);

} // namespace taffeta::render
