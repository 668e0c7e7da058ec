// The meshes that properties are tested over: every kind a user may bring.
#pragma once

#include "support/random.h"

#include <taffeta/mesh.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

namespace taffeta::test {

struct TestMesh {
    std::string name;
    Mesh mesh;
    int euler = 1;        // vertices - edges + triangles, coincident vertices joined and unreferenced ones left out
    bool manifold = true; // no edge has more than two triangles
};

inline void append(const Mesh& from, const Vec3& offset, Mesh& to) {
    const auto first = static_cast<Index>(to.positions.size());
    for (const Vec3& p : from.positions) to.positions.push_back(p + offset);
    for (const Triangle& t : from.triangles) to.triangles.push_back({first + t[0], first + t[1], first + t[2]});
}

// The same triangles with every vertex moved within the plane of the cloth: no two masses are alike.
inline Mesh make_irregular(Mesh mesh, double amount, std::uint32_t seed) {
    Random random(seed);
    for (Vec3& p : mesh.positions) {
        p.x += random.uniform_float(static_cast<float>(-amount), static_cast<float>(amount));
        p.z += random.uniform_float(static_cast<float>(-amount), static_cast<float>(amount));
    }
    return mesh;
}

// The same cloth with its vertices numbered at random.
inline Mesh make_shuffled(const Mesh& mesh, std::uint32_t seed) {
    Random random(seed);
    std::vector<Index> place(mesh.positions.size());
    std::iota(place.begin(), place.end(), Index{0});
    for (std::size_t last = place.size(); last > 1; --last)
        std::swap(place[last - 1], place[random.below(static_cast<std::uint32_t>(last))]);
    Mesh shuffled = mesh;
    for (std::size_t v = 0; v < place.size(); ++v) shuffled.positions[place[v]] = mesh.positions[v];
    for (std::size_t v = 0; v < mesh.uv.size(); ++v) shuffled.uv[place[v]] = mesh.uv[v];
    for (Triangle& t : shuffled.triangles)
        for (Index& v : t) v = place[v];
    return shuffled;
}

// Rings of `around` vertices along Y, closed around; with `closed` the last ring is joined to the first as well, on a
// torus of the larger radius.
inline Mesh make_tube(int around, int rings, float radius, float torus_radius, bool closed) {
    Mesh mesh;
    const auto at = [&](int ring, int k) { return static_cast<Index>((ring % rings) * around + k % around); };
    for (int ring = 0; ring < rings; ++ring) {
        for (int k = 0; k < around; ++k) {
            const double a = 2 * std::numbers::pi * (k + (closed ? 0 : 0.3 * ring)) / around;
            const double b = 2 * std::numbers::pi * ring / rings;
            const double r = radius * std::cos(a), s = radius * std::sin(a);
            const Vec3d p = closed ? Vec3d{(torus_radius + r) * std::cos(b), s, (torus_radius + r) * std::sin(b)}
                                   : Vec3d{r, radius * b, s};
            mesh.positions.push_back(vector_cast<float>(p));
        }
    }
    for (int ring = 0; ring + (closed ? 0 : 1) < rings; ++ring) {
        for (int k = 0; k < around; ++k) {
            mesh.triangles.push_back({at(ring, k), at(ring + 1, k), at(ring, k + 1)});
            mesh.triangles.push_back({at(ring, k + 1), at(ring + 1, k), at(ring + 1, k + 1)});
        }
    }
    return mesh;
}

// Flat, with a hole in the middle and a jagged, irregular triangulation.
inline Mesh make_annulus(int around, int rings, float inner, float outer) {
    Mesh mesh = make_tube(around, rings, 1, 0, false);
    for (int ring = 0; ring < rings; ++ring) {
        for (int k = 0; k < around; ++k) {
            Vec3& p = mesh.positions[static_cast<std::size_t>(ring * around + k)];
            const float r = inner + (outer - inner) * static_cast<float>(ring) / static_cast<float>(rings - 1);
            p = {p.x * r, 0, p.z * r};
        }
    }
    return make_irregular(std::move(mesh), 0.004, 7);
}

inline Mesh make_one_triangle() {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {0, 0, 0.1f}, {0.1f, 0, 0}};
    mesh.triangles = {{0, 1, 2}};
    return mesh;
}

