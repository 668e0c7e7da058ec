#include "geometry/cone.h"

namespace taffeta {
namespace {

constexpr Cone all_directions = {{1, 0, 0}, -1};

// The cosine of the sum of two angles, each from 0 to pi; -1 if that is more than pi.
float cosine_of_sum(float a, float b) {
    if (a <= -b) return -1;
    return std::clamp(a * b - sine_of(a) * sine_of(b) - Cone::rounding, -1.0f, 1.0f);
}
// Wider by what rounding may have taken.
float widened(float cosine) {
    return std::max(cosine - Cone::rounding, -1.0f);
}

} // namespace

Cone cone_of(std::span<const Vec3> vectors) {
    Vec3 sum;
    for (const Vec3& v : vectors) sum += v;
    const float sum_length = length(sum);
    float longest = 0;
    for (const Vec3& v : vectors) longest = std::max(longest, length(v));
    if (longest < VelocityCone::still) return {};
    if (!(sum_length > 1e-3f * longest)) return all_directions; // they cancel
    Cone cone = {sum * (1 / sum_length), 1};
    for (const Vec3& v : vectors) {
        const float l = length(v);
        if (l >= VelocityCone::still) cone.cosine = std::min(cone.cosine, dot(cone.axis, v) / l);
    }
    cone.cosine = widened(cone.cosine);
    return cone;
}

Cone cone_around(std::span<const Cone> cones) {
    Vec3 sum;
    for (const Cone& cone : cones) sum += cone.axis;
    const float sum_length = length(sum);
    if (!(sum_length > 1e-3f)) return all_directions;
    Cone around = {sum * (1 / sum_length), 1};
    for (const Cone& cone : cones) {
        const float between = std::clamp(dot(around.axis, cone.axis) - Cone::rounding, -1.0f, 1.0f);
        around.cosine = std::min(around.cosine, cosine_of_sum(between, cone.cosine));
    }
    return around;
}

float merged_cosine(const Cone& a, const Cone& b) {
    // Half the angle between the axes, and the wider of the two.
    const float between = std::clamp(dot(a.axis, b.axis) - Cone::rounding, -1.0f, 1.0f);
    const float half = std::sqrt(0.5f + 0.5f * between);
    return cosine_of_sum(half, std::min(a.cosine, b.cosine));
}

} // namespace taffeta
