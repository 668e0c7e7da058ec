// States of cloth and shapes of trees that the tests of collision/ share.
#pragma once

#include "collision/broad_phase/bvh.h"
#include "collision/broad_phase/bvh_traversal.h"
#include "mesh/intersections.h"
#include "support/random.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <vector>

namespace taffeta::test {

using Pairs = std::vector<std::array<Index, 2>>; // sorted

inline std::vector<Vec4> as_state(const std::vector<Vec3>& positions) {
    std::vector<Vec4> x;
    for (const Vec3& p : positions) x.push_back({p.x, p.y, p.z, 1});
    return x;
}

// The k-th way of deforming a cloth.
inline constexpr int kinds = 9;
inline std::vector<Vec4> deformed(const std::vector<Vec3>& rest, int kind, Random& random) {
    const Vec3d far = random.direction() * 500;
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
        case 4: q = p * 0.02; break;                                                              // collapsed
        case 5: q = {p.x, 0, 0}; break;                                                           // onto a line
        case 6: q = far; break;                                                                   // onto one point
        case 7: q = p + far + random.in_cube(noise); break;                                       // shaken, far away
        default: break;                                                                           // flat
        }
        positions.push_back(vector_cast<float>(q));
    }
    return as_state(positions);
}

inline std::vector<TreeShape> all_shapes() {
    std::vector<TreeShape> shapes;
    for (const int k : {6, 8, 14, 18}) {
        for (const int arity : {2, 4, 8}) shapes.push_back({k, arity, false});
        shapes.push_back({k, 8, true});
    }
    return shapes;
}
inline std::string name_of(const TreeShape& shape) {
    return std::to_string(shape.k) + "-DOPs, " + std::to_string(shape.arity) + (shape.clusters ? " clusters" : "");
}

inline Pairs sorted_pairs(std::span<const TreePairs> lists) {
    Pairs pairs;
    for (const TreePairs& list : lists)
        for (const auto& [a, b] : list.pairs()) pairs.push_back({a, b});
    std::sort(pairs.begin(), pairs.end());
    return pairs;
}

inline Corners corners_of(const Mesh& mesh, std::span<const Vec4> x, Index face) {
    const auto& [a, b, c] = mesh.triangles[face];
    return {x[a].xyz(), x[b].xyz(), x[c].xyz()};
}

} // namespace taffeta::test
