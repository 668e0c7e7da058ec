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

} // namespace

Hierarchy::Hierarchy(std::span<const Index> members, std::span<const Vec3> rest, std::span<const float> radius,
                     std::span<const Index> piece, float reach)
    : reach_(reach) {
    if (members.empty()) return;
    const auto leaf_count = std::bit_ceil((members.size() + Leaf::size - 1) / Leaf::size);
    const int levels = std::countr_zero(leaf_count);

    std::vector<Index> order(members.begin(), members.end());
    sort_into_leaves(order, lay_out(rest, piece), levels);

    leaves_.resize(leaf_count);
    rest_leaves_.resize(leaf_count);
    particles_.resize(leaf_count);
    bounds_.resize(2 * leaf_count - 1);
    const auto fill = [&](auto&& self, std::span<const Index> range, std::size_t leaf, std::size_t count) -> void {
        if (count > 1) {
            self(self, range.first(range.size() / 2), leaf, count / 2);
            self(self, range.subspan(range.size() / 2), leaf + count / 2, count / 2);
            return;
        }
        Leaf& state = leaves_[leaf];
        RestLeaf& still = rest_leaves_[leaf];
        state.x.fill(std::numeric_limits<float>::quiet_NaN());
        state.y = state.z = state.radius = still.x = still.y = still.z = still.piece = state.x;
        particles_[leaf].fill(nobody);
        for (std::size_t k = 0; k < range.size(); ++k) {
            const Index p = range[k];
            particles_[leaf][k] = p;
            state.radius[k] = radius[p];
            still.x[k] = rest[p].x, still.y[k] = rest[p].y, still.z[k] = rest[p].z;
            still.piece[k] = static_cast<float>(piece[p]);
        }
    };
    fill(fill, order, 0, leaf_count);
}

void Hierarchy::refit(std::span<const Vec4> x, const Parallel& parallel) {
    if (empty()) return;
    constexpr std::size_t grain = 256; // leaves; some 5 us of work
    parallel.for_pieces(leaves_.size(), grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t leaf = begin; leaf < end; ++leaf) {
            Leaf& state = leaves_[leaf];
            Bounds box = {{infinity, infinity, infinity, 0}, {-infinity, -infinity, -infinity, 0}};
            for (std::size_t k = 0; k < Leaf::size; ++k) {
                if (particles_[leaf][k] == nobody) break; // empty places come last
                const Vec4& p = x[particles_[leaf][k]];
                // Far from the origin p - r is rounded: the box grows by that much, so that no pair is lost.
                const float rounding = 2.4e-7f * (std::abs(p.x) + std::abs(p.y) + std::abs(p.z));
                const float r = reach_ * state.radius[k] * 1.000001f + rounding;
                state.x[k] = p.x, state.y[k] = p.y, state.z[k] = p.z;
                box.low = {std::min(box.low.x, p.x - r), std::min(box.low.y, p.y - r), std::min(box.low.z, p.z - r)};
                box.high = {std::max(box.high.x, p.x + r), std::max(box.high.y, p.y + r),
                            std::max(box.high.z, p.z + r)};
            }
            bounds_[first_leaf() + leaf] = box;
        }
    });
    for (std::size_t node = first_leaf(); node-- > 0;) {
        const Bounds &a = bounds_[2 * node + 1], &b = bounds_[2 * node + 2];
        bounds_[node].low = {std::min(a.low.x, b.low.x), std::min(a.low.y, b.low.y), std::min(a.low.z, b.low.z)};
        bounds_[node].high = {std::max(a.high.x, b.high.x), std::max(a.high.y, b.high.y), std::max(a.high.z, b.high.z)};
    }
}

int Hierarchy::levels() const {
    return static_cast<int>(std::bit_width(leaves_.size()));
}

std::span<const Hierarchy::Bounds> Hierarchy::boxes_of_level(int level) const {
    const std::size_t count = std::size_t{1} << level;
    return std::span(bounds_).subspan(count - 1, count);
}

