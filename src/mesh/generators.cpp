#include "mesh/generators.h"

#include <cmath>
#include <numbers>

namespace taffeta {
namespace {

// Closes the band between two rings (first vertex and number of vertices of each) whose vertices are at `angle`, by
// always advancing on the ring that lags behind. Counter-clockwise seen from +Y when `outer` has the larger radius.
void zip_rings(Index inner, Index inner_count, Index outer, Index outer_count, const std::vector<double>& angle,
               std::vector<Triangle>& triangles) {
    constexpr double turn = 2 * std::numbers::pi;
    const auto angle_at = [&](Index first, Index count, Index k) {
        return angle[first + k % count] + turn * static_cast<double>(k / count);
    };
    Index i = 0, o = 0;
    while (i < inner_count || o < outer_count) {
        const bool advance_outer = o < outer_count && (i == inner_count || angle_at(outer, outer_count, o + 1) <=
                                                                               angle_at(inner, inner_count, i + 1));
        const Index a = inner + i % inner_count, b = outer + o % outer_count;
        if (advance_outer)
            triangles.push_back({a, outer + (o + 1) % outer_count, b}), ++o;
        else
            triangles.push_back({a, inner + (i + 1) % inner_count, b}), ++i;
    }
}

// A surface of revolution about Y from its profile (radius, height), bottom to top; a radius of 0 closes it in a point.
Mesh revolve(const std::vector<std::array<float, 2>>& profile, int segments) {
    Mesh mesh;
    const auto count = static_cast<Index>(segments);
    std::vector<Index> first;
    for (const auto& [radius, height] : profile) {
        first.push_back(static_cast<Index>(mesh.positions.size()));
        const bool is_point = radius == 0;
        for (Index k = 0; k < (is_point ? 1 : count); ++k) {
            const double angle = 2 * std::numbers::pi * k / segments;
            mesh.positions.push_back(
                {radius * static_cast<float>(std::cos(angle)), height, radius * static_cast<float>(std::sin(angle))});
        }
    }
    for (std::size_t ring = 0; ring + 1 < profile.size(); ++ring) {
        const bool point_below = profile[ring][0] == 0, point_above = profile[ring + 1][0] == 0;
        for (Index k = 0; k < count; ++k) {
            const Index next = (k + 1) % count;
            const Index a = first[ring] + (point_below ? 0 : k), b = first[ring] + (point_below ? 0 : next);
            const Index c = first[ring + 1] + (point_above ? 0 : k), d = first[ring + 1] + (point_above ? 0 : next);
            if (!point_below) mesh.triangles.push_back({a, c, b});
            if (!point_above) mesh.triangles.push_back({b, c, d});
        }
    }
    return mesh;
}

constexpr int segments = 48;  // around; a sphere of 0.35 m then deviates from its mesh by 0.8 mm
constexpr int arc_steps = 12; // along a quarter of a circle

// A quarter circle of the profile from `begin` to `end` (angles above the equator), both included.
void append_arc(float radius, float centre, int begin, int end, std::vector<std::array<float, 2>>& profile) {
    for (int k = begin; k <= end; ++k) {
        const double latitude = std::numbers::pi / 2 * k / arc_steps;
        const bool is_pole = std::abs(k) == arc_steps;
        profile.push_back({is_pole ? 0.0f : radius * static_cast<float>(std::cos(latitude)),
                           centre + radius * static_cast<float>(std::sin(latitude))});
    }
}

Mesh make_shape_mesh(const Sphere& sphere) {
    std::vector<std::array<float, 2>> profile;
    append_arc(sphere.radius, 0, -arc_steps, arc_steps, profile);
    return revolve(profile, segments);
}

Mesh make_shape_mesh(const Capsule& capsule) {
    std::vector<std::array<float, 2>> profile;
    append_arc(capsule.radius, -capsule.height / 2, -arc_steps, 0, profile);
    append_arc(capsule.radius, capsule.height / 2, 0, arc_steps, profile);
    return revolve(profile, segments);
}

Mesh make_shape_mesh(const Cylinder& cylinder) {
    const float r = cylinder.radius, h = cylinder.height / 2;
    return revolve({{0, -h}, {r, -h}, {r, h}, {0, h}}, segments);
}

Mesh make_shape_mesh(const Box& box) {
    Mesh mesh;
    for (int corner = 0; corner < 8; ++corner)
        mesh.positions.push_back({box.size.x * ((corner & 1) != 0 ? 0.5f : -0.5f),
                                  box.size.y * ((corner & 2) != 0 ? 0.5f : -0.5f),
                                  box.size.z * ((corner & 4) != 0 ? 0.5f : -0.5f)});
    mesh.triangles = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                      {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    return mesh;
}

// Two unit vectors along a plane; with the normal they are right-handed.
std::array<Vec3, 2> along(const Plane& plane) {
    const Vec3 n = normalized(plane.normal);
    const Vec3 u = normalized(cross(n, std::abs(n.x) < 0.9f ? Vec3{1, 0, 0} : Vec3{0, 0, 1}));
    return {u, cross(n, u)};
}

Mesh make_shape_mesh(const Plane& plane) {
    const auto [u, v] = along(plane);
    constexpr float half = 2.0f; // m
    Mesh mesh;
    mesh.positions = {(-u - v) * half, (u - v) * half, (u + v) * half, (v - u) * half};
    mesh.triangles = {{0, 1, 2}, {0, 2, 3}};
    return mesh;
}

} // namespace

Mesh make_grid(std::array<float, 2> size, std::array<int, 2> cells, Diagonals diagonals) {
    Mesh mesh;
    const int columns = cells[0] + 1, rows = cells[1] + 1;
    // In double and per vertex, so that the middle and the borders are exact.
    const auto place = [&](double i, double j) {
        return Vec3{static_cast<float>(-0.5 * size[0] + i * size[0] / cells[0]), 0,
                    static_cast<float>(-0.5 * size[1] + j * size[1] / cells[1])};
    };
    const auto add = [&](double i, double j) {
        mesh.positions.push_back(place(i, j));
        mesh.uv.push_back({static_cast<float>(i / cells[0]), static_cast<float>(j / cells[1])});
    };
    for (int j = 0; j < rows; ++j)
        for (int i = 0; i < columns; ++i) add(i, j);
    if (diagonals == Diagonals::cross)
        for (int j = 0; j < cells[1]; ++j)
            for (int i = 0; i < cells[0]; ++i) add(i + 0.5, j + 0.5);

    for (int j = 0; j < cells[1]; ++j) {
        for (int i = 0; i < cells[0]; ++i) {
            //  a---b   +X to the right, +Z down; counter-clockwise from +Y is clockwise on this drawing's other side
            //  |   |
            //  c---d
            const Index a = static_cast<Index>(j * columns + i), b = a + 1;
            const Index c = a + static_cast<Index>(columns), d = c + 1;
            const bool falls = diagonals == Diagonals::left || (diagonals == Diagonals::alternate && (i + j) % 2 == 0);
            if (diagonals == Diagonals::cross) {
                const auto m = static_cast<Index>(columns * rows + j * cells[0] + i);
                mesh.triangles.insert(mesh.triangles.end(), {{a, m, b}, {b, m, d}, {d, m, c}, {c, m, a}});
            } else if (falls) {
                mesh.triangles.insert(mesh.triangles.end(), {{a, d, b}, {a, c, d}});
            } else {
                mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {b, c, d}});
            }
        }
    }
    return mesh;
}

