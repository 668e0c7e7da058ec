#include "collision/contacts/particle_separation.h"

#include <atomic>

namespace taffeta {

std::vector<float> radii_from_edges(std::span<const Pair> edges, std::span<const Vec3> rest) {
    // Tuned by counting intersections: docs/decisions/0005-self-distance.md.
    constexpr double share = 1.0; // of the mean edge length around the particle
    std::vector<double> sum(rest.size(), 0.0);
    std::vector<int> edges_at(rest.size(), 0);
    for (const Pair& edge : edges) {
        for (const Index p : {edge.i, edge.j}) {
            sum[p] += static_cast<double>(length(rest[edge.j] - rest[edge.i]));
            ++edges_at[p];
        }
    }
    std::vector<float> radius(rest.size(), 0.0f);
    for (std::size_t p = 0; p < rest.size(); ++p)
        if (edges_at[p] > 0) radius[p] = static_cast<float>(share * 0.5 * sum[p] / edges_at[p]);
    return radius;
}

int separate(const Grid& grid, const Parallel& parallel, std::span<Vec4> x) {
    constexpr std::size_t few = 512; // blocks; below, threads cost more than they bring
    std::atomic<int> contacts = 0;   // a sum of whole numbers: the same in every order
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
        const std::span<const NearStrands> strands = grid.strands(side);
        std::size_t blocks = 0;
        for (const NearStrands& strand : strands) blocks += strand.rows().size();
        parallel.for_uneven_pieces(strands.size(), blocks < few ? strands.size() : 1,
                                   [&](std::size_t begin, std::size_t end) {
                                       int close = 0;
                                       for (std::size_t k = begin; k < end; ++k) close += separate(strands[k], x);
                                       contacts += close;
                                   });
    }
    return contacts;
}

} // namespace taffeta
