// The length limits of [FGL03] Eq. 5-9 and 11, in the fast kernel and its packing.
#include "constraints/limits.h"

#include "mesh/topology.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>
#include <tuple>

namespace taffeta {
namespace {

double distance_of(const Vec4& a, const Vec4& b) {
    return length(vector_cast<double>(b.xyz()) - vector_cast<double>(a.xyz()));
}

constexpr SweepOrder arrangements[] = {SweepOrder::colours, SweepOrder::lane_sequential};

// One sweep: run after run, as project_limits demands.
void project_all(const Limits& limits, std::span<Vec4> x, LimitMode keep = LimitMode::both) {
    for (std::size_t run = 0; run < limits.runs(); ++run) project_limits(limits.run(run), x, keep);
}

// Two particles and the sentinel, projected once.
std::vector<Vec4> projected(const Vec4& a, const Vec4& b, float shortest, float longest) {
    std::vector<Vec4> x = {a, b, {}};
    const std::vector<Limit> limit = {{0, 1, shortest, longest}};
    project_all(make_limits(limit, 2), x);
    return x;
}

bool same_bits(const Vec4& a, const Vec4& b) {
    return std::bit_cast<std::array<std::uint32_t, 4>>(a) == std::bit_cast<std::array<std::uint32_t, 4>>(b);
}

bool same_bits(const std::vector<Vec4>& a, const std::vector<Vec4>& b) {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [](const Vec4& p, const Vec4& q) { return same_bits(p, q); });
}

// The formulas once more, one limit after the other, in the arithmetic the kernel promises.
void project_one_by_one(const std::vector<Limit>& limits, LimitMode keep, std::vector<Vec4>& x) {
    for (const Limit& limit : limits) {
        Vec4 &i = x[limit.i], &j = x[limit.j];
        const float dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
        const float square = dx * dx + dy * dy + dz * dz, distance = std::sqrt(square);
        const bool pushes = keep == LimitMode::both || keep == LimitMode::shortest;
        const float at_least = pushes ? std::max(distance, limit.shortest) : distance;
        float allowed = keep == LimitMode::shortest ? at_least : std::min(at_least, limit.longest);
        if (keep == LimitMode::longest_relaxed) allowed = std::max(allowed, distance * 0.95f);
        const float denominator = square * (i.w + j.w);
        if (!(denominator > 1e-30f)) continue;
        const float scale = (distance - allowed) * (distance / denominator);
        const float scale_i = scale * i.w, scale_j = scale * j.w;
        i.x += scale_i * dx, i.y += scale_i * dy, i.z += scale_i * dz;
        j.x -= scale_j * dx, j.y -= scale_j * dy, j.z -= scale_j * dz;
    }
}

// Edges and bending pairs of a mesh, and a crumpled state of it with irregular masses; every seventh particle is held.
struct Crumpled {
    std::vector<Limit> limits;
    std::vector<Vec4> x;
};

Crumpled crumple(const Mesh& mesh, std::uint32_t seed) {
    test::Random random(seed);
    Crumpled crumpled;
    const Topology topology = make_topology(mesh.triangles);
    const auto rest = [&](const Pair& pair) { return length(mesh.positions[pair.j] - mesh.positions[pair.i]); };
    for (const Pair& pair : topology.edges)
        crumpled.limits.push_back({pair.i, pair.j, 0.95f * rest(pair), 1.05f * rest(pair)});
    for (const Pair& pair : topology.opposite) crumpled.limits.push_back({pair.i, pair.j, 0.9f * rest(pair)});
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        const Vec3 p = mesh.positions[v] + random.in_cube_float(0.05);
        crumpled.x.push_back({p.x, p.y, p.z, v % 7 == 0 ? 0.0f : random.uniform_float(1, 1e5f)});
    }
    crumpled.x.push_back({});
    return crumpled;
}

TEST(Limits, AStretchedEdgeComesBackToItsGreatestLength) { // F08
    test::Random random(1);
    for (int trial = 0; trial < 1000; ++trial) {
        const float l = random.uniform_float(0.01f, 2);
        const Vec3 start = random.in_cube_float(0.1), d = vector_cast<float>(random.direction() * (1.3 * l));
        const auto x = projected({start.x, start.y, start.z, random.uniform_float(0.1f, 1000)},
                                 {start.x + d.x, start.y + d.y, start.z + d.z, random.uniform_float(0.1f, 1000)},
                                 0.9f * l, 1.1f * l);
        // Relative to the lengths that are added up: 0.1 m of place has its own rounding.
        EXPECT_NEAR(distance_of(x[0], x[1]), 1.1 * l, 1e-6 * std::max(1.1 * l, 0.2));
    }
}