// Rings about the centre, as far apart as their vertices would be in equilateral triangles, each turned by an
// irrational part of its spacing; neighbouring rings differ in their number of vertices, so that no two neighbourhoods
// are alike.
Mesh make_disk(float radius, int particles) {
    const double around = particles - 1;                            // all but the centre
    const double per_ring = std::numbers::pi * std::numbers::sqrt3; // vertices of ring k: per_ring * k
    const int rings = std::max(1, static_cast<int>(std::lround(std::sqrt(2 * around / per_ring) - 0.5)));

    Mesh mesh;
    mesh.positions.push_back({0, 0, 0});
    std::vector<double> angle = {0};
    std::vector<Index> first = {0}, count = {1};
    for (int ring = 1; ring <= rings; ++ring) {
        // Shares of the running sum k(k+1), rounded, so that the total is exact.
        const double share = static_cast<double>(ring) * (ring + 1) / (static_cast<double>(rings) * (rings + 1));
        const auto end = static_cast<Index>(1 + std::lround(around * share));
        first.push_back(static_cast<Index>(mesh.positions.size()));
        count.push_back(end - first.back());
        const double spacing = 2 * std::numbers::pi / count.back();
        const double turned = std::fmod(ring * std::numbers::phi, 1.0) * spacing;
        const double r = static_cast<double>(radius) * ring / rings;
        for (Index k = 0; k < count.back(); ++k) {
            angle.push_back(turned + k * spacing);
            mesh.positions.push_back(
                {static_cast<float>(r * std::cos(angle.back())), 0, static_cast<float>(r * std::sin(angle.back()))});
        }
    }
    for (Index k = 0; k < count[1]; ++k) mesh.triangles.push_back({0, 1 + (k + 1) % count[1], 1 + k});
    for (std::size_t ring = 1; ring + 1 < first.size(); ++ring)
        zip_rings(first[ring], count[ring], first[ring + 1], count[ring + 1], angle, mesh.triangles);
    for (const Vec3& p : mesh.positions) mesh.uv.push_back({0.5f + p.x / (2 * radius), 0.5f + p.z / (2 * radius)});
    return mesh;
}

BodyMesh make_ring(const Ring& ring) {
    constexpr Index around = 96, along = 24; // of the whole, of the tube
    Mesh mesh;
    for (Index i = 0; i < around; ++i) {
        for (Index j = 0; j < along; ++j) {
            const double u = 2 * std::numbers::pi * i / around, v = 2 * std::numbers::pi * j / along;
            const double r = static_cast<double>(ring.radius) + static_cast<double>(ring.tube) * std::cos(v);
            mesh.positions.push_back(vector_cast<float>(
                Vec3d{r * std::cos(u), static_cast<double>(ring.tube) * std::sin(v), r * std::sin(u)}));
            const Index a = i * along + j, b = (i + 1) % around * along + j;
            const Index c = i * along + (j + 1) % along, d = (i + 1) % around * along + (j + 1) % along;
            mesh.triangles.insert(mesh.triangles.end(), {{a, c, b}, {b, c, d}});
        }
    }
    return {.mesh = std::move(mesh)};
}

Mesh make_shape_mesh(const BodyMesh& body) {
    return *body.mesh;
}

Mesh make_wide_triangle(const Plane& plane) {
    const auto [u, v] = along(plane);
    constexpr float inradius = 100; // m
    const float side = std::sqrt(3.0f) * inradius;
    Mesh mesh;
    mesh.positions = {u * (2 * inradius), v * side - u * inradius, v * -side - u * inradius};
    mesh.triangles = {{0, 1, 2}};
    return mesh;
}

Mesh make_collider_mesh(const ColliderShape& shape) {
    return std::visit([](const auto& s) { return make_shape_mesh(s); }, shape);
}

} // namespace taffeta
