#include "collision/broad_phase/bvh_traversal.h"

#include "collision/broad_phase/bvh_view.h"
#include "collision/broad_phase/kdop.h"
#include "collision/broad_phase/normal_cones.h"

#include <algorithm>
#include <bit>
#include <cassert>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/broad_phase/bvh_traversal.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "collision/broad_phase/kdop_simd-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// One step from a pair of slots towards the ends below it, which are reported. With `bends` one of a tree with itself
// leaves out what is too flat.
template <int k, bool bends>
struct Walker {
    const TreeView &tree_a, &tree_b;
    bool is_self;
    const NormalConesView* normal_cones;
    TreePairs& out;

    static HWY_INLINE const TreeRow* rows_of(const TreeView& tree, Index slot) {
        return tree.rows + slot / slots * (k + 1);
    }
    static HWY_INLINE Index item_of(const TreeView& tree, Index slot) { return tree.items[slot / slots][slot % slots]; }

    static HWY_INLINE bool is_passive(const TreeView& tree, Index slot) {
        return (tree.passive[slot / slots] >> slot % slots & 1U) != 0;
    }

    static HWY_INLINE bool is_chosen(const TreeView& tree, Index slot) {
        return tree.chosen == nullptr || (tree.chosen[slot / slots] >> slot % slots & 1U) != 0;
    }

    // The slot of a block that the lowest of the bits means.
    static HWY_INLINE Index slot_in(Index block, std::uint32_t bits) {
        return block * static_cast<Index>(slots) + static_cast<Index>(std::countr_zero(bits));
    }

    HWY_INLINE void report(Index item_a, Index item_b) {
        const Index a = TreeItem::number(item_a), b = TreeItem::number(item_b);
        out.found[out.found_count++] = is_self ? TreePair{std::min(a, b), std::max(a, b)} : TreePair{a, b};
    }
    HWY_INLINE void make_room() {
        constexpr std::size_t most = slots * (slots + 1) / 2;
        if (out.found.size() < out.found_count + most) out.found.resize(2 * (out.found_count + most));
        if (out.open.size() < out.open_count + most) out.open.resize(2 * (out.open_count + most));
    }

    // Slots below the same one, with each other and themselves.
    HWY_INLINE void step_self(Index slot) {
        if (is_passive(tree_a, slot) || !is_chosen(tree_a, slot)) return;
        if constexpr (bends)
            if (normal_cones->is_flat(slot)) return;
        const Index item = item_of(tree_a, slot);
        if (TreeItem::is_end(item)) {
            if ((item & TreeItem::face_bit) == 0) report(item, item);
            return;
        }
        const Index first = item * static_cast<Index>(slots);
        const std::uint32_t count = tree_a.count[item];
        out.box_tests += count * (count - 1) / 2;
        for (std::uint32_t place = 0; place < count; ++place) {
            const Index own = first + place;
            out.open[out.open_count++] = {own, own};
            std::uint32_t bits = overlapping<k>(rows_of(tree_a, own), place, rows_of(tree_a, own));
            for (bits &= ~1U << place; bits != 0; bits &= bits - 1) add(own, slot_in(item, bits));
        }
    }

    HWY_INLINE bool have_common_vertex(Index a, Index item_a, Index b, Index item_b) const {
        if ((item_a & item_b & TreeItem::face_bit) == 0) return false; // not of two triangles
        const auto& corners_a = tree_a.corners[tree_a.corners_of[a / slots]];
        const auto& corners_b = tree_b.corners[tree_b.corners_of[b / slots]];
        for (const Tree::Slots& corner_a : corners_a)
            for (const Tree::Slots& corner_b : corners_b)
                if (corner_a[a % slots] == corner_b[b % slots]) return true;
        return false;
    }

    HWY_INLINE void add(Index a, Index b) {
        if (is_self && is_passive(tree_a, a) && is_passive(tree_b, b)) return;
        if (!is_chosen(tree_a, a) && !is_chosen(tree_b, b)) return;
        const Index item_a = item_of(tree_a, a), item_b = item_of(tree_b, b);
        if constexpr (bends)
            if (normal_cones->are_near(a, b) &&
                (normal_cones->are_flat(a, b) || have_common_vertex(a, item_a, b, item_b)))
                return;
        if (TreeItem::is_end(item_a) && TreeItem::is_end(item_b))
            report(item_a, item_b);
        else
            out.open[out.open_count++] = {a, b};
    }

    // Slots inside the longer one against the shorter [MKE03] 6.
    HWY_INLINE void step_pair(Index a, Index b) {
        const Index item_a = item_of(tree_a, a), item_b = item_of(tree_b, b);
        const TreeRow *rows_a = rows_of(tree_a, a), *rows_b = rows_of(tree_b, b);
        const bool enters_a = TreeItem::is_end(item_b) ||
                              (!TreeItem::is_end(item_a) && rows_a[k].slot[a % slots] > rows_b[k].slot[b % slots]);
        if (enters_a) {
            out.box_tests += tree_a.count[item_a];
            std::uint32_t bits = overlapping<k>(rows_b, b % slots, tree_a.rows + item_a * (k + 1));
            for (; bits != 0; bits &= bits - 1) add(slot_in(item_a, bits), b);
        } else {
            out.box_tests += tree_b.count[item_b];
            std::uint32_t bits = overlapping<k>(rows_a, a % slots, tree_b.rows + item_b * (k + 1));
            for (; bits != 0; bits &= bits - 1) add(a, slot_in(item_b, bits));
        }
    }

