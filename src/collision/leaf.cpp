#include "collision/leaf.h"

#include <algorithm>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/leaf.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, Leaf::size>; // 1, 4 or 8 particles of a leaf at a time
using V = hn::Vec<Lanes>;

// The bits of all pairs of a leaf and another for which is_close(k, l) says so; it answers for the lanes from l on.
template <class IsClose>
HWY_INLINE std::uint64_t collect(IsClose&& is_close) {
    const Lanes d;
    std::uint64_t close = 0;
    for (std::size_t l = 0; l < Leaf::size; l += hn::Lanes(d)) {
        for (std::size_t k = 0; k < Leaf::size; ++k) {
            std::uint8_t bits[8] = {};
            hn::StoreMaskBits(d, is_close(k, l), bits);
            close |= static_cast<std::uint64_t>(bits[0]) << (Leaf::size * k + l);
        }
    }
    return close;
}

// Of particle k of `a` to those of `b` from l on; for leaves and rest leaves.
template <class Places>
HWY_INLINE V squared_distance(const Places& a, std::size_t k, const Places& b, std::size_t l) {
    const Lanes d;
    const V dx = hn::Sub(hn::Set(d, a.x[k]), hn::Load(d, &b.x[l]));
    const V dy = hn::Sub(hn::Set(d, a.y[k]), hn::Load(d, &b.y[l]));
    const V dz = hn::Sub(hn::Set(d, a.z[k]), hn::Load(d, &b.z[l]));
    return hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
}

HWY_INLINE std::uint64_t close(const Leaf& a, const Leaf& b, float distance) {
    const V squared = hn::Set(Lanes(), distance * distance);
    return collect([&](std::size_t k, std::size_t l) { return hn::Lt(squared_distance(a, k, b, l), squared); });
}

HWY_INLINE std::uint64_t neighbours(const RestLeaf& rest_a, const RestLeaf& rest_b, const Leaf& a, const Leaf& b,
                                    float reach) {
    const Lanes d;
    const V rounding = hn::Set(d, 1.0001f); // a pair exactly at the reach must be a neighbour once and for all
    return collect([&](std::size_t k, std::size_t l) {
        const auto same_piece = hn::Eq(hn::Set(d, rest_a.piece[k]), hn::Load(d, &rest_b.piece[l]));
        const V distance = hn::Mul(hn::Set(d, reach), hn::Add(hn::Set(d, a.radius[k]), hn::Load(d, &b.radius[l])));
        return hn::And(same_piece,
                       hn::Le(squared_distance(rest_a, k, rest_b, l), hn::Mul(hn::Mul(distance, distance), rounding)));
    });
}

HWY_INLINE bool overlap(const Bounds& a, const Bounds& b) {
#if HWY_TARGET == HWY_SCALAR
    return a.low.x <= b.high.x && b.low.x <= a.high.x && a.low.y <= b.high.y && b.low.y <= a.high.y &&
           a.low.z <= b.high.z && b.low.z <= a.high.z;
#else
    const hn::FixedTag<float, 4> d; // the fourth is 0 in both
    return hn::AllTrue(d, hn::And(hn::Le(hn::Load(d, &a.low.x), hn::Load(d, &b.high.x)),
                                  hn::Le(hn::Load(d, &b.low.x), hn::Load(d, &a.high.x))));
#endif
}

// What follows is a series of loops without branches to guess: each writes an entry always and counts it if it passes.
// A guess that goes wrong costs as much as comparing eight particles with eight, and here every other one would.

// The pairs of leaves whose boxes overlap, from level to level; returns how many, in memory.level.
std::size_t find_leaf_pairs(const Tree& tree, std::uint32_t a, std::uint32_t b, SearchMemory& memory) {
    const Bounds* bounds = tree.bounds.data();
    const auto make_room = [](std::vector<NodePair>& pairs, std::size_t count) {
        if (pairs.size() < count) pairs.resize(count + count / 2);
    };
    make_room(memory.level, 1);
    memory.level[0] = {a, b};
    std::size_t count = a != b && overlap(bounds[a], bounds[b]) ? 1 : 0;
    std::uint32_t first = a, width = a == b ? 1 : 0; // the nodes of this level that are compared with themselves
    for (std::uint32_t node = a; node < tree.first_leaf(); node = 2 * node + 1) {
        make_room(memory.next_level, 4 * count + width);
        NodePair* next = memory.next_level.data();
        std::size_t next_count = 0;
        const auto visit = [&](std::uint32_t p, std::uint32_t q) {
            next[next_count] = {p, q};
            next_count += static_cast<std::size_t>(overlap(bounds[p], bounds[q]));
        };
        for (std::size_t k = 0; k < count; ++k) {
            const NodePair pair = memory.level[k];
            visit(2 * pair.a + 1, 2 * pair.b + 1);
            visit(2 * pair.a + 1, 2 * pair.b + 2);
            visit(2 * pair.a + 2, 2 * pair.b + 1);
            visit(2 * pair.a + 2, 2 * pair.b + 2);
        }
        for (std::uint32_t self = first; self < first + width; ++self) visit(2 * self + 1, 2 * self + 2);
        first = 2 * first + 1, width *= 2;
        std::swap(memory.level, memory.next_level);
        count = next_count;
    }
    make_room(memory.level, count + width);
    for (std::uint32_t self = first; self < first + width; ++self) memory.level[count++] = {self, self};
    return count;
}

