#include "sim/motion.h"

#include <algorithm>

namespace taffeta {

Pose scripted_pose(const std::vector<Collider::Key>& motion, double time) {
    const auto after = std::find_if(motion.begin(), motion.end(), [&](const auto& key) { return key.t > time; });
    const auto& b = after == motion.end() ? motion.back() : *after;
    const auto& a = after == motion.begin() ? motion.front() : *(after - 1);
    const auto part = b.t > a.t ? static_cast<float>((time - a.t) / (b.t - a.t)) : 0.0f;
    const auto between = [part](const Vec3& p, const Vec3& q) { return p + (q - p) * std::clamp(part, 0.0f, 1.0f); };
    return {between(a.position, b.position), rotation_from_degrees(between(a.rotation, b.rotation))};
}

} // namespace taffeta
