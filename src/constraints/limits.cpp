#include "constraints/limits.h"

#include "mesh/colouring.h"
#include "mesh/constraint_triangles.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <utility>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set and the rest
// once; the fastest one the machine has is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "constraints/limits.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include "core/particles-inl.h"

#ifndef TAFFETA_CONSTRAINTS_LIMITS_ONCE
#define TAFFETA_CONSTRAINTS_LIMITS_ONCE
namespace taffeta {

constexpr bool pushes(Keep keep) {
    return keep == Keep::both || keep == Keep::shortest;
}
constexpr bool pulls(Keep keep) {
    return keep != Keep::shortest;
}

} // namespace taffeta
#endif

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

constexpr float gentle = 0.95f; // of the distance is left, at least: docs/decisions/0008-acceleration.md
constexpr float tiny = 1e-30f;  // a denominator not above it: coincident particles or both held, there is nothing to do

static_assert(LimitBlock::size == 8); // as many as `Particles` at most

// The blocks side by side in a vector: two where it has sixteen lanes.
template <class D>
constexpr std::size_t blocks_in = std::max(hn::MaxLanes(D()) / LimitBlock::size, std::size_t{1});

// One side of these blocks, from a lane of the first on; zeros for an end that is not kept.
template <bool is_kept, class D>
HWY_INLINE hn::Vec<D> load_lengths(const D d, const LimitLengths* HWY_RESTRICT lengths, std::size_t block,
                                   std::size_t side, std::size_t lane) {
    if constexpr (!is_kept)
        return hn::Zero(d);
    else if constexpr (blocks_in<D> == 2)
        return join(d, hn::Load(Lanes(), lengths[block].of_side[side].data()),
                    hn::Load(Lanes(), lengths[block + 1].of_side[side].data()));
    else
        return hn::Load(d, &lengths[block].of_side[side][lane]);
}

template <class D>
HWY_INLINE ParticlesOf<D> load_place(const D d, const Vec4* HWY_RESTRICT x, const LimitBlock* HWY_RESTRICT blocks,
                                     std::size_t place, std::size_t lane) {
    if constexpr (blocks_in<D> == 2)
        return load_two(d, x, blocks[0].particle[place].data(), blocks[1].particle[place].data());
    else
        return load(x, &blocks->particle[place][lane]);
}

template <class D>
HWY_INLINE void store_place(const D d, const ParticlesOf<D>& p, Vec4* HWY_RESTRICT x,
                            const LimitBlock* HWY_RESTRICT blocks, std::size_t place, std::size_t lane) {
    if constexpr (blocks_in<D> == 2)
        store_two(d, p, x, blocks[0].particle[place].data(), blocks[1].particle[place].data());
    else
        store(p, x, &blocks->particle[place][lane]);
}

// Moves the particles of as many limits as a vector holds.
template <Keep keep, class D, class M = hn::Vec<D>>
HWY_INLINE void project_side(const D d, const M shortest, const M longest, ParticlesOf<D>& i, ParticlesOf<D>& j) {
    const M dx = hn::Sub(j.x, i.x), dy = hn::Sub(j.y, i.y), dz = hn::Sub(j.z, i.z);
    const M square = squared_length(dx, dy, dz);
    const M distance = hn::Sqrt(square);
    M allowed = distance;
    if constexpr (pushes(keep)) allowed = hn::Max(allowed, shortest);
    if constexpr (pulls(keep)) allowed = hn::Min(allowed, longest);
    if constexpr (keep == Keep::longest_gently) allowed = hn::Max(allowed, hn::Mul(distance, hn::Set(d, gentle)));

    const M denominator = hn::Mul(square, hn::Add(i.w, j.w)); // Eq. 5-7, 11
    const M quotient = hn::IfThenElseZero(hn::Gt(denominator, hn::Set(d, tiny)), hn::Div(distance, denominator));
    const M scale = hn::Mul(hn::Sub(distance, allowed), quotient);

    const M scale_i = hn::Mul(scale, i.w), scale_j = hn::Mul(scale, j.w);
    i.x = hn::Add(i.x, hn::Mul(scale_i, dx)); // Eq. 8
    i.y = hn::Add(i.y, hn::Mul(scale_i, dy));
    i.z = hn::Add(i.z, hn::Mul(scale_i, dz));
    j.x = hn::Sub(j.x, hn::Mul(scale_j, dx)); // Eq. 9
    j.y = hn::Sub(j.y, hn::Mul(scale_j, dy));
    j.z = hn::Sub(j.z, hn::Mul(scale_j, dz));
}

