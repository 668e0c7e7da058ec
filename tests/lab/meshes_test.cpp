#include "lab/meshes.h"

#include <gtest/gtest.h>

#include <numbers>

namespace {

using namespace taffeta;
using namespace taffeta::lab;

// Twice the area seen from above, of each triangle; positive if its front is up.
std::vector<double> signed_areas(const Mesh& mesh) {
    std::vector<double> areas;
    for (const Triangle& t : mesh.triangles) {
        const auto at = [&](std::size_t k) { return vector_cast<double>(mesh.positions[t[k]]); };
        areas.push_back(cross(at(1) - at(0), at(2) - at(0)).y);
    }
    return areas;
}

TEST(LabMeshes, StripsFaceUpAndCoverTheirRectangle) {
    for (const auto& [triangulation, name] : triangulation_names) {
        const Mesh mesh = make_strip({0.4, 0.1}, {16, 4}, triangulation);
        double sum = 0;
        for (const double area : signed_areas(mesh)) {
            EXPECT_GT(area, 0) << name;
            sum += area / 2;
        }
        EXPECT_NEAR(sum, 0.04, 1e-8) << name;
        EXPECT_TRUE(inspect(mesh).intersections.empty());
    }
}

TEST(LabMeshes, RingsFaceUpAndCloseUp) {
    for (const auto& [triangulation, name] : triangulation_names) {
        const Mesh mesh = make_ring(0.09, 0.15, {90, 6}, triangulation);
        double sum = 0;
        for (const double area : signed_areas(mesh)) {
            EXPECT_GT(area, 0) << name;
            sum += area / 2;
        }
        EXPECT_NEAR(sum / (std::numbers::pi * (0.15 * 0.15 - 0.09 * 0.09)), 1, 2e-3) << name;
        EXPECT_EQ(inspect(mesh).non_manifold_edges, 0u);
    }
}

TEST(LabMeshes, RowsThatAreHeldStayInPlace) {
    const Mesh regular = make_strip({0.4, 0.1}, {16, 4}, Triangulation::left);
    const Mesh irregular = make_strip({0.4, 0.1}, {16, 4}, Triangulation::irregular);
    for (const std::size_t i : {0u, 1u, 15u, 16u})
        for (std::size_t j = 0; j <= 4; ++j) EXPECT_EQ(regular.positions[j * 17 + i], irregular.positions[j * 17 + i]);
    EXPECT_NE(regular.positions, irregular.positions);
}

} // namespace
