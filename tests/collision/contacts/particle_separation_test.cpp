// Keeping particles apart: the distances and the correction [FGL03] 4.
#include "collision/contacts/particle_separation.h"

#include "support/close_pairs.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <tuple>

namespace taffeta {
namespace {

using test::ClosePair;

// Those of one owner together.
NearList list_of(std::vector<ClosePair> pairs) {
    std::stable_sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.i < b.i; });
    NearList list;
    for (std::size_t k = 0; k < pairs.size();) {
        const Index owner = pairs[k].i;
        list.make_room(pairs.size());
        std::size_t count = list.count;
        for (; k < pairs.size() && pairs[k].i == owner; ++k, ++count) {
            list.particle[count] = pairs[k].j;
            list.distance[count] = pairs[k].distance;
        }
        list.add_owner(owner, count);
    }
    return list;
}

NearStrands strands_of(std::span<const NearList> lists, Index sentinel) {
    std::vector<const NearList*> pointers;
    for (const NearList& list : lists) pointers.push_back(&list);
    NearStrands strands;
    strands.weave(pointers, sentinel);
    return strands;
}

int separate(std::span<const NearList> lists, std::vector<Vec4>& x) {
    const NearStrands strands = strands_of(lists, static_cast<Index>(x.size()));
    x.push_back({}); // the sentinel
    const int contacts = taffeta::separate(strands, x);
    EXPECT_EQ(x.back().xyz(), Vec3{});
    x.pop_back();
    return contacts;
}

int separate(const std::vector<ClosePair>& pairs, std::vector<Vec4>& x) {
    const std::array lists = {list_of(pairs)};
    return separate(lists, x);
}

// What separate() does, in plain words: the oracle.
int separate_plainly(const NearList& list, std::vector<Vec4>& x) {
    struct Piece {
        std::size_t owner, begin, count;
    };
    std::vector<Piece> pieces;
    for (std::size_t k = 0; k < list.owners; ++k)
        for (std::size_t p = list.begin[k]; p < list.begin[k + 1]; p += NearStrands::most)
            pieces.push_back({k, p, std::min<std::size_t>(list.begin[k + 1] - p, NearStrands::most)});
    std::stable_sort(pieces.begin(), pieces.end(), [](auto& a, auto& b) { return a.count > b.count; });
    int contacts = 0;
    for (const auto& [owner, begin, count] : pieces) {
        Vec4& i = x[list.owner[owner]];
        std::vector<Index> close;
        std::vector<Vec3d> pulls; // of each pair on the owner
        Vec3d all;
        double numerator = 0, denominator = 0;
        for (std::size_t k = begin; k < begin + count; ++k) {
            const Vec4& j = x[list.particle[k]];
            const Vec3d d = vector_cast<double>(j.xyz()) - vector_cast<double>(i.xyz());
            const double distance = length(d), both = static_cast<double>(i.w) + static_cast<double>(j.w);
            if (distance >= static_cast<double>(list.distance[k])) continue;
            ++contacts;
            if (distance * both <= 1e-30) continue; // coincident, or both held
            close.push_back(list.particle[k]);
            pulls.push_back(d * ((distance - static_cast<double>(list.distance[k])) / (distance * both)));
            all += pulls.back();
            numerator += dot(pulls.back(), pulls.back()) * both;
            denominator += dot(pulls.back(), pulls.back()) * static_cast<double>(j.w);
        }
        if (close.empty()) continue;
        const double part = numerator / (denominator + static_cast<double>(i.w) * dot(all, all));
        i.set_xyz(i.xyz() + vector_cast<float>(all * (part * static_cast<double>(i.w))));
        for (std::size_t k = 0; k < close.size(); ++k) {
            Vec4& j = x[close[k]];
            j.set_xyz(j.xyz() - vector_cast<float>(pulls[k] * (part * static_cast<double>(j.w))));
        }
    }
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

TEST(Separate, PairsInOneDirectionShareTheWay) {
    std::vector<Vec4> x = {{0, 0, 0, 1}, {0.5f, 0, 0, 1}, {0.8f, 0, 0, 1}, {2, 0, 0, 1}};
    EXPECT_EQ(separate({{0, 1, 1}, {0, 2, 1}, {0, 3, 1}}, x), 2);
    const double part = 0.145 / 0.195; // (0.25^2 + 0.1^2) 2 / (0.25^2 + 0.1^2 + 0.35^2)
    EXPECT_NEAR(x[0].x, -0.35 * part, 1e-6);
    EXPECT_NEAR(x[1].x, 0.5 + 0.25 * part, 1e-6);
    EXPECT_NEAR(x[2].x, 0.8 + 0.1 * part, 1e-6);
    EXPECT_EQ(x[3].x, 2);
}

TEST(Separate, PairsAtRightAnglesDoNotDisturbEachOther) {
    std::vector<Vec4> x = {{0, 0, 0, 1}, {0.5f, 0, 0, 1}, {0, 0.8f, 0, 3}};
    EXPECT_EQ(separate({{0, 1, 1}, {0, 2, 1}}, x), 2);
    EXPECT_NEAR(x[0].x, -0.25, 1e-6);
    EXPECT_NEAR(x[0].y, -0.05, 1e-6);
    EXPECT_NEAR(x[1].x, 0.75, 1e-6);
    EXPECT_NEAR(x[2].y, 0.95, 1e-6);
}

TEST(Separate, ManyPairsOfOneParticleComeApart) {
    test::Random random(9);
    for (int trial = 0; trial < 50; ++trial) {
        std::vector<Vec4> x = {{0, 0, 0, 1}};
        std::vector<ClosePair> pairs;
        for (Index k = 1; k <= 20; ++k) { // on one side, more than go at once
            const Vec3 p = random.in_cube_float(0.3) + Vec3{0.5f, 0, 0};
            x.push_back({p.x, p.y, p.z, random.uniform_float(0.5f, 2)});
            pairs.push_back({0, k, 1});
        }
        for (int sweep = 0; sweep < 100; ++sweep) separate(pairs, x);
        for (Index k = 1; k <= 20; ++k) {
            EXPECT_GT(distance_of(x[0], x[k]), 0.999);
            EXPECT_LT(distance_of(x[0], x[k]), 2) << "flung away";
        }
    }
}

TEST(Separate, DoesTheSameOnEveryInstructionSet) {
    test::Random random(8);
    for (const Index range : {3u, 30u, 1000u}) {
        std::vector<ClosePair> pairs = random_pairs(2000, range, random);
        std::sort(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return std::tie(a.i, a.j) < std::tie(b.i, b.j); });
        pairs.erase(std::unique(pairs.begin(), pairs.end(), [](auto& a, auto& b) { return a.i == b.i && a.j == b.j; }),
                    pairs.end()); // no particle is twice near one
        const std::array lists = {list_of(pairs)};
        std::vector<Vec4> start;
        for (Index p = 0; p < range; ++p) {
            const Vec3 at = p % 50 == 7 ? Vec3{} : random.in_cube_float(0.03); // some coincide, some are held
            start.push_back({at.x, at.y, at.z, p % 10 == 3 ? 0 : random.uniform_float(0.5f, 50)});
        }
        std::vector<Vec4> plain = start, expected;
        const int contacts = separate_plainly(lists[0], plain);
        EXPECT_GT(contacts, 0);
        test::for_each_instruction_set([&](const std::string& instruction_set) {
            std::vector<Vec4> x = start;
            const int found = separate(lists, x);
            if (expected.empty()) expected = x;
            EXPECT_NEAR(found, contacts, 0.01 * contacts) << instruction_set;
            for (std::size_t p = 0; p < x.size(); ++p) {
                ASSERT_EQ(x[p].xyz(), expected[p].xyz()) << instruction_set << ", particle " << p;
                ASSERT_EQ(x[p].w, start[p].w);
                ASSERT_NEAR(length(x[p].xyz() - plain[p].xyz()), 0, 1e-4) << "particle " << p;
            }
        });
    }
}

