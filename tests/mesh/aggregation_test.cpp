#include "mesh/aggregation.h"

#include "mesh/topology.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <set>

namespace taffeta {
namespace {

struct Sheet {
    Mesh mesh;
    std::vector<Pair> edges;
    std::vector<double> mass;
    std::vector<Level> levels;
};

Sheet make_sheet(Mesh mesh) {
    Sheet sheet = {std::move(mesh), {}, {}, {}};
    sheet.edges = make_topology(sheet.mesh.triangles).edges;
    sheet.mass = lump_masses(sheet.mesh.positions, sheet.mesh.triangles, 0.15);
    sheet.levels = make_levels(sheet.mesh.positions, sheet.edges, sheet.mass);
    return sheet;
}

std::vector<Sheet> sheets() {
    std::vector<Sheet> all;
    for (const Diagonals diagonals : {Diagonals::left, Diagonals::alternate, Diagonals::cross})
        all.push_back(make_sheet(make_grid({1, 0.7f}, {30, 21}, diagonals)));
    all.push_back(make_sheet(make_disk(0.5f, 1200)));
    return all;
}

TEST(Levels, EachHasAtMostHalfOfTheOneBelowAndTheLastHasADozenOrSo) {
    for (const Sheet& sheet : sheets()) {
        ASSERT_GE(sheet.levels.size(), 2u);
        std::size_t below = sheet.mesh.positions.size();
        for (const Level& level : sheet.levels) {
            EXPECT_LE(2 * level.count(), below);
            below = level.count();
        }
        EXPECT_LE(below, 48u);
        EXPECT_GE(below, 12u);
    }
}

TEST(Levels, KeepMassAndCentreOfMass) {
    for (const Sheet& sheet : sheets()) {
        const double mass = std::accumulate(sheet.mass.begin(), sheet.mass.end(), 0.0);
        Vec3d moment;
        for (std::size_t v = 0; v < sheet.mass.size(); ++v)
            moment += vector_cast<double>(sheet.mesh.positions[v]) * sheet.mass[v];
        for (const Level& level : sheet.levels) {
            EXPECT_NEAR(std::accumulate(level.mass.begin(), level.mass.end(), 0.0), mass, 1e-6 * mass);
            Vec3d here;
            for (Index c = 0; c < level.count(); ++c) here += vector_cast<double>(level.rest[c]) * level.mass[c];
            EXPECT_LT(length(here - moment), 1e-6 * mass);
        }
    }
}

TEST(Levels, WeightsAreNotNegativeAndSharesSumToOne) {
    for (const Sheet& sheet : sheets())
        for (const Level& level : sheet.levels) {
            for (const Parents& parents : level.parents) {
                for (std::size_t k = 0; k < 3; ++k) {
                    EXPECT_GE(parents.weights()[k], 0);
                    EXPECT_LT(parents.parent[k], level.count());
                }
            }
            for (Index c = 0; c < level.count(); ++c) {
                float sum = 0;
                for (Index k = level.child_begin[c]; k < level.child_begin[c + 1]; ++k) sum += level.children[k].share;
                EXPECT_NEAR(sum, 1, 1e-5);
            }
        }
}

TEST(Levels, ATurnedSheetTurnsItsMeansAndKeepsTheirDistances) {
    // What a rigid motion does to the particles it does to the means: no limit between them is then exceeded.
    for (const Sheet& sheet : sheets()) {
        const Pose pose = {{1, 2, 3}, rotation_from_degrees({30, 40, 50})};
        std::vector<Vec3> finer;
        for (const Vec3& p : sheet.mesh.positions) finer.push_back(pose.to_world(p));
        for (const Level& level : sheet.levels) {
            std::vector<Vec3> means(level.count());
            for (Index c = 0; c < level.count(); ++c)
                for (Index k = level.child_begin[c]; k < level.child_begin[c + 1]; ++k)
                    means[c] += finer[level.children[k].child] * level.children[k].share;
            for (std::size_t k = 0; k < level.spans.size(); ++k)
                EXPECT_NEAR(length(means[level.spans[k].j] - means[level.spans[k].i]), level.span_length[k], 3e-6);
            finer = means;
        }
    }
}

TEST(Levels, EveryMeanHasNeighbours) {
    for (const Sheet& sheet : sheets())
        for (const Level& level : sheet.levels) {
            std::vector<int> degree(level.count());
            for (const Pair& edge : level.edges) ++degree[edge.i], ++degree[edge.j];
            for (const int d : degree) EXPECT_GE(d, 2);
        }
}

TEST(Levels, SpansReachTheNeighboursOfNeighboursOnce) {
    for (const Sheet& sheet : sheets()) {
        for (const Level& level : sheet.levels) {
            const Neighbours graph(level.edges, level.count());
            std::set<std::pair<Index, Index>> expected, found;
            for (Index a = 0; a < level.count(); ++a)
                for (const Index b : graph.of(a)) {
                    expected.insert(std::minmax(a, b));
                    for (const Index c : graph.of(b))
                        if (c != a) expected.insert(std::minmax(a, c));
                }
            for (const Pair& span : level.spans) EXPECT_TRUE(found.insert(std::minmax(span.i, span.j)).second);
            EXPECT_EQ(found, expected);
        }
    }
}

TEST(Levels, ParticlesWithoutMassTakeNoPart) {
    Mesh mesh = make_grid({1, 1}, {20, 20}, Diagonals::alternate);
    mesh.positions.push_back({5, 5, 5}); // belongs to no triangle
    const Sheet sheet = make_sheet(mesh);
    ASSERT_FALSE(sheet.levels.empty());
    const auto last = static_cast<Index>(mesh.positions.size() - 1);
    for (const Child& child : sheet.levels[0].children) EXPECT_NE(child.child, last);
    for (const double m : sheet.levels[0].mass) EXPECT_GT(m, 0);
}

TEST(Levels, ACoarseMeshHasNone) {
    EXPECT_TRUE(make_sheet(make_grid({1, 1}, {3, 3}, Diagonals::left)).levels.empty());
    EXPECT_TRUE(make_levels({}, {}, {}).empty());
}

} // namespace
} // namespace taffeta
