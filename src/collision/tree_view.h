// What the kernels that fit trees (collision/tree.cpp) and search them (collision/traversal.cpp) share.
#pragma once

#include "collision/tree.h"

#include <array>
#include <cstdint>

namespace taffeta {

// What the kernels see of a tree.
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
