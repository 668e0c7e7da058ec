// How the figure walks: the angles of hip, knee and ankle over a cycle, and the trunk and arms that go with them.
#include "content/figure.h"
#include "content/figure_shape.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace taffeta {
namespace {

constexpr double full_turn = 2 * std::numbers::pi;
constexpr int keys_per_step = 16;

using Turn = std::array<double, 4>; // a quaternion, x y z w

Turn about(int axis, double degrees) {
    const double half = degrees * std::numbers::pi / 360;
    Turn turn = {0, 0, 0, std::cos(half)};
    turn[static_cast<std::size_t>(axis)] = std::sin(half);
    return turn;
}
Turn operator*(const Turn& a, const Turn& b) {
    return {
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] + a[1] * b[3] + a[2] * b[0] - a[0] * b[2],
        a[3] * b[2] + a[2] * b[3] + a[0] * b[1] - a[1] * b[0], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
}
Turn undone(const Turn& a) {
    return {-a[0], -a[1], -a[2], a[3]};
}
Vec3d turned(const Turn& a, const Vec3d& p) {
    const Vec3d axis = {a[0], a[1], a[2]}, t = cross(axis, p) * 2.0;
    return p + t * a[3] + cross(axis, t);
}

// Degrees over a cycle of two steps, in tenths from the foot's landing on: those of level walking, rounded.
using Curve = std::array<double, 10>;
constexpr Curve hip_bends_forward = {25, 22, 14, 5, -3, -9, -6, 9, 22, 26};
constexpr Curve knee_bends = {4, 15, 16, 10, 6, 12, 36, 60, 50, 19};
constexpr Curve toes_rise = {0, -3, 4, 8, 10, 7, -14, -10, 0, 2};

// Through the values and smooth (Catmull-Rom), again and again.
double at_phase(const Curve& curve, double phase) {
    const double place = (phase - std::floor(phase)) * 10;
    const auto k = static_cast<std::size_t>(place);
    const double s = place - static_cast<double>(k);
    const double a = curve[(k + 9) % 10], b = curve[k % 10], c = curve[(k + 1) % 10], d = curve[(k + 2) % 10];
    return b + 0.5 * s * (c - a + s * (2 * a - 5 * b + 4 * c - d + s * (3 * (b - c) + d - a)));
}

struct Gait {
    double phase = 0;  // of the left leg, 1 is a cycle
    double effort = 0; // 0 stands, 1 walks
};

// The figure stands at first, is in full swing after a step, and stands again after the last.
Gait gait_at(const Figure& figure, double steps_done) {
    constexpr double start = 0.7; // with the left foot
    const double ramp = std::clamp(std::min(steps_done, figure.steps - steps_done), 0.0, 1.0);
    return {start + steps_done / 2, ramp * ramp * (3 - 2 * ramp)};
}

struct FigurePose {
    Vec3d pelvis; // m
    std::array<Turn, figure_bone_count> turns;

