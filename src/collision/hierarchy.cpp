#include "collision/hierarchy.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace taffeta {
namespace {

constexpr Index nobody = std::numeric_limits<Index>::max(); // in an empty place of a leaf
constexpr float infinity = std::numeric_limits<float>::infinity();

// Sorts the range so that its halves lie apart along its longest side, and so on down to `levels`.
void sort_into_leaves(std::span<Index> range, std::span<const Vec3> rest, int levels) {
    if (levels == 0 || range.size() < 2) return;
    Vec3 low = rest[range[0]], high = low;
    for (const Index p : range) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], rest[p][axis]);
            high[axis] = std::max(high[axis], rest[p][axis]);
        }
    }
    const Vec3 side = high - low;
    const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
    const auto middle = range.begin() + static_cast<std::ptrdiff_t>(range.size() / 2);
    std::nth_element(range.begin(), middle, range.end(), [&](Index a, Index b) {
        return rest[a][axis] != rest[b][axis] ? rest[a][axis] < rest[b][axis] : a < b; // ties decided: one result
    });
    sort_into_leaves(range.first(range.size() / 2), rest, levels - 1);
    sort_into_leaves(range.subspan(range.size() / 2), rest, levels - 1);
}

// The pieces side by side on the table, so that the first splits part them.
std::vector<Vec3> lay_out(std::span<const Vec3> rest, std::span<const Index> piece) {
    float extent = 0;
    for (const Vec3& p : rest) extent = std::max({extent, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    std::vector<Vec3> table(rest.begin(), rest.end());
    for (std::size_t p = 0; p < table.size(); ++p) table[p].x += 2 * extent * static_cast<float>(piece[p]);
    return table;
}

constexpr Bounds nothing = {{infinity, infinity, infinity, 0}, {-infinity, -infinity, -infinity, 0}};

// Grows a box by a ball.
void include(const Vec3& p, float radius, Bounds& box) {
    // Far from the origin p - r is rounded: the box grows by that much, so that no pair is lost.
    const float r = radius * 1.000001f + 2.4e-7f * (std::abs(p.x) + std::abs(p.y) + std::abs(p.z));
    box.low = {std::min(box.low.x, p.x - r), std::min(box.low.y, p.y - r), std::min(box.low.z, p.z - r)};
    box.high = {std::max(box.high.x, p.x + r), std::max(box.high.y, p.y + r), std::max(box.high.z, p.z + r)};
}

} // namespace

Hierarchy::Hierarchy(std::span<const Index> members, std::span<const Vec3> rest, std::span<const float> radius,
                     std::span<const Index> piece, float reach) {
    tree_.reach = reach;
    if (members.empty()) return;
    const auto leaf_count = std::bit_ceil((members.size() + Leaf::size - 1) / Leaf::size);

    std::vector<Index> order(members.begin(), members.end());
    sort_into_leaves(order, lay_out(rest, piece), std::countr_zero(leaf_count));

    tree_.leaves.resize(leaf_count);
    tree_.largest_radius.resize(leaf_count);
    tree_.rest_bounds.resize(leaf_count, nothing);
    tree_.rest_leaves.resize(leaf_count);
    tree_.particles.resize(leaf_count);
    tree_.bounds.resize(2 * leaf_count - 1);
    const auto fill = [&](auto&& self, std::span<const Index> range, std::size_t leaf, std::size_t count) -> void {
        if (count > 1) {
            self(self, range.first(range.size() / 2), leaf, count / 2);
            self(self, range.subspan(range.size() / 2), leaf + count / 2, count / 2);
            return;
        }
        Leaf& state = tree_.leaves[leaf];
        RestLeaf& still = tree_.rest_leaves[leaf];
        state.x.fill(std::numeric_limits<float>::quiet_NaN());
        state.y = state.z = state.radius = still.x = still.y = still.z = still.piece = state.x;
        tree_.particles[leaf].fill(nobody);
        for (std::size_t k = 0; k < range.size(); ++k) {
            const Index p = range[k];
            tree_.particles[leaf][k] = p;
            state.radius[k] = radius[p];
            tree_.largest_radius[leaf] = std::max(tree_.largest_radius[leaf], radius[p]);
            still.x[k] = rest[p].x, still.y[k] = rest[p].y, still.z[k] = rest[p].z;
            still.piece[k] = static_cast<float>(piece[p]);
            include(rest[p], 1.0001f * tree_.reach * radius[p], tree_.rest_bounds[leaf]);
        }
    };
    fill(fill, order, 0, leaf_count);

    constexpr std::size_t most_regions = 16, leaves_of_region = 16; // at least
    const auto regions =
        static_cast<std::uint32_t>(std::clamp(leaf_count / leaves_of_region, std::size_t{1}, most_regions));
    for (std::uint32_t round = 0; round < regions; ++round) {
        for (std::uint32_t a = 0; a < regions; ++a) {
            const std::uint32_t b = a ^ round;
            if (a > b) continue;
            tasks_.push_back({regions - 1 + a, regions - 1 + b});
            groups_.push_back({round});
        }
    }
}

void Hierarchy::refit(std::span<const Vec4> x, const Parallel& parallel) {
    if (empty()) return;
    constexpr std::size_t grain = 256; // leaves; some 5 us of work
    parallel.for_pieces(tree_.leaves.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t leaf = begin; leaf < end; ++leaf) {
            Leaf& state = tree_.leaves[leaf];
            Bounds box = nothing;
            for (std::size_t k = 0; k < Leaf::size; ++k) {
                if (tree_.particles[leaf][k] == nobody) break; // empty places come last
                const Vec4& p = x[tree_.particles[leaf][k]];
                state.x[k] = p.x, state.y[k] = p.y, state.z[k] = p.z;
                include(p.xyz(), tree_.reach * state.radius[k], box);
            }
            tree_.bounds[tree_.first_leaf() + leaf] = box;
        }
    });
    for (std::size_t node = tree_.first_leaf(); node-- > 0;) {
        const Bounds &a = tree_.bounds[2 * node + 1], &b = tree_.bounds[2 * node + 2];
        tree_.bounds[node].low = {std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)};
        tree_.bounds[node].high = {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y),
                                   std::max(a.high.z, b.high.z)};
    }
}

int Hierarchy::levels() const {
    return static_cast<int>(std::bit_width(tree_.leaves.size()));
}

std::span<const Bounds> Hierarchy::boxes_of_level(int level) const {
    const std::size_t count = std::size_t{1} << level;
    return std::span(tree_.bounds).subspan(count - 1, count);
}

std::span<const PairGroup> Hierarchy::find_close_pairs(const Parallel& parallel) {
    constexpr std::size_t small = 64; // leaves; below, threads cost more than they bring
    const std::size_t grain = tree_.leaves.size() < small ? tasks_.size() : 1;
    parallel.for_pieces(tasks_.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            Task& task = tasks_[k];
            task.leaf_tests = search_subtrees(tree_, task.a, task.b, task.memory, groups_[k].pairs);
        }
    });
    return groups_;
}

void Hierarchy::find_close_pairs(const Parallel& parallel, std::vector<ClosePair>& out) {
    out.clear();
    for (const PairGroup& group : find_close_pairs(parallel))
        out.insert(out.end(), group.pairs.begin(), group.pairs.end());
}

std::size_t Hierarchy::leaf_tests() const {
    std::size_t tests = 0;
    for (const Task& task : tasks_) tests += task.leaf_tests;
    return tests;
}

} // namespace taffeta
