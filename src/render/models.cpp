#include "render/models.h"

#include "mesh/generators.h"
#include "mesh/topology.h"

#include <algorithm>
#include <cmath>

namespace taffeta::render {
namespace {

double surface_area(const Mesh& mesh) {
    double area = 0;
    for (const Triangle& t : mesh.triangles)
        area += triangle_area(mesh.positions[t[0]], mesh.positions[t[1]], mesh.positions[t[2]]);
    return area;
}

double texture_area(const Mesh& mesh) {
    double area = 0;
    for (const Triangle& t : mesh.triangles) {
        const auto &a = mesh.uv[t[0]], &b = mesh.uv[t[1]], &c = mesh.uv[t[2]];
        area += std::abs(static_cast<double>((b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]))) / 2;
    }
    return area;
}

} // namespace

std::vector<std::array<float, 2>> weave_places(const Mesh& mesh) {
    std::vector<std::array<float, 2>> places(mesh.positions.size());
    const double in_texture = mesh.uv.empty() ? 0 : texture_area(mesh);
    if (in_texture > 0) {
        const auto scale = static_cast<float>(std::sqrt(surface_area(mesh) / in_texture));
        for (std::size_t v = 0; v < places.size(); ++v) places[v] = {mesh.uv[v][0] * scale, mesh.uv[v][1] * scale};
        return places;
    }
    // Along the two axes in which the shape is largest: a sheet on the cutting table is seen from above.
    Vec3 facing;
    for (const Triangle& t : mesh.triangles) {
        const Vec3 n = cross(mesh.positions[t[1]] - mesh.positions[t[0]], mesh.positions[t[2]] - mesh.positions[t[0]]);
        facing += {std::abs(n.x), std::abs(n.y), std::abs(n.z)};
    }
    const bool from_above = facing.y >= facing.x && facing.y >= facing.z;
    const int first = from_above || facing.z >= facing.x ? 0 : 2, second = from_above ? 2 : 1;
    for (std::size_t v = 0; v < places.size(); ++v) places[v] = {mesh.positions[v][first], mesh.positions[v][second]};
    return places;
}

std::vector<Index> edge_indices(std::span<const Triangle> triangles) {
    std::vector<Index> indices;
    for (const Pair& edge : make_topology(triangles).edges) indices.insert(indices.end(), {edge.i, edge.j});
    return indices;
}

std::vector<Corner> creased(const Mesh& mesh) {
    constexpr float least_cosine = 0.766f; // of 40 degrees
    std::vector<Vec3> face(mesh.triangles.size());
    std::vector<std::vector<Index>> faces_of(mesh.positions.size());
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        const Triangle& triangle = mesh.triangles[t];
        const Vec3& a = mesh.positions[triangle[0]];
        face[t] = cross(mesh.positions[triangle[1]] - a, mesh.positions[triangle[2]] - a);
        for (const Index v : triangle) faces_of[v].push_back(static_cast<Index>(t));
    }
    std::vector<Corner> corners;
    for (std::size_t t = 0; t < mesh.triangles.size(); ++t) {
        for (const Index v : mesh.triangles[t]) {
            Vec3 normal;
            for (const Index other : faces_of[v])
                if (dot(normalized(face[other]), normalized(face[t])) >= least_cosine) normal += face[other];
            corners.push_back({mesh.positions[v], normalized(normal)});
        }
    }
    return corners;
}

Vec3 linear(const Colour& colour) {
    const auto channel = [](float c) { return c <= 0.04045f ? c / 12.92f : std::pow((c + 0.055f) / 1.055f, 2.4f); };
    return {channel(colour.r), channel(colour.g), channel(colour.b)};
}

ClothLook cloth_look(const SceneDesc& scene, std::size_t cloth) {
    constexpr Colour palette[] = {{0.71f, 0.22f, 0.20f}, {0.20f, 0.38f, 0.55f}, {0.86f, 0.66f, 0.28f},
                                  {0.30f, 0.48f, 0.36f}, {0.55f, 0.35f, 0.50f}, {0.80f, 0.76f, 0.68f}};
    constexpr Colour light = {0.93f, 0.91f, 0.87f};
    const Fabric fabric = cloth_fabric(scene, cloth);
    return {linear(fabric.colour.value_or(palette[cloth % std::size(palette)])),
            linear(fabric.second_colour.value_or(light)), static_cast<int>(fabric.weave),
            static_cast<int>(fabric.pattern), fabric.sheen};
}

Vec3 collider_colour(const SceneDesc& scene, std::size_t collider) {
    return linear(scene.colliders[collider].colour.value_or(Colour{0.62f, 0.60f, 0.57f}));
}

void add_collider_points(const ColliderShape& shape, const Simulation& simulation, int collider,
                         std::vector<Vec3>& points) {
    std::vector<Vec3> surface;
    simulation.copy_collider_vertices(collider, surface);
    if (surface.empty()) {
        const Pose pose = simulation.collider_pose(collider);
        for (const Vec3& p : make_collider_mesh(shape).positions) surface.push_back(pose.to_world(p));
    }
    points.insert(points.end(), surface.begin(), surface.end());
}

Ball ball_around(std::span<const Vec3> points) {
    if (points.empty()) return {};
    Vec3 low = points.front(), high = points.front();
    for (const Vec3& p : points)
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    const Vec3 centre = (low + high) * 0.5f;
    float radius = 0.01f;
    for (const Vec3& p : points) radius = std::max(radius, length(p - centre));
    return {centre, radius};
}

} // namespace taffeta::render
