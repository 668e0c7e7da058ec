// What is close on a cloth: against brute force [MKE03].
#include "collision/broad_phase/proximity_query.h"

#include "geometry/closest.h"
#include "mesh/topology.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"
#include "support/trees.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace taffeta {
namespace {

using test::as_state, test::deformed, test::kinds, test::Pairs;

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
    test::for_any_threads_and_instruction_set(expect_first);
    EXPECT_GT(first.size(), 1000u);
}

// m: how far the vertices are off their ways, at most.
double farthest_off(const Proximity& proximity, std::span<const Vec4> x, double share) {
    std::vector<float> off(x.size());
    proximity.measure_off(x, share, Parallel(1), off);
    return static_cast<double>(*std::max_element(off.begin(), off.end()));
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
            const double off = farthest_off(proximity, at, share);
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
    EXPECT_TRUE(std::isinf(farthest_off(proximity, x, 0)));
    proximity.find_on_ways(x, x, 0.004f, {}, Parallel(1));
    EXPECT_EQ(farthest_off(proximity, x, 0), 0);
    std::vector<Vec4> moved = x;
    moved[7].x += 0.001f;
    EXPECT_NEAR(farthest_off(proximity, moved, 0), 0.001, 1e-6);
    proximity.find(x, 0.004f, Parallel(1));
    EXPECT_TRUE(std::isinf(farthest_off(proximity, x, 0))) << "another search came between";
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
