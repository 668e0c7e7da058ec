// Close pairs by vectors: the same as one by one, to the bit.
#include "geometry/closest_batch.h"

#include "geometry/closest.h"
#include "support/instruction_sets.h"
#include "support/random.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta {
namespace {

struct Pairs {
    std::vector<Vec4> x = {};
    std::vector<ContactCandidate> candidates = {};
};

// Most are farther apart than 0.3; of the others, many have no area, no length, are parallel, or touch.
Pairs make_pairs(std::size_t count) {
    test::Random random(71);
    Pairs pairs;
    for (std::size_t k = 0; k < count; ++k) {
        std::array<Vec3, 4> p;
        for (Vec3& q : p) q = random.in_cube_float(1);
        switch (k % 8) {
        case 0: p[3] = p[2]; break;
        case 1: p[3] = p[2] + (p[1] - p[0]); break;
        case 2: p[1] = p[0], p[3] = p[2]; break;
        case 3: p[0] = (p[1] + p[2] + p[3]) * (1 / 3.0f); break;
        case 4: p[2] = p[0]; break;
        case 5: p[1] = p[2] = p[3]; break;
        default: break;
        }
        const auto first = static_cast<Index>(pairs.x.size());
        for (const Vec3& q : p) pairs.x.push_back({q.x, q.y, q.z, 1});
        pairs.candidates.push_back({first, first + 1, first + 2, first + 3});
    }
    return pairs;
}

constexpr double epsilon = 0.3;

std::vector<MeasuredPair> one_by_one(const Pairs& pairs, bool are_edges) {
    std::vector<MeasuredPair> close;
    for (Index k = 0; k < pairs.candidates.size(); ++k) {
        std::array<Vec3d, 4> p;
        for (std::size_t v = 0; v < 4; ++v) p[v] = vector_cast<double>(pairs.x[pairs.candidates[k][v]].xyz());
        const ClosestOfEdges of_edges = closest_of_edges(p[0], p[1], p[2], p[3]);
        const ClosestOnTriangle on_face = closest_on_triangle(p[0], {p[1], p[2], p[3]});
        const double squared = are_edges ? of_edges.squared : on_face.squared;
        if (!(squared < epsilon * epsilon)) continue;
        MeasuredPair& pair = close.emplace_back(MeasuredPair{k, std::sqrt(squared), {}});
        if (are_edges)
            pair.weight = {1 - of_edges.s, of_edges.s, of_edges.t - 1, -of_edges.t};
        else
            pair.weight = {1, -on_face.weight[0], -on_face.weight[1], -on_face.weight[2]};
    }
    return close;
}

void expect_equal(const std::vector<MeasuredPair>& found, const std::vector<MeasuredPair>& expected) {
    ASSERT_EQ(found.size(), expected.size());
    for (std::size_t k = 0; k < found.size(); ++k) {
        ASSERT_EQ(found[k].candidate, expected[k].candidate);
        ASSERT_EQ(found[k].distance, expected[k].distance);
        ASSERT_EQ(found[k].weight, expected[k].weight);
    }
}

TEST(Close, PairsAreThoseOfOneByOne) {
    for (const std::size_t count : {1u, 7u, 8u, 4001u}) {
        const Pairs pairs = make_pairs(count);
        const std::vector<MeasuredPair> faces = one_by_one(pairs, false), edges = one_by_one(pairs, true);
        if (count > 1000) {
            EXPECT_GT(faces.size(), 500u);
            EXPECT_GT(edges.size(), 500u);
        }
        test::for_each_instruction_set([&](const std::string& set) {
            SCOPED_TRACE(set);
            std::vector<MeasuredPair> close;
            find_close_vertex_faces(pairs.x, pairs.candidates, epsilon, close);
            expect_equal(close, faces);
            close.clear();
            find_close_edges(pairs.x, pairs.candidates, epsilon, close);
            expect_equal(close, edges);
        });
    }
}

} // namespace
} // namespace taffeta
