#include "integrators/verlet.h"

namespace taffeta {

void predict(float h, const Vec3& gravity, float keep, std::span<Vec4> x, std::span<Vec4> x_prev, std::span<Vec4> v) {
    for (std::size_t k = 0; k < x.size(); ++k) {
        x_prev[k] = x[k];
        if (x[k].w == 0) continue;
        v[k].set_xyz(v[k].xyz() * keep + gravity * h);
        x[k].set_xyz(x[k].xyz() + v[k].xyz() * h);
    }
}

namespace {

Vec3 predicted(float h, const Vec4& x_prev, const Vec4& v) { // bit for bit what predict() wrote
    return x_prev.xyz() + v.xyz() * h;
}

} // namespace

void update_velocities(float h, const Vec3& drift, std::span<const Vec4> x, std::span<const Vec4> x_prev,
                       std::span<Vec4> v) {
    const float per_h = 1 / h;
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (x[k].w == 0) // a hand moved it, or nothing did
            v[k].set_xyz((x[k].xyz() - x_prev[k].xyz()) * per_h);
        else
            v[k].set_xyz(v[k].xyz() + (x[k].xyz() - predicted(h, x_prev[k], v[k])) * per_h - drift);
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

} // namespace taffeta
