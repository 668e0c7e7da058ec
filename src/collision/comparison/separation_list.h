// Where a search of two trees came to an end, kept for the next one [MKE03] 6.3 (after Li and Chen, 1998).
//
// A fresh search goes down from the roots; this one goes on from the pairs of slots at which the last one stopped,
// those that were apart and the ends that overlapped. The list only grows downwards, so it is made anew from the roots
// after some searches. Finds the pairs of a fresh search, in another order. It compares one pair of volumes at a time,
// where a fresh search compares eight, and is here to be measured: docs/decisions/0013-hierarchy.md.
#pragma once

#include "collision/broad_phase/bvh.h"
#include "collision/broad_phase/bvh_traversal.h"

#include <cstddef>
#include <span>
#include <vector>

namespace taffeta {

class SeparationList {
public:
    explicit SeparationList(int searches) : searches_(searches) {} // with one list

    // As Traversal; always of the same trees, whose volumes may have changed.
    void find_self(const Tree& tree) { find(tree, tree, true); }
    void find_between(const Tree& a, const Tree& b) { find(a, b, false); }

    std::span<const TreePair> pairs() const { return pairs_; }
    std::size_t size() const { return front_.size(); }
    std::size_t box_tests() const { return box_tests_; }

private:
    void find(const Tree& a, const Tree& b, bool is_self);

    int searches_;
    int searches_left_ = 0;
    std::vector<TreePair> front_ = {}, next_ = {}, open_ = {}; // slots
    std::vector<TreePair> pairs_ = {};
    std::size_t box_tests_ = 0;
};

} // namespace taffeta
