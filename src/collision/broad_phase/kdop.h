// Bounding volumes with k faces in fixed directions, k-DOPs [MKE03] 3.1: one interval for each pair of opposite faces.
//
//     k    normals, one of each opposite pair
//     6    the axes: a box
//     8    (1, +-1, +-1): an octahedron
//    14    both: a box with its corners clipped
//    18    the axes and (1, +-1, 0), (1, 0, +-1), (0, 1, +-1): a box with its edges clipped
//
// This is the plain form; collision/broad_phase/kdop_simd-inl.h does the same to many at a time, with the same bits.
#pragma once

#include <taffeta/math.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>

namespace taffeta {

// n . p for each of the normals.
template <int k>
constexpr std::array<float, k / 2> project(const Vec3& p) {
    static_assert(k == 6 || k == 8 || k == 14 || k == 18);
    const auto [x, y, z] = p;
    const float sum = x + y, difference = x - y;
    if constexpr (k == 6) return {x, y, z};
    if constexpr (k == 8) return {sum + z, sum - z, difference + z, difference - z};
    if constexpr (k == 14) return {x, y, z, sum + z, sum - z, difference + z, difference - z};
    if constexpr (k == 18) return {x, y, z, sum, difference, x + z, x - z, y + z, y - z};
}

// Normals have components -1, 0 and 1, and lengths accordingly: what is to move a face by a distance has to be
// multiplied by them. ([MKE03] 3.2 adds the distance itself, and so misses pairs.)
template <int k>
constexpr float normal_length(std::size_t direction) {
    constexpr float edge = 1.41421356f, corner = 1.73205081f;
    if constexpr (k == 18) return direction < 3 ? 1 : edge;
    return k != 8 && direction < 3 ? 1 : corner;
}

template <int k>
constexpr std::array<Vec3, k / 2> normals_of() {
    const auto x = project<k>({1, 0, 0}), y = project<k>({0, 1, 0}), z = project<k>({0, 0, 1});
    std::array<Vec3, k / 2> normals;
    for (std::size_t i = 0; i < k / 2; ++i) normals[i] = {x[i], y[i], z[i]};
    return normals;
}

// How far each face is moved outwards so that volumes of points within `epsilon` overlap [MKE03] 3.2; a bit more, for
// what rounding may take.
template <int k>
constexpr float inflation(std::size_t direction, float epsilon) {
    return 0.5f * epsilon * normal_length<k>(direction) * (1 + 0x1p-20f);
}
// More than rounding can move the projections of a point, with their inflation; in m.
inline float rounding_of(const Vec3& p) {
    return 0x1p-21f * (std::abs(p.x) + std::abs(p.y) + std::abs(p.z));
}

template <int k>
struct Kdop {
    static constexpr std::size_t directions = k / 2;
    static constexpr float infinity = std::numeric_limits<float>::infinity();

    std::array<float, directions> low, high; // m times the length of the normal

    constexpr Kdop() { // empty
        low.fill(infinity);
        high.fill(-infinity);
    }

    // Makes room for p and all that is within epsilon / 2 of it.
    void insert(const Vec3& p, float epsilon) {
        const std::array<float, directions> at = project<k>(p);
        for (std::size_t i = 0; i < directions; ++i) {
            const float reach = inflation<k>(i, epsilon) + rounding_of(p);
            low[i] = std::min(low[i], at[i] - reach);
            high[i] = std::max(high[i], at[i] + reach);
        }
    }
    // [MKE03] Eq. 2
    void merge(const Kdop& other) {
        for (std::size_t i = 0; i < directions; ++i) {
            low[i] = std::min(low[i], other.low[i]);
            high[i] = std::max(high[i], other.high[i]);
        }
    }
    bool overlaps(const Kdop& other) const {
        for (std::size_t i = 0; i < directions; ++i)
            if (low[i] > other.high[i] || other.low[i] > high[i]) return false;
        return true;
    }
    // m, between the faces of a pair.
    float side(std::size_t direction) const {
        return (high[direction] - low[direction]) * (1 / normal_length<k>(direction));
    }
    std::size_t longest_side() const {
        std::size_t longest = 0;
        for (std::size_t i = 1; i < directions; ++i)
            if (side(i) > side(longest)) longest = i;
        return longest;
    }
    bool operator==(const Kdop&) const = default;
};

// Calls body.operator()<k>() for a k that is known when the program runs.
template <class Body>
void with_k(int k, const Body& body) {
    switch (k) {
    case 6: return body.template operator()<6>();
    case 8: return body.template operator()<8>();
    case 14: return body.template operator()<14>();
    default: return body.template operator()<18>();
    }
}

} // namespace taffeta