// Two pieces cut apart along x = 0 whose seam vertices lie at exactly the same places, as a garment is sewn.
// `seam` receives the pairs of them.
inline Mesh make_seamed(std::vector<std::array<Index, 2>>* seam = nullptr) {
    const Mesh left = make_irregular(make_grid({0.3f, 0.4f}, {6, 8}, Diagonals::alternate), 0.005, 11);
    Mesh right = make_irregular(make_grid({0.3f, 0.4f}, {6, 8}, Diagonals::left), 0.005, 12);
    constexpr Index columns = 7, rows = 9;
    Mesh mesh;
    append(left, {-0.15f, 0, 0}, mesh);
    for (Index row = 0; row < rows; ++row)
        right.positions[row * columns] = mesh.positions[row * columns + columns - 1] - Vec3{0.15f, 0, 0};
    append(right, {0.15f, 0, 0}, mesh);
    for (Index row = 0; row < rows; ++row) {
        const Index a = row * columns + columns - 1, b = columns * rows + row * columns;
        mesh.positions[b] = mesh.positions[a]; // not merely up to rounding
        if (seam != nullptr) seam->push_back({a, b});
    }
    return mesh;
}

// Four wings at one edge, like a paddle wheel.
inline Mesh make_non_manifold_fan() {
    Mesh mesh;
    mesh.positions = {{0, 0, 0},         {0, 0, 0.1f},     {0.1f, 0, 0.05f},
                      {-0.1f, 0, 0.05f}, {0, 0.1f, 0.05f}, {0, -0.1f, 0.05f}};
    mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 1, 4}, {0, 1, 5}};
    return mesh;
}

// A T-junction closed by a triangle without area: 4 lies on the edge from 0 to 1.
inline Mesh make_with_zero_area() {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {0, 0, 0.25f}, {0.25f, 0, 0}, {-0.25f, 0, 0}, {0, 0, 0.125f}};
    mesh.triangles = {{0, 1, 2}, {0, 3, 4}, {4, 3, 1}, {0, 4, 1}};
    return mesh;
}

inline Mesh make_with_unreferenced_vertex() {
    Mesh mesh = make_grid({0.2f, 0.2f}, {3, 3}, Diagonals::right);
    mesh.positions.insert(mesh.positions.begin() + 5, Vec3{0.01f, 0.5f, 0.02f});
    for (Triangle& t : mesh.triangles)
        for (Index& v : t) v += v >= 5 ? 1 : 0;
    mesh.uv.clear();
    return mesh;
}

inline std::vector<TestMesh> all_meshes() {
    Mesh two_pieces = make_disk(0.15f, 60);
    append(make_grid({0.2f, 0.3f}, {5, 7}, Diagonals::cross), {0.5f, 0.1f, 0}, two_pieces);
    two_pieces.uv.clear();
    return {
        {.name = "grid left", .mesh = make_grid({0.5f, 0.4f}, {10, 8}, Diagonals::left)},
        {.name = "grid right", .mesh = make_grid({0.4f, 0.5f}, {8, 10}, Diagonals::right)},
        {.name = "grid alternate", .mesh = make_grid({0.5f, 0.5f}, {11, 9}, Diagonals::alternate)},
        {.name = "grid cross", .mesh = make_grid({0.4f, 0.4f}, {8, 7}, Diagonals::cross)},
        {.name = "strip", .mesh = make_grid({1.0f, 0.02f}, {50, 1}, Diagonals::alternate)},
        {.name = "irregular grid",
         .mesh = make_irregular(make_grid({0.5f, 0.5f}, {10, 10}, Diagonals::alternate), 0.012, 3)},
        {.name = "disk", .mesh = make_disk(0.3f, 200)},
        {.name = "least disk", .mesh = make_disk(0.1f, 4)},
        {.name = "tube", .mesh = make_tube(16, 9, 0.08f, 0, false), .euler = 0},
        {.name = "torus", .mesh = make_tube(10, 20, 0.05f, 0.2f, true), .euler = 0},
        {.name = "annulus", .mesh = make_annulus(24, 6, 0.1f, 0.3f), .euler = 0},
        {.name = "one triangle", .mesh = make_one_triangle()},
        {.name = "seamed", .mesh = make_seamed()},
        {.name = "two pieces", .mesh = two_pieces, .euler = 2},
        {.name = "non-manifold fan", .mesh = make_non_manifold_fan(), .manifold = false},
        {.name = "zero area", .mesh = make_with_zero_area()},
        {.name = "unreferenced vertex", .mesh = make_with_unreferenced_vertex()},
    };
}

} // namespace taffeta::test
