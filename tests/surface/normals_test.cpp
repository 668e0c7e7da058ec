#include <taffeta/surface.h>

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace taffeta {
namespace {

TEST(Normals, PointUpOnAFlatGrid) {
    const Mesh grid = make_grid({1, 1}, {4, 3}, Diagonals::alternate);
    std::vector<Vec3> normals(grid.positions.size());
    vertex_normals(grid.triangles, grid.positions, {}, normals);
    for (const Vec3& n : normals) EXPECT_EQ(n, (Vec3{0, 1, 0}));
}

TEST(Normals, AreThoseOfTheSphereWithinTheMesh) {
    // A disk wrapped around a pole: radius on the sheet becomes the angle from the pole.
    Mesh cap = make_disk(1, 4000);
    for (Vec3& p : cap.positions) {
        const float angle = std::sqrt(p.x * p.x + p.z * p.z), s = angle > 0 ? std::sin(angle) / angle : 1;
        p = {p.x * s, std::cos(angle), p.z * s};
    }
    std::vector<Vec3> normals(cap.positions.size());
    vertex_normals(cap.triangles, cap.positions, {}, normals);
    for (std::size_t v = 0; v < normals.size(); ++v) {
        EXPECT_NEAR(length(normals[v]), 1, 1e-6);
        EXPECT_GT(dot(normals[v], cap.positions[v]), 0.999f);
    }
}

TEST(Normals, LargeFacesWeighMore) {
    // At the common edge: a face of area 1 that faces up and one of area 1/2 that faces -x.
    const std::vector<Vec3> p = {{0, 0, 0}, {0, 0, -1}, {2, 0, 0}, {0, -1, 0}};
    const std::vector<Triangle> triangles = {{0, 2, 1}, {0, 1, 3}};
    std::vector<Vec3> normals(p.size());
    vertex_normals(triangles, p, {}, normals);
    EXPECT_NEAR(normals[0].y / normals[0].x, -2, 1e-6);
    EXPECT_EQ(normals[2], (Vec3{0, 1, 0}));
}

TEST(Normals, AreSmoothAcrossASeamThatIsJoined) {
    // Two triangles that meet at a right angle; the edge is there twice, as particles 0 and 1.
    const std::vector<Vec3> p = {{0, 0, 0}, {0, 0, -1}, {1, 0, 0}, {0, 0, 0}, {0, 0, -1}, {0, -1, 0}};
    const std::vector<Triangle> triangles = {{0, 2, 1}, {3, 4, 5}};
    const std::vector<Index> joined = {0, 1, 2, 0, 1, 3};
    std::vector<Vec3> normals(p.size());
    vertex_normals(triangles, p, {}, normals);
    EXPECT_NE(normals[0], normals[3]);
    vertex_normals(triangles, p, joined, normals);
    EXPECT_EQ(normals[0], normals[3]);
    EXPECT_EQ(normals[1], normals[4]);
    EXPECT_NEAR(normals[0].y, -normals[0].x, 1e-6);
}

TEST(Normals, AVertexWithoutAreaPointsUp) {
    const std::vector<Vec3> p = {{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {5, 5, 5}};
    const std::vector<Triangle> triangles = {{0, 1, 2}};
    std::vector<Vec3> normals(p.size());
    vertex_normals(triangles, p, {}, normals);
    for (const Vec3& n : normals) EXPECT_EQ(n, (Vec3{0, 1, 0}));
}

TEST(Normals, OfTinyTrianglesAreUnitVectorsToo) {
    const std::vector<Vec3> p = {{0, 0, 0}, {0, 0, 1e-12f}, {1e-12f, 0, 0}};
    const std::vector<Triangle> triangles = {{0, 1, 2}};
    std::vector<Vec3> normals(p.size());
    vertex_normals(triangles, p, {}, normals);
    for (const Vec3& n : normals) EXPECT_EQ(n, (Vec3{0, 1, 0}));
}

} // namespace
} // namespace taffeta
