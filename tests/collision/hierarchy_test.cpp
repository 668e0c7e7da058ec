// The hierarchy of particles against brute force [FGL03] 4.
#include "collision/hierarchy.h"

#include "collision/leaf.h"
#include "collision/self.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>

namespace taffeta {
namespace {

using Pairs = std::vector<std::array<Index, 2>>; // lower index first, sorted

// What a hierarchy is made of, with some particles left out to see that they are.
struct Subject {
    std::vector<Vec3> rest;
    std::vector<float> radius;
    std::vector<Index> piece, members;

    Hierarchy hierarchy(float reach) const { return {members, rest, radius, piece, reach}; }
};

Subject subject_of(const Mesh& mesh, double radius_scale = 1) {
    Subject subject;
    subject.rest = mesh.positions;
    const Topology topology = make_topology(mesh.triangles);
    std::vector<float> rest_length;
    for (const Pair& edge : topology.edges)
        rest_length.push_back(length(mesh.positions[edge.j] - mesh.positions[edge.i]));
    const auto count = static_cast<Index>(mesh.positions.size());
    subject.radius = radii_from_edges(topology.edges, rest_length, count);
    for (float& r : subject.radius) r *= static_cast<float>(radius_scale);
    subject.piece.assign(count, 0);
    for (Index p = 0; p < count; ++p)
        if (subject.radius[p] > 0) subject.members.push_back(p);
    return subject;
}

// What must be reported and what may be: they differ where rounding decides.
struct Expected {
    Pairs must, may;
};

Expected by_brute_force(const Subject& subject, const std::vector<Vec4>& x, double reach) {
    Expected expected;
    for (std::size_t k = 0; k < subject.members.size(); ++k) { // members are sorted, and so will the pairs be
        for (std::size_t l = k + 1; l < subject.members.size(); ++l) {
            const Index i = subject.members[k], j = subject.members[l];
            const double distance = static_cast<double>(subject.radius[i]) + static_cast<double>(subject.radius[j]);
            const Vec3d d = vector_cast<double>(x[i].xyz()) - vector_cast<double>(x[j].xyz());
            const double now = std::sqrt(dot(d, d));
            if (now > reach * distance * (1 + 1e-6)) continue;
            const bool one_piece = subject.piece[i] == subject.piece[j];
            const double flat = length(vector_cast<double>(subject.rest[i]) - vector_cast<double>(subject.rest[j]));
            if (one_piece && flat <= reach * distance * (1 - 1e-6)) continue; // neighbours in the fabric
            expected.may.push_back({i, j});
            const bool surely_close = now < reach * distance * (1 - 1e-6);
            const bool surely_no_neighbour = !one_piece || flat > reach * distance * 1.0001;
            if (surely_close && surely_no_neighbour) expected.must.push_back({i, j});
        }
    }
    return expected;
}

void expect_brute_force(const Subject& subject, const std::vector<Vec4>& x, float reach, Hierarchy& hierarchy,
                        std::size_t& pairs_seen) {
    const Parallel serial(1);
    std::vector<ClosePair> found;
    hierarchy.refit(x, serial);
    hierarchy.find_close_pairs(serial, found);
    const Expected expected = by_brute_force(subject, x, static_cast<double>(reach));
    Pairs seen;
    for (const ClosePair& pair : found) {
        seen.push_back({std::min(pair.i, pair.j), std::max(pair.i, pair.j)});
        ASSERT_EQ(pair.distance, subject.radius[pair.i] + subject.radius[pair.j]);
    }
    std::sort(seen.begin(), seen.end());
    Pairs missing, extra;
    std::set_difference(expected.must.begin(), expected.must.end(), seen.begin(), seen.end(),
                        std::back_inserter(missing));
    std::set_difference(seen.begin(), seen.end(), expected.may.begin(), expected.may.end(), std::back_inserter(extra));
    ASSERT_EQ(missing.size(), 0u);
    ASSERT_EQ(extra.size(), 0u);
    ASSERT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()) << "a pair is reported twice";
    pairs_seen += seen.size();
}

std::vector<Vec4> as_state(const std::vector<Vec3>& positions) {
    std::vector<Vec4> x;
    for (const Vec3& p : positions) x.push_back({p.x, p.y, p.z, 1});
    return x;
}

// The k-th way of deforming a cloth.
std::vector<Vec4> deformed(const std::vector<Vec3>& rest, int kind, test::Random& random) {
    const double size = 0.3;
    const Vec3d far = random.direction() * 1000;
    const double ball = random.uniform(0.005, 0.1), noise = random.uniform(0.001, 0.05);
    const double curl = random.uniform(5, 40), crease = random.uniform(-0.2, 0.2), gap = random.uniform(0, 0.02);
    std::vector<Vec3> positions;
    for (const Vec3& r : rest) {
        const Vec3d p = vector_cast<double>(r);
        Vec3d q = p;
        switch (kind) {
        case 0: q = p + random.in_cube(noise); break;                                             // shaken
        case 1: q = random.in_ball(ball); break;                                                  // all in a small ball
        case 2: q = p.x > crease ? Vec3d{2 * crease - p.x, p.y + gap, p.z} : p; break;            // folded flat
        case 3: q = {std::cos(curl * p.x) * 0.03, p.y + std::sin(curl * p.x) * 0.03, p.z}; break; // rolled up
        case 4: q = random.in_ball(ball) + far; break;                                            // far from the origin
        case 5: q = p * random.uniform(0.0, 0.02); break;                                         // collapsed
        case 6: q = {p.x, 0, 0}; break;                                                           // onto a line
        case 7: q = random.in_cube(size); break;                                                  // all over the place
        case 8: q = far; break;                                                                   // onto one point
        default: q = p + far + random.in_cube(noise); break;                                      // shaken, far away
        }
        positions.push_back(vector_cast<float>(q));
    }
    return as_state(positions);
}
constexpr int kinds = 10;

TEST(Hierarchy, PairsEqualBruteForceOnEveryMesh) { // F17
    std::size_t pairs_seen = 0;
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        const Subject subject = subject_of(mesh);
        for (const float reach : {1.0f, 1.25f}) {
            Hierarchy hierarchy = subject.hierarchy(reach);
            test::Random random(31);
            for (int state = 0; state < 100; ++state) {
                SCOPED_TRACE(name + ", reach " + std::to_string(reach) + ", state " + std::to_string(state));
                const auto x = deformed(mesh.positions, state % kinds, random);
                ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, reach, hierarchy, pairs_seen));
            }
        }
    }
    EXPECT_GT(pairs_seen, 100'000u);
}