TEST(Limits, ACompressedEdgeComesBackToItsLeastLength) { // F08
    const auto x = projected({0, 0, 0, 2}, {0, 0.5f, 0, 3}, 0.9f, 1.1f);
    EXPECT_NEAR(distance_of(x[0], x[1]), 0.9, 1e-6);
}

TEST(Limits, WithinTheDeadZoneNotABitChanges) { // F08
    test::Random random(2);
    for (int trial = 0; trial < 1000; ++trial) {
        const Vec3 p = random.in_cube_float(1),
                   q = p + vector_cast<float>(random.direction() * random.uniform(0.91, 1.09));
        const Vec4 a = {p.x, p.y, p.z, random.uniform_float(0, 10)}, b = {q.x, q.y, q.z, random.uniform_float(0, 10)};
        const auto x = projected(a, b, 0.9f, 1.1f);
        EXPECT_TRUE(same_bits(x[0], a) && same_bits(x[1], b));
    }
}

TEST(Limits, ABendingLimitNeverPulls) {
    const Vec4 a = {0, 0, 0, 1}, b = {5, 0, 0, 1};
    const auto x = projected(a, b, 0.9f, std::numeric_limits<float>::infinity());
    EXPECT_TRUE(same_bits(x[0], a) && same_bits(x[1], b));
}

TEST(Limits, TheLighterParticleMovesMore) { // Eq. 6-9: x_i gets m_j/(m_i + m_j) of the correction
    const auto x = projected({0, 0, 0, 1.0f / 3}, {2, 0, 0, 1}, 1, 1); // 3 kg and 1 kg
    EXPECT_NEAR(x[0].x, 0.25, 1e-6);
    EXPECT_NEAR(x[1].x, 1.25, 1e-6);
}

TEST(Limits, ProjectionKeepsTheCentreOfMass) { // [FGL03] Eq. 6-9
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        Crumpled crumpled = crumple(mesh, 3);
        std::vector<Vec4>& x = crumpled.x;
        const auto sentinel = static_cast<Index>(mesh.positions.size());
        for (Vec4& p : x) p.w = p.w == 0 ? 77.0f : p.w;
        x.back() = {};
        const auto centre = [&] {
            Vec3d sum;
            double mass = 0;
            for (Index p = 0; p < sentinel; ++p) {
                sum += vector_cast<double>(x[p].xyz()) * (1.0 / x[p].w);
                mass += 1.0 / x[p].w;
            }
            return sum * (1 / mass);
        };
        const Vec3d before = centre();
        const Limits packed = make_limits(crumpled.limits, sentinel);
        for (int sweep = 0; sweep < 10; ++sweep) project_all(packed, x);
        EXPECT_NEAR(length(centre() - before), 0, 1e-6);
    }
}

TEST(Limits, AHeldParticleTakesNothingAndItsPartnerAll) { // F12, Eq. 11
    const Vec4 held = {0, 1, 0, 0};
    const auto x = projected(held, {0, 3, 0, 5}, 1, 1);
    EXPECT_TRUE(same_bits(x[0], held));
    EXPECT_NEAR(x[1].y, 2, 1e-6);
    const auto y = projected({0, 3, 0, 5}, held, 1, 1);
    EXPECT_TRUE(same_bits(y[1], held));
    EXPECT_NEAR(y[0].y, 2, 1e-6);
}

TEST(Limits, BetweenTwoHeldParticlesNothingMoves) { // F12
    const Vec4 a = {0, 0, 0, 0}, b = {0, 3, 0, 0};
    const auto x = projected(a, b, 1, 1);
    EXPECT_TRUE(same_bits(x[0], a) && same_bits(x[1], b));
}

TEST(Limits, CoincidentParticlesGiveNoNaN) {
    const Vec4 a = {1, 2, 3, 4};
    const auto x = projected(a, a, 1, 1);
    EXPECT_TRUE(same_bits(x[0], a) && same_bits(x[1], a));
    const auto y = projected({0, 0, 0, 1}, {1e-20f, 0, 0, 1}, 1, 1); // nearly so
    EXPECT_TRUE(is_finite(y[0].xyz()) && is_finite(y[1].xyz()));
}

TEST(Limits, InverseMassesAreNotTouched) {
    auto [limits, x] = crumple(make_disk(0.3f, 200), 4);
    const auto before = x;
    project_all(make_limits(limits, 200), x);
    for (std::size_t p = 0; p < x.size(); ++p) EXPECT_EQ(x[p].w, before[p].w);
    EXPECT_TRUE(same_bits(x.back(), Vec4{}));
}

