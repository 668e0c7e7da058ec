// Separation lists find what a fresh search finds [MKE03] 6.3.
#include "collision/comparison/separation_list.h"

#include "collision/broad_phase/bvh_traversal.h"
#include "support/random.h"
#include "support/trees.h"

#include <gtest/gtest.h>

namespace taffeta {
namespace {

test::Pairs sorted(std::span<const TreePair> found) {
    test::Pairs pairs;
    for (const auto& [a, b] : found) pairs.push_back({a, b});
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

TEST(SeparationList, FindsThePairsOfAFreshSearch) { // M15
    test::Random random(91);
    const Mesh mesh = make_disk(0.2f, 120), other = make_grid({0.3f, 0.2f}, {6, 5}, Diagonals::alternate);
    const TreeGroups groups = {.begin = {0, 40}, .first_passive = 40}; // the last are not searched among themselves
    std::size_t found = 0, saved = 0;
    for (const TreeShape& shape : test::all_shapes()) {
        Tree tree(mesh.triangles, mesh.positions, shape, shape.arity == 4 ? groups : TreeGroups{});
        Tree tree_b(other.triangles, other.positions, shape);
        SeparationList self(4), between(4);
        std::vector<Vec4> x = test::deformed(mesh.positions, 3, random), y = test::deformed(other.positions, 0, random);
        for (int step = 0; step < 10; ++step) {
            SCOPED_TRACE(test::name_of(shape) + ", step " + std::to_string(step));
            for (Vec4& p : x) p.set_xyz(p.xyz() + random.in_cube_float(0.004));
            for (Vec4& p : y) p.set_xyz(p.xyz() + Vec3{0, 0.002f, 0});
            tree.refit(x, 0.002f, Parallel(1));
            tree_b.refit(y, 0.002f, Parallel(1));
            Traversal fresh;
            fresh.find_self(tree, Parallel(1));
            self.find_self(tree);
            ASSERT_EQ(sorted(self.pairs()), test::sorted_pairs(fresh.lists()));
            found += self.pairs().size();
            EXPECT_GE(self.size(), self.pairs().size());
            fresh.find_between(tree, tree_b, Parallel(1));
            between.find_between(tree, tree_b);
            ASSERT_EQ(sorted(between.pairs()), test::sorted_pairs(fresh.lists()));
            saved += between.box_tests() < fresh.box_tests() ? 1 : 0;
        }
    }
    EXPECT_GT(found, 10'000u);
    EXPECT_GT(saved, 80u) << "it goes on from where it was";
    const Tree nothing({}, {});
    SeparationList of_nothing(2);
    of_nothing.find_self(nothing);
    EXPECT_TRUE(of_nothing.pairs().empty());
}

} // namespace
} // namespace taffeta
