#include "collision/broad_phase/normal_cones.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace taffeta {
namespace {

constexpr std::size_t block_grain = 64; // some 10 us

Cone cone_of_face(const Triangle& t, std::span<const Vec4> x) {
    const Vec3 a = x[t[0]].xyz();
    const Vec3 normal = cross(x[t[1]].xyz() - a, x[t[2]].xyz() - a);
    const float area = length(normal); // twice
    if (!(area > 0) || !(area < 1e18f)) return {{1, 0, 0}, -1};
    return {normal * (1 / area), 1 - Cone::rounding};
}

} // namespace

NormalCones::NormalCones(const Tree& tree, std::span<const Triangle> triangles, std::size_t vertex_count,
                         const NormalConeOptions& options)
    : triangles_(triangles.begin(), triangles.end()), least_cosine_(std::cos(0.5f * options.close_angle)) {
    cones_.resize(tree.block_count() * Tree::slots);
    groups_.assign(cones_.size(), TreeItem::none);
    if (tree.empty()) return;
    make_groups(tree, options.groups);
    make_adjacency(tree, triangles, vertex_count);
}

// From above, level after level, until there are enough slots.
void NormalCones::make_groups(const Tree& tree, std::size_t least) {
    const auto item_of = [&](Index slot) {
        return tree.items(static_cast<Index>(slot / Tree::slots))[slot % Tree::slots];
    };
    std::vector<Index> slots = {0};
    bool has_grown = true;
    while (slots.size() < least && has_grown) {
        has_grown = false;
        std::vector<Index> below;
        for (const Index slot : slots) {
            const Index item = item_of(slot);
            if (TreeItem::is_end(item)) {
                below.push_back(slot);
                continue;
            }
            has_grown = true;
            for (std::size_t place = 0; place < tree.count(item); ++place)
                below.push_back(item * static_cast<Index>(Tree::slots) + static_cast<Index>(place));
        }
        slots = below;
    }
    group_count_ = slots.size();
    for (Index group = 0; group < slots.size(); ++group) groups_[slots[group]] = group;
    // Blocks stand after those above them.
    for (Index block = 1; block < tree.block_count(); ++block) {
        const Index above = groups_[tree.slot_of(block)];
        if (above == TreeItem::none) continue;
        for (std::size_t place = 0; place < tree.count(block); ++place) groups_[block * Tree::slots + place] = above;
    }
}

void NormalCones::make_adjacency(const Tree& tree, std::span<const Triangle> triangles, std::size_t vertex_count) {
    std::vector<std::vector<Index>> groups_at(vertex_count);
    for (Index block = 0; block < tree.block_count(); ++block) {
        for (std::size_t place = 0; place < tree.count(block); ++place) {
            const Index item = tree.items(block)[place];
            if ((item & TreeItem::face_bit) == 0) continue;
            const Index group = groups_[block * Tree::slots + place];
            for (const Index v : triangles[TreeItem::number(item)])
                if (std::find(groups_at[v].begin(), groups_at[v].end(), group) == groups_at[v].end())
                    groups_at[v].push_back(group);
        }
    }
    adjacent_.assign(group_count_ * group_count_, 0);
    for (Index group = 0; group < group_count_; ++group) adjacent_[group * group_count_ + group] = 1;
    for (const std::vector<Index>& groups : groups_at)
        for (const Index a : groups)
            for (const Index b : groups) adjacent_[a * group_count_ + b] = 1;
}

void NormalCones::refit(const Tree& tree, std::span<const Vec4> x, const Parallel& parallel) {
    parallel.for_pieces(tree.block_count(), block_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t block = begin; block < end; ++block) {
            const auto number = static_cast<Index>(block);
            for (std::size_t place = 0; place < tree.count(number); ++place) {
                const Index item = tree.items(number)[place];
                if ((item & TreeItem::face_bit) != 0)
                    cones_[block * Tree::slots + place] = cone_of_face(triangles_[TreeItem::number(item)], x);
            }
        }
    });
    for (auto block = static_cast<Index>(tree.block_count()); block-- > 1;)
        cones_[tree.slot_of(block)] = cone_around({&cones_[block * Tree::slots], tree.count(block)});
}

NormalConesView NormalCones::view() const {
    return {cones_.data(), groups_.data(), adjacent_.data(), group_count_, least_cosine_};
}

} // namespace taffeta
