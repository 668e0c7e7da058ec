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

HWY_INLINE V squared_distance(float ax, float ay, float az, V bx, V by, V bz) {
    const Lanes d;
    const V dx = hn::Sub(hn::Set(d, ax), bx), dy = hn::Sub(hn::Set(d, ay), by), dz = hn::Sub(hn::Set(d, az), bz);
    return hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
}

std::uint64_t compare(const Leaf& a, const Leaf& b, float reach) {
    const Lanes d;
    const V rounding = hn::Set(d, 1.0001f); // a pair exactly at the reach must be a neighbour once and for all
    std::uint64_t close = 0;
    for (std::size_t l = 0; l < Leaf::size; l += hn::Lanes(d)) {
        const V x = hn::Load(d, &b.x[l]), y = hn::Load(d, &b.y[l]), z = hn::Load(d, &b.z[l]);
        const V rest_x = hn::Load(d, &b.rest_x[l]), rest_y = hn::Load(d, &b.rest_y[l]),
                rest_z = hn::Load(d, &b.rest_z[l]);
        const V radius = hn::Load(d, &b.radius[l]), piece = hn::Load(d, &b.piece[l]);
        for (std::size_t k = 0; k < Leaf::size; ++k) {
            const V near = hn::Mul(hn::Set(d, reach), hn::Add(hn::Set(d, a.radius[k]), radius));
            const V near_squared = hn::Mul(near, near);
            const V squared = squared_distance(a.x[k], a.y[k], a.z[k], x, y, z);
            const V rest_squared = squared_distance(a.rest_x[k], a.rest_y[k], a.rest_z[k], rest_x, rest_y, rest_z);
            const auto neighbours = hn::And(hn::Le(rest_squared, hn::Mul(near_squared, rounding)),
                                            hn::Eq(hn::Set(d, a.piece[k]), piece));
            std::uint8_t bits[8] = {};
            hn::StoreMaskBits(d, hn::AndNot(neighbours, hn::Lt(squared, near_squared)), bits);
            close |= static_cast<std::uint64_t>(bits[0]) << (Leaf::size * k + l);
        }
    }
    return close;
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(compare);

std::uint64_t close_particles(const Leaf& a, const Leaf& b, float reach) {
    return HWY_DYNAMIC_DISPATCH(compare)(a, b, reach);
}

} // namespace taffeta
#endif
