#include "collision/comparison/separation_list.h"

#include <algorithm>

namespace taffeta {
namespace {

constexpr auto slots = static_cast<Index>(Tree::slots);

Index item_of(const Tree& tree, Index slot) {
    return tree.items(slot / slots)[slot % slots];
}
float longest_side(const Tree& tree, Index slot) {
    return tree.rows(slot / slots)[tree.shape().k].slot[slot % slots];
}

bool overlap(const Tree& tree_a, Index a, const Tree& tree_b, Index b) {
    const TreeRow *rows_a = tree_a.rows(a / slots), *rows_b = tree_b.rows(b / slots);
    for (std::size_t row = 0; row + 1 < tree_a.row_count(); row += 2) {
        if (rows_a[row].slot[a % slots] > rows_b[row + 1].slot[b % slots]) return false;
        if (rows_b[row].slot[b % slots] > rows_a[row + 1].slot[a % slots]) return false;
    }
    return true;
}

} // namespace

void SeparationList::find(const Tree& a, const Tree& b, bool is_self) {
    pairs_.clear();
    next_.clear();
    box_tests_ = 0;
    if (a.empty() || b.empty()) return;
    if (searches_left_-- == 0) {
        front_ = {{0, 0}};
        searches_left_ = searches_ - 1;
    }
    const auto report = [&](Index item_a, Index item_b) {
        const Index first = TreeItem::number(item_a), second = TreeItem::number(item_b);
        pairs_.push_back(is_self ? TreePair{std::min(first, second), std::max(first, second)}
                                 : TreePair{first, second});
    };
    for (const TreePair& start : front_) {
        open_.push_back(start);
        while (!open_.empty()) {
            const TreePair pair = open_.back();
            open_.pop_back();
            if (is_self && a.is_passive(pair.a) && a.is_passive(pair.b)) continue;
            const Index item_a = item_of(a, pair.a), item_b = item_of(b, pair.b);
            const bool is_end_a = TreeItem::is_end(item_a), is_end_b = TreeItem::is_end(item_b);
            if (is_self && pair.a == pair.b) { // never apart
                if (is_end_a) {
                    if ((item_a & TreeItem::face_bit) == 0) report(item_a, item_a), next_.push_back(pair);
                    continue;
                }
                const auto count = static_cast<Index>(a.count(item_a));
                for (Index i = 0; i < count; ++i)
                    for (Index j = i; j < count; ++j) open_.push_back({item_a * slots + i, item_a * slots + j});
                continue;
            }
            ++box_tests_;
            const bool are_together = overlap(a, pair.a, b, pair.b);
            if (!are_together || (is_end_a && is_end_b)) {
                next_.push_back(pair);
                if (are_together) report(item_a, item_b);
                continue;
            }
            const bool enters_a = is_end_b || (!is_end_a && longest_side(a, pair.a) > longest_side(b, pair.b));
            const Index block = enters_a ? item_a : item_b;
            for (Index place = 0; place < (enters_a ? a : b).count(block); ++place)
                open_.push_back(enters_a ? TreePair{block * slots + place, pair.b}
                                         : TreePair{pair.a, block * slots + place});
        }
    }
    front_.swap(next_);
}

} // namespace taffeta
