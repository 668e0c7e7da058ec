// What the kernels that fit trees (collision/broad_phase/bvh.cpp) and search them
// (collision/broad_phase/bvh_traversal.cpp) see of them.
#pragma once

#include "collision/broad_phase/bvh.h"

#include <array>
#include <cstdint>

namespace taffeta {

struct TreeView {
    const TreeRow* rows;
    const Tree::Slots* items;
    const std::uint8_t* count;
    const std::uint8_t* passive;
    const Index* corners_of;
    const std::array<Tree::Slots, 3>* corners;
    int k;
    const std::uint8_t* chosen = nullptr; // by block, a bit for each slot; none: all are
};

} // namespace taffeta
