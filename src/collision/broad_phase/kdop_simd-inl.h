// Bounding volumes as vectors: those of collision/broad_phase/kdop.h for as many as a vector has lanes, with the same
// bits. Included anew for every instruction set.
#if defined(TAFFETA_COLLISION_VOLUMES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAFFETA_COLLISION_VOLUMES_INL_H
#undef TAFFETA_COLLISION_VOLUMES_INL_H
#else
#define TAFFETA_COLLISION_VOLUMES_INL_H
#endif

#include "collision/broad_phase/bvh.h"
#include "collision/broad_phase/kdop.h"
#include "core/particles-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {

constexpr std::size_t slots = TreeRow::slots;

template <int k>
HWY_INLINE void project(const Particles& p, V (&at)[k / 2]) {
    const V sum = hn::Add(p.x, p.y), difference = hn::Sub(p.x, p.y);
    if constexpr (k != 8) at[0] = p.x, at[1] = p.y, at[2] = p.z;
    if constexpr (k == 8 || k == 14) {
        constexpr std::size_t first = k == 8 ? 0 : 3;
        at[first] = hn::Add(sum, p.z), at[first + 1] = hn::Sub(sum, p.z);
        at[first + 2] = hn::Add(difference, p.z), at[first + 3] = hn::Sub(difference, p.z);
    }
    if constexpr (k == 18) {
        at[3] = sum, at[4] = difference;
        at[5] = hn::Add(p.x, p.z), at[6] = hn::Sub(p.x, p.z);
        at[7] = hn::Add(p.y, p.z), at[8] = hn::Sub(p.y, p.z);
    }
}

// Each around the points that are inserted into its lane.
template <int k>
struct Volumes {
    V low[k / 2], high[k / 2];

    HWY_INLINE Volumes() {
        for (std::size_t i = 0; i < k / 2; ++i)
            low[i] = hn::Set(Lanes(), Kdop<k>::infinity), high[i] = hn::Set(Lanes(), -Kdop<k>::infinity);
    }
    HWY_INLINE void insert(const Particles& p, const float (&inflations)[k / 2]) {
        const Lanes d;
        V at[k / 2];
        project<k>(p, at);
        const V sum = hn::Add(hn::Add(hn::Abs(p.x), hn::Abs(p.y)), hn::Abs(p.z));
        const V rounding = hn::Mul(hn::Set(d, 0x1p-21f), sum);
        for (std::size_t i = 0; i < k / 2; ++i) {
            const V reach = hn::Add(hn::Set(d, inflations[i]), rounding);
            low[i] = hn::Min(low[i], hn::Sub(at[i], reach));
            high[i] = hn::Max(high[i], hn::Add(at[i], reach));
        }
    }
    // Moves all faces outwards, those of a pair by different distances.
    HWY_INLINE void widen(const float (&below)[k / 2], const float (&above)[k / 2]) {
        for (std::size_t i = 0; i < k / 2; ++i) {
            low[i] = hn::Sub(low[i], hn::Set(Lanes(), below[i]));
            high[i] = hn::Add(high[i], hn::Set(Lanes(), above[i]));
        }
    }
    // To rows from lane `first` on; those behind the first `count` are empty.
    HWY_INLINE void store(std::size_t count, std::size_t first, TreeRow* HWY_RESTRICT rows) const {
        const Lanes d;
        const auto is_used = hn::FirstN(d, count > first ? count - first : 0);
        for (std::size_t i = 0; i < k / 2; ++i) {
            const V used_low = hn::IfThenElse(is_used, low[i], hn::Set(d, Kdop<k>::infinity));
            const V used_high = hn::IfThenElse(is_used, high[i], hn::Set(d, -Kdop<k>::infinity));
            hn::Store(used_low, d, &rows[2 * i].slot[first]);
            hn::Store(used_high, d, &rows[2 * i + 1].slot[first]);
        }
    }
};

// Which slots of a block, from `first` on, overlap one of another.
template <int k>
HWY_INLINE hn::Mask<Lanes> overlapping_lanes(const TreeRow* HWY_RESTRICT own, std::size_t place,
                                             const TreeRow* HWY_RESTRICT rows, std::size_t first) {
    const Lanes d;
    auto overlaps = hn::FirstN(d, slots);
    for (std::size_t i = 0; i < k / 2; ++i) {
        const V low = hn::Set(d, own[2 * i].slot[place]), high = hn::Set(d, own[2 * i + 1].slot[place]);
        overlaps = hn::And(overlaps, hn::And(hn::Le(low, hn::Load(d, &rows[2 * i + 1].slot[first])),
                                             hn::Le(hn::Load(d, &rows[2 * i].slot[first]), high)));
    }
    return overlaps;
}

// The same for all of them, a bit each.
template <int k>
HWY_INLINE std::uint32_t overlapping(const TreeRow* HWY_RESTRICT own, std::size_t place,
                                     const TreeRow* HWY_RESTRICT rows) {
    const Lanes d;
    std::uint32_t bits = 0;
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        std::uint8_t of_lanes[8] = {};
        hn::StoreMaskBits(d, overlapping_lanes<k>(own, place, rows, first), of_lanes);
        bits |= static_cast<std::uint32_t>(of_lanes[0]) << first;
    }
    return bits;
}

} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
