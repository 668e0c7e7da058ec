#include "collision/self.h"

#include <atomic>

namespace taffeta {

std::vector<float> radii_from_edges(std::span<const Pair> edges, std::span<const float> rest_length, Index count) {
    // Tuned by counting intersections: docs/decisions/0005-self-distance.md.
    constexpr double share = 1.0; // of the mean edge length around the particle
    std::vector<double> sum(count, 0.0);
    std::vector<int> edges_at(count, 0);
    for (std::size_t k = 0; k < edges.size(); ++k) {
        for (const Index p : {edges[k].i, edges[k].j}) {
            sum[p] += static_cast<double>(rest_length[k]);
            ++edges_at[p];
        }
    }
    std::vector<float> radius(count, 0.0f);
    for (std::size_t p = 0; p < count; ++p)
        if (edges_at[p] > 0) radius[p] = static_cast<float>(share * 0.5 * sum[p] / edges_at[p]);
    return radius;
}

template <class Body>
void Candidates::for_groups(const Parallel& parallel, Body&& body) const {
    constexpr std::size_t few = 4096; // pairs; below, threads cost more than they bring
    for (std::size_t begin = 0; begin < groups_.size();) {
        std::size_t end = begin;
        while (end < groups_.size() && groups_[end].round == groups_[begin].round) ++end;
        parallel.for_pieces(end - begin, pairs_ < few ? end - begin : 1, [&](std::size_t from, std::size_t to) {
            for (std::size_t k = begin + from; k < begin + to; ++k) body(k);
        });
        begin = end;
    }
}

void Candidates::replace(std::span<const PairGroup> groups, const Parallel& parallel) {
    groups_ = groups;
    pairs_ = 0;
    for (const PairGroup& group : groups) pairs_ += group.pairs.size();
    blocks_.resize(groups.size());
    packer_.begin();
    for_groups(parallel, [&](std::size_t k) { packer_.pack(groups_[k], blocks_[k]); });
}

int Candidates::separate(const Parallel& parallel, std::span<Vec4> x) const {
    std::atomic<int> contacts = 0; // a sum of whole numbers: the same in every order
    for_groups(parallel, [&](std::size_t k) {
        if (!blocks_[k].empty()) contacts += taffeta::separate(blocks_[k], x);
    });
    return contacts;
}

} // namespace taffeta