TEST(Limits, PackingKeepsEveryLimitOnce) {
    const auto key = [](const Limit& l) {
        return std::tuple(std::min(l.i, l.j), std::max(l.i, l.j), l.shortest, l.longest);
    };
    const auto less = [&](const Limit& a, const Limit& b) { return key(a) < key(b); };
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const auto sentinel = static_cast<Index>(mesh.positions.size());
        std::vector<Limit> limits = crumple(mesh, 5).limits;
        std::sort(limits.begin(), limits.end(), less);
        for (const SweepOrder arrangement : arrangements) {
            const Limits packed = make_limits(limits, sentinel, {.arrangement = arrangement});
            EXPECT_EQ(packed.count, limits.size());
            std::vector<Limit> order = packed.in_order();
            std::sort(order.begin(), order.end(), less);
            EXPECT_TRUE(std::equal(order.begin(), order.end(), limits.begin(), limits.end(),
                                   [&](const Limit& a, const Limit& b) { return key(a) == key(b); }));
        }
    }
}

void expect_no_common_particle(std::span<const LimitBlock> blocks, Index sentinel) {
    std::set<Index> seen;
    for (const LimitBlock& block : blocks)
        for (const auto& place : block.particle)
            for (const Index p : place) EXPECT_TRUE(p == sentinel || seen.insert(p).second);
}

TEST(Limits, NoColourSharesAParticleOnAnyMesh) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const auto sentinel = static_cast<Index>(mesh.positions.size());
        const Limits packed = make_limits(crumple(mesh, 6).limits, sentinel);
        EXPECT_EQ(packed.run_begin.front(), 0u);
        EXPECT_EQ(packed.run_begin.back(), packed.blocks.size());
        for (std::size_t run = 0; run < packed.runs(); ++run)
            expect_no_common_particle(packed.run(run).blocks, sentinel);
    }
}

TEST(Limits, NoRowOfStrandsSharesAParticleOnAnyMesh) {
    for (const auto& [name, mesh, euler, manifold] : test::all_meshes()) {
        SCOPED_TRACE(name);
        const auto sentinel = static_cast<Index>(mesh.positions.size());
        const Limits packed =
            make_limits(crumple(mesh, 6).limits, sentinel, {.arrangement = SweepOrder::lane_sequential});
        for (std::size_t run = 0; run < packed.runs(); ++run) {
            const std::span<const LimitBlock> blocks = packed.run(run).blocks;
            for (std::size_t begin = 0; begin < blocks.size(); begin += Limits::row)
                expect_no_common_particle(blocks.subspan(begin, std::min(Limits::row, blocks.size() - begin)),
                                          sentinel);
        }
    }
}

TEST(Limits, EachLaneOfStrandsGoesAlongTheClothInTheOrderOfItsParticles) {
    const Mesh mesh = make_grid({1, 1}, {40, 40}, Diagonals::alternate);
    const auto sentinel = static_cast<Index>(mesh.positions.size());
    std::vector<Limit> edges;
    for (const Pair& edge : make_topology(mesh.triangles).edges) edges.push_back({edge.i, edge.j, 1, 1});
    const Limits packed = make_limits(edges, sentinel, {.arrangement = SweepOrder::lane_sequential});
    ASSERT_EQ(packed.runs(), 1u);
    std::size_t steps = 0, steps_back = 0;
    for (std::size_t place = 0; place < Limits::row; ++place) {
        for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
            Index last = 0;
            for (std::size_t b = place; b < packed.blocks.size(); b += Limits::row) {
                Index first = sentinel;
                for (const auto& particles : packed.blocks[b].particle) first = std::min(first, particles[lane]);
                if (first == sentinel) continue; // a lane that waits, or has done its strand
                ++steps;
                steps_back += first < last ? 1 : 0; // to a group whose particles another lane had
                EXPECT_LE(last, first + 4);
                last = first;
            }
        }
    }
    EXPECT_LT(steps_back, steps / 20);
    EXPECT_LT(packed.blocks.size() * LimitBlock::size * LimitBlock::sides, packed.count * 11 / 10); // hardly any waits
}