TEST(Hierarchy, PairsEqualBruteForceWithSeveralPieces) { // F17
    const Mesh one = make_grid({0.4f, 0.4f}, {9, 9}, Diagonals::alternate), two = make_disk(0.2f, 90);
    Subject subject = subject_of(one);
    for (Index piece = 1; piece < 4; ++piece) {
        const Subject next = subject_of(two, 0.5 * piece);
        const auto first = static_cast<Index>(subject.rest.size());
        subject.rest.insert(subject.rest.end(), next.rest.begin(), next.rest.end());
        subject.radius.insert(subject.radius.end(), next.radius.begin(), next.radius.end());
        subject.piece.insert(subject.piece.end(), next.rest.size(), piece);
        for (const Index member : next.members) subject.members.push_back(first + member);
    }
    for (const float reach : {1.0f, 1.25f}) {
        Hierarchy hierarchy = subject.hierarchy(reach);
        test::Random random(37);
        std::size_t pairs_seen = 0;
        for (int state = 0; state < 50; ++state) {
            SCOPED_TRACE(state);
            const auto x = deformed(subject.rest, state % kinds, random);
            ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, reach, hierarchy, pairs_seen));
        }
        EXPECT_GT(pairs_seen, 1000u);
    }
}

TEST(Hierarchy, RadiiMayDifferAndParticlesMayBeLeftOut) {
    test::Random random(41);
    Subject subject = subject_of(make_disk(0.3f, 300));
    for (float& r : subject.radius) r *= random.uniform_float(0.1f, 4);
    subject.members.erase(
        std::remove_if(subject.members.begin(), subject.members.end(), [](Index p) { return p % 3 == 0; }),
        subject.members.end());
    Hierarchy hierarchy = subject.hierarchy(1.25f);
    std::size_t pairs_seen = 0;
    for (int state = 0; state < 100; ++state) {
        SCOPED_TRACE(state);
        const auto x = deformed(subject.rest, state % kinds, random);
        ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, 1.25f, hierarchy, pairs_seen));
    }
    EXPECT_GT(pairs_seen, 1000u);
}

TEST(Hierarchy, EveryNumberOfParticlesHasItsTree) {
    test::Random random(43);
    std::size_t pairs_seen = 0;
    for (Index count = 1; count <= 70; ++count) {
        SCOPED_TRACE(count);
        Subject subject;
        for (Index p = 0; p < count; ++p) {
            subject.rest.push_back(random.in_cube_float(1));
            subject.radius.push_back(0.02f);
            subject.piece.push_back(0);
            subject.members.push_back(p);
        }
        Hierarchy hierarchy = subject.hierarchy(1);
        for (int state = 0; state < kinds; ++state) {
            const auto x = deformed(subject.rest, state, random);
            ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, 1, hierarchy, pairs_seen));
        }
    }
    EXPECT_GT(pairs_seen, 1000u);
}

