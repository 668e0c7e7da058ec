// More sweeps over the longest edges: they get shorter, nothing else changes.
#include "solvers/position/strain_limiting.h"

#include "mesh/topology.h"
#include "support/instruction_sets.h"
#include "support/meshes.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// A flat sheet whose edges may be as long as they are; particles of two masses.
struct Sheet {
    Limits limits = {};
    std::vector<Vec4> x = {};

    double stretch_of(const Limit& limit) const {
        return length(vector_cast<double>(x[limit.j].xyz() - x[limit.i].xyz())) / static_cast<double>(limit.longest);
    }
    double longest() const {
        double longest = 0;
        for (const Limit& limit : limits.in_order()) longest = std::max(longest, stretch_of(limit));
        return longest;
    }
    Vec3d centre() const {
        Vec3d sum;
        double mass = 0;
        for (const Vec4& p : x)
            if (p.w > 0)
                sum += vector_cast<double>(p.xyz()) * (1 / static_cast<double>(p.w)),
                    mass += 1 / static_cast<double>(p.w);
        return sum * (1 / mass);
    }
};

Sheet make_sheet(int cells, std::vector<Index> parts = {}) {
    const Mesh mesh = make_grid({1, 1}, {cells, cells}, Diagonals::alternate);
    Sheet sheet;
    std::vector<Limit> edges;
    for (const Pair& pair : make_topology(mesh.triangles).edges) {
        const float length_at_rest = length(mesh.positions[pair.j] - mesh.positions[pair.i]);
        edges.push_back({pair.i, pair.j, length_at_rest, length_at_rest});
    }
    for (std::size_t v = 0; v < mesh.positions.size(); ++v) {
        const Vec3 p = mesh.positions[v];
        sheet.x.push_back({p.x, p.y, p.z, v % 2 == 0 ? 1.0f : 2.0f});
    }
    sheet.limits = make_limits(edges, static_cast<Index>(sheet.x.size()),
                               {.arrangement = Arrangement::strands, .part_begin = std::move(parts)});
    sheet.x.emplace_back();
    return sheet;
}

// A vertex in the middle is lifted, so that the edges around it are too long by a quarter.
constexpr int cells = 20;
constexpr Index middle = cells / 2 * (cells + 1) + cells / 2;
Sheet make_dented_sheet(std::vector<Index> parts = {}) {
    Sheet sheet = make_sheet(cells, std::move(parts));
    sheet.x[middle].y = 0.75f / cells;
    return sheet;
}

TEST(Tightening, ShortensTheLongestAndLeavesTheRestAlone) {
    Sheet sheet = make_dented_sheet();
    const std::vector<Vec4> before = sheet.x;
    const Vec3d centre = sheet.centre();
    EXPECT_GT(sheet.longest(), 1.2);
    Tightening tightening;
    for (int k = 0; k < 4; ++k) tightening.run(sheet.limits, {.rounds = 2, .share = 2}, Parallel(1), sheet.x);
    EXPECT_LT(sheet.longest(), 1.05);
    EXPECT_LT(length(sheet.centre() - centre), 1e-7);
    for (const Index corner : {0, cells, cells * (cells + 1), (cells + 1) * (cells + 1) - 1})
        EXPECT_EQ(sheet.x[corner].xyz(), before[corner].xyz()) << "a corner far from the dent";
}

TEST(Tightening, MovesNothingWhereNothingIsTooLong) {
    for (const float scale : {0.5f, 1.0f, 1.019f}) {
        Sheet sheet = make_sheet(cells);
        for (Vec4& p : sheet.x) p.set_xyz(p.xyz() * scale);
        const std::vector<Vec4> before = sheet.x;
        Tightening().run(sheet.limits, {}, Parallel(1), sheet.x);
        for (std::size_t p = 0; p < before.size(); ++p) ASSERT_EQ(sheet.x[p].xyz(), before[p].xyz()) << scale;
    }
}

// Where all edges are equally long none is longest, and the ordinary sweeps are all there is.
TEST(Tightening, LeavesClothThatIsDrawnOutAllOverToTheSweeps) {
    Sheet sheet = make_sheet(cells);
    for (Vec4& p : sheet.x) p.set_xyz(p.xyz() * 1.095f);
    const std::vector<Vec4> before = sheet.x;
    Tightening().run(sheet.limits, {}, Parallel(1), sheet.x);
    std::size_t moved = 0;
    for (std::size_t p = 0; p < before.size(); ++p) moved += sheet.x[p].xyz() == before[p].xyz() ? 0 : 1;
    EXPECT_EQ(moved, 0u);
}

TEST(Tightening, GivesTheSameBitsForEveryInstructionSetAndNumberOfThreads) {
    const Index half = (cells + 1) * (cells / 2), all = (cells + 1) * (cells + 1);
    std::vector<Vec4> first;
    test::for_each_instruction_set([&](const std::string& set) {
        for (const int threads : {1, 2, 8}) {
            Sheet sheet = make_dented_sheet({0, half, all});
            ASSERT_EQ(sheet.limits.parts(), 2u);
            Tightening tightening;
            for (int k = 0; k < 3; ++k) tightening.run(sheet.limits, {.rounds = 2}, Parallel(threads), sheet.x);
            if (first.empty()) first = sheet.x;
            for (std::size_t p = 0; p < first.size(); ++p)
                ASSERT_EQ(sheet.x[p].xyz(), first[p].xyz()) << set << ", " << threads << " threads, particle " << p;
        }
    });
}

TEST(Tightening, BearsPointsThatAreNotFiniteAndEdgesWithoutLength) {
    Sheet sheet = make_dented_sheet();
    sheet.limits.change_all([](Limit limit) {
        if (limit.i == 0) limit.longest = limit.shortest = 0;
        return limit;
    });
    sheet.x[1] = sheet.x[0]; // at no distance, as they are to be
    sheet.x[5].x = std::nanf("");
    Tightening().run(sheet.limits, {}, Parallel(1), sheet.x);
    EXPECT_TRUE(std::isfinite(sheet.x[middle].y));
}

TEST(Tightening, OfNothingDoesNothing) {
    std::vector<Vec4> x(1);
    Tightening().run(make_limits({}, 0), {}, Parallel(1), x);
    EXPECT_EQ(x[0].xyz(), Vec3{});
}

// The measure behind it, against the formula.
TEST(Tightening, MeasuresTheStretchOfEveryBlock) {
    Sheet sheet = make_dented_sheet();
    test::Random random(5);
    for (Vec4& p : sheet.x) p.set_xyz(p.xyz() + random.in_cube_float(0.01));
    test::for_each_instruction_set([&](const std::string& set) {
        double longest = 0;
        for (std::size_t k = 0; k < sheet.limits.runs(); ++k) {
            const LimitRun run = sheet.limits.run(k);
            std::vector<float> stretch(run.blocks.size());
            measure_stretch(run, sheet.x, stretch);
            for (std::size_t b = 0; b < stretch.size(); ++b) {
                double expected = 0;
                for (std::size_t side = 0; side < LimitBlock::sides; ++side)
                    for (std::size_t lane = 0; lane < LimitBlock::size; ++lane)
                        expected = std::max(expected, sheet.stretch_of({run.blocks[b].first(side, lane),
                                                                        run.blocks[b].second(side, lane), 0,
                                                                        run.longest[b].of_side[side][lane]}));
                ASSERT_NEAR(stretch[b], expected, 1e-6) << set;
                longest = std::max(longest, expected);
            }
        }
        EXPECT_NEAR(longest, sheet.longest(), 1e-12);
    });
}

} // namespace
} // namespace taffeta
