#include <taffeta/surface.h>

#include <cmath>

namespace taffeta {
namespace {

// The frame of a ray: its strongest axis becomes z, and a shear lays the ray along it [WBW13]. Triangles on both sides
// of an edge then compute that edge with the same numbers, so no ray slips through between them.
struct ShearedFrame {
    int x, y, z;
    double shear_x, shear_y, scale;

    explicit ShearedFrame(const Vec3& direction) {
        z = 0;
        for (int axis = 1; axis < 3; ++axis)
            if (std::abs(direction[axis]) > std::abs(direction[z])) z = axis;
        x = (z + 1) % 3;
        y = (z + 2) % 3;
        scale = 1.0 / static_cast<double>(direction[z]);
        shear_x = static_cast<double>(direction[x]) * scale;
        shear_y = static_cast<double>(direction[y]) * scale;
    }
    Vec3d operator()(const Vec3& p, const Vec3& origin) const {
        const Vec3d d = vector_cast<double>(p) - vector_cast<double>(origin);
        return {d[x] - shear_x * d[z], d[y] - shear_y * d[z], scale * d[z]};
    }
};

} // namespace

// [WBW13] Woop, Benthin and Wald, with the sums in double: once per click, exactness is worth more than speed.
std::optional<RayHit> first_hit(const Ray& ray, std::span<const Triangle> triangles, std::span<const Vec3> positions) {
    const ShearedFrame frame(ray.direction);
    std::optional<RayHit> first;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Vec3d a = frame(positions[triangles[t][0]], ray.origin);
        const Vec3d b = frame(positions[triangles[t][1]], ray.origin);
        const Vec3d c = frame(positions[triangles[t][2]], ray.origin);
        const double u = c.x * b.y - c.y * b.x;
        const double v = a.x * c.y - a.y * c.x;
        const double w = b.x * a.y - b.y * a.x;
        const bool is_inside = (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
        const double area = u + v + w;
        if (!is_inside || area == 0) continue;
        const double distance = (u * a.z + v * b.z + w * c.z) / area;
        if (!(distance > 0) || (first && distance >= static_cast<double>(first->distance))) continue;
        first = RayHit{static_cast<Index>(t),
                       static_cast<float>(distance),
                       {static_cast<float>(u / area), static_cast<float>(v / area), static_cast<float>(w / area)}};
    }
    return first;
}

} // namespace taffeta
