#include "sim/step/motion.h"

#include <algorithm>

namespace taffeta {

std::vector<Collider::Key> filled_in(const std::vector<MotionKey>& keys, Vec3 position, Vec3 rotation) {
    std::vector<Collider::Key> filled;
    for (const MotionKey& key : keys) {
        position = key.position.value_or(position);
        rotation = key.rotation.value_or(rotation);
        filled.push_back({key.t, position, rotation});
    }
    return filled;
}

Collider::Key scripted_key(const std::vector<Collider::Key>& motion, double time) {
    const auto after = std::find_if(motion.begin(), motion.end(), [&](const auto& key) { return key.t > time; });
    const auto& b = after == motion.end() ? motion.back() : *after;
    const auto& a = after == motion.begin() ? motion.front() : *(after - 1);
    const auto part = b.t > a.t ? static_cast<float>((time - a.t) / (b.t - a.t)) : 0.0f;
    const auto between = [part](const Vec3& p, const Vec3& q) {
        return part <= 0 ? p : part >= 1 ? q : p + (q - p) * part;
    };
    return {time, between(a.position, b.position), between(a.rotation, b.rotation)};
}

Pose scripted_pose(const std::vector<Collider::Key>& motion, double time) {
    const Collider::Key key = scripted_key(motion, time);
    return {key.position, rotation_from_degrees(key.rotation)};
}

} // namespace taffeta
