// Volumes, the tree of them, and what is close on a cloth: against brute force [MKE03].
#include "collision/tree.h"

#include "collision/kdop.h"
#include "collision/proximity.h"
#include "geometry/closest.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <tuple>

namespace taffeta {
namespace {

using test::all_shapes, test::as_state, test::corners_of, test::deformed, test::kinds, test::name_of, test::Pairs,
    test::sorted_pairs;

template <class Body>
void with_k(int k, const Body& body) {
    if (k == 6) body.template operator()<6>();
    if (k == 8) body.template operator()<8>();
    if (k == 14) body.template operator()<14>();
    if (k == 18) body.template operator()<18>();
}

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

template <int k>
void expect_directions_as_documented() {
    const Vec3 p = {1, 10, 100};
    const auto at = project<k>(p);
    for (std::size_t i = 0; i < k / 2; ++i) {
        // The components of the normal are the coefficients.
        const Vec3 n = {project<k>({1, 0, 0})[i], project<k>({0, 1, 0})[i], project<k>({0, 0, 1})[i]};
        for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(n[axis] == 0 || std::abs(n[axis]) == 1);
        EXPECT_EQ(at[i], dot(n, p));
        EXPECT_FLOAT_EQ(normal_length<k>(i), length(n));
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(at[i], at[j]);
    }
}

TEST(Kdop, NormalsAreOfOnesAndZeros) { // M01
    for (const int k : {6, 8, 14, 18}) with_k(k, []<int kk>() { expect_directions_as_documented<kk>(); });
}

TEST(Kdop, MoreFacesAreTighter) { // M01
    test::Random random(51);
    std::array<int, 3> inside = {};
    for (int trial = 0; trial < 1000; ++trial) {
        Kdop<6> box;
        Kdop<14> corners_clipped;
        Kdop<18> edges_clipped;
        for (int corner = 0; corner < 3; ++corner) {
            const Vec3 p = random.in_cube_float(1);
            box.insert(p, 0);
            corners_clipped.insert(p, 0);
            edges_clipped.insert(p, 0);
        }
        for (int sample = 0; sample < 50; ++sample) {
            const Vec3 part = random.in_cube_float(0.5) + Vec3{0.5f, 0.5f, 0.5f};
            Vec3 p;
            for (int axis = 0; axis < 3; ++axis) {
                const auto i = static_cast<std::size_t>(axis);
                p[axis] = box.low[i] + part[axis] * (box.high[i] - box.low[i]);
            }
            const auto contains = [&]<int k>(const Kdop<k>& volume) {
                Kdop<k> point;
                point.insert(p, 0);
                return volume.overlaps(point);
            };
            inside[0] += contains(box) ? 1 : 0;
            inside[1] += contains(corners_clipped) ? 1 : 0;
            inside[2] += contains(edges_clipped) ? 1 : 0;
        }
    }
    EXPECT_EQ(inside[0], 50'000);
    EXPECT_LT(inside[1], 35'000);
    EXPECT_LT(inside[2], inside[1]);
}

// Two triangles on the two sides of a slab as thick as epsilon, or a bit less.
struct SlabPair {
    std::array<Vec3, 3> a, b;
};
SlabPair make_slab_pair(double epsilon, const Vec3d& centre, test::Random& random) {
    const Vec3d n = random.direction();
    const auto beside = [&](double side, const Vec3d& from) {
        Vec3d r = random.in_cube(0.1);
        if (dot(r, n) * side < 0) r -= n * (2 * dot(r, n));
        return vector_cast<float>(from + r);
    };
    const Vec3d p = centre + random.in_cube(0.1), q = p + n * (epsilon * 0.9999);
    return {{vector_cast<float>(p), beside(-1, p), beside(-1, p)}, {vector_cast<float>(q), beside(1, q), beside(1, q)}};
}

TEST(Kdop, OverlapIsNecessaryForProximity) { // M02
    test::Random random(52);
    int close = 0, missed_without_lengths = 0;
    for (int trial = 0; trial < 100'000; ++trial) {
        const float epsilon = trial % 2 == 0 ? 0.01f : 0.0005f;
        const Vec3d centre = trial % 3 == 0 ? Vec3d{100, -30, 7} : Vec3d{};
        const SlabPair pair = make_slab_pair(static_cast<double>(epsilon), centre, random);
        const Vec3d apart = vector_cast<double>(pair.a[0]) - vector_cast<double>(pair.b[0]);
        if (length(apart) > static_cast<double>(epsilon)) continue; // rounding
        ++close;
        with_k(trial % 4 == 0   ? 6
               : trial % 4 == 1 ? 8
               : trial % 4 == 2 ? 14
                                : 18,
               [&]<int k>() {
                   Kdop<k> volume_a, volume_b, bare_a, bare_b;
                   for (const Vec3& p : pair.a) volume_a.insert(p, epsilon), bare_a.insert(p, 0);
                   for (const Vec3& p : pair.b) volume_b.insert(p, epsilon), bare_b.insert(p, 0);
                   ASSERT_TRUE(volume_a.overlaps(volume_b)) << "trial " << trial;
                   // As the paper has it: by half of epsilon, whatever the length of the normal.
                   for (std::size_t i = 0; i < k / 2; ++i) {
                       bare_a.low[i] -= 0.5f * epsilon, bare_a.high[i] += 0.5f * epsilon;
                       bare_b.low[i] -= 0.5f * epsilon, bare_b.high[i] += 0.5f * epsilon;
                   }
                   missed_without_lengths += bare_a.overlaps(bare_b) ? 0 : 1;
               });
    }
    EXPECT_GT(close, 60'000);
    EXPECT_GT(missed_without_lengths, 10'000);
}

// [MKE03] Eq. 1 moves faces by the fastest speed along the mean direction: vertices that move at an angle to it leave
// the volume. One around both ends of their ways keeps them.
TEST(Kdop, InflationAlongTheMeanVelocityLosesVerticesThatTheEndsKeep) { // M03, W23
    test::Random random(61);
    constexpr double dt = 0.01;
    constexpr float epsilon = 1e-4f;
    constexpr int k = 18;
    int lost = 0, lost_of_parallel = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const bool is_parallel = trial % 2 == 0;
        const Vec3d along = random.direction() * 2;
        std::array<Vec3d, 3> start, velocity;
        for (std::size_t corner = 0; corner < 3; ++corner) {
            start[corner] = random.in_cube(0.01);
            velocity[corner] = is_parallel ? along : along + random.in_cube(0.7);
        }
        const Vec3d mean = normalized(velocity[0] + velocity[1] + velocity[2]);
        const double fastest = std::max({length(velocity[0]), length(velocity[1]), length(velocity[2])});
        Kdop<k> oriented, swept;
        for (std::size_t corner = 0; corner < 3; ++corner) {
            oriented.insert(vector_cast<float>(start[corner]), epsilon);
            swept.insert(vector_cast<float>(start[corner]), epsilon);
            swept.insert(vector_cast<float>(start[corner] + velocity[corner] * dt), epsilon);
        }
        const std::array<float, k / 2> shift = project<k>(vector_cast<float>(mean * (fastest * dt)));
        for (std::size_t i = 0; i < k / 2; ++i) {
            oriented.low[i] += std::min(shift[i], 0.0f);
            oriented.high[i] += std::max(shift[i], 0.0f);
        }
        for (std::size_t corner = 0; corner < 3; ++corner) {
            for (const double part : {0.3, 0.7, 1.0}) {
                Kdop<k> point;
                point.insert(vector_cast<float>(start[corner] + velocity[corner] * (dt * part)), 0);
                ASSERT_TRUE(swept.overlaps(point));
                if (!oriented.overlaps(point)) ++(is_parallel ? lost_of_parallel : lost);
            }
        }
    }
    EXPECT_EQ(lost_of_parallel, 0);
    EXPECT_GT(lost, 500);
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
        for (const int threads : {1, 2, 8}) expect_first(threads);
        test::for_each_instruction_set([&](const std::string& set) {
            SCOPED_TRACE(set);
            expect_first(1);
        });
        EXPECT_GT(first.size(), 1000u);
    }
}

struct Found {
    Index a, b;
    double distance;
    auto operator<=>(const Found&) const = default;
};
struct Close {
    std::vector<Found> vertex_faces, edges; // sorted
    bool operator==(const Close&) const = default;
};

Close close_of(const Proximity& proximity) {
    Close close;
    for (const CloseParts& list : proximity.lists()) {
        for (const auto& [a, b, distance] : list.vertex_faces) close.vertex_faces.push_back({a, b, distance});
        for (const auto& [a, b, distance] : list.edges) close.edges.push_back({a, b, distance});
    }
    std::sort(close.vertex_faces.begin(), close.vertex_faces.end());
    std::sort(close.edges.begin(), close.edges.end());
    return close;
}

// Whether points are farther apart along an axis than `distance`.
bool are_apart(std::span<const Vec3d> a, std::span<const Vec3d> b, double distance) {
    for (int axis = 0; axis < 3; ++axis) {
        double low_a = 1e300, high_a = -1e300, low_b = 1e300, high_b = -1e300;
        for (const Vec3d& p : a) low_a = std::min(low_a, p[axis]), high_a = std::max(high_a, p[axis]);
        for (const Vec3d& p : b) low_b = std::min(low_b, p[axis]), high_b = std::max(high_b, p[axis]);
        if (low_a - high_b > distance || low_b - high_a > distance) return true;
    }
    return false;
}

Close by_brute_force(const Mesh& mesh, std::span<const Vec4> x, double epsilon) {
    Close close;
    const auto at = [&](Index v) { return vector_cast<double>(x[v].xyz()); };
    std::vector<bool> is_used(x.size());
    for (const Triangle& t : mesh.triangles)
        for (const Index v : t) is_used[v] = true;
    for (Index v = 0; v < x.size(); ++v) {
        for (Index f = 0; is_used[v] && f < mesh.triangles.size(); ++f) {
            const Triangle& t = mesh.triangles[f];
            if (std::find(t.begin(), t.end(), v) != t.end()) continue;
            const std::array<Vec3d, 3> corners = {at(t[0]), at(t[1]), at(t[2])};
            const std::array<Vec3d, 1> p = {at(v)};
            if (are_apart(p, corners, epsilon)) continue;
            const double squared = closest_on_triangle(p[0], corners).squared;
            if (squared < epsilon * epsilon) close.vertex_faces.push_back({v, f, std::sqrt(squared)});
        }
    }
    const std::vector<Pair> edges = make_topology(mesh.triangles).edges;
    for (Index a = 0; a < edges.size(); ++a) {
        const std::array<Vec3d, 2> p = {at(edges[a].i), at(edges[a].j)};
        for (Index b = a + 1; b < edges.size(); ++b) {
            const auto& [i, j] = edges[b];
            if (edges[a].i == i || edges[a].i == j || edges[a].j == i || edges[a].j == j) continue;
            const std::array<Vec3d, 2> q = {at(i), at(j)};
            if (are_apart(p, q, epsilon)) continue;
            const double squared = closest_of_edges(p[0], p[1], q[0], q[1]).squared;
            if (squared < epsilon * epsilon) close.edges.push_back({a, b, std::sqrt(squared)});
        }
    }
    return close;
}

TEST(Proximity, EqualsBruteForceOnEveryMesh) { // M02, M12, M13
    std::size_t vertex_faces = 0, edges = 0;
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        test::Random random(57);
        Proximity proximity(mesh.triangles, mesh.positions);
        for (int state = 0; state < 2 * kinds; ++state) {
            SCOPED_TRACE(name + ", state " + std::to_string(state));
            const std::vector<Vec4> x = deformed(mesh.positions, state % kinds, random);
            const float epsilon = random.uniform_float(0.0005f, 0.01f);
            proximity.find(x, epsilon, Parallel(1));
            const Close found = close_of(proximity);
            const Close expected = by_brute_force(mesh, x, static_cast<double>(epsilon));
            ASSERT_EQ(found.vertex_faces, expected.vertex_faces); // distances too, to the bit
            ASSERT_EQ(found.edges, expected.edges);
            vertex_faces += expected.vertex_faces.size();
            edges += expected.edges.size();
        }
    }
    EXPECT_GT(vertex_faces, 10'000u);
    EXPECT_GT(edges, 10'000u);
}

TEST(Proximity, NothingIsCloseWithoutTriangles) {
    Proximity proximity({}, {});
    proximity.find({}, 0.01f, Parallel(2));
    EXPECT_EQ(close_of(proximity), Close{});
    EXPECT_TRUE(std::isinf(proximity.off_ways({}, 0.5))) << "nothing was searched on ways";
}

// Two parallel triangles far from the origin, as far apart as epsilon but for a millionth; coordinates that float has
// exactly, so that only the search rounds. One is there eight times, which makes two clusters.
TEST(Proximity, RoundingFarFromTheOriginLosesNothing) {
    test::Random random(62);
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {0.1f, 0, 0}, {0, 0, 0.1f}, {5, 0, 0}, {5.1f, 0, 0}, {5, 0, 0.1f}};
    mesh.triangles.assign(8, {0, 1, 2});
    mesh.triangles.push_back({3, 4, 5});
    Proximity proximity(mesh.triangles, mesh.positions);
    const auto whole = [&](int most) { return static_cast<double>(random.below(static_cast<std::uint32_t>(most))); };
    for (int trial = 0; trial < 20'000; ++trial) {
        constexpr double unit = 0x1p-14;
        const double a = 1 + whole(5), b = 1 + whole(5), c = 1 + whole(5);
        const Vec3d n = {a, b, c}, u = {b, -a, 0}, v = {0, c, -b};
        const Vec3d base = Vec3d{whole(1 << 23), whole(1 << 23), whole(1 << 23)} * unit;
        const Vec3d gap = n * (unit * (1 + whole(8)));
        std::vector<Vec3> x;
        for (const Vec3d& from : {base, base + gap})
            for (const Vec3d& p : {Vec3d{}, u, v}) x.push_back(vector_cast<float>(from + p * (64 * unit)));
        const float epsilon = static_cast<float>(length(gap) * (1 + 1e-6));
        proximity.find(as_state(x), epsilon, Parallel(1));
        ASSERT_EQ(close_of(proximity).vertex_faces.size(), 3u * 8 + 3) << "trial " << trial;
    }
}

TEST(Proximity, SameForAnyThreadsAndInstructionSet) {
    test::Random random(58);
    const Mesh mesh = make_grid({1, 1}, {40, 40}, Diagonals::alternate);
    const std::vector<Vec4> x = deformed(mesh.positions, 3, random);
    std::vector<Found> first;
    Proximity proximity(mesh.triangles, mesh.positions);
    const auto expect_first = [&](int threads) {
        proximity.find(x, 0.002f, Parallel(threads));
        std::vector<Found> found; // in its order
        for (const CloseParts& list : proximity.lists()) {
            for (const auto& [a, b, distance] : list.vertex_faces) found.push_back({a, b, distance});
            for (const auto& [a, b, distance] : list.edges) found.push_back({a, b, distance});
        }
        if (first.empty()) first = found;
        EXPECT_EQ(found, first);
    };
    for (const int threads : {1, 2, 8}) expect_first(threads);
    test::for_each_instruction_set([&](const std::string& set) {
        SCOPED_TRACE(set);
        expect_first(1);
    });
    EXPECT_GT(first.size(), 1000u);
}

// Candidates are as far apart as was said, less what vertices are beside their ways.
void expect_no_nearer(Proximity& proximity, std::span<const Vec4> x, double off) {
    proximity.measure(x, 1, Parallel(1)); // all of them, in their order
    for (const CloseParts& list : proximity.lists()) {
        const auto expect = [&](const CandidateList& candidates, const std::vector<ClosePart>& measured) {
            ASSERT_EQ(measured.size(), candidates.count);
            for (std::size_t k = 0; k < candidates.count; ++k)
                ASSERT_GE(measured[k].distance, static_cast<double>(candidates.nearest[k]) - off);
        };
        expect(list.vertex_face_candidates, list.vertex_faces);
        expect(list.edge_candidates, list.edges);
    }
}

// Vertices go their ways, each a bit beside its own: what is closer than is known is among the candidates.
TEST(Proximity, OnTheWaysNothingIsMissed) { // M07
    test::Random random(60);
    const Mesh mesh = make_disk(0.2f, 120);
    Proximity proximity(mesh.triangles, mesh.positions);
    std::size_t close_seen = 0, lost = 0;
    for (int trial = 0; trial < 12; ++trial) {
        const float within = 0.004f;
        const std::vector<Vec4> x = deformed(mesh.positions, trial % 4, random);
        const Vec3 along = vector_cast<float>(random.direction()); // all together, much farther than `within`
        std::vector<Vec4> x_end = x;
        for (Vec4& p : x_end) p.set_xyz(p.xyz() + along + random.in_cube_float(0.003));
        proximity.find_on_ways(x, x_end, within, {}, Parallel(2));
        for (const double share : {0.0, 0.4, 1.0}) {
            std::vector<Vec4> at = x;
            for (std::size_t v = 0; v < x.size(); ++v) {
                const Vec3d from = vector_cast<double>(x[v].xyz()), to = vector_cast<double>(x_end[v].xyz());
                at[v].set_xyz(vector_cast<float>(from + (to - from) * share + random.in_cube(0.0005)));
            }
            const double off = proximity.off_ways(at, share);
            ASSERT_GT(off, 0.0003);
            ASSERT_LT(off, 0.0010);
            const auto known = static_cast<float>(static_cast<double>(within) - 2 * off);
            proximity.measure(at, known, Parallel(2));
            const Close expected = by_brute_force(mesh, at, static_cast<double>(known)), found = close_of(proximity);
            ASSERT_EQ(found.vertex_faces, expected.vertex_faces);
            ASSERT_EQ(found.edges, expected.edges);
            close_seen += expected.edges.size();
            expect_no_nearer(proximity, at, 2 * off);
            // Farther than is known, some are not: the promise is no larger than it can be.
            lost += by_brute_force(mesh, at, 0.012).edges.size();
            proximity.measure(at, 0.012f, Parallel(2));
            lost -= close_of(proximity).edges.size();
        }
    }
    EXPECT_GT(close_seen, 1000u);
    EXPECT_GT(lost, 100u);
}

// A search for what a few vertices meet finds the pairs with these that a search for all finds, and bounds them alike.
TEST(Proximity, SearchesForFewVerticesAlone) {
    test::Random random(62);
    const Mesh mesh = make_disk(0.2f, 400);
    Proximity all(mesh.triangles, mesh.positions), few(mesh.triangles, mesh.positions);
    std::size_t seen = 0;
    for (int trial = 0; trial < 8; ++trial) {
        const std::vector<Vec4> x = deformed(mesh.positions, trial % 4, random);
        std::vector<Vec4> x_end = x;
        for (Vec4& p : x_end) p.set_xyz(p.xyz() + random.in_cube_float(0.01));
        std::vector<std::uint8_t> only(x.size(), 0);
        for (std::size_t v = 0; v < x.size(); v += 1 + static_cast<std::size_t>(trial) * 17) only[v] = 1;
        all.find_on_ways(x, x_end, 0.004f, {}, Parallel(2));
        few.find_on_ways(x, x_end, 0.004f, only, Parallel(2));
        using BoundPairs = std::vector<std::tuple<bool, Index, Index, float>>;
        const auto with_these = [&](const Proximity& proximity) {
            BoundPairs found;
            for (const CloseParts& list : proximity.lists()) {
                const CandidateList &faces = list.vertex_face_candidates, &edges = list.edge_candidates;
                for (std::size_t k = 0; k < faces.count; ++k) {
                    const Triangle& t = mesh.triangles[faces.b[k]];
                    if ((only[faces.a[k]] | only[t[0]] | only[t[1]] | only[t[2]]) != 0)
                        found.emplace_back(false, faces.a[k], faces.b[k], faces.nearest[k]);
                }
                for (std::size_t k = 0; k < edges.count; ++k) {
                    const Pair &a = proximity.edges()[edges.a[k]], &b = proximity.edges()[edges.b[k]];
                    if ((only[a.i] | only[a.j] | only[b.i] | only[b.j]) != 0)
                        found.emplace_back(true, edges.a[k], edges.b[k], edges.nearest[k]);
                }
            }
            std::sort(found.begin(), found.end());
            return found;
        };
        const BoundPairs expected = with_these(all);
        ASSERT_EQ(with_these(few), expected);
        seen += expected.size();
    }
    EXPECT_GT(seen, 1000u);
}

TEST(Proximity, MeasuresEachVertexOffItsWay) {
    test::Random random(63);
    const Mesh mesh = make_disk(0.2f, 120);
    Proximity proximity(mesh.triangles, mesh.positions);
    const std::vector<Vec4> x = deformed(mesh.positions, 3, random);
    std::vector<float> off(x.size());
    proximity.measure_off(x, 0, Parallel(1), off);
    EXPECT_TRUE(std::isinf(off[0])) << "nothing was searched on ways";
    proximity.find_on_ways(x, x, 0.004f, {}, Parallel(1));
    std::vector<Vec4> moved = x;
    for (Vec4& p : moved) p.set_xyz(p.xyz() + random.in_cube_float(0.001));
    moved[5].x = std::nanf("");
    proximity.measure_off(moved, 0.5, Parallel(2), off);
    for (std::size_t v = 0; v < x.size(); ++v) {
        if (v == 5) continue;
        const double exact = length(vector_cast<double>(moved[v].xyz()) - vector_cast<double>(x[v].xyz()));
        EXPECT_GE(static_cast<double>(off[v]), exact);
        EXPECT_LE(static_cast<double>(off[v]), exact * (1 + 1e-6) + 1e-12);
    }
    EXPECT_TRUE(std::isinf(off[5])) << "what is not a number is nowhere";
}

TEST(Proximity, KnowsNothingOfOtherWays) {
    test::Random random(61);
    const Mesh mesh = make_disk(0.2f, 120);
    Proximity proximity(mesh.triangles, mesh.positions);
    const std::vector<Vec4> x = deformed(mesh.positions, 3, random);
    EXPECT_TRUE(std::isinf(proximity.off_ways(x, 0)));
    proximity.find_on_ways(x, x, 0.004f, {}, Parallel(1));
    EXPECT_EQ(proximity.off_ways(x, 0), 0);
    std::vector<Vec4> moved = x;
    moved[7].x += 0.001f;
    EXPECT_NEAR(proximity.off_ways(moved, 0), 0.001, 1e-6);
    proximity.find(x, 0.004f, Parallel(1));
    EXPECT_TRUE(std::isinf(proximity.off_ways(x, 0))) << "another search came between";
}

// Whatever comes close on the way is among the candidates of the swept volumes.
TEST(Proximity, SweptCandidatesHoldAllThatComesCloseOnTheWay) { // W25
    test::Random random(59);
    const Mesh mesh = make_disk(0.2f, 100);
    Proximity proximity(mesh.triangles, mesh.positions);
    std::size_t on_the_way = 0;
    for (int trial = 0; trial < 10; ++trial) {
        const std::vector<Vec4> x = deformed(mesh.positions, trial % 4, random);
        std::vector<Vec4> x_end = x;
        for (Vec4& p : x_end) p.set_xyz(p.xyz() + random.in_cube_float(0.02));
        const float epsilon = 0.001f;
        proximity.refit(x, x_end, epsilon, Parallel(1));
        proximity.find_candidates(Parallel(1));
        Pairs vertex_faces, edges;
        for (const CloseParts& list : proximity.lists()) {
            const auto append = [](const CandidateList& from, Pairs& to) {
                for (std::size_t k = 0; k < from.count; ++k) to.push_back({from.a[k], from.b[k]});
            };
            append(list.vertex_face_candidates, vertex_faces);
            append(list.edge_candidates, edges);
        }
        std::sort(vertex_faces.begin(), vertex_faces.end());
        std::sort(edges.begin(), edges.end());
        for (const double part : {0.0, 0.3, 0.5, 0.9, 1.0}) {
            std::vector<Vec4> between = x;
            for (std::size_t v = 0; v < x.size(); ++v) {
                const Vec3d from = vector_cast<double>(x[v].xyz()), to = vector_cast<double>(x_end[v].xyz());
                between[v].set_xyz(vector_cast<float>(from + (to - from) * part));
            }
            const Close close = by_brute_force(mesh, between, static_cast<double>(epsilon) * 0.999);
            for (const auto& [v, f, distance] : close.vertex_faces)
                ASSERT_TRUE(std::binary_search(vertex_faces.begin(), vertex_faces.end(), std::array{v, f}));
            for (const auto& [a, b, distance] : close.edges)
                ASSERT_TRUE(std::binary_search(edges.begin(), edges.end(), std::array{a, b}));
            on_the_way += close.vertex_faces.size() + close.edges.size();
        }
    }
    EXPECT_GT(on_the_way, 1000u);
}

} // namespace
} // namespace taffeta
