// The grid of particles against brute force, and the hierarchy that views show [FGL03] 4.
#include "collision/broad_phase/particle_grid.h"

#include "collision/comparison/particle_bvh.h"
#include "collision/contacts/particle_separation.h"
#include "support/close_pairs.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

namespace taffeta {
namespace {

using test::ClosePair;
using Pairs = std::vector<std::array<Index, 2>>; // lower index first, sorted

// What a grid is made of, with some particles left out to see that they are.
struct Subject {
    std::vector<Vec3> rest;
    std::vector<float> radius;
    std::vector<Index> piece, members;

    Grid grid(const Reach& reach) const { return {members, rest, radius, piece, reach}; }
    Grid grid(float reach) const { return grid(Reach{reach, reach}); }
};

Subject subject_of(const Mesh& mesh, double radius_scale = 1) {
    Subject subject;
    subject.rest = mesh.positions;
    const Topology topology = make_topology(mesh.triangles);
    const auto count = static_cast<Index>(mesh.positions.size());
    subject.radius = radii_from_edges(topology.edges, mesh.positions);
    for (float& r : subject.radius) r *= static_cast<float>(radius_scale);
    subject.piece.assign(count, 0);
    for (Index p = 0; p < count; ++p)
        if (subject.radius[p] > 0) subject.members.push_back(p);
    return subject;
}

std::vector<ClosePair> search(Grid& grid, std::span<const Vec4> x) {
    grid.find_near(x, Parallel(1));
    return test::pairs_of(grid.near());
}

// What must be reported and what may be: they differ where rounding decides.
struct Expected {
    Pairs must, may;
};

Expected by_brute_force(const Subject& subject, const std::vector<Vec4>& x, const Reach& reach) {
    const auto near = static_cast<double>(reach.near), neighbours = static_cast<double>(reach.neighbours);
    Expected expected;
    for (std::size_t k = 0; k < subject.members.size(); ++k) { // members are sorted, and so will the pairs be
        for (std::size_t l = k + 1; l < subject.members.size(); ++l) {
            const Index i = subject.members[k], j = subject.members[l];
            const double distance = static_cast<double>(subject.radius[i]) + static_cast<double>(subject.radius[j]);
            const Vec3d d = vector_cast<double>(x[i].xyz()) - vector_cast<double>(x[j].xyz());
            const double now = std::sqrt(dot(d, d));
            if (now > near * distance * (1 + 1e-6)) continue;
            const bool one_piece = subject.piece[i] == subject.piece[j];
            const double flat = length(vector_cast<double>(subject.rest[i]) - vector_cast<double>(subject.rest[j]));
            if (one_piece && flat <= neighbours * distance * (1 - 1e-6)) continue; // neighbours in the fabric
            expected.may.push_back({i, j});
            const bool surely_close = now < near * distance * (1 - 1e-6);
            const bool surely_no_neighbour = !one_piece || flat > neighbours * distance * 1.0001;
            if (surely_close && surely_no_neighbour) expected.must.push_back({i, j});
        }
    }
    return expected;
}

void expect_brute_force(const Subject& subject, const std::vector<Vec4>& x, const Reach& reach, Grid& grid,
                        std::size_t& pairs_seen) {
    const std::vector<ClosePair> found = search(grid, x);
    const Expected expected = by_brute_force(subject, x, reach);
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

TEST(Grid, PairsEqualBruteForceOnEveryMesh) { // F17
    std::size_t pairs_seen = 0;
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        const Subject subject = subject_of(mesh);
        for (const Reach reach : {Reach{1, 1}, Reach{1.05f, 1.25f}, Reach{1.25f, 1.25f}}) {
            Grid grid = subject.grid(reach);
            test::Random random(31);
            for (int state = 0; state < 100; ++state) {
                SCOPED_TRACE(name + ", reach " + std::to_string(reach.near) + ", state " + std::to_string(state));
                const auto x = deformed(mesh.positions, state % kinds, random);
                ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, reach, grid, pairs_seen));
            }
        }
    }
    EXPECT_GT(pairs_seen, 100'000u);
}

TEST(Grid, PairsEqualBruteForceWithSeveralPieces) { // F17
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
    for (const Reach reach : {Reach{1, 1}, Reach{1.05f, 1.25f}, Reach{1.25f, 1.25f}}) {
        Grid grid = subject.grid(reach);
        test::Random random(37);
        std::size_t pairs_seen = 0;
        for (int state = 0; state < 50; ++state) {
            SCOPED_TRACE(state);
            const auto x = deformed(subject.rest, state % kinds, random);
            ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, reach, grid, pairs_seen));
        }
        EXPECT_GT(pairs_seen, 1000u);
    }
}

