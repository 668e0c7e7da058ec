#include "collision/leaf.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/leaf.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, Leaf::size>; // 1, 4 or 8 particles of a leaf at a time
using V = hn::Vec<Lanes>;

// The bits of all pairs of a leaf and another for which is_close(k, l) says so; it answers for the lanes from l on.
template <class IsClose>
HWY_INLINE std::uint64_t collect(IsClose&& is_close) {
    const Lanes d;
    std::uint64_t close = 0;
    for (std::size_t l = 0; l < Leaf::size; l += hn::Lanes(d)) {
        for (std::size_t k = 0; k < Leaf::size; ++k) {
            std::uint8_t bits[8] = {};
            hn::StoreMaskBits(d, is_close(k, l), bits);
            close |= static_cast<std::uint64_t>(bits[0]) << (Leaf::size * k + l);
        }
    }
    return close;
}

// Of particle k of `a` to those of `b` from l on; for leaves and rest leaves.
template <class Places>
HWY_INLINE V squared_distance(const Places& a, std::size_t k, const Places& b, std::size_t l) {
    const Lanes d;
    const V dx = hn::Sub(hn::Set(d, a.x[k]), hn::Load(d, &b.x[l]));
    const V dy = hn::Sub(hn::Set(d, a.y[k]), hn::Load(d, &b.y[l]));
    const V dz = hn::Sub(hn::Set(d, a.z[k]), hn::Load(d, &b.z[l]));
    return hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
}

HWY_INLINE V squared_reach(const Leaf& a, std::size_t k, const Leaf& b, std::size_t l, float reach) {
    const Lanes d;
    const V distance = hn::Mul(hn::Set(d, reach), hn::Add(hn::Set(d, a.radius[k]), hn::Load(d, &b.radius[l])));
    return hn::Mul(distance, distance);
}

std::uint64_t close(const Leaf& a, const Leaf& b, float reach) {
    return collect([&](std::size_t k, std::size_t l) {
        return hn::Lt(squared_distance(a, k, b, l), squared_reach(a, k, b, l, reach));
    });
}

std::uint64_t neighbours(const RestLeaf& rest_a, const RestLeaf& rest_b, const Leaf& a, const Leaf& b, float reach) {
    const Lanes d;
    const V rounding = hn::Set(d, 1.0001f); // a pair exactly at the reach must be a neighbour once and for all
    return collect([&](std::size_t k, std::size_t l) {
        const auto same_piece = hn::Eq(hn::Set(d, rest_a.piece[k]), hn::Load(d, &rest_b.piece[l]));
        return hn::And(same_piece, hn::Le(squared_distance(rest_a, k, rest_b, l),
                                          hn::Mul(squared_reach(a, k, b, l, reach), rounding)));
    });
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(close);
HWY_EXPORT(neighbours);

std::uint64_t find_close(const Leaf& a, const Leaf& b, float reach) {
    return HWY_DYNAMIC_DISPATCH(close)(a, b, reach);
}

std::uint64_t find_neighbours(const RestLeaf& rest_a, const RestLeaf& rest_b, const Leaf& a, const Leaf& b,
                              float reach) {
    return HWY_DYNAMIC_DISPATCH(neighbours)(rest_a, rest_b, a, b, reach);
}

} // namespace taffeta
#endif