TEST(Separate, ListsSideBySideDoWhatEachDoesAlone) {
    test::Random random(11);
    constexpr Index range = 40;
    std::vector<NearList> lists;
    std::vector<Vec4> start;
    for (Index k = 0; k < NearStrands::width - 1; ++k) { // the last lane has none, and lengths differ
        std::vector<ClosePair> pairs = random_pairs(30 * k + 1, range, random);
        for (ClosePair& pair : pairs) pair.i += range * k, pair.j += range * k;
        lists.push_back(list_of(pairs));
        for (Index p = 0; p < range; ++p) {
            const Vec3 at = random.in_cube_float(0.03);
            start.push_back({at.x, at.y, at.z, random.uniform_float(0.5f, 50)});
        }
    }
    std::vector<Vec4> together = start, alone = start;
    int contacts = 0;
    for (const NearList& list : lists) contacts += separate(std::span(&list, 1), alone);
    EXPECT_EQ(separate(lists, together), contacts);
    EXPECT_GT(contacts, 100);
    for (std::size_t p = 0; p < start.size(); ++p) ASSERT_EQ(together[p].xyz(), alone[p].xyz()) << "particle " << p;
}

TEST(Radii,
     AreAboutHalfTheEdgesAround) { // "the distance, which we have to preserve, depends on the size of the triangles"
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const Topology topology = make_topology(mesh.triangles);
        std::vector<double> least(mesh.positions.size(), 1e9), most(mesh.positions.size(), 0);
        for (const Pair& edge : topology.edges) {
            const auto rest_length = static_cast<double>(length(mesh.positions[edge.j] - mesh.positions[edge.i]));
            for (const Index p : {edge.i, edge.j}) {
                least[p] = std::min(least[p], rest_length);
                most[p] = std::max(most[p], rest_length);
            }
        }
        const auto count = static_cast<Index>(mesh.positions.size());
        const std::vector<float> radius = radii_from_edges(topology.edges, mesh.positions);
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
    const std::vector<float> small = radii_from_edges(edges, std::vector<Vec3>{{0, 0, 0}, {0.1f, 0, 0}, {0.4f, 0, 0}});
    const std::vector<float> large = radii_from_edges(edges, std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {4, 0, 0}});
    for (std::size_t p = 0; p < 3; ++p) EXPECT_NEAR(large[p] / small[p], 10, 1e-4);
    EXPECT_LT(small[0], small[1]);
    EXPECT_LT(small[1], small[2]);
}

} // namespace
} // namespace taffeta
