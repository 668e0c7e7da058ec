// Elements in blocks that vectors and threads can take at once.
#include "constraints/schedule.h"

#include "support/meshes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace taffeta {
namespace {

struct Elements {
    VertexSets particles;
    Index count = 0;
};

// Each triangle with those at its corners: large sets of different sizes.
Elements wide_elements(const Mesh& mesh) {
    Elements elements = {{}, static_cast<Index>(mesh.positions.size())};
    for (const Triangle& t : mesh.triangles) {
        std::set<Index> around;
        for (const Triangle& other : mesh.triangles)
            for (const Index p : other)
                if (p == t[0] || p == t[1]) around.insert(other.begin(), other.end());
        elements.particles.add(std::vector<Index>(around.begin(), around.end()));
    }
    return elements;
}

TEST(Schedule, EveryElementOnceAndNoParticleTwiceInABlock) {
    const Elements elements = wide_elements(make_grid({1, 1}, {20, 40}, Diagonals::alternate));
    const std::vector<Index> half = {0, 420, 861};
    for (const SweepOrder arrangement : {SweepOrder::colours, SweepOrder::lane_sequential}) {
        const Schedule schedule = make_schedule(elements.particles, half, elements.count, arrangement);
        std::vector<int> seen(elements.particles.size(), 0);
        for (const Schedule::Block& block : schedule.blocks) {
            std::set<Index> met = {block.filling};
            for (const Index element : block.element) {
                if (element == Schedule::none) continue;
                ++seen[element];
                for (const Index p : elements.particles[element]) EXPECT_TRUE(met.insert(p).second);
            }
        }
        EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<std::ptrdiff_t>(seen.size()));
    }
}

TEST(Schedule, PartsShareNoParticleNotEvenAsFilling) {
    const Elements elements = wide_elements(make_grid({1, 1}, {20, 40}, Diagonals::left));
    const std::vector<Index> half = {0, 420, 861};
    const Schedule schedule = make_schedule(elements.particles, half, elements.count, SweepOrder::lane_sequential);
    ASSERT_EQ(schedule.partition_begin.size(), 3u);
    EXPECT_LT(schedule.partition_begin[2], schedule.blocks.size()); // joints
    for (std::size_t part = 0; part < 2; ++part) {
        EXPECT_LT(schedule.partition_begin[part], schedule.partition_begin[part + 1]);
        for (std::size_t b = schedule.partition_begin[part]; b < schedule.partition_begin[part + 1]; ++b) {
            const auto is_inside = [&](Index p) { return p >= half[part] && p < half[part + 1]; };
            EXPECT_TRUE(is_inside(schedule.blocks[b].filling));
            for (const Index element : schedule.blocks[b].element) {
                if (element == Schedule::none) continue;
                for (const Index p : elements.particles[element]) EXPECT_TRUE(is_inside(p));
            }
        }
    }
}

} // namespace
} // namespace taffeta