void Hierarchy::compare_leaves(std::uint32_t leaf_a, std::uint32_t leaf_b, std::vector<ClosePair>& out) const {
    const Leaf &a = leaves_[leaf_a], &b = leaves_[leaf_b];
    std::uint64_t close = find_close(a, b, reach_);
    if (leaf_a == leaf_b) close &= 0x0080C0E0F0F8FCFEULL; // each pair once: of row k only the columns above k
    if (close == 0) return;
    close &= ~find_neighbours(rest_leaves_[leaf_a], rest_leaves_[leaf_b], a, b, reach_);
    for (; close != 0; close &= close - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(close));
        const std::size_t k = bit / Leaf::size, l = bit % Leaf::size;
        out.push_back({particles_[leaf_a][k], particles_[leaf_b][l], a.radius[k] + b.radius[l]});
    }
}

namespace {

template <class Bounds>
bool overlap(const Bounds& a, const Bounds& b) {
    // One expression without branches: six comparisons are cheaper than one wrong guess.
    return static_cast<bool>(static_cast<int>(a.low.x <= b.high.x) & static_cast<int>(b.low.x <= a.high.x) &
                             static_cast<int>(a.low.y <= b.high.y) & static_cast<int>(b.low.y <= a.high.y) &
                             static_cast<int>(a.low.z <= b.high.z) & static_cast<int>(b.low.z <= a.high.z));
}

// Calls visit(a, b) for the pairs of children of a pair of nodes; a node with itself: three pairs, else four.
template <class Visit>
void for_child_pairs(std::uint32_t a, std::uint32_t b, Visit&& visit) {
    if (a == b) {
        visit(2 * a + 1, 2 * a + 1);
        visit(2 * a + 2, 2 * a + 2);
        visit(2 * a + 1, 2 * a + 2);
    } else {
        for (const std::uint32_t p : {2 * a + 1, 2 * a + 2})
            for (const std::uint32_t q : {2 * b + 1, 2 * b + 2}) visit(p, q);
    }
}

} // namespace

// Follows the comparison of the tree with itself level by level until there are enough pairs to share among threads.
void Hierarchy::collect_work() {
    constexpr std::size_t enough = 64;
    frontier_.clear();
    frontier_.push_back({0, 0});
    while (frontier_.size() < enough && !frontier_.empty() && frontier_.front().a < first_leaf()) {
        next_frontier_.clear();
        for (const NodePair& pair : frontier_)
            for_child_pairs(pair.a, pair.b, [&](std::uint32_t a, std::uint32_t b) {
                if (a == b || overlap(bounds_[a], bounds_[b])) next_frontier_.push_back({a, b});
            });
        std::swap(frontier_, next_frontier_);
    }
    work_count_ = frontier_.size();
    if (work_.size() < work_count_) work_.resize(work_count_);
    for (std::size_t k = 0; k < work_count_; ++k) work_[k].start = frontier_[k];
}

void Hierarchy::search(NodePair start, std::vector<NodePair>& stack, std::vector<ClosePair>& out,
                       std::size_t& tests) const {
    stack.assign(1, start);
    while (!stack.empty()) {
        const NodePair pair = stack.back();
        stack.pop_back();
        if (pair.a >= first_leaf()) {
            ++tests;
            compare_leaves(pair.a - first_leaf(), pair.b - first_leaf(), out);
            continue;
        }
        for_child_pairs(pair.a, pair.b, [&](std::uint32_t a, std::uint32_t b) {
            if (a == b || overlap(bounds_[a], bounds_[b])) stack.push_back({a, b});
        });
    }
}

void Hierarchy::find_close_pairs(const Parallel& parallel, std::vector<ClosePair>& out) {
    out.clear();
    leaf_tests_ = 0;
    if (empty()) return;
    collect_work();
    constexpr std::size_t small = 64; // leaves; below, threads cost more than they bring
    const std::size_t grain = leaves_.size() < small ? work_count_ : 1;
    parallel.for_pieces(work_count_, grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            work_[k].found.clear();
            work_[k].tests = 0;
            search(work_[k].start, work_[k].stack, work_[k].found, work_[k].tests);
        }
    });
    for (std::size_t k = 0; k < work_count_; ++k) {
        out.insert(out.end(), work_[k].found.begin(), work_[k].found.end());
        leaf_tests_ += work_[k].tests;
    }
}

} // namespace taffeta
