#include "constraints/limits.h"

#include "mesh/colouring.h"
#include "mesh/partition.h"

#include <algorithm>
#include <cmath>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set and the rest
// once; the fastest one the machine has is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "constraints/limits.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// Products and sums stay apart in both forms: a fused one would round differently where the hardware has it.
constexpr float tiny = 1e-30f; // a denominator not above it: coincident particles or both held, there is nothing to do

#if HWY_TARGET == HWY_SCALAR

// One limit after the other, for machines without vectors, and for readers: the vector form does the same to eight.
void project(const LimitBlock* blocks, std::size_t count, Vec4* x) {
    for (const LimitBlock* block = blocks; block != blocks + count; ++block) {
        for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
            Vec4 &i = x[block->i[lane]], &j = x[block->j[lane]];
            const float dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
            const float distance = std::sqrt(dx * dx + dy * dy + dz * dz);
            const float allowed = std::min(std::max(distance, block->shortest[lane]), block->longest[lane]);

            // Eq. 5: u = (x_j - x_i)/|x_j - x_i| (|x_j - x_i| - allowed), and with inverse masses (Eq. 11) the weights
            // of Eq. 6-7 are m_2 = w_i/(w_i + w_j), m_1 = w_j/(w_i + w_j); a held particle has w = 0 and stays.
            const float denominator = distance * (i.w + j.w);
            const float scale = denominator > tiny ? (distance - allowed) / denominator : 0.0f;
            const float scale_i = scale * i.w, scale_j = scale * j.w;
            i.x += scale_i * dx, i.y += scale_i * dy, i.z += scale_i * dz; // Eq. 8
            j.x -= scale_j * dx, j.y -= scale_j * dy, j.z -= scale_j * dz; // Eq. 9
        }
    }
}

#else

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, LimitBlock::size>; // 4 or 8 limits at a time
using One = hn::FixedTag<float, 4>;                   // one particle
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

HWY_INLINE void store_row(const V row, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index, std::size_t k) {
#if HWY_MAX_BYTES >= 32
    hn::Store(hn::LowerHalf(One(), row), One(), &x[index[k]].x);
    hn::Store(hn::UpperHalf(One(), row), One(), &x[index[k + 4]].x);
#else
    hn::Store(row, One(), &x[index[k]].x);
#endif
}

HWY_INLINE Particles load(const Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    return transpose(load_row(x, index, 0), load_row(x, index, 1), load_row(x, index, 2), load_row(x, index, 3));
}

HWY_INLINE void store(const Particles& p, Vec4* HWY_RESTRICT x, const Index* HWY_RESTRICT index) {
    const Particles rows = transpose(p.x, p.y, p.z, p.w);
    store_row(rows.x, x, index, 0);
    store_row(rows.y, x, index, 1);
    store_row(rows.z, x, index, 2);
    store_row(rows.w, x, index, 3);
}

struct Moved {
    Particles i, j;
};

// The limits of a block from `lane` on, as many as a vector holds: where their particles go.
HWY_INLINE Moved project_lanes(const LimitBlock& block, std::size_t lane, const Vec4* HWY_RESTRICT x) {
    const Lanes d;
    Particles i = load(x, &block.i[lane]);
    Particles j = load(x, &block.j[lane]);
    const V dx = hn::Sub(j.x, i.x), dy = hn::Sub(j.y, i.y), dz = hn::Sub(j.z, i.z);
    const V distance = hn::Sqrt(hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz)));
    const V shortest = hn::Load(d, &block.shortest[lane]), longest = hn::Load(d, &block.longest[lane]);
    const V allowed = hn::Min(hn::Max(distance, shortest), longest);

    const V denominator = hn::Mul(distance, hn::Add(i.w, j.w));
    const V quotient = hn::Div(hn::Sub(distance, allowed), denominator); // Eq. 5-7, 11
    const V scale = hn::IfThenElseZero(hn::Gt(denominator, hn::Set(d, tiny)), quotient);

    const V scale_i = hn::Mul(scale, i.w), scale_j = hn::Mul(scale, j.w);
    i.x = hn::Add(i.x, hn::Mul(scale_i, dx)); // Eq. 8
    i.y = hn::Add(i.y, hn::Mul(scale_i, dy));
    i.z = hn::Add(i.z, hn::Mul(scale_i, dz));
    j.x = hn::Sub(j.x, hn::Mul(scale_j, dx)); // Eq. 9
    j.y = hn::Sub(j.y, hn::Mul(scale_j, dy));
    j.z = hn::Sub(j.z, hn::Mul(scale_j, dz));
    return {i, j};
}

