#include "mesh/warp.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// Sines of angles. Below the first two, rounding of single precision decides where a direction points; the third is
// that of 6 degrees, where x is given up for z.
constexpr double least_corner = 1e-6, least_slant = 1e-3, nearly_perpendicular = 0.1;

struct Corners { // of one triangle, seen from the first
    Vec3d edge1, edge2, normal;
    bool has_area;
};

Corners corners_of(const Mesh& mesh, const Triangle& t) {
    const auto at = [&](int k) { return vector_cast<double>(mesh.positions[t[static_cast<std::size_t>(k)]]); };
    Corners corners = {.edge1 = at(1) - at(0), .edge2 = at(2) - at(0), .normal = {}, .has_area = false};
    const Vec3d product = cross(corners.edge1, corners.edge2);
    const Vec3d edge3 = corners.edge2 - corners.edge1;
    const double longest =
        std::max({dot(corners.edge1, corners.edge1), dot(corners.edge2, corners.edge2), dot(edge3, edge3)});
    corners.has_area = length(product) > least_corner * longest;
    corners.normal = normalized(product);
    return corners;
}

// A unit vector along `direction` as it lies in the plane; zero if it leaves the plane too steeply.
Vec3d within_plane(const Vec3d& direction, const Vec3d& normal, double least_sine) {
    const Vec3d unit = normalized(direction);
    const Vec3d flat = unit - dot(unit, normal) * normal;
    return length(flat) > least_sine ? normalized(flat) : Vec3d{};
}

// dX/du of the linear map from texture to triangle, as a unit vector.
//   X(u, v) = X0 + edge1 s + edge2 t,   u = du1 s + du2 t,   v = dv1 s + dv2 t
Vec3d along_u(const Mesh& mesh, const Triangle& t, const Corners& corners) {
    const auto part = [&](std::size_t k, std::size_t axis) {
        return static_cast<double>(mesh.uv[t[k]][axis]) - static_cast<double>(mesh.uv[t[0]][axis]);
    };
    const double du1 = part(1, 0), dv1 = part(1, 1), du2 = part(2, 0), dv2 = part(2, 1);
    const double determinant = du1 * dv2 - du2 * dv1;
    const double longest = std::max(du1 * du1 + dv1 * dv1, du2 * du2 + dv2 * dv2);
    if (!(std::abs(determinant) > least_corner * longest)) return {}; // also if it is no number
    return normalized((corners.edge1 * dv2 - corners.edge2 * dv1) * (1 / determinant));
}

Vec3d direction(const Mesh& mesh, const Triangle& t, const Corners& corners, const std::optional<Vec3>& warp) {
    if (!corners.has_area) return {};
    if (warp) return within_plane(vector_cast<double>(*warp), corners.normal, least_slant);
    if (mesh.uv.size() == mesh.positions.size()) return along_u(mesh, t, corners);
    const Vec3d x = within_plane({1, 0, 0}, corners.normal, nearly_perpendicular);
    return dot(x, x) > 0 ? x : within_plane({0, 0, 1}, corners.normal, 0);
}

} // namespace

std::vector<Vec3> warp_directions(const Mesh& mesh, std::optional<Vec3> warp) {
    std::vector<Vec3> directions;
    directions.reserve(mesh.triangles.size());
    for (const Triangle& t : mesh.triangles)
        directions.push_back(vector_cast<float>(direction(mesh, t, corners_of(mesh, t), warp)));
    return directions;
}

std::vector<Index> triangles_without_warp(const Mesh& mesh, std::optional<Vec3> warp) {
    std::vector<Index> lost;
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
        const Triangle& t = mesh.triangles[k];
        const Corners corners = corners_of(mesh, t);
        if (corners.has_area && direction(mesh, t, corners, warp) == Vec3d{}) lost.push_back(static_cast<Index>(k));
    }
    return lost;
}

} // namespace taffeta