struct Hit {
    std::uint32_t a, b;  // leaves
    std::uint64_t pairs; // as find_close() tells them
};

// Appends the pairs of the hits that are close by their own radii.
void append_pairs(const Tree& tree, const Hit* hits, std::size_t count, std::vector<ClosePair>& out) {
    std::size_t most = out.size();
    for (std::size_t n = 0; n < count; ++n) most += static_cast<std::size_t>(std::popcount(hits[n].pairs));
    std::size_t size = out.size();
    out.resize(most + 1); // one is written behind the last
    for (std::size_t n = 0; n < count; ++n) {
        const Leaf &a = tree.leaves[hits[n].a], &b = tree.leaves[hits[n].b];
        const auto &particles_a = tree.particles[hits[n].a], &particles_b = tree.particles[hits[n].b];
        for (std::uint64_t bits = hits[n].pairs; bits != 0; bits &= bits - 1) {
            const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
            const std::size_t k = bit / Leaf::size, l = bit % Leaf::size;
            const float dx = a.x[k] - b.x[l], dy = a.y[k] - b.y[l], dz = a.z[k] - b.z[l];
            const float distance = a.radius[k] + b.radius[l], reached = tree.reach * distance;
            out[size] = {particles_a[k], particles_b[l], distance};
            size += static_cast<std::size_t>(dx * dx + dy * dy + dz * dz < reached * reached);
        }
    }
    out.resize(size);
}

std::size_t search(const Tree& tree, std::uint32_t start_a, std::uint32_t start_b, SearchMemory& memory,
                   std::vector<ClosePair>& out) {
    out.clear();
    const std::size_t tests = find_leaf_pairs(tree, start_a, start_b, memory);
    constexpr std::size_t chunk = 256; // pairs of leaves whose hits stay in the nearest cache
    std::array<Hit, chunk + 1> near, far;
    for (std::size_t begin = 0; begin < tests; begin += chunk) {
        // First with the largest radii: one number for all pairs. Rounding keeps the order of numbers, so none is lost.
        std::size_t near_count = 0, far_count = 0;
        for (std::size_t n = begin; n < std::min(begin + chunk, tests); ++n) {
            const std::uint32_t a = memory.level[n].a - tree.first_leaf(), b = memory.level[n].b - tree.first_leaf();
            const float distance = tree.reach * (tree.largest_radius[a] + tree.largest_radius[b]);
            std::uint64_t found = close(tree.leaves[a], tree.leaves[b], distance);
            found &= a == b ? 0x0080C0E0F0F8FCFEULL : ~0ULL; // each pair once: of row k only the columns above k
            const bool is_near = overlap(tree.rest_bounds[a], tree.rest_bounds[b]);
            near[near_count] = far[far_count] = {a, b, found};
            near_count += static_cast<std::size_t>(static_cast<int>(found != 0) & static_cast<int>(is_near));
            far_count += static_cast<std::size_t>(static_cast<int>(found != 0) & static_cast<int>(!is_near));
        }
        append_pairs(tree, far.data(), far_count, out);

        // Only leaves that are near at rest can hold neighbours.
        std::size_t count = 0;
        for (std::size_t n = 0; n < near_count; ++n) {
            const Hit hit = near[n];
            const std::uint64_t others = hit.pairs & ~neighbours(tree.rest_leaves[hit.a], tree.rest_leaves[hit.b],
                                                                 tree.leaves[hit.a], tree.leaves[hit.b], tree.reach);
            near[count] = {hit.a, hit.b, others};
            count += static_cast<std::size_t>(others != 0);
        }
        append_pairs(tree, near.data(), count, out);
    }
    return tests;
}

std::uint64_t find_close_here(const Leaf& a, const Leaf& b, float distance) {
    return close(a, b, distance);
}

std::uint64_t find_neighbours_here(const RestLeaf& rest_a, const RestLeaf& rest_b, const Leaf& a, const Leaf& b,
                                   float reach) {
    return neighbours(rest_a, rest_b, a, b, reach);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(search);
HWY_EXPORT(find_close_here);
HWY_EXPORT(find_neighbours_here);

std::size_t search_subtrees(const Tree& tree, std::uint32_t a, std::uint32_t b, SearchMemory& memory,
                            std::vector<ClosePair>& out) {
    return HWY_DYNAMIC_DISPATCH(search)(tree, a, b, memory, out);
}

std::uint64_t find_close(const Leaf& a, const Leaf& b, float distance) {
    return HWY_DYNAMIC_DISPATCH(find_close_here)(a, b, distance);
}

std::uint64_t find_neighbours(const RestLeaf& rest_a, const RestLeaf& rest_b, const Leaf& a, const Leaf& b,
                              float reach) {
    return HWY_DYNAMIC_DISPATCH(find_neighbours_here)(rest_a, rest_b, a, b, reach);
}

} // namespace taffeta
#endif
