#include "collision/pairs.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/pairs.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

constexpr float tiny = 1e-30f; // a denominator not above it: coincident particles or both held, there is nothing to do

#if HWY_TARGET == HWY_SCALAR

// One pair after the other, for machines without vectors, and for readers: the vector form does the same to eight.
int separate_blocks(const PairBlock* blocks, std::size_t count, Index, Vec4* x) {
    int contacts = 0;
    for (const PairBlock* block = blocks; block != blocks + count; ++block) {
        for (std::size_t lane = 0; lane < PairBlock::size; ++lane) {
            Vec4 &i = x[block->i[lane]], &j = x[block->j[lane]];
            const float dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
            const float squared = dx * dx + dy * dy + dz * dz, distance = block->distance[lane];
            if (!(squared < distance * distance)) continue;
            ++contacts;
            const float now = std::sqrt(squared);
            const float denominator = now * (i.w + j.w);
            const float scale = denominator > tiny ? (now - distance) / denominator : 0.0f; // [FGL03] Eq. 5-9
            const float scale_i = scale * i.w, scale_j = scale * j.w;
            i.x += scale_i * dx, i.y += scale_i * dy, i.z += scale_i * dz;
            j.x -= scale_j * dx, j.y -= scale_j * dy, j.z -= scale_j * dz;
        }
    }
    return contacts;
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, PairBlock::size>; // 4 or 8 pairs at a time
using One = hn::FixedTag<float, 4>;                  // one particle
using V = hn::Vec<Lanes>;

struct Particles {
    V x, y, z, w;
};

// Rows {x y z w} of four particles become columns, and back: the same exchange both ways, in each half of the vector.
HWY_INLINE Particles transpose(const V r0, const V r1, const V r2, const V r3) {
    const Lanes d;
    const hn::Repartition<double, Lanes> pairs;
    const auto as_pairs = [&](const V v) { return hn::BitCast(pairs, v); };
    const V xy01 = hn::InterleaveLower(d, r0, r1), xy23 = hn::InterleaveLower(d, r2, r3);
    const V zw01 = hn::InterleaveUpper(d, r0, r1), zw23 = hn::InterleaveUpper(d, r2, r3);
    return {hn::BitCast(d, hn::InterleaveLower(pairs, as_pairs(xy01), as_pairs(xy23))),
            hn::BitCast(d, hn::InterleaveUpper(pairs, as_pairs(xy01), as_pairs(xy23))),
            hn::BitCast(d, hn::InterleaveLower(pairs, as_pairs(zw01), as_pairs(zw23))),
            hn::BitCast(d, hn::InterleaveUpper(pairs, as_pairs(zw01), as_pairs(zw23)))};
}

// Row k of the first four particles, and of the second four in the upper half where vectors are that wide.
HWY_INLINE V load_row(const Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index, std::size_t k) {
#if HWY_MAX_BYTES >= 32
    return hn::Combine(Lanes(), hn::Load(One(), &x[index[k + 4]].x), hn::Load(One(), &x[index[k]].x));
#else
    return hn::Load(One(), &x[index[k]].x);
#endif
}

HWY_INLINE Particles load(const Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    return transpose(load_row(x, index, 0), load_row(x, index, 1), load_row(x, index, 2), load_row(x, index, 3));
}

HWY_INLINE void store_row(const V row, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index, std::size_t k) {
#if HWY_MAX_BYTES >= 32
    hn::Store(hn::LowerHalf(One(), row), One(), &x[index[k]].x);
    hn::Store(hn::UpperHalf(One(), row), One(), &x[index[k + 4]].x);
#else
    hn::Store(row, One(), &x[index[k]].x);
#endif
}

HWY_INLINE void store(const Particles& p, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    const Particles rows = transpose(p.x, p.y, p.z, p.w);
    store_row(rows.x, x, index, 0);
    store_row(rows.y, x, index, 1);
    store_row(rows.z, x, index, 2);
    store_row(rows.w, x, index, 3);
}

// Of a block that is not full: the sentinel belongs to all and is not written.
HWY_INLINE void store_some(const Particles& p, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index, Index sentinel) {
    const Lanes d;
    HWY_ALIGN std::array<std::array<float, PairBlock::size>, 3> moved;
    hn::Store(p.x, d, moved[0].data());
    hn::Store(p.y, d, moved[1].data());
    hn::Store(p.z, d, moved[2].data());
    for (std::size_t k = 0; k < hn::Lanes(d) && index[k] != sentinel; ++k)
        x[index[k]].set_xyz({moved[0][k], moved[1][k], moved[2][k]});
}

int separate_blocks(const PairBlock* HWY_RESTRICT blocks, std::size_t count, Index sentinel, Vec4* HWY_RESTRICT x) {
    const Lanes d;
    std::size_t contacts = 0;
    for (const PairBlock* block = blocks; block != blocks + count; ++block) {
        for (std::size_t lane = 0; lane < PairBlock::size; lane += hn::Lanes(d)) {
            Particles i = load(x, &block->i[lane]), j = load(x, &block->j[lane]);
            const V dx = hn::Sub(j.x, i.x), dy = hn::Sub(j.y, i.y), dz = hn::Sub(j.z, i.z);
            const V squared = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
            const V distance = hn::Load(d, &block->distance[lane]);
            const auto is_close = hn::Lt(squared, hn::Mul(distance, distance));
            if (hn::AllFalse(d, is_close)) continue;
            contacts += hn::CountTrue(d, is_close);

            const V now = hn::Sqrt(squared);
            const V denominator = hn::Mul(now, hn::Add(i.w, j.w));
            const V quotient = hn::Div(hn::Sub(now, distance), denominator); // [FGL03] Eq. 5-9 with d_min
            const V scale = hn::IfThenElseZero(hn::And(is_close, hn::Gt(denominator, hn::Set(d, tiny))), quotient);
            const V scale_i = hn::Mul(scale, i.w), scale_j = hn::Mul(scale, j.w);
            i.x = hn::Add(i.x, hn::Mul(scale_i, dx));
            i.y = hn::Add(i.y, hn::Mul(scale_i, dy));
            i.z = hn::Add(i.z, hn::Mul(scale_i, dz));
            j.x = hn::Sub(j.x, hn::Mul(scale_j, dx));
            j.y = hn::Sub(j.y, hn::Mul(scale_j, dy));
            j.z = hn::Sub(j.z, hn::Mul(scale_j, dz));
            if (block->i.back() != sentinel) {
                store(i, x, &block->i[lane]);
                store(j, x, &block->j[lane]);
            } else {
                store_some(i, x, &block->i[lane], sentinel);
                store_some(j, x, &block->j[lane], sentinel);
            }
        }
    }
    return static_cast<int>(contacts);
}

#endif

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(separate_blocks);

int separate(std::span<const PairBlock> blocks, std::span<Vec4> x) {
    const auto sentinel = static_cast<Index>(x.size() - 1);
    return HWY_DYNAMIC_DISPATCH(separate_blocks)(blocks.data(), blocks.size(), sentinel, x.data());
}

void PairPacker::begin() {
    std::fill(marks_.begin(), marks_.end(), Mark{});
}

// A pair goes into the first block of the batch that has room and neither of its particles; so the pairs of a particle
// spread over the blocks, and neighbours in the list, which are near in memory too, fill them up.
void PairPacker::pack(const PairGroup& group, std::vector<PairBlock>& blocks) {
    constexpr std::size_t batch_size = 32;
    constexpr std::uint32_t batches_of_round = 1U << 24;
    PairBlock empty;
    empty.i.fill(sentinel_);
    empty.j.fill(sentinel_);
    empty.distance.fill(0); // nothing is closer
    std::uint32_t batch = group.round * batches_of_round, open = 0;
    std::array<std::uint8_t, batch_size> filled = {};
    std::size_t begin = 0; // of the batch

    blocks.clear();
    const auto drop_empty_blocks = [&] {
        while (!blocks.empty() && blocks.back().i.front() == sentinel_) blocks.pop_back();
    };
    for (const ClosePair& pair : group.pairs) {
        Mark &i = marks_[pair.i], &j = marks_[pair.j];
        std::uint32_t free = open;
        if (i.batch == batch) free &= ~i.blocks;
        if (j.batch == batch) free &= ~j.blocks;
        if (free == 0) {
            drop_empty_blocks();
            begin = blocks.size();
            blocks.resize(begin + batch_size, empty);
            filled = {};
            ++batch;
            free = open = ~std::uint32_t{0};
        }
        const auto block = static_cast<std::size_t>(std::countr_zero(free));
        const std::uint32_t bit = 1U << block;
        PairBlock& place = blocks[begin + block];
        const std::size_t lane = filled[block]++;
        place.i[lane] = pair.i, place.j[lane] = pair.j, place.distance[lane] = pair.distance;
        if (lane + 1 == PairBlock::size) open &= ~bit;
        i = {batch, i.batch == batch ? i.blocks | bit : bit};
        j = {batch, j.batch == batch ? j.blocks | bit : bit};
    }
    drop_empty_blocks();
}

} // namespace taffeta
#endif
