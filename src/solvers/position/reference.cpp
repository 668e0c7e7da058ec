#include "solvers/position/reference.h"

#include <algorithm>
#include <cmath>

namespace taffeta {

void project_reference_limit(const ReferenceLimit& limit, std::vector<Vec3d>& x,
                             const std::vector<double>& inverse_mass) {
    const Index i = limit.i, j = limit.j;
    const Vec3d d = x[j] - x[i];
    const double distance = length(d);
    const double allowed = std::clamp(distance, limit.shortest, limit.longest);
    if (distance == allowed || distance == 0) return;
    const Vec3d u = d * ((distance - allowed) / distance); // Eq. 5

    // Eq. 6-7: m_1 = m_i/(m_i + m_j), m_2 = m_j/(m_i + m_j), in inverse masses; both infinite: both zero.
    const double sum = inverse_mass[i] + inverse_mass[j];
    if (sum == 0) return;
    x[i] += u * (inverse_mass[i] / sum); // Eq. 8
    x[j] -= u * (inverse_mass[j] / sum); // Eq. 9
}

namespace {

// Eq. 18-21, with n and the distance d of the particle to the surface.
void set_back(const Vec3d& n, double d, double thickness, double friction, const Vec3d& x_prev, Vec3d& x) {
    if (d >= thickness) return;
    const Vec3d r_n = n * (thickness - d);
    const Vec3d motion = x - x_prev;
    const Vec3d d_t = motion - n * dot(motion, n);
    x += r_n - d_t * friction;
}

void collide_with_sphere(const ReferenceSphere& sphere, double thickness, double friction, const Vec3d& x_prev,
                         Vec3d& x) {
    const Vec3d from_centre = x - sphere.centre;
    const double r = length(from_centre);
    set_back(r > 0 ? from_centre * (1 / r) : Vec3d{0, 1, 0}, r - sphere.radius, thickness, friction, x_prev, x);
}

void collide_with_box(const ReferenceBox& box, double thickness, double friction, const Vec3d& x_prev, Vec3d& x) {
    Vec3d outside; // from the nearest point of the box
    for (int axis = 0; axis < 3; ++axis) outside[axis] = x[axis] - std::clamp(x[axis], box.low[axis], box.high[axis]);
    const double distance = length(outside);
    if (distance > 0) return set_back(outside * (1 / distance), distance, thickness, friction, x_prev, x);
    // Inside: the nearest face.
    double nearest = -1e300;
    Vec3d n;
    for (const int axis : {1, 0, 2}) {
        for (const double side : {-1.0, 1.0}) {
            const double d = side < 0 ? box.low[axis] - x[axis] : x[axis] - box.high[axis];
            if (d > nearest) {
                nearest = d;
                n = {};
                n[axis] = side;
            }
        }
    }
    set_back(n, nearest, thickness, friction, x_prev, x);
}

} // namespace

void ReferenceCloth::step(double dt) {
    const auto count = static_cast<Index>(x.size());

    for (Index p = 0; p < count; ++p) {
        const Vec3d old = x[p];
        if (inverse_mass[p] > 0) x[p] += (x[p] - x_prev[p]) * velocity_factor + gravity * (dt * dt); // Eq. 17, 14
        x_prev[p] = old;
    }

    for (int iteration = 0; iteration < iterations; ++iteration) {
        for (const ReferenceLimit& limit : limits) project_reference_limit(limit, x, inverse_mass);
        if (self_radius.empty()) continue;
        for (Index i = 0; i < count; ++i) { // section 4: constraints between nearby particles
            for (Index j = i + 1; j < count; ++j) {
                const double distance = self_radius[i] + self_radius[j];
                const Vec3d d = x[j] - x[i];
                if (dot(d, d) >= distance * distance || length(rest[j] - rest[i]) <= distance) continue;
                project_reference_limit({i, j, distance, 1e300}, x, inverse_mass);
            }
        }
    }

    for (Index p = 0; p < count; ++p) {
        if (inverse_mass[p] == 0) continue;
        for (const ReferenceSphere& sphere : spheres) collide_with_sphere(sphere, thickness, friction, x_prev[p], x[p]);
        for (const ReferenceBox& box : boxes) collide_with_box(box, thickness, friction, x_prev[p], x[p]);
    }
}

} // namespace taffeta
