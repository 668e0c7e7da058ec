#include "collision/comparison/particle_bvh.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace taffeta {
namespace {

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
                     std::span<const Index> piece) {
    if (members.empty()) return;
    constexpr std::size_t leaf_size = 8;
    const auto leaf_count = std::bit_ceil((members.size() + leaf_size - 1) / leaf_size);
    levels_ = static_cast<int>(std::bit_width(leaf_count));
    order_.assign(members.begin(), members.end());
    sort_into_leaves(order_, lay_out(rest, piece), levels_ - 1);
    for (const Index p : order_) radius_.push_back(radius[p]);
}

void Hierarchy::bound(std::size_t begin, std::size_t end, std::span<const Vec4> x, Vec3& low, Vec3& high) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    low = {infinity, infinity, infinity}, high = -low;
    for (std::size_t k = begin; k < end; ++k) {
        const Vec3 p = x[order_[k]].xyz();
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis] - radius_[k]);
            high[axis] = std::max(high[axis], p[axis] + radius_[k]);
        }
    }
}

} // namespace taffeta
