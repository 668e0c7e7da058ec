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

int separate(std::span<const NearList> lists, const Parallel& parallel, std::span<Vec4> x) {
    constexpr std::size_t few = 512; // blocks; below, threads cost more than they bring
    std::size_t blocks = 0;
    for (const NearList& list : lists) blocks += list.blocks;
    const std::size_t half = lists.size() / 2, grain = blocks < few ? half : 4;
    std::atomic<int> contacts = 0; // a sum of whole numbers: the same in every order
    for (const std::size_t first : {std::size_t{0}, std::size_t{1}}) {
        parallel.for_pieces(half, grain, [&](std::size_t begin, std::size_t end) {
            int close = 0;
            for (std::size_t k = begin; k < end; ++k) close += separate(lists[2 * k + first], x);
            contacts += close;
        });
    }
    return contacts;
}

} // namespace taffeta