TEST(Grid, RadiiMayDifferAndParticlesMayBeLeftOut) {
    test::Random random(41);
    Subject subject = subject_of(make_disk(0.3f, 300));
    for (float& r : subject.radius) r *= random.uniform_float(0.1f, 4);
    subject.members.erase(
        std::remove_if(subject.members.begin(), subject.members.end(), [](Index p) { return p % 3 == 0; }),
        subject.members.end());
    Grid grid = subject.grid(1.25f);
    std::size_t pairs_seen = 0;
    for (int state = 0; state < 100; ++state) {
        SCOPED_TRACE(state);
        const auto x = deformed(subject.rest, state % kinds, random);
        ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, {1.25f, 1.25f}, grid, pairs_seen));
    }
    EXPECT_GT(pairs_seen, 1000u);
}

TEST(Grid, EveryNumberOfParticlesHasItsCells) {
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
        Grid grid = subject.grid(1);
        for (int state = 0; state < kinds; ++state) {
            const auto x = deformed(subject.rest, state, random);
            ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, {1, 1}, grid, pairs_seen));
        }
    }
    EXPECT_GT(pairs_seen, 1000u);
}

TEST(Grid, WithoutParticlesNothingIsFound) {
    Grid grid;
    EXPECT_TRUE(search(grid, {}).empty());
    Grid without_members({}, std::vector<Vec3>(5), std::vector<float>(5, 1), std::vector<Index>(5), {1, 1});
    EXPECT_TRUE(search(without_members, std::vector<Vec4>(5)).empty());
    const std::vector<Index> members = {0, 1, 2};
    Grid without_distance(members, std::vector<Vec3>(3), std::vector<float>(3), std::vector<Index>(3), {1, 1});
    EXPECT_TRUE(search(without_distance, std::vector<Vec4>(3)).empty());
}

TEST(Grid, FlatClothHasNoPairsWhateverTheDistance) { // F16
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        for (const double scale : {0.1, 0.5, 1.0, 1.0 / 0.9, 2.0, 3.0, 10.0, 1000.0}) {
            SCOPED_TRACE(name + ", radii times " + std::to_string(scale));
            Grid grid = subject_of(mesh, scale).grid(1);
            EXPECT_TRUE(search(grid, as_state(mesh.positions)).empty());
        }
    }
}

TEST(Grid, ClothSpreadFartherThanThereAreCellsLosesNoPair) {
    const Mesh mesh = make_disk(0.3f, 1500);
    const Subject subject = subject_of(mesh);
    Grid grid = subject.grid(1.25f);
    test::Random random(73);
    std::size_t pairs_seen = 0;
    for (const double spread : {3.0, 100.0, 10'000.0}) {
        for (const bool diagonal : {false, true}) {
            SCOPED_TRACE(spread);
            std::vector<Vec3> positions;
            for (std::size_t p = 0; p < mesh.positions.size(); ++p) { // in heaps far from each other
                const Vec3d heap = diagonal ? Vec3d{1, 1, 1} * random.uniform(-1, 1) : random.in_cube(1);
                const auto at = vector_cast<float>(heap * spread);
                for (int k = 0; k < 3 && p < mesh.positions.size(); ++k, ++p)
                    positions.push_back(at + random.in_cube_float(0.02));
                --p;
            }
            positions.resize(mesh.positions.size());
            ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, as_state(positions), {1.25f, 1.25f}, grid, pairs_seen));
        }
    }
    EXPECT_GT(pairs_seen, 1500u);
}

TEST(Grid, PositionsThatAreNoNumbersDoNoHarm) {
    const Mesh mesh = make_disk(0.3f, 300);
    Grid grid = subject_of(mesh).grid(1);
    constexpr float infinity = std::numeric_limits<float>::infinity(), none = std::numeric_limits<float>::quiet_NaN();
    for (const float odd : {infinity, -infinity, none, 3e38f, -3e38f}) {
        std::vector<Vec4> x = as_state(mesh.positions);
        x[7].x = x[70].y = x[0].z = odd;
        for (const test::ClosePair& pair : search(grid, x)) EXPECT_LT(std::max(pair.i, pair.j), x.size());
    }
}

TEST(Grid, SearchForgetsTheStateBefore) {
    const Mesh mesh = make_disk(0.3f, 400);
    const Subject subject = subject_of(mesh);
    test::Random random(47);
    Grid used = subject.grid(1.25f), fresh = subject.grid(1.25f);
    for (int state = 0; state < kinds; ++state) search(used, deformed(mesh.positions, state, random));
    const auto last = deformed(mesh.positions, 0, random);
    EXPECT_EQ(search(used, last), search(fresh, last)); // in the same order, too
}

