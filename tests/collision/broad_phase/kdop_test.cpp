// Volumes: their directions, what overlaps, and what they keep [MKE03] 3.
#include "collision/broad_phase/kdop.h"

#include "support/random.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace taffeta {
namespace {

template <int k>
void expect_directions_as_documented() {
    const Vec3 p = {1, 10, 100};
    const auto at = project<k>(p);
    for (std::size_t i = 0; i < k / 2; ++i) {
        // The components of the normal are the coefficients.
        const Vec3 n = {project<k>({1, 0, 0})[i], project<k>({0, 1, 0})[i], project<k>({0, 0, 1})[i]};
        for (int axis = 0; axis < 3; ++axis) EXPECT_TRUE(n[axis] == 0 || std::abs(n[axis]) == 1);
        EXPECT_EQ(at[i], dot(n, p));
        EXPECT_FLOAT_EQ(normal_length<k>(i), length(n));
        for (std::size_t j = 0; j < i; ++j) EXPECT_NE(at[i], at[j]);
    }
}

TEST(Kdop, NormalsAreOfOnesAndZeros) { // M01
    for (const int k : {6, 8, 14, 18}) with_k(k, []<int kk>() { expect_directions_as_documented<kk>(); });
}

TEST(Kdop, MoreFacesAreTighter) { // M01
    test::Random random(51);
    std::array<int, 3> inside = {};
    for (int trial = 0; trial < 1000; ++trial) {
        Kdop<6> box;
        Kdop<14> corners_clipped;
        Kdop<18> edges_clipped;
        for (int corner = 0; corner < 3; ++corner) {
            const Vec3 p = random.in_cube_float(1);
            box.insert(p, 0);
            corners_clipped.insert(p, 0);
            edges_clipped.insert(p, 0);
        }
        for (int sample = 0; sample < 50; ++sample) {
            const Vec3 part = random.in_cube_float(0.5) + Vec3{0.5f, 0.5f, 0.5f};
            Vec3 p;
            for (int axis = 0; axis < 3; ++axis) {
                const auto i = static_cast<std::size_t>(axis);
                p[axis] = box.low[i] + part[axis] * (box.high[i] - box.low[i]);
            }
            const auto contains = [&]<int k>(const Kdop<k>& volume) {
                Kdop<k> point;
                point.insert(p, 0);
                return volume.overlaps(point);
            };
            inside[0] += contains(box) ? 1 : 0;
            inside[1] += contains(corners_clipped) ? 1 : 0;
            inside[2] += contains(edges_clipped) ? 1 : 0;
        }
    }
    EXPECT_EQ(inside[0], 50'000);
    EXPECT_LT(inside[1], 35'000);
    EXPECT_LT(inside[2], inside[1]);
}

// Two triangles on the two sides of a slab as thick as epsilon, or a bit less.
struct SlabPair {
    std::array<Vec3, 3> a, b;
};
SlabPair make_slab_pair(double epsilon, const Vec3d& centre, test::Random& random) {
    const Vec3d n = random.direction();
    const auto beside = [&](double side, const Vec3d& from) {
        Vec3d r = random.in_cube(0.1);
        if (dot(r, n) * side < 0) r -= n * (2 * dot(r, n));
        return vector_cast<float>(from + r);
    };
    const Vec3d p = centre + random.in_cube(0.1), q = p + n * (epsilon * 0.9999);
    return {{vector_cast<float>(p), beside(-1, p), beside(-1, p)}, {vector_cast<float>(q), beside(1, q), beside(1, q)}};
}

TEST(Kdop, OverlapIsNecessaryForProximity) { // M02
    test::Random random(52);
    int close = 0, missed_without_lengths = 0;
    for (int trial = 0; trial < 100'000; ++trial) {
        const float epsilon = trial % 2 == 0 ? 0.01f : 0.0005f;
        const Vec3d centre = trial % 3 == 0 ? Vec3d{100, -30, 7} : Vec3d{};
        const SlabPair pair = make_slab_pair(static_cast<double>(epsilon), centre, random);
        const Vec3d apart = vector_cast<double>(pair.a[0]) - vector_cast<double>(pair.b[0]);
        if (length(apart) > static_cast<double>(epsilon)) continue; // rounding
        ++close;
        with_k(trial % 4 == 0   ? 6
               : trial % 4 == 1 ? 8
               : trial % 4 == 2 ? 14
                                : 18,
               [&]<int k>() {
                   Kdop<k> volume_a, volume_b, bare_a, bare_b;
                   for (const Vec3& p : pair.a) volume_a.insert(p, epsilon), bare_a.insert(p, 0);
                   for (const Vec3& p : pair.b) volume_b.insert(p, epsilon), bare_b.insert(p, 0);
                   ASSERT_TRUE(volume_a.overlaps(volume_b)) << "trial " << trial;
                   // As the paper has it: by half of epsilon, whatever the length of the normal.
                   for (std::size_t i = 0; i < k / 2; ++i) {
                       bare_a.low[i] -= 0.5f * epsilon, bare_a.high[i] += 0.5f * epsilon;
                       bare_b.low[i] -= 0.5f * epsilon, bare_b.high[i] += 0.5f * epsilon;
                   }
                   missed_without_lengths += bare_a.overlaps(bare_b) ? 0 : 1;
               });
    }
    EXPECT_GT(close, 60'000);
    EXPECT_GT(missed_without_lengths, 10'000);
}

// [MKE03] Eq. 1 moves faces by the fastest speed along the mean direction: vertices that move at an angle to it leave
// the volume. One around both ends of their ways keeps them.
TEST(Kdop, InflationAlongTheMeanVelocityLosesVerticesThatTheEndsKeep) { // M03, W23
    test::Random random(61);
    constexpr double dt = 0.01;
    constexpr float epsilon = 1e-4f;
    constexpr int k = 18;
    int lost = 0, lost_of_parallel = 0;
    for (int trial = 0; trial < 2000; ++trial) {
        const bool is_parallel = trial % 2 == 0;
        const Vec3d along = random.direction() * 2;
        std::array<Vec3d, 3> start, velocity;
        for (std::size_t corner = 0; corner < 3; ++corner) {
            start[corner] = random.in_cube(0.01);
            velocity[corner] = is_parallel ? along : along + random.in_cube(0.7);
        }
        const Vec3d mean = normalized(velocity[0] + velocity[1] + velocity[2]);
        const double fastest = std::max({length(velocity[0]), length(velocity[1]), length(velocity[2])});
        Kdop<k> oriented, swept;
        for (std::size_t corner = 0; corner < 3; ++corner) {
            oriented.insert(vector_cast<float>(start[corner]), epsilon);
            swept.insert(vector_cast<float>(start[corner]), epsilon);
            swept.insert(vector_cast<float>(start[corner] + velocity[corner] * dt), epsilon);
        }
        const std::array<float, k / 2> shift = project<k>(vector_cast<float>(mean * (fastest * dt)));
        for (std::size_t i = 0; i < k / 2; ++i) {
            oriented.low[i] += std::min(shift[i], 0.0f);
            oriented.high[i] += std::max(shift[i], 0.0f);
        }
        for (std::size_t corner = 0; corner < 3; ++corner) {
            for (const double part : {0.3, 0.7, 1.0}) {
                Kdop<k> point;
                point.insert(vector_cast<float>(start[corner] + velocity[corner] * (dt * part)), 0);
                ASSERT_TRUE(swept.overlaps(point));
                if (!oriented.overlaps(point)) ++(is_parallel ? lost_of_parallel : lost);
            }
        }
    }
    EXPECT_EQ(lost_of_parallel, 0);
    EXPECT_GT(lost, 500);
}

} // namespace
} // namespace taffeta
