#include "constraints/limits.h"

#include "mesh/colouring.h"
#include "mesh/partition.h"
#include "mesh/triples.h"

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
            for (std::size_t side = 0; side < LimitBlock::sides; ++side) {
                Vec4 &i = x[block->first(side, lane)], &j = x[block->second(side, lane)];
                const float dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
                const float square = dx * dx + dy * dy + dz * dz, distance = std::sqrt(square);
                const float allowed =
                    std::min(std::max(distance, block->shortest[side][lane]), block->longest[side][lane]);

                // Eq. 5: u = (x_j - x_i)/|x_j - x_i| (|x_j - x_i| - allowed), and with inverse masses (Eq. 11) the
                // weights of Eq. 6-7 are m_2 = w_i/(w_i + w_j), m_1 = w_j/(w_i + w_j); a held particle has w = 0 and
                // stays. The quotient is formed so that it need not wait for `allowed`.
                const float denominator = square * (i.w + j.w);
                const float quotient = denominator > tiny ? distance / denominator : 0.0f;
                const float scale = (distance - allowed) * quotient;
                const float scale_i = scale * i.w, scale_j = scale * j.w;
                i.x += scale_i * dx, i.y += scale_i * dy, i.z += scale_i * dz; // Eq. 8
                j.x -= scale_j * dx, j.y -= scale_j * dy, j.z -= scale_j * dz; // Eq. 9
            }
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

// Moves the particles of as many limits as a vector holds.
HWY_INLINE void project_side(const float* shortest, const float* longest, Particles& i, Particles& j) {
    const Lanes d;
    const V dx = hn::Sub(j.x, i.x), dy = hn::Sub(j.y, i.y), dz = hn::Sub(j.z, i.z);
    const V square = hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
    const V distance = hn::Sqrt(square);
    const V allowed = hn::Min(hn::Max(distance, hn::Load(d, shortest)), hn::Load(d, longest));

    const V denominator = hn::Mul(square, hn::Add(i.w, j.w)); // Eq. 5-7, 11
    const V quotient = hn::IfThenElseZero(hn::Gt(denominator, hn::Set(d, tiny)), hn::Div(distance, denominator));
    const V scale = hn::Mul(hn::Sub(distance, allowed), quotient);

    const V scale_i = hn::Mul(scale, i.w), scale_j = hn::Mul(scale, j.w);
    i.x = hn::Add(i.x, hn::Mul(scale_i, dx)); // Eq. 8
    i.y = hn::Add(i.y, hn::Mul(scale_i, dy));
    i.z = hn::Add(i.z, hn::Mul(scale_i, dz));
    j.x = hn::Sub(j.x, hn::Mul(scale_j, dx)); // Eq. 9
    j.y = hn::Sub(j.y, hn::Mul(scale_j, dy));
    j.z = hn::Sub(j.z, hn::Mul(scale_j, dz));
}

// The sides of a group wait for each other, so several blocks go through them together.
template <std::size_t n>
HWY_INLINE void project_blocks(const LimitBlock* HWY_RESTRICT blocks, Vec4* HWY_RESTRICT x) {
    for (std::size_t lane = 0; lane < LimitBlock::size; lane += hn::Lanes(Lanes())) {
        Particles p[n][LimitBlock::sides];
        const auto load_all = [&](std::size_t place) {
            for (std::size_t k = 0; k < n; ++k) p[k][place] = load(x, &blocks[k].particle[place][lane]);
        };
        const auto project_all = [&](std::size_t side, std::size_t end) {
            for (std::size_t k = 0; k < n; ++k)
                project_side(&blocks[k].shortest[side][lane], &blocks[k].longest[side][lane], p[k][side], p[k][end]);
        };
        load_all(0);
        load_all(1);
        project_all(0, 1);
        load_all(2);
        project_all(1, 2);
        project_all(2, 0);
        for (std::size_t k = 0; k < n; ++k)
            for (std::size_t place = 0; place < LimitBlock::sides; ++place)
                store(p[k][place], x, &blocks[k].particle[place][lane]);
    }
}

