// Normal cones and face groups: what they hold, what they leave out and what they must not [MKE03] 5.1, 6.2.
#include "collision/broad_phase/normal_cones.h"

#include "collision/broad_phase/bvh_traversal.h"
#include "geometry/closest.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/trees.h"

#include <gtest/gtest.h>

#include <numbers>
#include <set>

namespace taffeta {
namespace {

using test::Pairs;

struct Search {
    Pairs pairs = {};
    std::size_t box_tests = 0;
};

Search search(const Tree& tree, const NormalCones* normal_cones) {
    Traversal traversal;
    if (normal_cones != nullptr)
        traversal.find_self(tree, *normal_cones, Parallel(1));
    else
        traversal.find_self(tree, Parallel(1));
    return {test::sorted_pairs(traversal.lists()), traversal.box_tests()};
}

// By triangle, the slot it is in.
std::vector<Index> slots_of(const Tree& tree, std::size_t triangles) {
    std::vector<Index> slots(triangles);
    for (Index block = 0; block < tree.block_count(); ++block)
        for (Index place = 0; place < tree.count(block); ++place)
            if (const Index item = tree.items(block)[place]; (item & TreeItem::face_bit) != 0)
                slots[TreeItem::number(item)] = block * 8 + place;
    return slots;
}

TEST(NormalCones, ConesHoldAllNormalsBelowThem) { // M09
    test::Random random(81);
    std::size_t bent = 0;
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        for (int kind = 0; kind < test::kinds; ++kind) {
            SCOPED_TRACE(name + ", state " + std::to_string(kind));
            const std::vector<Vec4> x = test::deformed(mesh.positions, kind, random);
            const TreeShape shape = test::all_shapes()[static_cast<std::size_t>(kind)];
            const Tree tree(mesh.triangles, mesh.positions, shape);
            NormalCones normal_cones(tree, mesh.triangles, mesh.positions.size());
            normal_cones.refit(tree, x, Parallel(1));
            const std::vector<Index> slots = slots_of(tree, mesh.triangles.size());
            for (Index f = 0; f < mesh.triangles.size(); ++f) {
                const Corners corners = test::corners_of(mesh, x, f);
                const Vec3 normal = cross(corners[1] - corners[0], corners[2] - corners[0]);
                const Vec3d n = vector_cast<double>(normal);
                for (Index slot = slots[f];; slot = tree.slot_of(slot / 8)) {
                    const auto& [axis, cosine] = normal_cones.cone(slot);
                    ASSERT_GE(dot(vector_cast<double>(axis), n), static_cast<double>(cosine) * length(n));
                    if (length(n) == 0) { // no normal: never flat
                        ASSERT_EQ(cosine, -1);
                    }
                    bent += cosine > -1 && cosine < 0.9f ? 1 : 0;
                    if (slot < 8) break;
                }
            }
        }
    }
    EXPECT_GT(bent, 1'000u);
}

TEST(NormalCones, FlatClothIsLeftOutAfterAFixedNumberOfTests) { // M09, M14
    std::vector<std::size_t> with, without;
    for (const int cells : {32, 64, 96}) {
        const Mesh mesh = make_grid({1, 1}, {cells, cells}, Diagonals::alternate);
        const std::vector<Vec4> x = test::as_state(mesh.positions);
        Tree tree(mesh.triangles, mesh.positions, {14, 4, false});
        NormalCones normal_cones(tree, mesh.triangles, mesh.positions.size());
        EXPECT_GE(normal_cones.group_count(), 64u);
        tree.refit(x, 0.1f / static_cast<float>(cells), Parallel(1));
        normal_cones.refit(tree, x, Parallel(1));
        const Search flat = search(tree, &normal_cones), all = search(tree, nullptr);
        EXPECT_TRUE(flat.pairs.empty()) << "no contact of flat cloth";
        EXPECT_GT(all.pairs.size(), mesh.triangles.size()); // neighbours
        with.push_back(flat.box_tests);
        without.push_back(all.box_tests);
    }
    EXPECT_LE(with[2], with[0] + with[0] / 4);
    EXPECT_GT(without[2], 6 * without[0]);
    EXPECT_LT(with[2], 2'000u);
}

// A strip in the plane, once round and a bit, its end above its beginning.
struct Strip {
    Mesh mesh;
    std::vector<Vec4> x = {};
};
Strip make_ring(double turn, double rise) {
    Strip strip = {make_grid({2, 0.05f}, {200, 4}, Diagonals::alternate)};
    for (const Vec3& p : strip.mesh.positions) {
        const double along = static_cast<double>(p.x) / 2 + 0.5, radius = 0.3 + static_cast<double>(p.z);
        const Vec3d q = {radius * std::cos(turn * along), rise * along, radius * std::sin(turn * along)};
        strip.x.push_back({static_cast<float>(q.x), static_cast<float>(q.y), static_cast<float>(q.z), 1});
    }
    return strip;
}

TEST(NormalCones, AFlatRingOverItselfIsFoundByGroupsAloneNotByCones) { // M10, [MKE03] Fig. 5
    const float epsilon = 0.003f;
    const Strip strip = make_ring(2.2 * std::numbers::pi, 0.002);
    Tree tree(strip.mesh.triangles, strip.mesh.positions, {14, 4, false});
    tree.refit(strip.x, epsilon, Parallel(1));
    NormalCones cones(tree, strip.mesh.triangles, strip.mesh.positions.size(), {.groups = 1});
    cones.refit(tree, strip.x, Parallel(1));
    EXPECT_EQ(cones.group_count(), 1u);
    EXPECT_TRUE(search(tree, &cones).pairs.empty()) << "all normals point up";

    NormalCones groups(tree, strip.mesh.triangles, strip.mesh.positions.size());
    groups.refit(tree, strip.x, Parallel(1));
    const Search with = search(tree, &groups), without = search(tree, nullptr);
    EXPECT_LT(with.box_tests, without.box_tests);
    const std::vector<Index> slots = slots_of(tree, strip.mesh.triangles.size());
    std::size_t close = 0;
    for (Index f = 0; f < strip.mesh.triangles.size(); ++f) {
        for (Index g = f + 1; g < strip.mesh.triangles.size(); ++g) {
            if (groups.are_adjacent(groups.group(slots[f]), groups.group(slots[g]))) continue;
            const Corners a = test::corners_of(strip.mesh, strip.x, f), b = test::corners_of(strip.mesh, strip.x, g);
            if (length(a[0] - b[0]) > 0.05f || triangle_distance(a, b) > static_cast<double>(epsilon)) continue;
            ++close;
            ASSERT_TRUE(std::binary_search(with.pairs.begin(), with.pairs.end(), std::array{f, g}));
        }
    }
    EXPECT_GT(close, 200u);
}

TEST(NormalCones, FoldsAreFound) { // M14
    test::Random random(82);
    const Mesh mesh = make_grid({1, 1}, {24, 24}, Diagonals::alternate);
    for (int trial = 0; trial < 4; ++trial) {
        const std::vector<Vec4> x = test::deformed(mesh.positions, trial % 2 == 0 ? 2 : 3, random); // folded, rolled
        const TreeShape shape = trial < 2 ? TreeShape{6, 8, false} : TreeShape{18, 2, false};
        Tree tree(mesh.triangles, mesh.positions, shape);
        tree.refit(x, 0.021f, Parallel(1));
        NormalCones normal_cones(tree, mesh.triangles, mesh.positions.size());
        normal_cones.refit(tree, x, Parallel(1));
        const Search with = search(tree, &normal_cones), without = search(tree, nullptr);
        const std::vector<Index> slots = slots_of(tree, mesh.triangles.size());
        Pairs expected; // the rule, pair by pair; regions leave out no more than their pairs do
        for (const auto& [f, g] : without.pairs) {
            const std::set<Index> corners = {mesh.triangles[f][0], mesh.triangles[f][1], mesh.triangles[f][2],
                                             mesh.triangles[g][0], mesh.triangles[g][1], mesh.triangles[g][2]};
            const bool is_near = normal_cones.are_adjacent(normal_cones.group(slots[f]), normal_cones.group(slots[g]));
            const Cone &a = normal_cones.cone(slots[f]), &b = normal_cones.cone(slots[g]);
            const bool is_flat = merged_cosine(a, b) > std::cos(0.25f * std::numbers::pi_v<float>);
            if (!is_near || (!is_flat && corners.size() == 6)) expected.push_back({f, g});
        }
        EXPECT_EQ(with.pairs, expected);
        EXPECT_GT(expected.size(), 300u);
        EXPECT_LT(expected.size(), without.pairs.size());
    }
}

TEST(NormalCones, ClustersThatAreFlatAreLeftOut) {
    const Mesh mesh = make_grid({1, 1}, {32, 32}, Diagonals::alternate);
    std::vector<Vec4> x = test::as_state(mesh.positions);
    Tree tree(mesh.triangles, mesh.positions);
    NormalCones normal_cones(tree, mesh.triangles, mesh.positions.size());
    const auto count = [&] {
        tree.refit(x, 0.001f, Parallel(1));
        normal_cones.refit(tree, x, Parallel(1));
        return search(tree, &normal_cones).pairs.size();
    };
    EXPECT_EQ(count(), 0u);
    x[16 * 33 + 16].y += 0.1f; // a spike
    EXPECT_GT(count(), 0u);
    EXPECT_LT(count(), 50u) << "of 2,000";
    const Tree nothing({}, {});
    NormalCones of_nothing(nothing, {}, 0);
    of_nothing.refit(nothing, {}, Parallel(1));
    EXPECT_TRUE(search(nothing, &of_nothing).pairs.empty());
}

} // namespace
} // namespace taffeta