TEST(Limits, PartsOfALargeClothShareNoParticle) {
    const Mesh mesh = make_disk(1, 10'000);
    for (const SweepOrder arrangement : arrangements) {
        const Limits packed = make_limits(crumple(mesh, 9).limits, 10'000, {.arrangement = arrangement});
        ASSERT_EQ(packed.parts(), 2u);
        EXPECT_EQ(packed.partition_begin.front(), 0u);
        EXPECT_LT(packed.partition_begin.back(), packed.runs()); // behind them come the joints
        std::vector<std::size_t> part_of(10'001, packed.parts());
        for (std::size_t part = 0; part < packed.parts(); ++part) {
            for (std::size_t run = packed.partition_begin[part]; run < packed.partition_begin[part + 1]; ++run) {
                for (const LimitBlock& block : packed.run(run).blocks) {
                    for (const auto& place : block.particle) {
                        for (const Index p : place) {
                            ASSERT_NE(p, 10'000u); // which all parts would write at once
                            if (part_of[p] == packed.parts()) part_of[p] = part;
                            ASSERT_EQ(part_of[p], part) << "particle " << p;
                        }
                    }
                }
            }
        }
    }
}

TEST(Limits, NoLimitsAreFine) {
    for (const SweepOrder arrangement : arrangements) {
        const Limits packed = make_limits({}, 3, {.arrangement = arrangement});
        EXPECT_EQ(packed.blocks.size(), 0u);
        EXPECT_TRUE(packed.in_order().empty());
        std::vector<Vec4> x(4);
        project_all(packed, x);
    }
}

TEST(Limits, KeepingTheLongestOnlyPullsAndNeverPushes) {
    const std::vector<Limit> limits = {{0, 1, 1, 2}};
    const Limits packed = make_limits(limits, 2);
    std::vector<Vec4> near = {{0, 0, 0, 1}, {0.5f, 0, 0, 1}, {}}, far = {{0, 0, 0, 1}, {4, 0, 0, 1}, {}};
    const std::vector<Vec4> before = near;
    project_all(packed, near, LimitMode::longest);
    EXPECT_TRUE(same_bits(near, before));
    project_all(packed, far, LimitMode::longest);
    EXPECT_NEAR(distance_of(far[0], far[1]), 2, 1e-6);
}

TEST(Limits, PullingGentlyTakesATwentiethAtMost) {
    const Limits packed = make_limits(std::vector<Limit>{{0, 1, 0, 1}}, 2, {.keep = LimitMode::longest});
    std::vector<Vec4> far = {{0, 0, 0, 1}, {4, 0, 0, 1}, {}}, near = {{0, 0, 0, 1}, {1.02f, 0, 0, 1}, {}};
    project_all(packed, far, LimitMode::longest_relaxed);
    EXPECT_NEAR(distance_of(far[0], far[1]), 3.8, 1e-6);
    project_all(packed, near, LimitMode::longest_relaxed);
    EXPECT_NEAR(distance_of(near[0], near[1]), 1, 1e-6);
}

TEST(Limits, OfOneEndOnlyThatEndIsStored) {
    const auto [limits, start] = crumple(make_disk(0.3f, 100), 5);
    for (const LimitMode keep : {LimitMode::shortest, LimitMode::longest}) {
        const Limits all = make_limits(limits, 100), half = make_limits(limits, 100, {.keep = keep});
        EXPECT_EQ(half.shortest.empty(), keep == LimitMode::longest);
        EXPECT_EQ(half.longest.empty(), keep == LimitMode::shortest);
        std::vector<Vec4> expected = start, x = start;
        for (int sweep = 0; sweep < 3; ++sweep) {
            project_all(all, expected, keep);
            project_all(half, x);
        }
        EXPECT_TRUE(same_bits(x, expected));
    }
}

TEST(Limits, EveryInstructionSetGivesTheBitsOfTheFormula) {
    int sets = 0;
    for (const test::TestMesh& subject : test::all_meshes()) {
        const auto sentinel = static_cast<Index>(subject.mesh.positions.size());
        const Crumpled crumpled = crumple(subject.mesh, 7);
        for (const SweepOrder arrangement : arrangements) {
            for (const LimitMode keep :
                 {LimitMode::both, LimitMode::shortest, LimitMode::longest, LimitMode::longest_relaxed}) {
                const Limits packed = make_limits(crumpled.limits, sentinel, {.arrangement = arrangement});
                const std::vector<Limit> order = packed.in_order();
                std::vector<Vec4> expected = crumpled.x;
                for (int sweep = 0; sweep < 10; ++sweep) project_one_by_one(order, keep, expected);
                test::for_each_instruction_set([&](const std::string& instruction_set) {
                    std::vector<Vec4> x = crumpled.x;
                    for (int sweep = 0; sweep < 10; ++sweep) project_all(packed, x, keep);
                    EXPECT_TRUE(same_bits(x, expected)) << subject.name << " on " << instruction_set;
                    ++sets;
                });
            }
        }
    }
    EXPECT_GT(sets, 0);
}

TEST(Limits, SweepsConvergeToWithinTheLimits) {
    Mesh mesh = make_disk(0.3f, 100);
    auto [limits, x] = crumple(mesh, 8);
    for (std::size_t p = 1; p < x.size() - 1; ++p) x[p].w = 1;
    const Limits packed = make_limits(limits, 100);
    for (int sweep = 0; sweep < 2000; ++sweep) project_all(packed, x);
    for (const Limit& limit : limits) {
        const double d = distance_of(x[limit.i], x[limit.j]);
        EXPECT_GE(d, limit.shortest * 0.999);
        EXPECT_LE(d, limit.longest * 1.001);
    }
}

} // namespace
} // namespace taffeta
