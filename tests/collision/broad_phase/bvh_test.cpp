// The tree of volumes, and the pairs found in it: against brute force [MKE03].
#include "collision/broad_phase/bvh.h"

#include "collision/broad_phase/bvh_traversal.h"
#include "collision/broad_phase/kdop.h"
#include "geometry/closest.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace taffeta {
namespace {

using test::all_shapes, test::as_state, test::corners_of, test::deformed, test::kinds, test::name_of, test::Pairs,
    test::sorted_pairs;

// The triangles below a slot.
void collect_faces(const Tree& tree, Index item, std::vector<Index>& faces) {
    if ((item & TreeItem::face_bit) != 0) return faces.push_back(TreeItem::number(item));
    const Index block = TreeItem::number(item);
    for (std::size_t place = 0; place < tree.count(block); ++place)
        collect_faces(tree, tree.items(block)[place], faces);
}
std::vector<Index> faces_below(const Tree& tree, Index item) {
    std::vector<Index> faces;
    collect_faces(tree, item, faces);
    return faces;
}

template <int k>
Kdop<k> volume_of(std::span<const Index> faces, const Mesh& mesh, std::span<const std::vector<Vec4>> states,
                  float epsilon) {
    Kdop<k> volume;
    for (const Index f : faces)
        for (const Index v : mesh.triangles[f])
            for (const auto& x : states) volume.insert(x[v].xyz(), epsilon);
    return volume;
}

TEST(Tree, HoldsEachTriangleOnceAndIsNotDeep) { // M06
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        for (const TreeShape& shape : all_shapes()) {
            SCOPED_TRACE(name + ", " + name_of(shape));
            const Tree tree(mesh.triangles, mesh.positions, shape);
            std::vector<Index> faces = faces_below(tree, tree.items(0)[0]);
            std::sort(faces.begin(), faces.end());
            ASSERT_EQ(faces.size(), mesh.triangles.size());
            for (Index f = 0; f < faces.size(); ++f) ASSERT_EQ(faces[f], f);
            const double levels = std::log2(static_cast<double>(faces.size()) + 1) / std::log2(shape.arity);
            EXPECT_LE(static_cast<double>(tree.depth()), 2 * std::ceil(levels) + 1);
            for (Index block = 0; block < tree.block_count(); ++block) {
                EXPECT_LE(tree.count(block), static_cast<std::size_t>(shape.arity));
                if (block == 0) continue;
                EXPECT_EQ(TreeItem::number(tree.items(tree.slot_of(block) / 8)[tree.slot_of(block) % 8]), block);
            }
        }
    }
    EXPECT_TRUE(Tree({}, {}).empty());
}

TEST(Tree, RefitEqualsInsertingAllVerticesToTheBit) { // M05
    test::Random random(53);
    const Mesh mesh = make_disk(0.3f, 90);
    const std::vector<Vec4> states[] = {deformed(mesh.positions, 0, random), deformed(mesh.positions, 3, random)};
    const float epsilon = 0.0123f;
    test::for_each_instruction_set([&](const std::string& set) {
        for (const TreeShape& shape : all_shapes()) {
            SCOPED_TRACE(set + ", " + name_of(shape));
            Tree tree(mesh.triangles, mesh.positions, shape);
            for (const std::size_t count : {std::size_t{2}, std::size_t{1}}) {
                if (count == 1)
                    tree.refit(states[0], epsilon, Parallel(1));
                else
                    tree.refit_swept(states[0], states[1], epsilon, Parallel(1));
                with_k(shape.k, [&]<int k>() {
                    for (Index block = 0; block < tree.block_count(); ++block) {
                        for (std::size_t place = 0; place < Tree::slots; ++place) {
                            Kdop<k> volume, expected;
                            const TreeRow* rows = tree.rows(block);
                            for (std::size_t i = 0; i < k / 2; ++i)
                                volume.low[i] = rows[2 * i].slot[place], volume.high[i] = rows[2 * i + 1].slot[place];
                            if (place < tree.count(block))
                                expected = volume_of<k>(faces_below(tree, tree.items(block)[place]), mesh,
                                                        std::span(states).first(count), epsilon);
                            ASSERT_EQ(volume, expected) << "block " << block << ", slot " << place;
                            if (place >= tree.count(block)) continue;
                            ASSERT_EQ(rows[k].slot[place], expected.side(expected.longest_side()));
                        }
                    }
                });
            }
        }
    });
}