template <std::size_t n>
HWY_INLINE void project_blocks(const LimitBlock* HWY_RESTRICT blocks, Vec4* HWY_RESTRICT x) {
    for (std::size_t lane = 0; lane < LimitBlock::size; lane += hn::Lanes(Lanes())) {
        Moved moved[n];
        for (std::size_t k = 0; k < n; ++k) moved[k] = project_lanes(blocks[k], lane, x);
        for (std::size_t k = 0; k < n; ++k) {
            store(moved[k].i, x, &blocks[k].i[lane]);
            store(moved[k].j, x, &blocks[k].j[lane]);
        }
    }
}

// Blocks of one colour share no particle, but the processor does not know it: every store holds up the loads behind it.
// Three blocks between load and store instead of one make it a fifth faster (measured with two to four).
void project(const LimitBlock* HWY_RESTRICT blocks, std::size_t count, Vec4* HWY_RESTRICT x) {
    constexpr std::size_t several = 3;
    std::size_t block = 0;
    for (; block + several <= count; block += several) project_blocks<several>(blocks + block, x);
    for (; block < count; ++block) project_blocks<1>(blocks + block, x);
}

#endif

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(project);

void project_limits(std::span<const LimitBlock> blocks, std::span<Vec4> x) {
    HWY_DYNAMIC_DISPATCH(project)(blocks.data(), blocks.size(), x.data());
}

namespace {

// Enough for some 50 us of work, so that sharing out parts costs little, and few enough to have several of them in a
// cloth that is worth sharing out. Smaller parts have more joints and incomplete blocks: 1,024 took 3 % longer.
constexpr Index part_particles = 4096;

LimitBlock make_block(std::span<const Limit> limits, Index sentinel) {
    LimitBlock block;
    for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
        const Limit limit = lane < limits.size() ? limits[lane] : Limit{sentinel, sentinel};
        block.i[lane] = limit.i;
        block.j[lane] = limit.j;
        block.shortest[lane] = limit.shortest;
        block.longest[lane] = limit.longest;
    }
    return block;
}

std::vector<Pair> pairs_of(std::span<const Limit> limits) {
    std::vector<Pair> pairs;
    pairs.reserve(limits.size());
    for (const Limit& limit : limits) pairs.push_back({limit.i, limit.j});
    return pairs;
}

// Puts limits of one colour behind those already there.
void append_colour(std::span<const Limit> limits, Index sentinel, Limits& packed) {
    for (std::size_t begin = 0; begin < limits.size(); begin += LimitBlock::size)
        packed.blocks.push_back(make_block(limits.subspan(begin), sentinel));
    packed.colour_begin.push_back(packed.blocks.size());
    packed.count += limits.size();
}

// The same with limits that have yet to be coloured.
void colour_and_append(std::span<const Limit> limits, Index sentinel, Limits& packed) {
    const std::vector<int> colour = colour_pairs(pairs_of(limits), sentinel);
    const int colours = colour.empty() ? 0 : *std::max_element(colour.begin(), colour.end()) + 1;
    std::vector<std::vector<Limit>> by_colour(static_cast<std::size_t>(colours));
    for (std::size_t k = 0; k < limits.size(); ++k) by_colour[static_cast<std::size_t>(colour[k])].push_back(limits[k]);
    for (const std::vector<Limit>& same : by_colour) append_colour(same, sentinel, packed);
}

} // namespace

Limits make_limits(std::span<const Limit> limits, Index sentinel) {
    const std::vector<Index> part_of = part_vertices(pairs_of(limits), sentinel, part_particles);
    const Index parts = part_of.empty() ? 0 : *std::max_element(part_of.begin(), part_of.end()) + 1;
    std::vector<std::vector<Limit>> by_part(parts);
    std::vector<Limit> joints;
    for (const Limit& limit : limits) {
        const Index part = part_of[limit.i];
        (part == part_of[limit.j] ? by_part[part] : joints).push_back(limit);
    }

    Limits packed;
    for (const std::vector<Limit>& within : by_part) {
        colour_and_append(within, sentinel, packed);
        packed.part_begin.push_back(packed.colours());
    }
    colour_and_append(joints, sentinel, packed);
    packed.blocks.shrink_to_fit();
    return packed;
}

Limits pack_limits(std::span<const std::vector<Limit>> by_colour, Index sentinel) {
    Limits packed;
    for (const std::vector<Limit>& same : by_colour) append_colour(same, sentinel, packed);
    packed.blocks.shrink_to_fit();
    return packed;
}

std::vector<Limit> Limits::in_order(Index sentinel) const {
    std::vector<Limit> order;
    order.reserve(count);
    for (const LimitBlock& block : blocks)
        for (std::size_t lane = 0; lane < LimitBlock::size; ++lane)
            if (block.i[lane] != sentinel)
                order.push_back({block.i[lane], block.j[lane], block.shortest[lane], block.longest[lane]});
    return order;
}

} // namespace taffeta
#endif
