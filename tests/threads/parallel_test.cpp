// Loops over threads cover their range exactly once.
#include "core/parallel.h"

#include "collision/broad_phase/particle_grid.h"
#include "support/close_pairs.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <numeric>
#include <vector>

namespace taffeta {
namespace {

TEST(Parallel, PiecesCoverTheRangeOnce) {
    for (const int threads : {1, 2, 3, 8}) {
        const Parallel parallel(threads);
        EXPECT_EQ(parallel.threads(), threads);
        for (const std::size_t count : {0u, 1u, 2u, 7u, 100u, 4096u, 4097u, 50'000u}) {
            for (const std::size_t grain : {1u, 3u, 256u, 100'000u}) {
                if (count / grain > 5000) continue;
                for (const bool is_even : {true, false}) {
                    std::vector<int> visits(count, 0); // of each only one piece may write
                    std::atomic<std::size_t> pieces = 0;
                    const auto visit = [&](std::size_t begin, std::size_t end) {
                        ASSERT_LE(begin, end);
                        ASSERT_LE(end, count);
                        ++pieces;
                        for (std::size_t k = begin; k < end; ++k) ++visits[k];
                    };
                    if (is_even)
                        parallel.for_pieces(count, grain, visit);
                    else
                        parallel.for_uneven_pieces(count, grain, visit);
                    EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int v) { return v == 1; }));
                    if (count > 0 && count <= grain) {
                        EXPECT_EQ(pieces, 1u); // small work is not shared out
                    }
                }
            }
        }
    }
}

TEST(Parallel, LoopsRunWithinEnter) {
    for (const int threads : {1, 2, 8}) {
        const Parallel parallel(threads);
        std::vector<int> numbers(20'000, 0);
        parallel.enter([&] {
            for (int round = 0; round < 10; ++round)
                parallel.for_pieces(numbers.size(), 100, [&](std::size_t begin, std::size_t end) {
                    for (std::size_t k = begin; k < end; ++k) numbers[k] += static_cast<int>(k);
                });
        });
        for (std::size_t k = 0; k < numbers.size(); ++k) ASSERT_EQ(numbers[k], 10 * static_cast<int>(k));
    }
}

TEST(Parallel, CanBeMoved) {
    Parallel first(2);
    Parallel second = std::move(first);
    EXPECT_EQ(second.threads(), 2);
    first = Parallel(3);
    EXPECT_EQ(first.threads(), 3);
}

TEST(Parallel, TheGridsPairsComeInOneOrder) {
    test::Random random(3);
    constexpr Index count = 6000;
    std::vector<Vec3> rest;
    std::vector<Vec4> x;
    for (Index p = 0; p < count; ++p) {
        rest.push_back(random.in_cube_float(1));
        const Vec3 now = random.in_cube_float(0.3);
        x.push_back({now.x, now.y, now.z, 1});
    }
    std::vector<Index> members(count);
    std::iota(members.begin(), members.end(), Index{0});
    const std::vector<float> radius(count, 0.01f);
    const std::vector<Index> piece(count, 0);
    std::vector<test::ClosePair> expected;
    for (const int threads : {1, 2, 8}) {
        const Parallel parallel(threads);
        Grid grid(members, rest, radius, piece, {1.25f, 1.25f});
        for (int again = 0; again < 3; ++again) {
            parallel.enter([&] { grid.find_near(x, parallel); });
            const std::vector<test::ClosePair> found = test::pairs_of(grid.near());
            if (expected.empty()) expected = found;
            ASSERT_GT(found.size(), 1000u);
            ASSERT_EQ(found, expected) << threads << " threads";
        }
    }
}

} // namespace
} // namespace taffeta