    Turn& operator[](FigureBone bone) { return turns[static_cast<std::size_t>(bone)]; }
    const Turn& operator[](FigureBone bone) const { return turns[static_cast<std::size_t>(bone)]; }
};

constexpr Vec3d pelvis_centre = {0, 0.95, 0};

Vec3d mirrored(const Vec3d& p) {
    return {-p.x, p.y, p.z};
}

// How low the sole of a leg comes, with the pelvis where it stands.
double lowest_of_sole(const FigurePose& pose, FigureBone thigh) {
    const FigureJoints& at = figure_joints;
    const bool is_left = thigh == FigureBone::left_thigh;
    const auto place = [&](const Vec3d& left) { return is_left ? left : mirrored(left); };
    const auto bone = [&](int k) { return pose.turns[static_cast<std::size_t>(thigh) + static_cast<std::size_t>(k)]; };
    const Turn thigh_turn = pose[FigureBone::pelvis] * bone(0), shin_turn = thigh_turn * bone(1);
    const Vec3d ankle = pelvis_centre + turned(pose[FigureBone::pelvis], place(at.hip) - pelvis_centre) +
                        turned(thigh_turn, place(at.knee) - place(at.hip)) +
                        turned(shin_turn, place(at.ankle) - place(at.knee));
    const std::array<Vec3d, 3> sole = {Vec3d{at.ankle.x, 0, -0.055}, Vec3d{at.toe.x, 0, 0.1},
                                       Vec3d{at.toe.x, 0.004, 0.16}};
    double lowest = ankle.y;
    for (const Vec3d& p : sole)
        lowest = std::min(lowest, ankle.y + turned(shin_turn * bone(2), place(p) - place(at.ankle)).y);
    return lowest;
}

FigurePose pose_of(const Gait& gait) {
    using enum FigureBone;
    const double e = gait.effort, swing = std::cos(full_turn * gait.phase);
    const double stance = std::cos(full_turn * (gait.phase - 0.28)); // 1: the left leg carries all
    const double sway = 0.02 * e * stance;                           // m, of the pelvis, over the leg that stands
    FigurePose pose;
    pose.turns.fill({0, 0, 0, 1});
    pose[pelvis] = about(1, -5 * e * swing) * about(2, 2.5 * e * stance);
    pose[spine] = undone(pose[pelvis]) * about(1, 5 * e * swing) * about(0, 2 * e);
    pose[head] = undone(pose[pelvis] * pose[spine]);

    // Legs swing straight ahead, whatever the pelvis does, and feet keep to their tracks.
    const double leg_length = figure_joints.hip.y - figure_joints.ankle.y;
    const Turn upright = undone(pose[pelvis]) * about(2, -std::asin(sway / leg_length) * 180 / std::numbers::pi);
    for (const bool is_left : {true, false}) {
        const double phase = gait.phase + (is_left ? 0 : 0.5), sign = is_left ? 1 : -1;
        pose[is_left ? left_thigh : right_thigh] = upright * about(0, -e * at_phase(hip_bends_forward, phase));
        pose[is_left ? left_shin : right_shin] = about(0, e * at_phase(knee_bends, phase));
        pose[is_left ? left_foot : right_foot] = about(0, -e * at_phase(toes_rise, phase));
        pose[is_left ? left_upper_arm : right_upper_arm] = about(0, e * (sign * 20 * swing + 2));
        pose[is_left ? left_forearm : right_forearm] = about(0, -e * (18 - sign * 9 * swing));
    }
    const double lowest = std::min(lowest_of_sole(pose, left_thigh), lowest_of_sole(pose, right_thigh));
    pose.pelvis = pelvis_centre + Vec3d{sway, -lowest, 0};
    return pose;
}

struct BonePlace {
    int parent;
    Vec3d joint; // m, of the standing figure
};

std::array<BonePlace, figure_bone_count> bone_places() {
    const FigureJoints& at = figure_joints;
    return {{{-1, pelvis_centre},
             {0, at.waist},
             {1, at.neck},
             {0, at.hip},
             {3, at.knee},
             {4, at.ankle},
             {0, mirrored(at.hip)},
             {6, mirrored(at.knee)},
             {7, mirrored(at.ankle)},
             {1, at.shoulder},
             {9, at.elbow},
             {1, mirrored(at.shoulder)},
             {11, mirrored(at.elbow)}}};
}

std::array<float, 4> to_floats(const std::array<double, 4>& value) {
    return {static_cast<float>(value[0]), static_cast<float>(value[1]), static_cast<float>(value[2]),
            static_cast<float>(value[3])};
}

} // namespace

Skeleton make_figure_bones(const Figure& figure) {
    Skeleton skeleton;
    const auto places = bone_places();
    for (const BonePlace& place : places) {
        const Vec3d parent = place.parent < 0 ? Vec3d{} : places[static_cast<std::size_t>(place.parent)].joint;
        Affine inverse_bind;
        inverse_bind.translation = -place.joint;
        skeleton.joints.push_back({static_cast<Index>(skeleton.nodes.size()), inverse_bind});
        skeleton.nodes.push_back({.parent = place.parent, .translation = place.joint - parent});
    }

    using enum Skeleton::Path;
    skeleton.channels.push_back({.node = 0, .path = translation});
    for (Index bone = 0; bone < places.size(); ++bone) skeleton.channels.push_back({.node = bone, .path = rotation});
    for (int key = 0; key <= figure.steps * keys_per_step; ++key) {
        const double steps_done = static_cast<double>(key) / keys_per_step;
        const FigurePose pose = pose_of(gait_at(figure, steps_done));
        for (Skeleton::Channel& channel : skeleton.channels) {
            channel.times.push_back(static_cast<float>(steps_done / static_cast<double>(figure.pace)));
            channel.values.push_back(to_floats(channel.path == translation
                                                   ? Turn{pose.pelvis.x, pose.pelvis.y, pose.pelvis.z, 0}
                                                   : pose.turns[channel.node]));
        }
    }
    return skeleton;
}

} // namespace taffeta