#if HWY_TARGET == HWY_SCALAR

// One limit after the other, for machines without vectors, and for readers: the vector form does the same to eight.
// Products and sums stay apart in both: a fused one would round differently where the hardware has it.
template <Keep keep>
void project(const LimitBlock* block, const LimitLengths* shortest, const LimitLengths* longest, std::size_t count,
             Vec4* x) {
    for (std::size_t b = 0; b < count; ++b) {
        for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
            for (std::size_t side = 0; side < LimitBlock::sides; ++side) {
                Vec4 &i = x[block[b].first(side, lane)], &j = x[block[b].second(side, lane)];
                const float dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
                const float square = dx * dx + dy * dy + dz * dz, distance = std::sqrt(square);
                float allowed = distance;
                if (pushes(keep)) allowed = std::max(allowed, shortest[b].of_side[side][lane]);
                if (pulls(keep)) allowed = std::min(allowed, longest[b].of_side[side][lane]);
                if (keep == Keep::longest_gently) allowed = std::max(allowed, distance * gentle);

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

// Blocks without a common particle: the vectors k of them. Where the compiler does not write loops over so few out, its
// vectors live in memory, which takes a quarter longer: hence the sequence.
template <Keep keep, class D, std::size_t... k>
struct Together {
    static constexpr std::size_t each = blocks_in<D>, count = sizeof...(k) * each;
    const LimitBlock* HWY_RESTRICT blocks;
    const LimitLengths *HWY_RESTRICT shortest, *HWY_RESTRICT longest;
    Vec4* HWY_RESTRICT x;
    std::size_t lane;
    ParticlesOf<D> p[sizeof...(k)][LimitBlock::sides] = {};

    HWY_INLINE void load(std::size_t place) {
        ((p[k][place] = load_place(D(), x, blocks + k * each, place, lane)), ...);
    }
    HWY_INLINE void project(std::size_t side, std::size_t end) {
        (project_side<keep>(D(), load_lengths<pushes(keep)>(D(), shortest, k * each, side, lane),
                            load_lengths<pulls(keep)>(D(), longest, k * each, side, lane), p[k][side], p[k][end]),
         ...);
    }
    HWY_INLINE void store(std::size_t place) const {
        (store_place(D(), p[k][place], x, blocks + k * each, place, lane), ...);
    }
};

template <Keep keep>
void project(const LimitBlock* blocks, const LimitLengths* shortest, const LimitLengths* longest, std::size_t count,
             Vec4* x) {
    std::size_t block = 0;
    const auto project_all = [&]<class D, std::size_t... k>(D d, std::index_sequence<k...>) HWY_ATTR {
        using Blocks = Together<keep, D, k...>;
        for (; block + Blocks::count <= count; block += Blocks::count) {
            for (std::size_t lane = 0; lane < LimitBlock::size; lane += hn::Lanes(d)) {
                Blocks together = {blocks + block, pushes(keep) ? shortest + block : nullptr,
                                   pulls(keep) ? longest + block : nullptr, x, lane};
                together.load(0);
                together.load(1);
                together.project(0, 1);
                together.load(2);
                together.project(1, 2);
                together.project(2, 0);
                together.store(0);
                together.store(1);
                together.store(2);
            }
        }
    };
    // The sides of a group wait for each other, so three vectors go through them together.
    static_assert(Limits::row % (3 * blocks_in<Many>) == 0);
    project_all(Many(), std::make_index_sequence<3>());
    project_all(Many(), std::make_index_sequence<2>());
    project_all(Many(), std::make_index_sequence<1>());
    project_all(Lanes(), std::make_index_sequence<1>());
}

#endif

// The particles of blocks in a vector, or of some lanes of one.
template <class D>
struct Corners {
    using M = hn::Vec<D>;
    ParticlesOf<D> p[LimitBlock::sides];

    HWY_INLINE Corners(const LimitBlock* blocks, std::size_t lane, const Vec4* x)
        : p{load_place(D(), x, blocks, 0, lane), load_place(D(), x, blocks, 1, lane),
            load_place(D(), x, blocks, 2, lane)} {}
    HWY_INLINE M squared_side(std::size_t side) const {
        const ParticlesOf<D>&i = p[side], &j = p[(side + 1) % LimitBlock::sides];
        return squared_length(hn::Sub(j.x, i.x), hn::Sub(j.y, i.y), hn::Sub(j.z, i.z));
    }
    // Of each lane: the greatest square of a side over that of its longest.
    HWY_INLINE M stretch(const LimitLengths* longest, std::size_t lane) const {
        return hn::Max(hn::Max(stretch(longest, 0, lane), stretch(longest, 1, lane)), stretch(longest, 2, lane));
    }
    // Whether one of the distances is above the most it may be.
    HWY_INLINE bool has_longer(const M (&most)[LimitBlock::sides]) const {
        const D d;
        auto is_longer = hn::FirstN(d, 0);
        for (std::size_t side = 0; side < LimitBlock::sides; ++side)
            is_longer = hn::Or(is_longer, hn::Gt(squared_side(side), hn::Mul(most[side], most[side])));
        return !hn::AllFalse(d, is_longer);
    }

private:
    HWY_INLINE M stretch(const LimitLengths* longest, std::size_t side, std::size_t lane) const {
        const D d;
        const M square = squared_side(side), most = load_lengths<true>(d, longest, 0, side, lane);
        // 0 of 0 is short enough.
        return hn::IfThenElseZero(hn::Gt(square, hn::Zero(d)), hn::Div(square, hn::Mul(most, most)));
    }
};

// Two blocks at a time where a vector holds them. Returns how many it has measured: squares.
template <class D>
std::size_t measure_two(const D d, const LimitRun& run, const Vec4* x, float* stretch) {
    std::size_t b = 0;
    if constexpr (blocks_in<D> == 2) {
        for (; b + 2 <= run.blocks.size(); b += 2) {
            const auto most = halves(d, Corners<D>(&run.blocks[b], 0, x).stretch(&run.longest[b], 0));
            stretch[b] = hn::GetLane(hn::MaxOfLanes(Lanes(), most.first));
            stretch[b + 1] = hn::GetLane(hn::MaxOfLanes(Lanes(), most.second));
        }
    }
    return b;
}

void measure_blocks(const LimitRun& run, const Vec4* x, float* stretch) {
    const Lanes d;
    for (std::size_t b = measure_two(Many(), run, x, stretch); b < run.blocks.size(); ++b) {
        V most = hn::Zero(d);
        for (std::size_t lane = 0; lane < LimitBlock::size; lane += hn::Lanes(d))
            most = hn::Max(most, Corners<Lanes>(&run.blocks[b], lane, x).stretch(&run.longest[b], lane));
        stretch[b] = hn::GetLane(hn::MaxOfLanes(d, most));
    }
    for (std::size_t b = 0; b < run.blocks.size(); ++b) stretch[b] = std::sqrt(stretch[b]);
}

void project_longer_blocks(const LimitRun& run, std::span<const Index> blocks, float times, Vec4* x) {
    const Lanes d;
    for (const Index b : blocks) {
        const LimitBlock& block = run.blocks[b];
        for (std::size_t lane = 0; lane < LimitBlock::size; lane += hn::Lanes(d)) {
            Corners<Lanes> corners(&block, lane, x);
            V most[LimitBlock::sides];
            for (std::size_t side = 0; side < LimitBlock::sides; ++side)
                most[side] = hn::Mul(hn::Set(d, times), hn::Load(d, &run.longest[b].of_side[side][lane]));
            if (!corners.has_longer(most)) continue;
            for (std::size_t side = 0; side < LimitBlock::sides; ++side)
                project_side<Keep::longest_gently>(d, hn::Zero(d), most[side], corners.p[side],
                                                   corners.p[(side + 1) % LimitBlock::sides]);
            for (std::size_t k = 0; k < LimitBlock::sides; ++k) store(corners.p[k], x, &block.particle[k][lane]);
        }
    }
}

void project_run(const LimitRun& run, Keep keep, Vec4* x) {
    const auto project_as = [&](auto project) {
        project(run.blocks.data(), run.shortest, run.longest, run.blocks.size(), x);
    };
    if (keep == Keep::both) project_as(project<Keep::both>);
    if (keep == Keep::shortest) project_as(project<Keep::shortest>);
    if (keep == Keep::longest) project_as(project<Keep::longest>);
    if (keep == Keep::longest_gently) project_as(project<Keep::longest_gently>);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(project_run);
HWY_EXPORT(measure_blocks);
HWY_EXPORT(project_longer_blocks);

void project_limits(const LimitRun& run, std::span<Vec4> x, Keep keep) {
    if (run.shortest == nullptr) {
        if (keep == Keep::shortest) return;
        if (keep == Keep::both) keep = Keep::longest;
    }
    if (run.longest == nullptr) {
        if (!pushes(keep)) return;
        keep = Keep::shortest;
    }
    HWY_DYNAMIC_DISPATCH(project_run)(run, keep, x.data());
}

void measure_stretch(const LimitRun& run, std::span<const Vec4> x, std::span<float> stretch) {
    assert(run.longest != nullptr && stretch.size() == run.blocks.size());
    HWY_DYNAMIC_DISPATCH(measure_blocks)(run, x.data(), stretch.data());
}

void project_longer(const LimitRun& run, std::span<const Index> blocks, float times, std::span<Vec4> x) {
    assert(run.longest != nullptr);
    HWY_DYNAMIC_DISPATCH(project_longer_blocks)(run, blocks, times, x.data());
}

namespace {

constexpr Limit no_limit = {.shortest = LimitLengths::no_shortest, .longest = LimitLengths::no_longest};

std::vector<Pair> pairs_of(std::span<const Limit> limits) {
    std::vector<Pair> pairs;
    pairs.reserve(limits.size());
    for (const Limit& limit : limits) pairs.push_back({limit.i, limit.j});
    return pairs;
}

// What places without a particle name. Threads work on parts at once, so that each part needs something of its own to
// read and write there: one of its particles that the row leaves alone. Where there is nothing to share, the sentinel.
class Filling {
public:
    explicit Filling(Index sentinel) : sentinel_(sentinel) {}
    Filling(Index sentinel, std::span<const Triple> part) : sentinel_(sentinel) {
        for (const Triple& group : part)
            for (const Index v : group.vertex)
                if (v != Triple::none && choice_.size() <= row_particles && !contains(choice_, v)) choice_.push_back(v);
    }

    // Whether every row of the part leaves a particle alone.
    bool has_choice() const { return choice_.size() > row_particles; }

    Index of_row(std::span<const Triple> row) const {
        if (!has_choice()) return sentinel_;
        return *std::find_if(choice_.begin(), choice_.end(), [&](Index v) {
            return std::none_of(row.begin(), row.end(), [&](const Triple& group) { return contains(group.vertex, v); });
        });
    }

private:
    static constexpr std::size_t row_particles = Limits::row * LimitBlock::size * LimitBlock::sides;
    static bool contains(std::span<const Index> particles, Index v) {
        return std::find(particles.begin(), particles.end(), v) != particles.end();
    }
    Index sentinel_;
    std::vector<Index> choice_ = {}; // one more than a row can have
};

void append_block(std::span<const Triple> groups, std::span<const Limit> limits, Index filling, Limits& packed) {
    LimitBlock& block = packed.blocks.emplace_back();
    LimitLengths shortest, longest;
    for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
        const Triple group = lane < groups.size() ? groups[lane] : Triple{};
        for (std::size_t side = 0; side < LimitBlock::sides; ++side) {
            const Limit limit = group.pair[side] == Triple::none ? no_limit : limits[group.pair[side]];
            block.particle[side][lane] = group.vertex[side] == Triple::none ? filling : group.vertex[side];
            shortest.of_side[side][lane] = limit.shortest;
            longest.of_side[side][lane] = limit.longest;
        }
    }
    if (pushes(packed.keep)) packed.shortest.push_back(shortest);
    if (pulls(packed.keep)) packed.longest.push_back(longest);
}

// Puts groups of one colour behind those already there, as a run.
void append_colour(std::span<const Triple> groups, std::span<const Limit> limits, const Filling& filling,
                   Limits& packed) {
    constexpr std::size_t row_groups = Limits::row * LimitBlock::size;
    for (std::size_t begin = 0; begin < groups.size(); begin += row_groups) {
        const std::span<const Triple> row = groups.subspan(begin, std::min(row_groups, groups.size() - begin));
        const Index filler = filling.of_row(row);
        for (std::size_t k = 0; k < row.size(); k += LimitBlock::size)
            append_block(row.subspan(k), limits, filler, packed);
    }
    packed.run_begin.push_back(packed.blocks.size());
}

// The same with groups that have yet to be coloured.
void append_colours(std::span<const Triple> groups, std::span<const Limit> limits, Index sentinel,
                    const Filling& filling, Limits& packed) {
    std::vector<VertexGroup> vertices;
    vertices.reserve(groups.size());
    for (const Triple& group : groups) vertices.push_back(group.vertex);
    const std::vector<int> colour = colour_groups(vertices, sentinel);
    const int colours = colour.empty() ? 0 : *std::max_element(colour.begin(), colour.end()) + 1;
    std::vector<std::vector<Triple>> by_colour(static_cast<std::size_t>(colours));
    for (std::size_t k = 0; k < groups.size(); ++k) by_colour[static_cast<std::size_t>(colour[k])].push_back(groups[k]);
    for (const std::vector<Triple>& same : by_colour) append_colour(same, limits, filling, packed);
}

// Cuts the groups, in the order of their particles, into as many strands as a row of blocks has lanes; each lane goes
// along its own strand. Where it would meet a particle of another lane, one of the next few comes first; where all
// would, it waits for a row.
void append_strands(std::vector<Triple> groups, std::span<const Limit> limits, const Filling& filling, Limits& packed) {
    const auto particles = [](const Triple& group) {
        VertexGroup sorted = group.vertex;
        std::sort(sorted.begin(), sorted.end());
        return sorted;
    };
    std::sort(groups.begin(), groups.end(),
              [&](const Triple& a, const Triple& b) { return particles(a) < particles(b); });

    constexpr std::size_t strands = Limits::row * LimitBlock::size;
    const std::size_t length = (groups.size() + strands - 1) / strands;
    const auto end_of = [&](std::size_t s) { return std::min((s + 1) * length, groups.size()); };
    constexpr std::size_t few = 4; // within which groups may change places
    std::array<std::size_t, strands> next = {};
    for (std::size_t s = 0; s < strands; ++s) next[s] = std::min(s * length, groups.size());
    for (std::size_t left = groups.size(); left > 0;) {
        std::array<Triple, strands> row = {};
        std::array<Index, strands* LimitBlock::sides> met = {};
        std::size_t meetings = 0;
        for (std::size_t s = 0; s < strands; ++s) {
            if (next[s] == end_of(s)) continue;
            const auto is_met = [&](Index v) {
                return v != Triple::none && std::find(met.begin(), met.begin() + meetings, v) != met.begin() + meetings;
            };
            const auto is_free = [&](const Triple& group) {
                return std::none_of(group.vertex.begin(), group.vertex.end(), is_met);
            };
            const auto first = groups.begin() + static_cast<std::ptrdiff_t>(next[s]);
            const auto last = groups.begin() + static_cast<std::ptrdiff_t>(std::min(next[s] + few, end_of(s)));
            const auto free = std::find_if(first, last, is_free);
            if (free == last) continue;
            std::rotate(first, free, free + 1);
            for (const Index v : first->vertex) met[meetings++] = v;
            row[s] = *first;
            ++next[s], --left;
        }
        const Index filler = filling.of_row(row);
        for (std::size_t begin = 0; begin < strands; begin += LimitBlock::size)
            append_block(std::span(row).subspan(begin, LimitBlock::size), limits, filler, packed);
    }
    packed.run_begin.push_back(packed.blocks.size());
}

// Calls visit(limit, its shortest, its longest) for all limits in the order of a sweep; the pointers are to where these
// are stored, none for an end that is not.
template <class AnyLimits, class Visit>
void visit_limits(AnyLimits& limits, Visit&& visit) {
    for (std::size_t b = 0; b < limits.blocks.size(); ++b)
        for (std::size_t lane = 0; lane < LimitBlock::size; ++lane)
            for (std::size_t side = 0; side < LimitBlock::sides; ++side) {
                auto* least = limits.shortest.empty() ? nullptr : &limits.shortest[b].of_side[side][lane];
                auto* most = limits.longest.empty() ? nullptr : &limits.longest[b].of_side[side][lane];
                Limit limit = {limits.blocks[b].first(side, lane), limits.blocks[b].second(side, lane)};
                if (least != nullptr) limit.shortest = *least;
                if (most != nullptr) limit.longest = *most;
                const bool is_filling =
                    least != nullptr ? limit.shortest == no_limit.shortest : limit.longest == no_limit.longest;
                if (!is_filling) visit(limit, least, most);
            }
}

void shrink(Limits& packed) {
    packed.blocks.shrink_to_fit();
    packed.shortest.shrink_to_fit();
    packed.longest.shrink_to_fit();
}

} // namespace

Limits make_limits(std::span<const Limit> limits, Index sentinel, const Packing& packing) {
    const std::vector<Pair> pairs = pairs_of(limits);
    const std::vector<Index> part_begin =
        packing.part_begin.empty() ? halve_range(sentinel, part_particles) : packing.part_begin;
    const auto part_of = [&](Index v) {
        return static_cast<std::size_t>(std::upper_bound(part_begin.begin(), part_begin.end() - 1, v) -
                                        part_begin.begin() - 1);
    };
    const std::size_t parts = part_begin.size() - 1;
    std::vector<std::vector<Triple>> by_part(parts);
    std::vector<Triple> joints;
    std::vector<bool> is_bending;
    for (const Limit& limit : limits) is_bending.push_back(std::isinf(limit.longest));
    for (const Triple& group : group_pairs(pairs, is_bending, sentinel)) {
        const std::size_t part = part_of(group.vertex[0]);
        const bool is_within = std::all_of(group.vertex.begin(), group.vertex.end(),
                                           [&](Index v) { return v == Triple::none || part_of(v) == part; });
        (is_within ? by_part[part] : joints).push_back(group);
    }

    Limits packed = {.keep = packing.keep};
    packed.count = limits.size();
    for (std::vector<Triple>& within : by_part) {
        const Filling filling = parts > 1 ? Filling(sentinel, within) : Filling(sentinel);
        if (parts > 1 &&
            !filling.has_choice()) { // too few to fill rows from: done with the joints, one after the other
            joints.insert(joints.end(), within.begin(), within.end());
            within.clear();
        }
        if (packing.arrangement == Arrangement::colours)
            append_colours(within, limits, sentinel, filling, packed);
        else
            append_strands(std::move(within), limits, filling, packed);
        packed.part_begin.push_back(packed.runs());
    }
    append_colours(joints, limits, sentinel, Filling(sentinel), packed);
    shrink(packed);
    return packed;
}

Limits pack_limits(std::span<const std::vector<Limit>> by_colour, Index sentinel, Keep keep) {
    Limits packed = {.keep = keep};
    for (const std::vector<Limit>& same : by_colour) {
        std::vector<Triple> single; // groups of one: which limits meet is the caller's knowledge
        for (Index k = 0; k < same.size(); ++k)
            single.push_back({{same[k].i, same[k].j, Triple::none}, {k, Triple::none, Triple::none}});
        append_colour(single, same, Filling(sentinel), packed);
        packed.count += same.size();
    }
    shrink(packed);
    return packed;
}

LimitRun Limits::run(std::size_t k) const {
    const std::size_t begin = run_begin[k];
    return {std::span(blocks).subspan(begin, run_begin[k + 1] - begin),
            shortest.empty() ? nullptr : shortest.data() + begin, longest.empty() ? nullptr : longest.data() + begin};
}

void Limits::change_all(const std::function<Limit(const Limit&)>& change) {
    visit_limits(*this, [&](const Limit& limit, float* least, float* most) {
        const Limit changed = change(limit);
        if (least != nullptr) *least = changed.shortest;
        if (most != nullptr) *most = changed.longest;
    });
}

std::vector<Limit> Limits::in_order() const {
    std::vector<Limit> order;
    order.reserve(count);
    visit_limits(*this, [&](const Limit& limit, const float*, const float*) { order.push_back(limit); });
    return order;
}

} // namespace taffeta
#endif