// Volumes contain those below them, so the ends that are found are all that overlap.
TEST(Tree, SelfPairsAreThoseWhoseVolumesOverlap) { // M08, M12
    std::size_t pairs_seen = 0;
    for (const test::TestMesh& subject : test::all_meshes()) {
        const Mesh& mesh = subject.mesh;
        test::Random random(54);
        std::vector<Tree> trees;
        for (const TreeShape& shape : all_shapes())
            if (!shape.clusters) trees.emplace_back(mesh.triangles, mesh.positions, shape);
        Traversal traversal;
        for (int kind = 0; kind < kinds; ++kind) {
            const bool is_dense = kind == 1 || (kind >= 4 && kind <= 6); // all overlap all
            if (is_dense && mesh.triangles.size() > 100) continue;
            const std::vector<Vec4> states[] = {deformed(mesh.positions, kind, random)};
            const float epsilon = random.uniform_float(0.0005f, 0.01f);
            Pairs expected;
            int expected_k = 0;
            for (Tree& tree : trees) {
                SCOPED_TRACE(subject.name + ", state " + std::to_string(kind) + ", " + name_of(tree.shape()));
                if (tree.shape().k != expected_k) {
                    expected_k = tree.shape().k;
                    expected.clear();
                    with_k(expected_k, [&]<int k>() {
                        std::vector<Kdop<k>> volumes;
                        for (Index f = 0; f < mesh.triangles.size(); ++f)
                            volumes.push_back(volume_of<k>({&f, 1}, mesh, states, epsilon));
                        for (Index f = 0; f < volumes.size(); ++f)
                            for (Index g = f + 1; g < volumes.size(); ++g)
                                if (volumes[f].overlaps(volumes[g])) expected.push_back({f, g});
                    });
                }
                tree.refit(states[0], epsilon, Parallel(1));
                traversal.find_self(tree, Parallel(1));
                ASSERT_EQ(sorted_pairs(traversal.lists()), expected);
                pairs_seen += expected.size();
            }
        }
    }
    EXPECT_GT(pairs_seen, 100'000u);
}

TEST(Tree, PairsBetweenMeshesMissNoCloseTriangles) { // M12
    test::Random random(55);
    const Mesh mesh = make_disk(0.2f, 60), other = make_grid({0.3f, 0.2f}, {6, 5}, Diagonals::alternate);
    std::size_t close_seen = 0;
    for (int state = 0; state < 12; ++state) {
        const std::vector<Vec4> x = deformed(mesh.positions, state % 5, random);
        std::vector<Vec4> y = deformed(other.positions, 0, random);
        for (Vec4& p : y) p.y += 0.02f;
        const float epsilon = 0.005f;
        Pairs close;
        for (Index f = 0; f < mesh.triangles.size(); ++f)
            for (Index g = 0; g < other.triangles.size(); ++g)
                if (triangle_distance(corners_of(mesh, x, f), corners_of(other, y, g)) <= 0.005)
                    close.push_back({f, g});
        close_seen += close.size();
        for (const TreeShape& shape : all_shapes()) {
            if (shape.clusters) continue;
            Tree tree_a(mesh.triangles, mesh.positions, shape), tree_b(other.triangles, other.positions, shape);
            tree_a.refit(x, epsilon, Parallel(1));
            tree_b.refit(y, epsilon, Parallel(1));
            Traversal traversal;
            traversal.find_between(tree_a, tree_b, Parallel(1));
            const Pairs found = sorted_pairs(traversal.lists());
            ASSERT_TRUE(std::includes(found.begin(), found.end(), close.begin(), close.end())) << name_of(shape);
            ASSERT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
            ASSERT_LT(found.size(), mesh.triangles.size() * other.triangles.size());
        }
    }
    EXPECT_GT(close_seen, 100u);
}

// Four triangles in a row, at x = 0, 1, 2 and 3.
Mesh make_row(float size) {
    Mesh mesh;
    for (Index k = 0; k < 4; ++k) {
        const auto x = static_cast<float>(k);
        mesh.positions.insert(mesh.positions.end(), {{x, 0, 0}, {x + size, 0, 0}, {x, 0, size}});
        mesh.triangles.push_back({3 * k, 3 * k + 1, 3 * k + 2});
    }
    return mesh;
}

TEST(Tree, FourBranchesTakeTwiceTheTestsOfTwoOnlyWhereTheRootsAloneOverlap) { // M08, [MKE03] 4.4
    const Mesh row = make_row(0.3f);
    const auto tests = [&](int arity, const Mesh& other) {
        const TreeShape shape = {6, arity, false};
        Tree a(row.triangles, row.positions, shape), b(other.triangles, other.positions, shape);
        a.refit(as_state(row.positions), 0, Parallel(1));
        b.refit(as_state(other.positions), 0, Parallel(1));
        Traversal traversal;
        traversal.find_between(a, b, Parallel(1));
        return traversal.box_tests() - 1; // without that of the roots
    };
    Mesh in_gap = test::make_one_triangle(), on_third = in_gap; // of size 0.1
    for (Vec3& p : in_gap.positions) p.x += 1.5f;
    for (Vec3& p : on_third.positions) p.x += 2.1f;
    EXPECT_EQ(tests(2, in_gap), 2u);
    EXPECT_EQ(tests(4, in_gap), 4u);
    EXPECT_EQ(tests(2, on_third), 4u);
    EXPECT_EQ(tests(4, on_third), 4u);
}

TEST(Tree, SamePairsInTheSameOrderForAnyThreadsAndInstructionSet) {
    test::Random random(56);
    const Mesh mesh = make_grid({1, 1}, {60, 60}, Diagonals::alternate);
    const std::vector<Vec4> x = deformed(mesh.positions, 3, random);
    for (const TreeShape& shape : {TreeShape{}, TreeShape{14, 4, false}}) {
        std::vector<TreePair> first;
        const auto expect_first = [&](int threads) {
            const Parallel parallel(threads);
            Tree tree(mesh.triangles, mesh.positions, shape);
            tree.refit(x, 0.002f, parallel);
            Traversal traversal;
            traversal.find_self(tree, parallel);
            std::vector<TreePair> found;
            for (const TreePairs& list : traversal.lists())
                found.insert(found.end(), list.pairs().begin(), list.pairs().end());
            EXPECT_GT(traversal.lists().size(), 64u);
            if (first.empty()) first = found;
            EXPECT_EQ(found, first);
        };
        test::for_any_threads_and_instruction_set(expect_first);
        EXPECT_GT(first.size(), 1000u);
    }
}

} // namespace
} // namespace taffeta
