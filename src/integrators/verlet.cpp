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

void update_velocities(float h, std::span<const Vec4> x, std::span<const Vec4> x_prev, std::span<Vec4> v) {
    const float per_h = 1 / h;
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (x[k].w == 0) {
            v[k].set_xyz((x[k].xyz() - x_prev[k].xyz()) * per_h); // a hand moved it, or nothing did
        } else {
            const Vec3 predicted = x_prev[k].xyz() + v[k].xyz() * h; // bit for bit what predict() wrote
            v[k].set_xyz(v[k].xyz() + (x[k].xyz() - predicted) * per_h);
        }
    }
}

} // namespace taffeta
