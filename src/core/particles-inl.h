// Particles of 16 bytes as vectors by coordinate, for the kernels. Included anew for every instruction set.
#if defined(TAFFETA_CORE_PARTICLES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAFFETA_CORE_PARTICLES_INL_H
#undef TAFFETA_CORE_PARTICLES_INL_H
#else
#define TAFFETA_CORE_PARTICLES_INL_H
#endif

#include "core/state.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 8>; // 1, 4 or 8 particles at a time
using V = hn::Vec<Lanes>;
#if HWY_TARGET <= HWY_AVX3 && HWY_MAX_BYTES >= 64
using Many = hn::CappedTag<float, 16>; // twice as many, for kernels that can feed them
#else
using Many = Lanes;
#endif

template <class D>
struct ParticlesOf {
    hn::Vec<D> x, y, z, w;
};
using Particles = ParticlesOf<Lanes>;

template <class Vector>
HWY_INLINE Vector squared_length(const Vector x, const Vector y, const Vector z) {
    return hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
}

#if HWY_TARGET == HWY_SCALAR

HWY_INLINE Particles load(const Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    const Lanes d;
    const Vec4& p = x[index[0]];
    return {hn::Set(d, p.x), hn::Set(d, p.y), hn::Set(d, p.z), hn::Set(d, p.w)};
}

HWY_INLINE void store(const Particles& p, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    x[index[0]] = {hn::GetLane(p.x), hn::GetLane(p.y), hn::GetLane(p.z), hn::GetLane(p.w)};
}

#else

using One = hn::FixedTag<float, 4>; // one particle

// Rows {x y z w} of four particles become columns, and back: the same exchange both ways, in each half of the vector.
template <class D, class Vector = hn::Vec<D>>
HWY_INLINE void transpose(const D d, Vector& r0, Vector& r1, Vector& r2, Vector& r3) {
    const hn::Repartition<double, D> pairs;
    const auto as_pairs = [&](const Vector v) HWY_ATTR { return hn::BitCast(pairs, v); };
    const Vector xy01 = hn::InterleaveLower(d, r0, r1), xy23 = hn::InterleaveLower(d, r2, r3);
    const Vector zw01 = hn::InterleaveUpper(d, r0, r1), zw23 = hn::InterleaveUpper(d, r2, r3);
    r0 = hn::BitCast(d, hn::InterleaveLower(pairs, as_pairs(xy01), as_pairs(xy23)));
    r1 = hn::BitCast(d, hn::InterleaveUpper(pairs, as_pairs(xy01), as_pairs(xy23)));
    r2 = hn::BitCast(d, hn::InterleaveLower(pairs, as_pairs(zw01), as_pairs(zw23)));
    r3 = hn::BitCast(d, hn::InterleaveUpper(pairs, as_pairs(zw01), as_pairs(zw23)));
}

// Row k of the first four particles, and of the second four in the upper half where vectors are that wide.
HWY_INLINE V load_row(const Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index, std::size_t k) {
#if HWY_MAX_BYTES >= 32
    return hn::Combine(Lanes(), hn::Load(One(), &x[index[k + 4]].x), hn::Load(One(), &x[index[k]].x));
#else
    return hn::Load(One(), &x[index[k]].x);
#endif
}

HWY_INLINE void store_row(const V row, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index, std::size_t k) {
#if HWY_MAX_BYTES >= 32
    hn::Store(hn::LowerHalf(One(), row), One(), &x[index[k]].x);
    hn::Store(hn::UpperHalf(One(), row), One(), &x[index[k + 4]].x);
#else
    hn::Store(row, One(), &x[index[k]].x);
#endif
}

HWY_INLINE Particles load(const Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    Particles p = {load_row(x, index, 0), load_row(x, index, 1), load_row(x, index, 2), load_row(x, index, 3)};
    transpose(Lanes(), p.x, p.y, p.z, p.w);
    return p;
}

HWY_INLINE void store(Particles p, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    transpose(Lanes(), p.x, p.y, p.z, p.w);
    store_row(p.x, x, index, 0);
    store_row(p.y, x, index, 1);
    store_row(p.z, x, index, 2);
    store_row(p.w, x, index, 3);
}

// Eight and eight.
template <class D>
HWY_INLINE hn::Vec<D> join(const D d, const V first, const V second) {
    return hn::Combine(d, second, first);
}

struct Halves {
    V first, second;
};
template <class D>
HWY_INLINE Halves halves(const D /*d*/, const hn::Vec<D> v) {
    return {hn::LowerHalf(Lanes(), v), hn::UpperHalf(Lanes(), v)};
}

// Sixteen particles: eight by each of two lists.
template <class D>
HWY_INLINE ParticlesOf<D> load_two(const D d, const Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT first,
                                   const Index* HWY_RESTRICT second) {
    ParticlesOf<D> p = {
        join(d, load_row(x, first, 0), load_row(x, second, 0)), join(d, load_row(x, first, 1), load_row(x, second, 1)),
        join(d, load_row(x, first, 2), load_row(x, second, 2)), join(d, load_row(x, first, 3), load_row(x, second, 3))};
    transpose(d, p.x, p.y, p.z, p.w);
    return p;
}

template <class D>
HWY_INLINE void store_two(const D d, ParticlesOf<D> p, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT first,
                          const Index* HWY_RESTRICT second) {
    transpose(d, p.x, p.y, p.z, p.w);
    const Halves row0 = halves(d, p.x), row1 = halves(d, p.y), row2 = halves(d, p.z), row3 = halves(d, p.w);
    store_row(row0.first, x, first, 0), store_row(row0.second, x, second, 0);
    store_row(row1.first, x, first, 1), store_row(row1.second, x, second, 1);
    store_row(row2.first, x, first, 2), store_row(row2.second, x, second, 2);
    store_row(row3.first, x, first, 3), store_row(row3.second, x, second, 3);
}

#endif

} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
