// Cones hold what they were made of; velocity cones reach as far as any way in them [MKE03] 3.3, 5.
#include "geometry/cone.h"

#include "collision/broad_phase/bvh.h"
#include "collision/broad_phase/kdop.h"
#include "support/random.h"
#include "support/trees.h"

#include <gtest/gtest.h>

#include <vector>

namespace taffeta {
namespace {

bool contains(const Cone& cone, const Vec3& v) {
    const Vec3d axis = vector_cast<double>(cone.axis), direction = vector_cast<double>(v);
    return dot(axis, direction) >= static_cast<double>(cone.cosine) * length(direction);
}

// Within `spread` of a direction, of any length.
std::vector<Vec3> random_vectors(double spread, test::Random& random) {
    const Vec3d along = random.direction();
    std::vector<Vec3> vectors;
    for (std::uint32_t k = 0, count = 1 + random.below(9); k < count; ++k)
        vectors.push_back(vector_cast<float>((along + random.in_ball(spread)) * random.uniform(0.01, 3)));
    return vectors;
}

TEST(Cone, HoldsAllItsVectorsAndCones) { // M09, M11
    test::Random random(71);
    int narrow = 0;
    for (int trial = 0; trial < 20'000; ++trial) {
        const double spread = trial % 4 == 0 ? 1.5 : trial % 4 == 1 ? 0 : 0.3;
        std::vector<Cone> cones;
        std::vector<Vec3> all;
        for (std::uint32_t k = 0, count = 1 + random.below(4); k < count; ++k) {
            const std::vector<Vec3> vectors = random_vectors(spread, random);
            cones.push_back(cone_of(vectors));
            for (const Vec3& v : vectors) ASSERT_TRUE(contains(cones.back(), v)) << "trial " << trial;
            all.insert(all.end(), vectors.begin(), vectors.end());
        }
        const Cone around = cone_around(cones);
        for (const Vec3& v : all) ASSERT_TRUE(contains(around, v)) << "trial " << trial;
        narrow += around.cosine > -1 ? 1 : 0;

        // A cone around two is at least as wide as half the angle between any two vectors of them.
        const float both = merged_cosine(cones.front(), cones.back());
        for (const Vec3& v : all)
            if (contains(cones.front(), v))
                for (const Vec3& w : all)
                    if (contains(cones.back(), w)) {
                        const double cosine = dot(vector_cast<double>(v), vector_cast<double>(w)) /
                                              (length(vector_cast<double>(v)) * length(vector_cast<double>(w)));
                        ASSERT_LE(static_cast<double>(both), std::sqrt(std::max(0.0, (1 + cosine) / 2)) + 1e-7);
                    }
    }
    EXPECT_GT(narrow, 5'000);
}

TEST(Cone, OfVectorsThatCancelHoldsAllDirections) {
    const Vec3 opposite[] = {{0, 1, 0}, {0, -1, 0}};
    EXPECT_EQ(cone_of(opposite).cosine, -1);
    EXPECT_EQ(merged_cosine({{0, 1, 0}, -0.9f}, {{1, 0, 0}, 1}), -1) << "154 degrees around an axis 45 away";
    EXPECT_GT(cone_of(std::vector<Vec3>(2, {0, 3, 4})).cosine, 0.999999f);
}

// The farthest that one gets within the cone, by its definition.
double exact_reach(const VelocityCone& cone, const Vec3d& n) {
    const double angle = std::acos(std::clamp(dot(vector_cast<double>(cone.cone.axis), n) / length(n), -1.0, 1.0));
    const double within = std::acos(std::clamp(static_cast<double>(cone.cone.cosine), -1.0, 1.0));
    const double between = std::max(angle - within, 0.0);
    return std::max(std::cos(between), 0.0) * static_cast<double>(cone.height) * length(n);
}

TEST(VelocityCone, ReachesAsFarAsAnyWayInItAndNotMuchFarther) { // M03, M11
    test::Random random(72);
    for (int trial = 0; trial < 20'000; ++trial) {
        const double spread = trial % 4 == 0 ? 1.5 : trial % 4 == 1 ? 0 : 0.3;
        const std::vector<Vec3> ways = random_vectors(spread, random);
        VelocityCone cone = {cone_of(ways), 0};
        for (const Vec3& way : ways) cone.height = std::max(cone.height, length(way) * 1.000001f);
        for (const Vec3& normal : normals_of<18>()) {
            for (const Vec3& n : {normal, -normal}) {
                const double reach = static_cast<double>(cone.reach(n, length(n)));
                for (const Vec3& way : ways)
                    ASSERT_GE(reach, dot(vector_cast<double>(way), vector_cast<double>(n))) << "trial " << trial;
                ASSERT_LE(reach, exact_reach(cone, vector_cast<double>(n)) + 0.005 * static_cast<double>(cone.height));
            }
        }
    }
}

// [MKE03] Eq. 1 as printed: along the axis of the cone, as far as the longest way.
float printed_reach(const VelocityCone& cone, const Vec3& n) {
    return std::max(dot(cone.cone.axis, n) * cone.height, 0.0f);
}

TEST(VelocityCone, ThePrintedFormMissesWaysBesideTheAxis) { // M03
    const float along = std::sqrt(0.75f);
    const Vec3 ways[] = {{along, 0.5f, 0}, {along, -0.5f, 0}}; // 30 degrees to both sides of x
    const VelocityCone cone = {cone_of(ways), 1};
    const Vec3 y = {0, 1, 0};
    EXPECT_EQ(printed_reach(cone, y), 0) << "nothing but epsilon / 2";
    EXPECT_GE(cone.reach(y, 1), 0.5f);
    EXPECT_NEAR(cone.reach(y, 1), 0.5f, 1e-3f);
}

TEST(VelocityCone, WithoutADirectionReachesAsFarEverywhere) { // M04
    const Vec3 ways[] = {{0, 1, 0}, {0, -1, 0}};
    const VelocityCone cone = {cone_of(ways), 1};
    // The paper takes the larger of epsilon / 2 and the way. Two that approach each other can use up both: Tree adds
    // them.
    for (const Vec3& n : normals_of<14>())
        for (const Vec3& side : {n, -n}) EXPECT_GE(cone.reach(side, length(n)), length(n));
}

TEST(VelocityCone, OfABlockBoundsTheWaysOfItsTriangles) { // M11
    test::Random random(73);
    const Mesh mesh = make_disk(0.2f, 200);
    for (int trial = 0; trial < 20; ++trial) {
        const std::vector<Vec4> x = test::deformed(mesh.positions, trial % test::kinds, random);
        std::vector<Vec4> x_end = x;
        const Vec3 together = random.in_cube_float(trial % 3 == 0 ? 0 : 0.05);
        for (Vec4& p : x_end)
            if (trial % 5 != 4) p.set_xyz(p.xyz() + together + random.in_cube_float(trial % 2 == 0 ? 0.001 : 0.1));
        for (const TreeShape& shape : {TreeShape{}, TreeShape{18, 4, false}, TreeShape{8, 2, false}}) {
            Tree tree(mesh.triangles, mesh.positions, shape);
            tree.refit_oriented(x, x_end, 0.001f, Parallel(1));
            for (Index block = 0; block < tree.block_count(); ++block) {
                for (std::size_t place = 0; tree.has_faces(block) && place < tree.count(block); ++place) {
                    const Index item = tree.items(block)[place];
                    if ((item & TreeItem::face_bit) == 0) continue;
                    for (const Index v : mesh.triangles[TreeItem::number(item)]) {
                        const Vec3 way = x_end[v].xyz() - x[v].xyz();
                        ASSERT_LE(length(way), tree.velocity_cone(block).height);
                        ASSERT_TRUE(contains(tree.velocity_cone(block).cone, way));
                    }
                }
            }
        }
    }
}

} // namespace
} // namespace taffeta