TEST(Hierarchy, WithoutParticlesNothingIsFound) {
    const Parallel serial(1);
    std::vector<ClosePair> found(3);
    Hierarchy hierarchy;
    EXPECT_TRUE(hierarchy.empty());
    hierarchy.refit({}, serial);
    hierarchy.find_close_pairs(serial, found);
    EXPECT_TRUE(found.empty());
    Hierarchy without_members = Hierarchy({}, std::vector<Vec3>(5), std::vector<float>(5, 1), std::vector<Index>(5), 1);
    without_members.refit(std::vector<Vec4>(5), serial);
    without_members.find_close_pairs(serial, found);
    EXPECT_TRUE(found.empty());
}

TEST(Hierarchy, FlatClothHasNoPairsWhateverTheDistance) { // F16
    const Parallel serial(1);
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        for (const double scale : {0.1, 0.5, 1.0, 1.0 / 0.9, 2.0, 3.0, 10.0, 1000.0}) {
            SCOPED_TRACE(name + ", radii times " + std::to_string(scale));
            const Subject subject = subject_of(mesh, scale);
            Hierarchy hierarchy = subject.hierarchy(1);
            std::vector<ClosePair> found;
            hierarchy.refit(as_state(mesh.positions), serial);
            hierarchy.find_close_pairs(serial, found);
            EXPECT_TRUE(found.empty());
        }
    }
}

TEST(Hierarchy, TestsFarFewerThanAllPairs) { // F17
    const Mesh mesh = make_grid({1, 1}, {49, 49}, Diagonals::alternate);
    const Subject subject = subject_of(mesh);
    Hierarchy hierarchy = subject.hierarchy(1);
    const Parallel serial(1);
    std::vector<ClosePair> found;
    const double n = static_cast<double>(mesh.positions.size()), all_pairs = n * n / 2;
    const auto tests_on = [&](auto place) {
        std::vector<Vec3> positions;
        for (const Vec3& p : mesh.positions) positions.push_back(place(p));
        hierarchy.refit(as_state(positions), serial);
        hierarchy.find_close_pairs(serial, found);
        return static_cast<double>(hierarchy.leaf_tests() * Leaf::size * Leaf::size);
    };
    const auto drape = [](const Vec3& p) {
        return Vec3{p.x * 0.7f, -std::abs(p.x) * 0.5f, p.z + 0.05f * std::sin(20 * p.x)};
    };
    EXPECT_LT(tests_on([](const Vec3& p) { return p; }), 0.1 * all_pairs);
    EXPECT_LT(tests_on(drape), 0.1 * all_pairs);
    EXPECT_LT(tests_on([](const Vec3& p) {
                  return Vec3{std::abs(p.x), 0.02f, std::abs(p.z)};
              }),
              0.3 * all_pairs); // four layers
}

TEST(Hierarchy, TestsGrowAboutAsTheCloth) {
    const Parallel serial(1);
    std::vector<double> tests;
    for (const int cells : {31, 63, 127}) {
        const Mesh mesh = make_grid({1, 1}, {cells, cells}, Diagonals::alternate);
        Hierarchy hierarchy = subject_of(mesh).hierarchy(1);
        std::vector<ClosePair> found;
        hierarchy.refit(as_state(mesh.positions), serial);
        hierarchy.find_close_pairs(serial, found);
        tests.push_back(static_cast<double>(hierarchy.leaf_tests()));
    }
    EXPECT_LT(std::log(tests[2] / tests[0]) / std::log(16.0), 1.15); // 16 times the particles
}

TEST(Hierarchy, RefitForgetsTheStateBefore) {
    const Mesh mesh = make_disk(0.3f, 400);
    const Subject subject = subject_of(mesh);
    test::Random random(47);
    Hierarchy used = subject.hierarchy(1.25f), fresh = subject.hierarchy(1.25f);
    const Parallel serial(1);
    std::vector<ClosePair> from_used, from_fresh;
    for (int state = 0; state < kinds; ++state) {
        used.refit(deformed(mesh.positions, state, random), serial);
        used.find_close_pairs(serial, from_used);
    }
    const auto last = deformed(mesh.positions, 0, random);
    used.refit(last, serial);
    used.find_close_pairs(serial, from_used);
    fresh.refit(last, serial);
    fresh.find_close_pairs(serial, from_fresh);
    EXPECT_EQ(from_used, from_fresh); // in the same order, too
}

