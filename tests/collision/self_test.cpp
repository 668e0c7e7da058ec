// Keeping particles apart: the distances and the correction [FGL03] 4.
#include "collision/self.h"

#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

double distance_of(const Vec4& a, const Vec4& b) {
    return length(vector_cast<double>(b.xyz()) - vector_cast<double>(a.xyz()));
}

TEST(Separate, AClosePairIsMovedToItsDistanceByMass) {
    std::vector<Vec4> x = {{0, 0, 0, 1}, {0.5f, 0, 0, 3}};
    const std::vector<ClosePair> pair = {{0, 1, 1}};
    EXPECT_EQ(separate(pair, x), 1);
    EXPECT_NEAR(x[0].x, -0.125, 1e-6);
    EXPECT_NEAR(x[1].x, 0.875, 1e-6);
}

TEST(Separate, APairAtItsDistanceIsLeftAlone) {
    std::vector<Vec4> x = {{0, 0, 0, 1}, {1, 0, 0, 3}, {0, 5, 0, 1}};
    const auto before = x;
    const std::vector<ClosePair> pairs = {{0, 1, 1}, {0, 2, 1}};
    EXPECT_EQ(separate(pairs, x), 0);
    for (std::size_t p = 0; p < x.size(); ++p) EXPECT_EQ(x[p].xyz(), before[p].xyz());
}

TEST(Separate, HeldParticlesStay) {
    std::vector<Vec4> x = {{0, 0, 0, 0}, {0.5f, 0, 0, 3}, {0, 0.5f, 0, 0}};
    const std::vector<ClosePair> pairs = {{0, 1, 1}, {0, 2, 1}};
    separate(pairs, x);
    EXPECT_EQ(x[0].xyz(), Vec3{});
    EXPECT_NEAR(x[1].x, 1, 1e-6);
    EXPECT_EQ(x[2].xyz(), (Vec3{0, 0.5f, 0}));
}

TEST(Separate, CoincidentParticlesGiveNoNaN) {
    std::vector<Vec4> x = {{1, 1, 1, 1}, {1, 1, 1, 1}};
    const std::vector<ClosePair> pair = {{0, 1, 1}};
    separate(pair, x);
    for (const Vec4& p : x) EXPECT_TRUE(is_finite(p.xyz()));
}

TEST(Separate, PairsThatShareNoParticleAreApartAfterOnePass) { // F16
    test::Random random(3);
    std::vector<Vec4> x;
    std::vector<ClosePair> pairs;
    for (Index k = 0; k < 500; ++k) {
        const Vec3 p = random.in_cube_float(1), q = p + random.in_cube_float(0.02);
        x.push_back({p.x, p.y, p.z, random.uniform_float(0.5f, 50)});
        x.push_back({q.x, q.y, q.z, random.uniform_float(0.5f, 50)});
        pairs.push_back({2 * k, 2 * k + 1, random.uniform_float(0.01f, 0.05f)});
    }
    separate(pairs, x);
    for (const ClosePair& pair : pairs) EXPECT_GE(distance_of(x[pair.i], x[pair.j]), pair.distance * (1 - 1e-5) - 2e-7);
}

TEST(Separate, KeepsTheCentreOfMass) {
    test::Random random(4);
    std::vector<Vec4> x;
    for (int k = 0; k < 100; ++k) {
        const Vec3 p = random.in_cube_float(0.1);
        x.push_back({p.x, p.y, p.z, random.uniform_float(0.5f, 50)});
    }
    std::vector<ClosePair> pairs;
    for (Index i = 0; i < 100; ++i)
        for (Index j = i + 1; j < 100; ++j) pairs.push_back({i, j, 0.05f});
    const auto centre = [&] {
        Vec3d sum;
        double mass = 0;
        for (const Vec4& p : x) {
            sum += vector_cast<double>(p.xyz()) * (1.0 / p.w);
            mass += 1.0 / p.w;
        }
        return sum * (1 / mass);
    };
    const Vec3d before = centre();
    EXPECT_GT(separate(pairs, x), 100);
    EXPECT_NEAR(length(centre() - before), 0, 1e-6);
}

TEST(Radii,
     AreAboutHalfTheEdgesAround) { // "the distance, which we have to preserve, depends on the size of the triangles"
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const Topology topology = make_topology(mesh.triangles);
        std::vector<float> rest_length;
        std::vector<double> least(mesh.positions.size(), 1e9), most(mesh.positions.size(), 0);
        for (const Pair& edge : topology.edges) {
            rest_length.push_back(length(mesh.positions[edge.j] - mesh.positions[edge.i]));
            for (const Index p : {edge.i, edge.j}) {
                least[p] = std::min(least[p], static_cast<double>(rest_length.back()));
                most[p] = std::max(most[p], static_cast<double>(rest_length.back()));
            }
        }
        const auto count = static_cast<Index>(mesh.positions.size());
        const std::vector<float> radius = radii_from_edges(topology.edges, rest_length, count);
        ASSERT_EQ(radius.size(), count);
        for (Index p = 0; p < count; ++p) {
            if (most[p] == 0) {
                EXPECT_EQ(radius[p], 0); // without edges
            } else {
                EXPECT_GE(radius[p], 0.3 * least[p]);
                EXPECT_LE(radius[p], 0.5 * most[p]);
            }
        }
    }
}

TEST(Radii, GrowWithTheCloth) {
    const std::vector<Pair> edges = {{0, 1}, {1, 2}};
    const std::vector<float> small = radii_from_edges(edges, std::vector<float>{0.1f, 0.3f}, 3);
    const std::vector<float> large = radii_from_edges(edges, std::vector<float>{1, 3}, 3);
    for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(large[p] / small[p], 10, 1e-4);
    EXPECT_LT(small[0], small[1]);
    EXPECT_LT(small[1], small[2]);
}

} // namespace
} // namespace taffeta
