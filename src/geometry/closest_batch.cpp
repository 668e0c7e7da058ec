#include "geometry/closest_batch.h"

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/closest_batch.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "geometry/closest-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// `find` gives the squared distance and the four weights.
template <class Find>
HWY_INLINE void append_close(const Vec4* HWY_RESTRICT x, std::span<const ContactCandidate> candidates, double epsilon,
                             const Find& find, std::vector<MeasuredPair>& close) {
    const Doubles d;
    constexpr std::size_t pairs = EightFours::pairs;
    const double most = epsilon * epsilon;
    for (std::size_t begin = 0; begin < candidates.size(); begin += pairs) {
        const std::size_t count = std::min(candidates.size() - begin, pairs);
        Index vertices[4][pairs];
        for (std::size_t k = 0; k < pairs; ++k)
            for (std::size_t v = 0; v < 4; ++v) vertices[v][k] = candidates[begin + std::min(k, count - 1)][v];
        const EightFours at(x, vertices);
        alignas(64) double squared[pairs], weight[4][pairs];
        for (std::size_t first = 0; first < pairs; first += hn::Lanes(d)) {
            Points p[4];
            at.get(first, p);
            W weights[4];
            hn::Store(find(p, weights), d, squared + first);
            for (std::size_t v = 0; v < 4; ++v) hn::Store(weights[v], d, weight[v] + first);
        }
        for (std::size_t k = 0; k < count; ++k)
            if (squared[k] < most)
                close.push_back({static_cast<Index>(begin + k),
                                 std::sqrt(squared[k]),
                                 {weight[0][k], weight[1][k], weight[2][k], weight[3][k]}});
    }
}

void append_close_vertex_faces(const Vec4* x, std::span<const ContactCandidate> candidates, double epsilon,
                               std::vector<MeasuredPair>& close) {
    append_close(
        x, candidates, epsilon,
        [](const Points(&p)[4], W(&weight)[4]) HWY_ATTR {
            const ClosestOnTriangles closest = find_closest_on_triangle(p[0], p[1], p[2], p[3]);
            weight[0] = hn::Set(Doubles(), 1.0);
            for (std::size_t k = 0; k < 3; ++k) weight[k + 1] = hn::Neg(closest.weight[k]);
            return closest.squared;
        },
        close);
}

void append_close_edges(const Vec4* x, std::span<const ContactCandidate> candidates, double epsilon,
                        std::vector<MeasuredPair>& close) {
    append_close(
        x, candidates, epsilon,
        [](const Points(&p)[4], W(&weight)[4]) HWY_ATTR {
            const W one = hn::Set(Doubles(), 1.0);
            const ClosestOfTwoEdges closest = find_closest_of_edges(p[0], p[1], p[2], p[3]);
            weight[0] = hn::Sub(one, closest.s);
            weight[1] = closest.s;
            weight[2] = hn::Sub(closest.t, one);
            weight[3] = hn::Neg(closest.t);
            return closest.squared;
        },
        close);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(append_close_vertex_faces);
HWY_EXPORT(append_close_edges);

void find_close_vertex_faces(std::span<const Vec4> x, std::span<const ContactCandidate> candidates, double epsilon,
                             std::vector<MeasuredPair>& close) {
    HWY_DYNAMIC_DISPATCH(append_close_vertex_faces)(x.data(), candidates, epsilon, close);
}

void find_close_edges(std::span<const Vec4> x, std::span<const ContactCandidate> candidates, double epsilon,
                      std::vector<MeasuredPair>& close) {
    HWY_DYNAMIC_DISPATCH(append_close_edges)(x.data(), candidates, epsilon, close);
}

} // namespace taffeta
#endif
