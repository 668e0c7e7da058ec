// The pairs that a search has found, one by one.
#pragma once

#include "collision/broad_phase/particle_pairs.h"

#include <span>
#include <vector>

namespace taffeta::test {

struct ClosePair {
    Index i = 0, j = 0;
    float distance = 0; // m, to be kept

    bool operator==(const ClosePair&) const = default;
};

inline std::vector<ClosePair> pairs_of(std::span<const NearList> lists) {
    std::vector<ClosePair> pairs;
    for (const NearList& list : lists)
        list.for_pairs([&](Index i, Index j, float distance) { pairs.push_back({i, j, distance}); });
    return pairs;
}

} // namespace taffeta::test
