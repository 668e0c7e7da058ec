#include "walker.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>

namespace taffeta::bench {
namespace {

constexpr double stride = 1.1, speed = 1.3; // s, m/s
constexpr double thigh = 0.46, shank = 0.44;

// Two bones: three joints.
using Bones = std::array<Vec3d, 3>;

// A tube around bones, between two places along them (0 .. 1), with closed ends or open.
struct Tube {
    int around = 0, along = 0;
    double from = 0, to = 1;
    double first_radius = 0, last_radius = 0; // m
    double flatness = 1;                      // depth over width
    bool is_closed = true;
    Bones (*bones)(double seconds) = nullptr;
};

Bones leg(double seconds, double side) {
    const double phase = 2 * std::numbers::pi * seconds / stride + (side > 0 ? 0 : std::numbers::pi);
    const double swing = 0.45 * std::sin(phase), knee = swing - 0.15 - 0.5 * std::max(0.0, std::cos(phase));
    const Vec3d hip = {0.09 * side, 0.93, speed * seconds};
    const Vec3d below = hip + Vec3d{0, -std::cos(swing), std::sin(swing)} * thigh;
    return {hip, below, below + Vec3d{0, -std::cos(knee), std::sin(knee)} * shank};
}
Bones arm(double seconds, double side) {
    const double swing = -0.4 * side * std::sin(2 * std::numbers::pi * seconds / stride);
    const Vec3d shoulder = {0.25 * side, 1.4, speed * seconds};
    const Vec3d elbow = shoulder + Vec3d{0.05 * side, -std::cos(swing), std::sin(swing)} * 0.3;
    return {shoulder, elbow, elbow + Vec3d{0, -std::cos(swing + 0.3), std::sin(swing + 0.3)} * 0.3};
}
Bones trunk(double seconds) {
    const double z = speed * seconds;
    return {Vec3d{0, 0.8, z}, Vec3d{0, 1.1, z}, Vec3d{0, 1.48, z}};
}
Bones head(double seconds) {
    const double z = speed * seconds;
    return {Vec3d{0, 1.5, z}, Vec3d{0, 1.6, z}, Vec3d{0, 1.72, z}};
}

constexpr auto right_leg = [](double seconds) { return leg(seconds, 1); };
constexpr auto left_leg = [](double seconds) { return leg(seconds, -1); };
constexpr auto right_arm = [](double seconds) { return arm(seconds, 1); };
constexpr auto left_arm = [](double seconds) { return arm(seconds, -1); };

// Trousers stand about two centimetres off the body.
const Tube garment_tubes[] = {{24, 13, 0.2, 0.95, 0.11, 0.075, 1, false, right_leg},
                              {24, 13, 0.2, 0.95, 0.11, 0.075, 1, false, left_leg},
                              {32, 6, 0.02, 0.35, 0.2, 0.18, 0.8, false, trunk}};
const Tube body_tubes[] = {
    {64, 79, 0, 1, 0.18, 0.16, 0.8, true, trunk},  {48, 70, 0, 1, 0.09, 0.05, 1, true, right_leg},
    {48, 70, 0, 1, 0.09, 0.05, 1, true, left_leg}, {24, 40, 0, 1, 0.05, 0.03, 1, true, right_arm},
    {24, 40, 0, 1, 0.05, 0.03, 1, true, left_arm}, {32, 20, 0, 1, 0.09, 0.09, 1, true, head}};

void append_triangles(const Tube& tube, Index first, std::vector<Triangle>& triangles) {
    const auto n = static_cast<Index>(tube.around);
    for (Index ring = 0; ring < static_cast<Index>(tube.along); ++ring) {
        for (Index k = 0; k < n; ++k) {
            const Index a = first + ring * n + k, b = first + ring * n + (k + 1) % n;
            triangles.push_back({a, b, a + n});
            triangles.push_back({b, b + n, a + n});
        }
    }
}

// Along the bones, round at the joint.
Vec3d along_bones(const Bones& bones, double place) {
    const double t = place;
    const Vec3d middle = bones[1] * 2 - (bones[0] + bones[2]) * 0.5; // so that the curve goes through the joint
    return bones[0] * ((1 - t) * (1 - t)) + middle * (2 * t * (1 - t)) + bones[2] * (t * t);
}

void append_positions(const Tube& tube, double seconds, std::vector<Vec4>& x) {
    const Bones bones = tube.bones(seconds);
    for (int ring = 0; ring <= tube.along; ++ring) {
        const double part = static_cast<double>(ring) / tube.along;
        const double place = tube.from + (tube.to - tube.from) * part;
        const Vec3d centre = along_bones(bones, place);
        const Vec3d tangent = normalized(along_bones(bones, place + 1e-3) - along_bones(bones, place - 1e-3));
        const Vec3d across = {1, 0, 0}, depth = cross(across, tangent);
        const double to_end = std::min(part, 1 - part) / 0.1; // closed ends are round
        const double end = tube.is_closed && to_end < 1 ? std::sqrt(1 - (1 - to_end) * (1 - to_end)) : 1;
        const double radius = (tube.first_radius + (tube.last_radius - tube.first_radius) * part) * end;
        for (int k = 0; k < tube.around; ++k) {
            const double angle = 2 * std::numbers::pi * k / tube.around;
            const Vec3d p =
                centre + across * (radius * std::cos(angle)) + depth * (radius * tube.flatness * std::sin(angle));
            x.push_back({static_cast<float>(p.x), static_cast<float>(p.y), static_cast<float>(p.z), 0});
        }
    }
}

} // namespace

Walker make_walker() {
    Walker walker;
    Index vertices = 0;
    const auto append = [&](const Tube& tube) {
        append_triangles(tube, vertices, walker.triangles);
        vertices += static_cast<Index>(tube.around * (tube.along + 1));
    };
    for (const Tube& tube : garment_tubes) append(tube);
    walker.garment_triangles = walker.triangles.size();
    walker.garment_vertices = vertices;
    for (const Tube& tube : body_tubes) append(tube);
    return walker;
}

std::vector<Vec4> Walker::at(double seconds) const {
    std::vector<Vec4> x;
    for (const Tube& tube : garment_tubes) append_positions(tube, seconds, x);
    for (const Tube& tube : body_tubes) append_positions(tube, seconds, x);
    return x;
}

} // namespace taffeta::bench
