#include "content/figure_shape.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// The lesser of two distances, rounded off where they differ by less than `width` (a quadratic polynomial).
double blend(double a, double b, double width) {
    const double h = std::max(width - std::abs(a - b), 0.0) / width;
    return std::min(a, b) - h * h * width / 4;
}

// What two balls and all the balls between them fill, as their radius goes from one to the other.
double limb(const Vec3d& p, const Vec3d& a, double radius_a, const Vec3d& b, double radius_b) {
    const Vec3d axis = b - a;
    const double size = length(axis), along = dot(p - a, axis) / size;
    const double across = std::sqrt(std::max(dot(p - a, p - a) - along * along, 0.0));
    // Touching the two circles of a section, the side leans by this sine.
    const double sine = (radius_a - radius_b) / size, cosine = std::sqrt(1 - sine * sine);
    const double foot = along - across * sine / cosine; // the centre of the ball that is next
    if (foot <= 0) return length(p - a) - radius_a;
    if (foot >= size) return length(p - b) - radius_b;
    return across * cosine + along * sine - radius_a;
}

// An ellipsoid: the distance to first order near its surface, and less than it far away.
double oval(const Vec3d& p, const Vec3d& centre, const Vec3d& radii) {
    const Vec3d d = p - centre;
    const Vec3d scaled = {d.x / radii.x, d.y / radii.y, d.z / radii.z};
    const Vec3d slope = {scaled.x / radii.x, scaled.y / radii.y, scaled.z / radii.z};
    const double size = length(scaled), steepness = length(slope);
    return steepness > 0 ? size * (size - 1) / steepness : -std::min({radii.x, radii.y, radii.z});
}

double trunk(const Vec3d& p) {
    double d = oval(p, {0, 0.965, 0}, {0.166, 0.125, 0.112});             // pelvis
    d = blend(d, oval(p, {0, 1.1, 0.004}, {0.134, 0.17, 0.098}), 0.06);   // waist
    d = blend(d, oval(p, {0, 1.3, -0.002}, {0.162, 0.165, 0.112}), 0.07); // chest
    d = blend(d, oval(p, {0.058, 1.315, 0.045}, {0.085, 0.09, 0.075}), 0.04);
    d = blend(d, oval(p, {-0.058, 1.315, 0.045}, {0.085, 0.09, 0.075}), 0.04);
    d = blend(d, limb(p, {-0.135, 1.425, -0.012}, 0.052, {0.135, 1.425, -0.012}, 0.052), 0.06); // shoulders
    d = blend(d, oval(p, {0, 1.44, -0.014}, {0.11, 0.07, 0.062}), 0.06); // neck and what carries it
    d = blend(d, limb(p, {0, 1.46, -0.012}, 0.056, {0, 1.57, 0.004}, 0.05), 0.05);
    d = blend(d, oval(p, {0, 1.652, 0.008}, {0.075, 0.102, 0.096}), 0.03); // head
    d = blend(d, oval(p, {0, 1.603, 0.034}, {0.054, 0.066, 0.066}), 0.03);
    return d;
}

double leg(const Vec3d& p) {
    const FigureJoints& at = figure_joints;
    double d = limb(p, at.hip, 0.083, at.knee, 0.053);
    d = blend(d, limb(p, {0.101, 0.8, 0.016}, 0.072, {0.11, 0.56, 0.022}, 0.05), 0.05); // thigh
    d = blend(d, oval(p, {0.08, 0.905, -0.055}, {0.078, 0.088, 0.072}), 0.06);          // buttock
    d = blend(d, limb(p, at.knee, 0.052, {0.12, 0.3, -0.008}, 0.045), 0.03);
    d = blend(d, oval(p, {0.119, 0.36, -0.026}, {0.049, 0.12, 0.046}), 0.05); // calf
    d = blend(d, limb(p, {0.12, 0.3, -0.008}, 0.044, at.ankle, 0.036), 0.03);
    double foot = limb(p, {0.123, 0.036, -0.03}, 0.036, {0.134, 0.034, 0.095}, 0.038);
    foot = blend(foot, limb(p, at.ankle, 0.034, {0.131, 0.036, 0.08}, 0.034), 0.03);
    foot = blend(foot, limb(p, {0.134, 0.03, 0.095}, 0.036, at.toe, 0.026), 0.03);
    d = blend(d, foot, 0.03);
    return -blend(-d, p.y, 0.008); // on soles that are flat
}

double arm(const Vec3d& p) {
    const FigureJoints& at = figure_joints;
    double d = limb(p, at.shoulder, 0.052, at.elbow, 0.037);
    d = blend(d, limb(p, at.elbow, 0.037, at.wrist, 0.025), 0.03);
    d = blend(d, oval(p, {0.266, 1.07, -0.014}, {0.04, 0.1, 0.04}), 0.04);  // forearm
    d = blend(d, oval(p, {0.317, 0.845, 0.026}, {0.02, 0.06, 0.04}), 0.03); // palm, fingers, thumb
    d = blend(d, limb(p, {0.32, 0.81, 0.034}, 0.024, {0.32, 0.752, 0.046}, 0.016), 0.03);
    d = blend(d, limb(p, {0.312, 0.855, 0.05}, 0.015, {0.306, 0.805, 0.075}, 0.012), 0.02);
    return d;
}

// Both legs. Of a point beside one, the other is too far to matter.
double legs(const Vec3d& p) {
    const double near_leg = leg({std::abs(p.x), p.y, p.z});
    return std::abs(p.x) > 0.08 ? near_leg : blend(near_leg, leg({-std::abs(p.x), p.y, p.z}), 0.02);
}

} // namespace

// Parts so far from a point that they would not change the skin there are left out; this halves the time.

double arms_distance(const Vec3d& p) {
    return arm({std::abs(p.x), p.y, p.z});
}

double trunk_and_legs_distance(const Vec3d& p) {
    if (p.y > 1.12) return trunk(p);
    if (p.y < 0.7) return legs(p);
    return blend(trunk(p), legs(p), 0.05);
}

double figure_distance(const Vec3d& p) {
    const double others = trunk_and_legs_distance(p);
    return std::abs(p.x) < 0.06 ? others : blend(others, arms_distance(p), 0.035);
}

} // namespace taffeta
