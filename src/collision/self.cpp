#include "collision/self.h"

#include <cmath>

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

int separate(std::span<const ClosePair> pairs, std::span<Vec4> x) {
    int contacts = 0;
    for (const ClosePair& pair : pairs) {
        Vec4 &i = x[pair.i], &j = x[pair.j];
        const Vec3 d = j.xyz() - i.xyz();
        const float squared = dot(d, d);
        if (squared >= pair.distance * pair.distance) continue; // the common case, a few operations
        ++contacts;
        const float distance = std::sqrt(squared);
        const float denominator = distance * (i.w + j.w);
        if (denominator <= 1e-30f) continue;                          // coincident, or both held
        const float scale = (distance - pair.distance) / denominator; // [FGL03] Eq. 5-9 with d_min
        i.set_xyz(i.xyz() + d * (scale * i.w));
        j.set_xyz(j.xyz() - d * (scale * j.w));
    }
    return contacts;
}

} // namespace taffeta
