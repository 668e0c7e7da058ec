#include "content/figure.h"

#include "content/figure_shape.h"
#include "content/surface_net.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taffeta {
namespace {

double smooth_step(double from, double to, double value) {
    const double s = std::clamp((value - from) / (to - from), 0.0, 1.0);
    return s * s * (3 - 2 * s);
}

// Collects the weights of the bones at one point.
struct Weights {
    std::array<double, figure_bone_count> of = {};

    void add(FigureBone bone, double weight) { of[static_cast<std::size_t>(bone)] += weight; }
    // A limb of three bones, from the first to the third as `first_to_second` and `second_to_third` rise from 0 to 1.
    void add_chain(FigureBone first, double weight, double first_to_second, double second_to_third = 0) {
        const auto bone = [&](int k) { return static_cast<FigureBone>(static_cast<int>(first) + k); };
        add(first, weight * (1 - first_to_second));
        add(bone(1), weight * first_to_second * (1 - second_to_third));
        if (second_to_third > 0) add(bone(2), weight * first_to_second * second_to_third);
    }
};

// Skin that stretches over a joint is shared by its bones over about the thickness of the limb.
double share_of_arm(const Vec3d& p, double along) {
    const double is_arm = smooth_step(0.02, -0.03, arms_distance(p) - trunk_and_legs_distance(p));
    return is_arm * smooth_step(-0.03, 0.09, along);
}

double share_of_leg(const Vec3d& p, double side) {
    // Across the groin the border between thigh and pelvis climbs outwards.
    const Vec3d from_hip = Vec3d{side, p.y, p.z} - figure_joints.hip;
    const double below = 0.5 * from_hip.x - 0.87 * from_hip.y;
    // Where the legs come together both would have a claim on the skin: it belongs to the pelvis there.
    constexpr double crotch = 0.82; // m
    const double is_one_leg = std::max(smooth_step(0, 0.06, side), smooth_step(0, 0.1, crotch - p.y));
    return smooth_step(-0.07, 0.12, below) * is_one_leg;
}

} // namespace

std::vector<Skeleton::Influence> figure_influences(const Vec3d& p) {
    using enum FigureBone;
    const FigureJoints& at = figure_joints;
    const bool is_left = p.x >= 0;
    const double side = std::abs(p.x);
    Weights weights;

    const Vec3d from_shoulder = Vec3d{side, p.y, p.z} - at.shoulder;
    const double along_arm = dot(from_shoulder, normalized(at.elbow - at.shoulder));
    const double arm = share_of_arm(p, along_arm);
    const double elbow = length(at.elbow - at.shoulder);
    weights.add_chain(is_left ? left_upper_arm : right_upper_arm, arm,
                      smooth_step(elbow - 0.05, elbow + 0.05, along_arm));

    const double leg = (1 - arm) * share_of_leg(p, side);
    weights.add_chain(is_left ? left_thigh : right_thigh, leg, smooth_step(at.knee.y + 0.08, at.knee.y - 0.08, p.y),
                      smooth_step(at.ankle.y + 0.05, at.ankle.y - 0.03, p.y));

    weights.add_chain(pelvis, 1 - arm - leg, smooth_step(0.99, 1.2, p.y), smooth_step(1.46, 1.58, p.y));

    std::vector<Skeleton::Influence> influences;
    for (std::size_t bone = 0; bone < weights.of.size(); ++bone)
        if (weights.of[bone] > 0)
            influences.push_back({static_cast<Index>(bone), static_cast<float>(weights.of[bone])});
    return influences;
}

BodyMesh make_figure(const Figure& figure) {
    // Cubes so large that there are about as many triangles as in the walking avatar of [MKE03].
    static const Shared<Mesh> standing =
        make_surface_net(figure_distance, {.low = {-0.377, -0.03, -0.143}, .cell = 0.013, .cells = {58, 139, 26}});
    if (figure.steps <= 0) return {.mesh = standing};

    Skeleton skeleton = make_figure_bones(figure);
    skeleton.bind_positions = standing->positions;
    skeleton.first_influence.push_back(0);
    for (const Vec3& p : standing->positions) {
        const auto influences = figure_influences(vector_cast<double>(p));
        skeleton.influences.insert(skeleton.influences.end(), influences.begin(), influences.end());
        skeleton.first_influence.push_back(static_cast<Index>(skeleton.influences.size()));
    }
    return {.mesh = standing, .deformation = BodySkin{"walk", std::move(skeleton)}};
}

} // namespace taffeta
