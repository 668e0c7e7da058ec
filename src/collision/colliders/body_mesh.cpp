// Frames and linear blend skinning. The formulas of interpolation are those of the glTF 2.0 specification, Appendix C.
#include "collision/colliders/body_mesh.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace taffeta {
namespace {

// --- interpolation between the keys of a channel

using Value = std::array<double, 4>; // x y z, of rotations x y z w

Value to_value(const std::array<float, 4>& stored) {
    return {static_cast<double>(stored[0]), static_cast<double>(stored[1]), static_cast<double>(stored[2]),
            static_cast<double>(stored[3])};
}

Value weighted(const Value& a, double weight_a, const Value& b, double weight_b) {
    Value sum;
    for (std::size_t i = 0; i < 4; ++i) sum[i] = a[i] * weight_a + b[i] * weight_b;
    return sum;
}

// Along the shorter arc with constant speed; what is nearly parallel, along the chord, where the arc's formula is 0/0.
Value slerp(const Value& a, const Value& b, double part) {
    const double cosine = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    const double sign = cosine < 0 ? -1 : 1, size = std::abs(cosine);
    if (size > 0.999999) return weighted(a, 1 - part, b, sign * part);
    const double angle = std::acos(size), per = 1 / std::sin(angle);
    return weighted(a, std::sin((1 - part) * angle) * per, b, sign * std::sin(part * angle) * per);
}

// Hermite's polynomials between two keys that are `span` seconds apart.
Value cubic(const Skeleton::Channel& channel, std::size_t key, double part, double span) {
    const double t = part, t2 = t * t, t3 = t2 * t;
    const Value start = to_value(channel.values[3 * key + 1]), leaving = to_value(channel.values[3 * key + 2]);
    const Value arriving = to_value(channel.values[3 * key + 3]), end = to_value(channel.values[3 * key + 4]);
    const Value places = weighted(start, 2 * t3 - 3 * t2 + 1, end, -2 * t3 + 3 * t2);
    return weighted(places, 1, weighted(leaving, span * (t3 - 2 * t2 + t), arriving, span * (t3 - t2)), 1);
}

Value value_at(const Skeleton::Channel& channel, double time) {
    using Interpolation = Skeleton::Interpolation;
    const std::vector<float>& times = channel.times;
    const bool is_cubic = channel.interpolation == Interpolation::cubic_spline;
    const auto key_value = [&](std::size_t key) { return to_value(channel.values[is_cubic ? 3 * key + 1 : key]); };
    const auto after = std::upper_bound(times.begin(), times.end(), time,
                                        [](double t, float key) { return t < static_cast<double>(key); });
    if (after == times.begin()) return key_value(0);
    const auto key = static_cast<std::size_t>(after - times.begin()) - 1;
    if (after == times.end() || channel.interpolation == Interpolation::step) return key_value(key);

    const auto start = static_cast<double>(times[key]), span = static_cast<double>(*after) - start;
    const double part = (time - start) / span;
    if (is_cubic) return cubic(channel, key, part, span);
    if (channel.path == Skeleton::Path::rotation) return slerp(key_value(key), key_value(key + 1), part);
    return weighted(key_value(key), 1 - part, key_value(key + 1), part);
}

void move_node(const Skeleton::Channel& channel, double time, Skeleton::Node& node) {
    const Value value = value_at(channel, time);
    const Vec3d vector = {value[0], value[1], value[2]};
    switch (channel.path) {
    case Skeleton::Path::translation: node.translation = vector; break;
    case Skeleton::Path::rotation: node.rotation = value; break;
    case Skeleton::Path::scale: node.scale = vector; break;
    }
}

// --- deformations

void place_frames(const BodyFrames& frames, double time, std::span<Vec3> out) {
    const auto& positions = *frames.positions;
    const auto last = static_cast<double>(positions.size() - 1);
    const double place = std::clamp(time * static_cast<double>(frames.frame_rate), 0.0, last);
    const auto frame = static_cast<std::size_t>(place);
    const auto part = static_cast<float>(place - static_cast<double>(frame));
    const std::vector<Vec3>& from = positions[frame];
    const std::vector<Vec3>& to = positions[std::min(frame + 1, positions.size() - 1)];
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = part == 0 ? from[v] : from[v] + (to[v] - from[v]) * part;
}

void find_joint_transforms(const Skeleton& skeleton, double time, std::vector<Skeleton::Node>& nodes,
                           std::vector<Affine>& of_nodes, std::vector<Affine>& of_joints) {
    nodes = skeleton.nodes;
    for (const Skeleton::Channel& channel : skeleton.channels) move_node(channel, time, nodes[channel.node]);
    of_nodes.clear();
    for (const Skeleton::Node& node : nodes) {
        const Affine local = local_transform(node);
        of_nodes.push_back(node.parent < 0 ? local : of_nodes[static_cast<std::size_t>(node.parent)] * local);
    }
    of_joints.clear();
    for (const Skeleton::Joint& joint : skeleton.joints) of_joints.push_back(of_nodes[joint.node] * joint.inverse_bind);
}

void place_skin(const Skeleton& skeleton, double time, std::span<Vec3> out) {
    // Kept from call to call: steps of a simulation allocate nothing.
    thread_local std::vector<Skeleton::Node> nodes;
    thread_local std::vector<Affine> of_nodes, of_joints;
    find_joint_transforms(skeleton, time, nodes, of_nodes, of_joints);
    for (std::size_t v = 0; v < out.size(); ++v) {
        const Vec3d bound = vector_cast<double>(skeleton.bind_positions[v]);
        Vec3d place;
        for (Index i = skeleton.first_influence[v]; i < skeleton.first_influence[v + 1]; ++i) {
            const auto& [joint, weight] = skeleton.influences[i];
            place += (of_joints[joint] * bound) * static_cast<double>(weight);
        }
        out[v] = vector_cast<float>(place);
    }
}

struct Deformer {
    const BodyMesh& mesh;
    double time;
    std::span<Vec3> out;

    void operator()(std::monostate) const { std::ranges::copy(mesh.mesh->positions, out.begin()); }
    void operator()(const BodyFrames& frames) const { place_frames(frames, time, out); }
    void operator()(const BodySkin& skin) const { place_skin(*skin.skeleton, time, out); }
};

} // namespace

void place_body_mesh(const BodyMesh& mesh, const Pose& pose, double time, std::span<Vec3> out) {
    assert(out.size() == body_vertex_count(mesh));
    std::visit(Deformer{mesh, time, out}, mesh.deformation);
    for (Vec3& p : out) p = pose.to_world(p);
}

std::vector<Affine> joint_transforms(const Skeleton& skeleton, double time) {
    std::vector<Skeleton::Node> nodes;
    std::vector<Affine> of_nodes, of_joints;
    find_joint_transforms(skeleton, time, nodes, of_nodes, of_joints);
    return of_joints;
}

Affine local_transform(const Skeleton::Node& node) {
    if (node.matrix) return *node.matrix;
    // Files round their quaternions, so s makes up for their length.
    const auto [x, y, z, w] = node.rotation;
    const double norm = x * x + y * y + z * z + w * w, s = norm > 0 ? 2 / norm : 0;
    const std::array<Vec3d, 3> turn = {Vec3d{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                                       Vec3d{s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                                       Vec3d{s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    Affine transform;
    for (std::size_t i = 0; i < 3; ++i)
        transform.row[i] = {turn[i].x * node.scale.x, turn[i].y * node.scale.y, turn[i].z * node.scale.z};
    transform.translation = node.translation;
    return transform;
}

} // namespace taffeta
