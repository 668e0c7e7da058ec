#include "collision/leaf.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/leaf.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

std::uint64_t compare(const Leaf& a, const Leaf& b, float reach) {
    const hn::CappedTag<float, Leaf::size> d; // 1, 4 or 8 of b at a time
    const std::size_t lanes = hn::Lanes(d);
    std::uint64_t close = 0;
    for (std::size_t l = 0; l < Leaf::size; l += lanes) {
        const auto x = hn::Load(d, &b.x[l]), y = hn::Load(d, &b.y[l]), z = hn::Load(d, &b.z[l]);
        const auto radius = hn::Load(d, &b.radius[l]);
        for (std::size_t k = 0; k < Leaf::size; ++k) {
            const auto dx = hn::Sub(hn::Set(d, a.x[k]), x);
            const auto dy = hn::Sub(hn::Set(d, a.y[k]), y);
            const auto dz = hn::Sub(hn::Set(d, a.z[k]), z);
            const auto squared = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
            const auto near = hn::Mul(hn::Set(d, reach), hn::Add(hn::Set(d, a.radius[k]), radius));
            std::uint8_t bits[8] = {};
            hn::StoreMaskBits(d, hn::Lt(squared, hn::Mul(near, near)), bits);
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