TEST(Hierarchy, PairsComeInOneOrderOnEveryInstructionSet) {
    const Mesh mesh = make_disk(0.3f, 3000); // of several regions
    const Subject subject = subject_of(mesh);
    test::Random random(59);
    for (int state = 0; state < kinds; ++state) {
        if (state == 1 || state == 4 || state == 5 || state == 8) continue; // millions of pairs
        const auto x = deformed(mesh.positions, state, random);
        std::vector<ClosePair> expected;
        test::for_each_instruction_set([&](const std::string& instruction_set) {
            const Parallel serial(1);
            Hierarchy hierarchy = subject.hierarchy(1.25f);
            std::vector<ClosePair> found;
            hierarchy.refit(x, serial);
            hierarchy.find_close_pairs(serial, found);
            if (expected.empty()) expected = found;
            EXPECT_EQ(found, expected) << instruction_set << ", state " << state;
        });
    }
}

TEST(Hierarchy, PairsEqualBruteForceInSeveralRegions) { // F17
    const Mesh mesh = make_disk(0.3f, 2500);
    const Subject subject = subject_of(mesh);
    Hierarchy hierarchy = subject.hierarchy(1.25f);
    test::Random random(61);
    std::size_t pairs_seen = 0;
    for (const int kind : {0, 2, 3, 7, 9}) {
        const auto x = deformed(mesh.positions, kind, random);
        ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, 1.25f, hierarchy, pairs_seen));
    }
    EXPECT_GT(pairs_seen, 5000u);
}

TEST(Hierarchy, GroupsOfOneRoundShareNoParticle) {
    const Mesh mesh = make_disk(0.3f, 3000);
    const Subject subject = subject_of(mesh);
    Hierarchy hierarchy = subject.hierarchy(1.25f);
    test::Random random(67);
    const Parallel serial(1);
    hierarchy.refit(deformed(mesh.positions, 7, random), serial);
    std::vector<std::size_t> group_of(mesh.positions.size());
    std::uint32_t round = 0;
    std::size_t number = 0;
    for (const PairGroup& group : hierarchy.find_close_pairs(serial)) {
        ASSERT_GE(group.round, round);
        if (group.round > round) std::fill(group_of.begin(), group_of.end(), 0u);
        round = group.round;
        ++number;
        for (const ClosePair& pair : group.pairs) {
            for (const Index p : {pair.i, pair.j}) {
                ASSERT_TRUE(group_of[p] == 0 || group_of[p] == number);
                group_of[p] = number;
            }
        }
    }
    EXPECT_GT(number, 100u);
}

TEST(Leaf, EveryInstructionSetFindsTheSameParticlesAndNeighbours) {
    test::Random random(53);
    for (int trial = 0; trial < 200; ++trial) {
        std::array<Leaf, 2> leaves;
        std::array<RestLeaf, 2> rest_leaves;
        for (std::size_t side = 0; side < 2; ++side) {
            Leaf& leaf = leaves[side];
            RestLeaf& rest = rest_leaves[side];
            leaf.x.fill(std::numeric_limits<float>::quiet_NaN());
            leaf.y = leaf.z = leaf.radius = rest.x = rest.y = rest.z = rest.piece = leaf.x;
            const std::size_t filled = 1 + random.below(Leaf::size);
            for (std::size_t k = 0; k < filled; ++k) {
                const Vec3 p = random.in_cube_float(1), still = random.in_cube_float(2);
                leaf.x[k] = p.x, leaf.y[k] = p.y, leaf.z[k] = p.z;
                leaf.radius[k] = random.uniform_float(0.1f, 0.6f);
                rest.x[k] = still.x, rest.y[k] = still.y, rest.z[k] = still.z;
                rest.piece[k] = static_cast<float>(random.below(2));
            }
        }
        const Leaf &a = leaves[0], &b = leaves[1];
        const RestLeaf &rest_a = rest_leaves[0], &rest_b = rest_leaves[1];
        const float reach = random.uniform_float(1, 1.5f), distance = random.uniform_float(0.3f, 1);
        std::uint64_t close = 0, neighbours = 0;
        for (std::size_t k = 0; k < Leaf::size; ++k) {
            for (std::size_t l = 0; l < Leaf::size; ++l) {
                const Vec3 d = {a.x[k] - b.x[l], a.y[k] - b.y[l], a.z[k] - b.z[l]};
                const Vec3 rest = {rest_a.x[k] - rest_b.x[l], rest_a.y[k] - rest_b.y[l], rest_a.z[k] - rest_b.z[l]};
                const float r = reach * (a.radius[k] + b.radius[l]);
                const std::uint64_t bit = 1ULL << (8 * k + l);
                if (dot(d, d) < distance * distance) close |= bit;
                if (rest_a.piece[k] == rest_b.piece[l] && dot(rest, rest) <= r * r * 1.0001f) neighbours |= bit;
            }
        }
        test::for_each_instruction_set([&](const std::string& instruction_set) {
            EXPECT_EQ(find_close(a, b, distance), close) << instruction_set;
            EXPECT_EQ(find_neighbours(rest_a, rest_b, a, b, reach), neighbours) << instruction_set;
        });
    }
}

} // namespace
} // namespace taffeta
