// Ten thousand random states of cloths of every kind, spread over every shape of tree and every way of fitting it: no
// triangles that come close are missed [MKE03].
#include "collision/broad_phase/bvh.h"

#include "collision/broad_phase/bvh_traversal.h"
#include "geometry/closest.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/trees.h"

#include <gtest/gtest.h>

namespace taffeta {
namespace {

enum class Fit { plain, swept, oriented, lazy };

bool are_boxes_apart(const Corners& a, const Corners& b, float distance) {
    for (int axis = 0; axis < 3; ++axis) {
        const auto [low_a, high_a] = std::minmax({a[0][axis], a[1][axis], a[2][axis]});
        const auto [low_b, high_b] = std::minmax({b[0][axis], b[1][axis], b[2][axis]});
        if (low_a - high_b > distance || low_b - high_a > distance) return true;
    }
    return false;
}

bool have_common_vertex(const Triangle& a, const Triangle& b) {
    return std::find_first_of(a.begin(), a.end(), b.begin(), b.end()) != a.end();
}

void append_close(const Mesh& mesh, std::span<const Vec4> x, float epsilon, test::Pairs& close) {
    std::vector<Corners> corners;
    for (Index f = 0; f < mesh.triangles.size(); ++f) corners.push_back(test::corners_of(mesh, x, f));
    for (Index f = 0; f < mesh.triangles.size(); ++f) {
        for (Index g = f + 1; g < mesh.triangles.size(); ++g) {
            if (!have_common_vertex(mesh.triangles[f], mesh.triangles[g]) &&
                (are_boxes_apart(corners[f], corners[g], epsilon) ||
                 triangle_distance(corners[f], corners[g]) > static_cast<double>(epsilon)))
                continue;
            close.push_back({f, g});
        }
    }
}

// By triangle: itself, or the block of its cluster.
std::vector<Index> ends_of(const Tree& tree, std::size_t triangles) {
    std::vector<Index> ends(triangles);
    for (Index block = 0; block < tree.block_count(); ++block)
        for (std::size_t place = 0; place < tree.count(block); ++place)
            if (const Index item = tree.items(block)[place]; (item & TreeItem::face_bit) != 0)
                ends[TreeItem::number(item)] = tree.shape().clusters ? block : TreeItem::number(item);
    return ends;
}

// One tree over one mesh in one way.
struct Subject {
    const Mesh* mesh;
    Tree tree;
    Fit fit;
    std::vector<Index> ends = {};
    std::vector<Vec4> x = {}; // where a lazy one has come
    int turn = 0;             // states so far
};

// Few triangles, for all pairs of them are compared; some are closed, or have an edge with four triangles or one
// without area.
std::vector<test::TestMesh> small_meshes() {
    std::vector<test::TestMesh> meshes = {
        {.name = "small grid", .mesh = make_grid({0.12f, 0.09f}, {4, 2}, Diagonals::alternate)},
        {.name = "small tube", .mesh = test::make_tube(5, 3, 0.06f, 0, false)},
        {.name = "small torus", .mesh = test::make_tube(3, 4, 0.05f, 0.15f, true)},
        {.name = "small disk", .mesh = make_disk(0.12f, 14)}};
    for (test::TestMesh& mesh : test::all_meshes())
        if (mesh.mesh.triangles.size() <= 40) meshes.push_back(std::move(mesh));
    return meshes;
}

TEST(Tree, TenThousandStatesInEveryShapeAndWayMissNothing) { // M02, M03, M04, M07, M08, M12
    constexpr int states = 10'000;
    constexpr float epsilon = 0.004f, tolerance = 0.003f;
    constexpr int kinds[8] = {0, 3, 2, 0, 0, 3, 2, 1}; // of deforming
    test::Random random(63);
    const std::vector<test::TestMesh> meshes = small_meshes();
    std::vector<Subject> subjects; // each way and shape over each mesh
    for (const test::TestMesh& test_mesh : meshes) {
        const Mesh& mesh = test_mesh.mesh;
        for (const Fit fit : {Fit::plain, Fit::swept, Fit::oriented, Fit::lazy})
            for (const TreeShape& shape : test::all_shapes()) {
                subjects.push_back({&mesh, Tree(mesh.triangles, mesh.positions, shape), fit});
                subjects.back().ends = ends_of(subjects.back().tree, mesh.triangles.size());
            }
    }

    const Parallel parallel(1);
    Traversal traversal;
    std::size_t close_seen = 0, left_out = 0, not_fitted = 0;
    for (int state = 0; state < states; ++state) {
        Subject& subject = subjects[static_cast<std::size_t>(state) % subjects.size()];
        const Mesh& mesh = *subject.mesh;
        const int turn = subject.turn++;
        std::vector<Vec4> x = test::deformed(mesh.positions, kinds[turn % 8], random);
        std::vector<Vec4> x_end = x;
        const Vec3 together = random.in_cube_float(0.03);
        const double apart = turn % 3 == 0 ? 0 : turn % 3 == 1 ? 0.003 : 0.03;
        for (Vec4& p : x_end) p.set_xyz(p.xyz() + together + random.in_cube_float(apart));
        test::Pairs close;
        switch (subject.fit) {
        case Fit::plain: subject.tree.refit(x, epsilon, parallel); break;
        case Fit::swept: subject.tree.refit_swept(x, x_end, epsilon, parallel); break;
        case Fit::oriented: subject.tree.refit_oriented(x, x_end, epsilon, parallel); break;
        case Fit::lazy: // goes on from where it was, in part
            if (turn % 16 == 0) subject.x = x;
            for (Vec4& p : subject.x)
                if (p.x > 0 || turn % 2 == 0) p.set_xyz(p.xyz() + random.in_cube_float(0.001));
            x = subject.x;
            if (subject.tree.refit_lazily(x, epsilon, tolerance, parallel) < subject.tree.block_count()) ++not_fitted;
            break;
        }
        append_close(mesh, x, epsilon, close);
        if (subject.fit == Fit::swept || subject.fit == Fit::oriented) {
            append_close(mesh, x_end, epsilon, close);
            std::vector<Vec4> between = x;
            const float part = random.uniform_float(0, 1);
            for (std::size_t v = 0; v < x.size(); ++v)
                between[v].set_xyz(x[v].xyz() + (x_end[v].xyz() - x[v].xyz()) * part);
            append_close(mesh, between, epsilon * 0.999f, close);
        }
        traversal.find_self(subject.tree, parallel);
        const test::Pairs found = test::sorted_pairs(traversal.lists());
        ASSERT_EQ(std::adjacent_find(found.begin(), found.end()), found.end());
        for (const auto& [f, g] : close) {
            const Index a = std::min(subject.ends[f], subject.ends[g]), b = std::max(subject.ends[f], subject.ends[g]);
            ASSERT_TRUE(std::binary_search(found.begin(), found.end(), std::array{a, b}))
                << "state " << state << ", " << mesh.triangles.size() << " triangles, "
                << test::name_of(subject.tree.shape()) << ", fit " << static_cast<int>(subject.fit) << ", triangles "
                << f << ", " << g;
        }
        close_seen += close.size();
        if (!subject.tree.shape().clusters && found.size() < mesh.triangles.size() * (mesh.triangles.size() - 1) / 2)
            ++left_out;
    }
    EXPECT_GT(close_seen, 500'000u);
    EXPECT_GT(left_out, 1'000u) << "not all of all";
    EXPECT_GT(not_fitted, 1'000u);
}

TEST(Tree, OrientedVolumesAreTheSameForAnyThreadsAndInstructionSet) {
    test::Random random(64);
    const Mesh mesh = make_grid({1, 1}, {40, 40}, Diagonals::alternate);
    const std::vector<Vec4> x = test::deformed(mesh.positions, 3, random);
    std::vector<Vec4> x_end = x;
    for (Vec4& p : x_end) p.set_xyz(p.xyz() + Vec3{0.02f, 0.01f, 0} + random.in_cube_float(0.02));
    for (const TreeShape& shape : {TreeShape{}, TreeShape{14, 4, false}}) {
        std::vector<float> first;
        const auto expect_first = [&](int threads) {
            Tree tree(mesh.triangles, mesh.positions, shape);
            tree.refit_oriented(x, x_end, 0.002f, Parallel(threads));
            std::vector<float> rows;
            for (Index block = 0; block < tree.block_count(); ++block)
                for (std::size_t row = 0; row < tree.row_count(); ++row)
                    for (std::size_t place = 0; place < tree.count(block); ++place)
                        rows.push_back(tree.rows(block)[row].slot[place]);
            if (first.empty()) first = rows;
            EXPECT_EQ(rows, first);
        };
        for (const int threads : {1, 2}) expect_first(threads);
        test::for_each_instruction_set([&](const std::string& set) {
            SCOPED_TRACE(set);
            expect_first(1);
        });
        EXPECT_GT(first.size(), 10'000u);
    }
}

TEST(Tree, LazyVolumesOfWhatStandsStillAreNotFittedAgain) { // M07
    const Mesh mesh = make_grid({1, 1}, {40, 40}, Diagonals::alternate);
    std::vector<Vec4> x = test::as_state(mesh.positions);
    for (const TreeShape& shape : {TreeShape{}, TreeShape{18, 4, false}}) {
        Tree tree(mesh.triangles, mesh.positions, shape);
        const auto refit = [&](float epsilon) { return tree.refit_lazily(x, epsilon, 0.01f, Parallel(1)); };
        EXPECT_EQ(refit(0.01f), tree.block_count());
        EXPECT_EQ(refit(0.01f), 0u);
        x[0].y += 0.02f; // a corner: only the way up from there
        const std::size_t fitted = refit(0.01f);
        EXPECT_GT(fitted, 1u);
        EXPECT_LE(fitted, 2 * tree.depth());
        EXPECT_EQ(refit(0.02f), tree.block_count()) << "for another distance";
        tree.refit(x, 0.02f, Parallel(1));
        EXPECT_EQ(refit(0.02f), tree.block_count()) << "after a refit of another kind";
    }
}

} // namespace
} // namespace taffeta
