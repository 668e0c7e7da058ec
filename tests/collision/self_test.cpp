// Keeping particles apart: the distances and the correction [FGL03] 4.
#include "collision/self.h"

#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <tuple>

namespace taffeta {
namespace {

// Moves the pairs apart one after the other: the oracle for those in blocks.
int separate_one_by_one(std::span<const ClosePair> pairs, std::span<Vec4> x) {
    int contacts = 0;
    for (const ClosePair& pair : pairs) {
        Vec4 &i = x[pair.i], &j = x[pair.j];
        const Vec3 d = j.xyz() - i.xyz();
        const float squared = dot(d, d);
        if (squared >= pair.distance * pair.distance) continue;
        ++contacts;
        const float distance = std::sqrt(squared);
        const float denominator = distance * (i.w + j.w);
        if (denominator <= 1e-30f) continue;                          // coincident, or both held
        const float scale = (distance - pair.distance) / denominator; // [FGL03] Eq. 5-9 with d_min
        i.set_xyz(i.xyz() + d * (scale * i.w));
        j.set_xyz(j.xyz() - d * (scale * j.w));
    }
    return contacts;
}

std::vector<PairBlock> blocks_of(const std::vector<ClosePair>& pairs, std::size_t particles) {
    PairPacker packer(static_cast<Index>(particles));
    std::vector<PairBlock> blocks;
    packer.begin();
    packer.pack({0, pairs}, blocks);
    return blocks;
}

// The pairs in the order of their blocks.
std::vector<ClosePair> in_order(const std::vector<PairBlock>& blocks, Index sentinel) {
    std::vector<ClosePair> pairs;
    for (const PairBlock& block : blocks)
        for (std::size_t lane = 0; lane < PairBlock::size && block.i[lane] != sentinel; ++lane)
            pairs.push_back({block.i[lane], block.j[lane], block.distance[lane]});
    return pairs;
}

int separate(const std::vector<ClosePair>& pairs, std::vector<Vec4>& x) {
    x.push_back({}); // the sentinel
    const int contacts = separate(blocks_of(pairs, x.size() - 1), x);
    x.pop_back();
    return contacts;
}

// Pairs of particles in a small cube; the lower `range`, the more of them share a particle.
std::vector<ClosePair> random_pairs(std::size_t count, Index range, test::Random& random) {
    std::vector<ClosePair> pairs;
    while (pairs.size() < count) {
        const Index i = random.below(range), j = random.below(range);
        if (i != j) pairs.push_back({i, j, random.uniform_float(0.01f, 0.1f)});
    }
    return pairs;
}

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

TEST(Blocks, HoldEveryPairOnceAndNoParticleTwice) {
    test::Random random(6);
    for (const Index range : {2u, 3u, 20u, 300u, 5000u}) {
        for (const std::size_t count : {0, 1, 7, 8, 9, 100, 3000}) {
            SCOPED_TRACE(std::to_string(count) + " pairs of " + std::to_string(range) + " particles");
            std::vector<ClosePair> pairs = random_pairs(count, range, random);
            const Index sentinel = range;
            const std::vector<PairBlock> blocks = blocks_of(pairs, range);
            std::vector<ClosePair> packed = in_order(blocks, sentinel);
            for (const PairBlock& block : blocks) {
                EXPECT_NE(block.i[0], sentinel) << "an empty block";
                std::set<Index> seen;
                for (std::size_t lane = 0; lane < PairBlock::size && block.i[lane] != sentinel; ++lane) {
                    EXPECT_TRUE(seen.insert(block.i[lane]).second);
                    EXPECT_TRUE(seen.insert(block.j[lane]).second);
                }
            }
            const auto before = [](const ClosePair& a, const ClosePair& b) {
                return std::tie(a.i, a.j, a.distance) < std::tie(b.i, b.j, b.distance);
            };
            std::sort(pairs.begin(), pairs.end(), before);
            std::sort(packed.begin(), packed.end(), before);
            EXPECT_EQ(packed, pairs);
        }
    }
}

TEST(Blocks, AreNearlyFullWhereParticlesHaveFewPairs) {
    test::Random random(7);
    EXPECT_LT(blocks_of(random_pairs(3000, 1000, random), 1000).size(), 3000 / 8 * 1.1);
}

TEST(Blocks, SeparateAsTheirPairsOneByOneOnEveryInstructionSet) {
    test::Random random(8);
    for (const Index range : {3u, 30u, 1000u}) {
        const std::vector<PairBlock> blocks = blocks_of(random_pairs(2000, range, random), range);
        std::vector<Vec4> start;
        for (Index p = 0; p < range; ++p) {
            const Vec3 at = p % 50 == 7 ? Vec3{} : random.in_cube_float(0.03); // some coincide, some are held
            start.push_back({at.x, at.y, at.z, p % 10 == 3 ? 0 : random.uniform_float(0.5f, 50)});
        }
        start.push_back({});
        std::vector<Vec4> expected = start;
        const int contacts = separate_one_by_one(in_order(blocks, range), expected);
        EXPECT_GT(contacts, 10);
        test::for_each_instruction_set([&](const std::string& instruction_set) {
            std::vector<Vec4> x = start;
            EXPECT_EQ(taffeta::separate(blocks, x), contacts) << instruction_set;
            for (std::size_t p = 0; p < x.size(); ++p)
                ASSERT_EQ(x[p].xyz(), expected[p].xyz()) << instruction_set << ", particle " << p;
        });
    }
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
