// The shape of the human figure, standing: where its joints are and where its skin is.
#pragma once

#include <taffeta/math.h>

namespace taffeta {

// m, of the left side (x > 0); the right side mirrors it. The figure faces +Z and stands on y = 0.
struct FigureJoints {
    Vec3d waist = {0, 1.08, -0.01}, neck = {0, 1.49, -0.01};
    Vec3d hip = {0.096, 0.915, 0}, knee = {0.113, 0.49, 0.012}, ankle = {0.123, 0.085, -0.012};
    Vec3d toe = {0.138, 0.024, 0.15};
    Vec3d shoulder = {0.178, 1.418, -0.012}, elbow = {0.252, 1.14, -0.022}, wrist = {0.305, 0.9, 0.012};
};
inline constexpr FigureJoints figure_joints;

// Negative inside, in metres, near the skin about the distance to it.
double figure_distance(const Vec3d& p);

// The same of parts alone: both arms with hands, and all but these.
double arms_distance(const Vec3d& p);
double trunk_and_legs_distance(const Vec3d& p);

} // namespace taffeta
