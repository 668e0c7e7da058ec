#include "integrators/verlet.h"

namespace taffeta {
namespace {

// Velocities have w = 0, so that the inverse mass in the w of a position stays as it is.
Lanes4 lanes(const Vec3& p) {
    return Lanes4{p.x, p.y, p.z, 0};
}

Vec3 predicted(float h, const Vec4& x_prev, const Vec4& v) { // bit for bit what predict() wrote
    return x_prev.xyz() + v.xyz() * h;
}

} // namespace

void predict(float h, const Vec3& gravity, float keep, std::span<Vec4> x, std::span<Vec4> x_prev, std::span<Vec4> v) {
    const Lanes4 gain = lanes(gravity * h);
    for (std::size_t k = 0; k < x.size(); ++k) {
        x_prev[k] = x[k];
        if (x[k].w == 0) continue;
        const Lanes4 velocity = lanes(v[k]) * keep + gain;
        v[k] = vec4(velocity);
        x[k] = vec4(lanes(x[k]) + velocity * h);
    }
}

void update_velocities(float h, const Vec3& drift, std::span<const Vec4> x, std::span<const Vec4> x_prev,
                       std::span<Vec4> v) {
    const float per_h = 1 / h;
    const Lanes4 loss = lanes(drift);
    for (std::size_t k = 0; k < x.size(); ++k) {
        const Lanes4 end = lanes(x[k]), start = lanes(x_prev[k]), velocity = lanes(v[k]);
        const bool is_held = x[k].w == 0; // a hand moved it, or nothing did
        v[k] = vec4(is_held ? (end - start) * per_h : velocity + (end - (start + velocity * h)) * per_h - loss);
    }
}

Vec3 mean_correction(float h, std::span<const Vec4> x, std::span<const Vec4> x_prev, std::span<const Vec4> v,
                     std::span<const double> mass) {
    Vec3d sum;
    double total = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (x[k].w == 0) continue;
        sum += vector_cast<double>(x[k].xyz() - predicted(h, x_prev[k], v[k])) * mass[k];
        total += mass[k];
    }
    return total > 0 ? vector_cast<float>(sum * (1 / (total * static_cast<double>(h)))) : Vec3{};
}

void apply_dead_band(float slow, std::span<Vec4> v) {
    for (Vec4& velocity : v) {
        const float factor = dot(velocity.xyz(), velocity.xyz()) < slow * slow ? 0.5f : 1.0f;
        velocity = vec4(lanes(velocity) * factor);
    }
}

} // namespace taffeta
