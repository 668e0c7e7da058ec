// Grids and disks as the scene format promises them, and the closed meshes of the colliders.
#include "mesh/generators.h"

#include "mesh/topology.h"
#include "support/meshes.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>
#include <set>

namespace taffeta {
namespace {

Vec3d normal_of(const Mesh& mesh, const Triangle& t) {
    const Vec3d a = vector_cast<double>(mesh.positions[t[0]]);
    return cross(vector_cast<double>(mesh.positions[t[1]]) - a, vector_cast<double>(mesh.positions[t[2]]) - a) * 0.5;
}

void expect_all_face_up(const Mesh& mesh) {
    for (const Triangle& t : mesh.triangles) EXPECT_GT(normal_of(mesh, t).y, 0);
}

bool has_edge(const Mesh& mesh, Index a, Index b) {
    const Topology topology = make_topology(mesh.triangles);
    return std::find(topology.edges.begin(), topology.edges.end(), Pair{std::min(a, b), std::max(a, b)}) !=
           topology.edges.end();
}

constexpr std::array all_diagonals = {Diagonals::left, Diagonals::right, Diagonals::alternate, Diagonals::cross};

TEST(ParticleGrid, VerticesLieWhereTheFormatSays) {
    for (const Diagonals diagonals : all_diagonals) {
        const Mesh mesh = make_grid({1.5f, 0.9f}, {5, 3}, diagonals);
        ASSERT_EQ(mesh.positions.size(), diagonals == Diagonals::cross ? 24u + 15u : 24u);
        for (int j = 0; j <= 3; ++j) {
            for (int i = 0; i <= 5; ++i) {
                const Vec3& p = mesh.positions[static_cast<std::size_t>(j * 6 + i)];
                EXPECT_NEAR(p.x, -0.75 + i * 1.5 / 5, 1e-7);
                EXPECT_EQ(p.y, 0);
                EXPECT_NEAR(p.z, -0.45 + j * 0.9 / 3, 1e-7);
            }
        }
        if (diagonals != Diagonals::cross) continue;
        for (int j = 0; j < 3; ++j)
            for (int i = 0; i < 5; ++i) {
                const Vec3& p = mesh.positions[static_cast<std::size_t>(24 + j * 5 + i)];
                EXPECT_NEAR(p.x, -0.75 + (i + 0.5) * 1.5 / 5, 1e-7);
                EXPECT_NEAR(p.z, -0.45 + (j + 0.5) * 0.9 / 3, 1e-7);
            }
    }
}

TEST(ParticleGrid, FacesUpAndCoversItsRectangle) {
    for (const Diagonals diagonals : all_diagonals) {
        const Mesh mesh = make_grid({1.5f, 0.9f}, {5, 3}, diagonals);
        EXPECT_EQ(mesh.triangles.size(), diagonals == Diagonals::cross ? 60u : 30u);
        expect_all_face_up(mesh);
        double area = 0;
        for (const Triangle& t : mesh.triangles) area += normal_of(mesh, t).y;
        EXPECT_NEAR(area, 1.5 * 0.9, 1e-6);
        EXPECT_EQ(mesh.uv.size(), mesh.positions.size());
    }
}

TEST(ParticleGrid,
     DiagonalsRunAsDrawn) { // seen from above with +X to the right and +Z towards the viewer, as in mesh.h
    const Mesh left = make_grid({1, 1}, {2, 1}, Diagonals::left);
    EXPECT_TRUE(has_edge(left, 0, 4)); // from the upper left down to the right
    EXPECT_TRUE(has_edge(left, 1, 5));
    const Mesh right = make_grid({1, 1}, {2, 1}, Diagonals::right);
    EXPECT_TRUE(has_edge(right, 1, 3));
    EXPECT_TRUE(has_edge(right, 2, 4));
    const Mesh alternate = make_grid({1, 1}, {2, 1}, Diagonals::alternate);
    EXPECT_TRUE(has_edge(alternate, 0, 4));
    EXPECT_TRUE(has_edge(alternate, 2, 4));
    const Mesh cross_grid = make_grid({1, 1}, {2, 1}, Diagonals::cross);
    for (const Index corner : {0u, 1u, 3u, 4u}) EXPECT_TRUE(has_edge(cross_grid, corner, 6));
}

TEST(ParticleGrid, OneCellIsEnough) {
    const Mesh mesh = make_grid({1, 1}, {1, 1}, Diagonals::left);
    EXPECT_EQ(mesh.positions.size(), 4u);
    EXPECT_EQ(mesh.triangles.size(), 2u);
}

TEST(Disk, HasExactlyTheParticlesAskedForAndNoHole) {
    std::vector<int> counts;
    for (int n = 4; n <= 200; ++n) counts.push_back(n);
    for (const int n : {500, 777, 1000, 1600, 2048, 5000}) counts.push_back(n);
    for (const int n : counts) {
        SCOPED_TRACE(n);
        const Mesh mesh = make_disk(0.6f, n);
        ASSERT_EQ(mesh.positions.size(), static_cast<std::size_t>(n));
        expect_all_face_up(mesh);
        const Topology topology = make_topology(mesh.triangles);
        EXPECT_EQ(n - static_cast<int>(topology.edges.size()) + static_cast<int>(mesh.triangles.size()), 1);
        EXPECT_TRUE(topology.non_manifold_edges.empty());
        std::set<Index> referenced;
        double area = 0;
        for (const Triangle& t : mesh.triangles) {
            referenced.insert(t.begin(), t.end());
            area += normal_of(mesh, t).y;
        }
        EXPECT_EQ(referenced.size(), mesh.positions.size());
        // The border is the regular polygon of the border's vertices, all of them at the radius.
        const std::size_t border = 2 * topology.edges.size() - 3 * mesh.triangles.size();
        std::size_t at_radius = 0;
        for (const Vec3& p : mesh.positions) {
            EXPECT_LE(length(p), 0.6 * (1 + 1e-6));
            at_radius += std::abs(length(p) - 0.6f) < 1e-5f ? 1 : 0;
        }
        EXPECT_EQ(at_radius, border);
        const auto sides = static_cast<double>(border);
        EXPECT_NEAR(area, 0.5 * 0.36 * sides * std::sin(2 * std::numbers::pi / sides), 1e-5);
    }
}

TEST(Disk, TrianglesAreWellShapedAndIrregular) {
    const Mesh mesh = make_disk(0.6f, 1000);
    const Topology topology = make_topology(mesh.triangles);
    double shortest = 1e9, longest = 0;
    for (const Pair& edge : topology.edges) {
        const double l = static_cast<double>(length(mesh.positions[edge.j] - mesh.positions[edge.i]));
        shortest = std::min(shortest, l);
        longest = std::max(longest, l);
    }
    EXPECT_LT(longest / shortest, 2.5);
    std::map<Index, int> valence;
    for (const Pair& edge : topology.edges) ++valence[edge.i], ++valence[edge.j];
    std::set<int> valences;
    for (const auto& [vertex, count] : valence) valences.insert(count);
    EXPECT_GE(valences.size(), 4u); // no regular grid of six neighbours each
}

TEST(ColliderMesh, IsClosedFacesOutwardsAndHasTheVolume) {
    constexpr double pi = std::numbers::pi;
    struct Case {
        ColliderShape shape;
        double volume, tolerance; // relative; round shapes are inscribed
    };
    const std::vector<Case> cases = {{Sphere{0.35f}, 4.0 / 3 * pi * std::pow(0.35, 3), 0.02},
                                     {Box{{0.4f, 0.6f, 0.8f}}, 0.192, 1e-6},
                                     {Capsule{0.1f, 0.5f}, pi * 0.01 * 0.5 + 4.0 / 3 * pi * 0.001, 0.02},
                                     {Cylinder{0.2f, 0.5f}, pi * 0.04 * 0.5, 0.01}};
    for (const auto& [shape, volume, tolerance] : cases) {
        SCOPED_TRACE(shape.index());
        const Mesh mesh = make_collider_mesh(shape);
        std::map<std::array<Index, 2>, int> directed;
        double six_volumes = 0;
        for (const Triangle& t : mesh.triangles) {
            for (std::size_t k = 0; k < 3; ++k) ++directed[{t[k], t[(k + 1) % 3]}];
            six_volumes +=
                dot(vector_cast<double>(mesh.positions[t[0]]),
                    cross(vector_cast<double>(mesh.positions[t[1]]), vector_cast<double>(mesh.positions[t[2]])));
            EXPECT_GT(length(normal_of(mesh, t)), 0);
        }
        for (const auto& [edge, count] : directed) {
            EXPECT_EQ(count, 1);
            EXPECT_EQ(directed.count({edge[1], edge[0]}), 1u);
        }
        EXPECT_NEAR(six_volumes / 6 / volume, 1, tolerance);
    }
}

TEST(ColliderMesh, APlaneIsASquareAcrossItsNormal) {
    for (const Vec3 normal : {Vec3{0, 1, 0}, Vec3{1, 0, 0}, Vec3{0, 0, -3}, Vec3{1, 2, -0.5f}}) {
        const Mesh mesh = make_collider_mesh(Plane{normal});
        for (const Vec3& p : mesh.positions) EXPECT_NEAR(dot(p, normalized(normal)), 0, 1e-6);
        for (const Triangle& t : mesh.triangles)
            EXPECT_NEAR(dot(normalized(normal_of(mesh, t)), vector_cast<double>(normalized(normal))), 1, 1e-6);
    }
}

TEST(Ring, IsAClosedTorusThatFacesOutwards) {
    const Mesh mesh = *make_ring({.radius = 0.3f, .tube = 0.05f}).mesh;
    for (const Vec3& p : mesh.positions) {
        const float r = std::hypot(p.x, p.z) - 0.3f;
        EXPECT_NEAR(std::hypot(r, p.y), 0.05f, 1e-6f);
    }
    const Topology topology = make_topology(mesh.triangles);
    EXPECT_TRUE(topology.non_manifold_edges.empty());
    EXPECT_EQ(2 * topology.edges.size(), 3 * mesh.triangles.size());                 // closed
    EXPECT_EQ(mesh.positions.size() + mesh.triangles.size(), topology.edges.size()); // with one hole
    double volume = 0;
    for (const Triangle& t : mesh.triangles)
        volume += dot(vector_cast<double>(mesh.positions[t[0]]), normal_of(mesh, t)) / 3;
    const double exact = 2 * std::numbers::pi * std::numbers::pi * 0.3 * 0.05 * 0.05;
    EXPECT_NEAR(volume, exact, 0.02 * exact);
}

} // namespace
} // namespace taffeta