    HWY_INLINE void step(TreePair pair) {
        make_room();
        if (is_self && pair.a == pair.b) return step_self(pair.a);
        step_pair(pair.a, pair.b);
    }
};

// Goes on from the open pairs of a list: until none are left, the last first; or, with `enough`, until there are so
// many that threads can share them, the first first.
template <int k, bool bends>
void walk(const TreeView& a, const TreeView& b, bool is_self, const NormalConesView* normal_cones, std::size_t enough,
          TreePairs& out) {
    Walker<k, bends> walker = {a, b, is_self, normal_cones, out};
    if (enough == 0) {
        while (out.open_count > 0) walker.step(out.open[--out.open_count]);
        return;
    }
    std::size_t next = 0;
    while (next < out.open_count && out.open_count - next < enough) walker.step(out.open[next++]);
    for (std::size_t left = next; left < out.open_count; ++left) out.open[left - next] = out.open[left];
    out.open_count -= next;
}

void walk_tree(const TreeView& a, const TreeView& b, bool is_self, const NormalConesView* normal_cones,
               std::size_t enough, TreePairs& out) {
    with_k(a.k, [&]<int k>() {
        if (normal_cones != nullptr)
            walk<k, true>(a, b, is_self, normal_cones, enough, out);
        else
            walk<k, false>(a, b, is_self, nullptr, enough, out);
    });
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(walk_tree);

namespace {

constexpr std::size_t shares = 256; // pairs of slots to go on from at once: a hundredth of the time of a large cloth

} // namespace

void Traversal::find_self(const Tree& tree, const Parallel& parallel) {
    find(tree, tree, true, nullptr, nullptr, parallel);
}
void Traversal::find_self(const Tree& tree, std::span<const std::uint8_t> chosen, const Parallel& parallel) {
    assert(chosen.size() == tree.block_count());
    find(tree, tree, true, nullptr, chosen.data(), parallel);
}
void Traversal::find_self(const Tree& tree, const NormalCones& normal_cones, const Parallel& parallel) {
    find(tree, tree, true, &normal_cones, nullptr, parallel);
}
void Traversal::find_between(const Tree& a, const Tree& b, const Parallel& parallel) {
    assert(a.shape().k == b.shape().k && a.shape().clusters == b.shape().clusters);
    find(a, b, false, nullptr, nullptr, parallel);
}

void Traversal::find(const Tree& a, const Tree& b, bool is_self, const NormalCones* normal_cones,
                     const std::uint8_t* chosen, const Parallel& parallel) {
    if (lists_.empty()) lists_.resize(1);
    const auto start = [](TreePairs& list) {
        list.found_count = list.open_count = list.box_tests = 0;
        if (list.open.empty()) list.open.resize(1);
        if (list.found.empty()) list.found.resize(1);
    };
    start(lists_[0]);
    list_count_ = 1;
    if (a.empty() || b.empty()) return;

    // The roots, which are slot 0 of block 0.
    TreePairs& first = lists_[0];
    if (!is_self) {
        bool overlap = true;
        for (std::size_t row = 0; row + 1 < a.row_count(); row += 2)
            overlap = overlap && a.rows(0)[row].slot[0] <= b.rows(0)[row + 1].slot[0] &&
                      b.rows(0)[row].slot[0] <= a.rows(0)[row + 1].slot[0];
        first.box_tests = 1;
        if (!overlap) return;
        if (TreeItem::is_end(a.items(0)[0]) && TreeItem::is_end(b.items(0)[0])) {
            first.found[first.found_count++] = {TreeItem::number(a.items(0)[0]), TreeItem::number(b.items(0)[0])};
            return;
        }
    }
    first.open[first.open_count++] = {0, 0};

    // From above until there is enough to share, and then each share into a list of its own.
    TreeView view_a = a.view(), view_b = b.view();
    view_a.chosen = view_b.chosen = chosen;
    const NormalConesView cones = normal_cones != nullptr ? normal_cones->view() : NormalConesView{};
    const NormalConesView* view_cones = normal_cones != nullptr ? &cones : nullptr;
    const auto walk = HWY_DYNAMIC_DISPATCH(walk_tree);
    walk(view_a, view_b, is_self, view_cones, shares, first);
    const std::size_t open = first.open_count;
    list_count_ = 1 + open;
    if (lists_.size() < list_count_) lists_.resize(list_count_);
    for (std::size_t k = 0; k < open; ++k) {
        start(lists_[k + 1]);
        lists_[k + 1].open[lists_[k + 1].open_count++] = lists_[0].open[k];
    }
    parallel.for_uneven_pieces(open, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) walk(view_a, view_b, is_self, view_cones, 0, lists_[k + 1]);
    });
}

std::size_t Traversal::box_tests() const {
    std::size_t sum = 0;
    for (const TreePairs& list : lists()) sum += list.box_tests;
    return sum;
}

} // namespace taffeta
#endif
