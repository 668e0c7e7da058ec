#include "collision/response/restitution.h"

#include <algorithm>
#include <cmath>

namespace taffeta {

int reflect(const Body& body, const Skin& skin, float reflection, Index first, Index count,
            std::span<const Vec4> x_prev, std::span<Vec4> x, std::span<std::uint8_t> touched,
            std::vector<Reflected>& reflected) {
    const float kept = std::max(0.0f, 1 - skin.friction); // c_fric
    int contacts = 0;
    for (Index p = first; p < first + count; ++p) {
        const Vec3 position = x[p].xyz();
        if (x[p].w == 0 || !(nearest_surface(body, position).distance < skin.thickness)) continue;
        const SurfacePoint surface = surface_on_the_way(body, x_prev[p].xyz(), position);
        const Vec3& n = surface.normal;
        const Vec3 carried =
            position - body.pose_prev.to_world(body.pose.to_local(position)); // the body's own way there
        const Vec3 way = position - x_prev[p].xyz() - carried;
        const float way_n = dot(way, n);
        const Vec3 way_t = way - n * way_n;
        reflected.push_back({p, way_t * kept + n * (reflection * std::abs(way_n)) + carried}); // [Wal06] Eq. 16
        x[p].set_xyz(position + n * (skin.thickness - surface.distance));
        touched[p] = 1;
        ++contacts;
    }
    return contacts;
}

} // namespace taffeta