void project(const LimitBlock* HWY_RESTRICT blocks, std::size_t count, Vec4* HWY_RESTRICT x) {
    constexpr std::size_t several = 3; // measured with one to four: two take a tenth longer, one seven tenths
    std::size_t block = 0;
    for (; block + several <= count; block += several) project_blocks<several>(blocks + block, x);
    if (count - block == 2) project_blocks<2>(blocks + block, x);
    if (count - block == 1) project_blocks<1>(blocks + block, x);
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

std::vector<Pair> pairs_of(std::span<const Limit> limits) {
    std::vector<Pair> pairs;
    pairs.reserve(limits.size());
    for (const Limit& limit : limits) pairs.push_back({limit.i, limit.j});
    return pairs;
}

LimitBlock make_block(std::span<const Triple> groups, std::span<const Limit> limits, Index sentinel) {
    LimitBlock block;
    for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
        const Triple group = lane < groups.size() ? groups[lane] : Triple{};
        for (std::size_t side = 0; side < LimitBlock::sides; ++side) {
            const Limit limit =
                group.pair[side] == Triple::none ? Limit{.shortest = LimitBlock::no_limit} : limits[group.pair[side]];
            block.particle[side][lane] = std::min(group.vertex[side], sentinel);
            block.shortest[side][lane] = limit.shortest;
            block.longest[side][lane] = limit.longest;
        }
    }
    return block;
}

// Puts groups of one colour behind those already there.
void append_colour(std::span<const Triple> groups, std::span<const Limit> limits, Index sentinel, Limits& packed) {
    for (std::size_t begin = 0; begin < groups.size(); begin += LimitBlock::size)
        packed.blocks.push_back(make_block(groups.subspan(begin), limits, sentinel));
    packed.colour_begin.push_back(packed.blocks.size());
}

// The same with groups that have yet to be coloured.
void colour_and_append(std::span<const Triple> groups, std::span<const Limit> limits, Index sentinel, Limits& packed) {
    std::vector<VertexGroup> vertices;
    vertices.reserve(groups.size());
    for (const Triple& group : groups) vertices.push_back(group.vertex);
    const std::vector<int> colour = colour_groups(vertices, sentinel);
    const int colours = colour.empty() ? 0 : *std::max_element(colour.begin(), colour.end()) + 1;
    std::vector<std::vector<Triple>> by_colour(static_cast<std::size_t>(colours));
    for (std::size_t k = 0; k < groups.size(); ++k) by_colour[static_cast<std::size_t>(colour[k])].push_back(groups[k]);
    for (const std::vector<Triple>& same : by_colour) append_colour(same, limits, sentinel, packed);
}

} // namespace

Limits make_limits(std::span<const Limit> limits, Index sentinel) {
    const std::vector<Pair> pairs = pairs_of(limits);
    const std::vector<Index> part_of = part_vertices(pairs, sentinel, part_particles);
    const Index parts = part_of.empty() ? 0 : *std::max_element(part_of.begin(), part_of.end()) + 1;
    std::vector<std::vector<Triple>> by_part(parts);
    std::vector<Triple> joints;
    std::vector<bool> is_bending;
    for (const Limit& limit : limits) is_bending.push_back(std::isinf(limit.longest));
    for (const Triple& group : group_pairs(pairs, is_bending, sentinel)) {
        const Index part = part_of[group.vertex[0]];
        const bool is_within = std::all_of(group.vertex.begin(), group.vertex.end(),
                                           [&](Index v) { return v == Triple::none || part_of[v] == part; });
        (is_within ? by_part[part] : joints).push_back(group);
    }

    Limits packed;
    packed.count = limits.size();
    for (const std::vector<Triple>& within : by_part) {
        colour_and_append(within, limits, sentinel, packed);
        packed.part_begin.push_back(packed.colours());
    }
    colour_and_append(joints, limits, sentinel, packed);
    packed.blocks.shrink_to_fit();
    return packed;
}

Limits pack_limits(std::span<const std::vector<Limit>> by_colour, Index sentinel) {
    Limits packed;
    for (const std::vector<Limit>& same : by_colour) {
        std::vector<Triple> single; // groups of one: which limits meet is the caller's knowledge
        for (Index k = 0; k < same.size(); ++k)
            single.push_back({{same[k].i, same[k].j, Triple::none}, {k, Triple::none, Triple::none}});
        append_colour(single, same, sentinel, packed);
        packed.count += same.size();
    }
    packed.blocks.shrink_to_fit();
    return packed;
}

std::vector<Limit> Limits::in_order() const {
    std::vector<Limit> order;
    order.reserve(count);
    for (const LimitBlock& block : blocks)
        for (std::size_t lane = 0; lane < LimitBlock::size; ++lane)
            for (std::size_t side = 0; side < LimitBlock::sides; ++side)
                if (block.has_limit(side, lane))
                    order.push_back({block.first(side, lane), block.second(side, lane), block.shortest[side][lane],
                                     block.longest[side][lane]});
    return order;
}

} // namespace taffeta
#endif