TEST(Grid, PairsComeInOneOrderOnEveryInstructionSet) {
    const Mesh mesh = make_disk(0.3f, 3000);
    const Subject subject = subject_of(mesh);
    test::Random random(59);
    for (int state = 0; state < kinds; ++state) {
        if (state == 1 || state == 4 || state == 5 || state == 8) continue; // millions of pairs
        const auto x = deformed(mesh.positions, state, random);
        std::vector<ClosePair> expected;
        test::for_each_instruction_set([&](const std::string& instruction_set) {
            Grid grid = subject.grid(1.25f);
            const std::vector<ClosePair> found = search(grid, x);
            if (expected.empty()) expected = found;
            EXPECT_EQ(found, expected) << instruction_set << ", state " << state;
        });
    }
}

TEST(Grid, PairsEqualBruteForceInManySlabs) { // F17
    const Mesh mesh = make_disk(0.3f, 2500);
    const Subject subject = subject_of(mesh);
    Grid grid = subject.grid(1.25f);
    test::Random random(61);
    std::size_t pairs_seen = 0;
    for (const int kind : {0, 2, 3, 7, 9}) {
        const auto x = deformed(mesh.positions, kind, random);
        ASSERT_NO_FATAL_FAILURE(expect_brute_force(subject, x, {1.25f, 1.25f}, grid, pairs_seen));
    }
    EXPECT_GT(pairs_seen, 5000u);
}

TEST(Grid, EverySecondListSharesNoParticle) {
    const Mesh mesh = make_disk(0.3f, 3000);
    Grid grid = subject_of(mesh).grid(1.25f);
    test::Random random(67);
    for (const int kind : {1, 3, 7}) { // few slabs, and many
        search(grid, deformed(mesh.positions, kind, random));
        const std::span<const NearList> lists = grid.near();
        ASSERT_EQ(lists.size() % 2, 0u);
        for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
            std::vector<std::size_t> list_of(mesh.positions.size(), lists.size());
            for (std::size_t k = first; k < lists.size(); k += 2) {
                lists[k].for_pairs([&](Index i, Index j, float) {
                    for (const Index p : {i, j}) {
                        ASSERT_TRUE(list_of[p] == lists.size() || list_of[p] == k);
                        list_of[p] = k;
                    }
                });
            }
        }
    }
}

TEST(Grid, StrandsHaveThePairsOfEverySecondList) {
    const Mesh mesh = make_disk(0.3f, 3000);
    const Subject subject = subject_of(mesh);
    Grid grid = subject.grid(1.25f);
    test::Random random(71);
    for (const int kind : {0, 1, 3, 7}) { // nothing near, few slabs, and many
        search(grid, deformed(mesh.positions, kind, random));
        for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
            Pairs listed, woven;
            for (std::size_t k = side; k < grid.near().size(); k += 2)
                grid.near()[k].for_pairs([&](Index i, Index j, float) { listed.push_back({i, j}); });
            for (const NearStrands& strands : grid.strands(side)) {
                std::vector<std::size_t> lane_of(mesh.positions.size(), NearStrands::width);
                std::size_t row = 0;
                for (const NearStrands::Owners& owners : strands.owners()) {
                    for (const std::size_t end = row + owners.rows; row < end; ++row) {
                        for (std::size_t lane = 0; lane < NearStrands::width; ++lane) {
                            if (strands.rows()[row].distance[lane] == 0) continue;
                            const Index i = owners.particle[lane], j = strands.rows()[row].particle[lane];
                            woven.push_back({i, j});
                            for (const Index p : {i, j}) {
                                ASSERT_TRUE(lane_of[p] == NearStrands::width || lane_of[p] == lane);
                                lane_of[p] = lane;
                            }
                        }
                    }
                }
                ASSERT_EQ(row, strands.rows().size());
            }
            std::sort(listed.begin(), listed.end());
            std::sort(woven.begin(), woven.end());
            ASSERT_EQ(woven, listed);
        }
    }
}

TEST(Hierarchy, HalvesTheClothFromLevelToLevel) {
    const Mesh mesh = make_disk(0.3f, 300);
    const Subject subject = subject_of(mesh);
    const std::vector<Vec4> x = as_state(mesh.positions);
    const Hierarchy hierarchy(subject.members, subject.rest, subject.radius, subject.piece);
    EXPECT_EQ(Hierarchy().levels(), 0);
    ASSERT_EQ(hierarchy.levels(), 7) << "300 particles fill 38 leaves, of 64";
    double area_above = 1e9;
    for (int level = 0; level < hierarchy.levels(); ++level) {
        int boxes = 0;
        double largest = 0;
        hierarchy.for_boxes(level, x, [&](const Vec3& low, const Vec3& high) {
            const Vec3 side = high - low;
            ++boxes;
            largest = std::max(largest, static_cast<double>(side.x * side.z));
        });
        EXPECT_EQ(boxes, 1 << level);
        EXPECT_LT(largest, 0.8 * area_above);
        area_above = largest;
    }
}

} // namespace
} // namespace taffeta
