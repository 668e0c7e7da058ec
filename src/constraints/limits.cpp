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

#include "core/particles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// Products and sums stay apart in both forms: a fused one would round differently where the hardware has it.
constexpr float tiny = 1e-30f; // a denominator not above it: coincident particles or both held, there is nothing to do

#if HWY_TARGET == HWY_SCALAR

// One limit after the other, for machines without vectors, and for readers: the vector form does the same to eight.
template <Keep keep>
void project(const LimitBlock* blocks, std::size_t count, Vec4* x) {
    for (const LimitBlock* block = blocks; block != blocks + count; ++block) {
        for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
            for (std::size_t side = 0; side < LimitBlock::sides; ++side) {
                Vec4 &i = x[block->first(side, lane)], &j = x[block->second(side, lane)];
                const float dx = j.x - i.x, dy = j.y - i.y, dz = j.z - i.z;
                const float square = dx * dx + dy * dy + dz * dz, distance = std::sqrt(square);
                const float shortest = keep == Keep::both ? block->shortest[side][lane] : 0.0f;
                const float allowed = std::min(std::max(distance, shortest), block->longest[side][lane]);

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

static_assert(LimitBlock::size == 8); // as many as `Particles` at most

// Moves the particles of as many limits as a vector holds.
template <Keep keep>
HWY_INLINE void project_side(const float* shortest, const float* longest, Particles& i, Particles& j) {
    const Lanes d;
    const V dx = hn::Sub(j.x, i.x), dy = hn::Sub(j.y, i.y), dz = hn::Sub(j.z, i.z);
    const V square = squared_length(dx, dy, dz);
    const V distance = hn::Sqrt(square);
    const V at_least = keep == Keep::both ? hn::Max(distance, hn::Load(d, shortest)) : distance;
    const V allowed = hn::Min(at_least, hn::Load(d, longest));

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
template <Keep keep, std::size_t n>
HWY_INLINE void project_blocks(const LimitBlock* HWY_RESTRICT blocks, Vec4* HWY_RESTRICT x) {
    for (std::size_t lane = 0; lane < LimitBlock::size; lane += hn::Lanes(Lanes())) {
        Particles p[n][LimitBlock::sides];
        const auto load_all = [&](std::size_t place) {
            for (std::size_t k = 0; k < n; ++k) p[k][place] = load(x, &blocks[k].particle[place][lane]);
        };
        const auto project_all = [&](std::size_t side, std::size_t end) {
            for (std::size_t k = 0; k < n; ++k)
                project_side<keep>(&blocks[k].shortest[side][lane], &blocks[k].longest[side][lane], p[k][side],
                                   p[k][end]);
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

template <Keep keep>
void project(const LimitBlock* HWY_RESTRICT blocks, std::size_t count, Vec4* HWY_RESTRICT x) {
    std::size_t block = 0; // measured with one to four at a time: two take a tenth longer, one seven tenths
    for (; block + Limits::row <= count; block += Limits::row) project_blocks<keep, Limits::row>(blocks + block, x);
    if (count - block == 2) project_blocks<keep, 2>(blocks + block, x);
    if (count - block == 1) project_blocks<keep, 1>(blocks + block, x);
}

#endif

void keep_both(const LimitBlock* blocks, std::size_t count, Vec4* x) {
    project<Keep::both>(blocks, count, x);
}
void keep_longest(const LimitBlock* blocks, std::size_t count, Vec4* x) {
    project<Keep::longest>(blocks, count, x);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(keep_both);
HWY_EXPORT(keep_longest);

void project_limits(std::span<const LimitBlock> blocks, std::span<Vec4> x, Keep keep) {
    if (keep == Keep::both)
        HWY_DYNAMIC_DISPATCH(keep_both)(blocks.data(), blocks.size(), x.data());
    else
        HWY_DYNAMIC_DISPATCH(keep_longest)(blocks.data(), blocks.size(), x.data());
}

namespace {

// Enough for some 80 us of work, so that sharing out parts costs little, and few enough to have several of them in a
// cloth that is worth sharing out. Joints hold less well than what lies within a part: with 4,096 fine disks stretched
// visibly more.
constexpr Index part_particles = 8192;

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

    Index of_row(std::span<const Triple> row) const {
        if (choice_.size() <= row_particles) return sentinel_;
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

LimitBlock make_block(std::span<const Triple> groups, std::span<const Limit> limits, Index filling) {
    LimitBlock block;
    for (std::size_t lane = 0; lane < LimitBlock::size; ++lane) {
        const Triple group = lane < groups.size() ? groups[lane] : Triple{};
        for (std::size_t side = 0; side < LimitBlock::sides; ++side) {
            const Limit limit =
                group.pair[side] == Triple::none ? Limit{.shortest = LimitBlock::no_limit} : limits[group.pair[side]];
            block.particle[side][lane] = group.vertex[side] == Triple::none ? filling : group.vertex[side];
            block.shortest[side][lane] = limit.shortest;
            block.longest[side][lane] = limit.longest;
        }
    }
    return block;
}

// Puts groups of one colour behind those already there, as a run.
void append_colour(std::span<const Triple> groups, std::span<const Limit> limits, const Filling& filling,
                   Limits& packed) {
    constexpr std::size_t row_groups = Limits::row * LimitBlock::size;
    for (std::size_t begin = 0; begin < groups.size(); begin += row_groups) {
        const std::span<const Triple> row = groups.subspan(begin, std::min(row_groups, groups.size() - begin));
        const Index filler = filling.of_row(row);
        for (std::size_t k = 0; k < row.size(); k += LimitBlock::size)
            packed.blocks.push_back(make_block(row.subspan(k), limits, filler));
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
// along its own strand, and waits for a row where it would meet a particle of another lane.
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
    std::array<std::size_t, strands> next = {};
    for (std::size_t s = 0; s < strands; ++s) next[s] = std::min(s * length, groups.size());
    for (std::size_t left = groups.size(); left > 0;) {
        std::array<Triple, strands> row = {};
        std::array<Index, strands* LimitBlock::sides> met = {};
        std::size_t meetings = 0;
        for (std::size_t s = 0; s < strands; ++s) {
            if (next[s] == std::min((s + 1) * length, groups.size())) continue;
            const auto is_met = [&](Index v) {
                return v != Triple::none && std::find(met.begin(), met.begin() + meetings, v) != met.begin() + meetings;
            };
            const Triple& group = groups[next[s]];
            if (std::any_of(group.vertex.begin(), group.vertex.end(), is_met)) continue;
            for (const Index v : group.vertex) met[meetings++] = v;
            row[s] = group;
            ++next[s], --left;
        }
        const Index filler = filling.of_row(row);
        for (std::size_t begin = 0; begin < strands; begin += LimitBlock::size)
            packed.blocks.push_back(make_block(std::span(row).subspan(begin, LimitBlock::size), limits, filler));
    }
    packed.run_begin.push_back(packed.blocks.size());
}

} // namespace

Limits make_limits(std::span<const Limit> limits, Index sentinel, Arrangement arrangement) {
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
    for (std::vector<Triple>& within : by_part) {
        const Filling filling = parts > 1 ? Filling(sentinel, within) : Filling(sentinel);
        if (arrangement == Arrangement::colours)
            append_colours(within, limits, sentinel, filling, packed);
        else
            append_strands(std::move(within), limits, filling, packed);
        packed.part_begin.push_back(packed.runs());
    }
    append_colours(joints, limits, sentinel, Filling(sentinel), packed);
    packed.blocks.shrink_to_fit();
    return packed;
}

Limits pack_limits(std::span<const std::vector<Limit>> by_colour, Index sentinel) {
    Limits packed;
    for (const std::vector<Limit>& same : by_colour) {
        std::vector<Triple> single; // groups of one: which limits meet is the caller's knowledge
        for (Index k = 0; k < same.size(); ++k)
            single.push_back({{same[k].i, same[k].j, Triple::none}, {k, Triple::none, Triple::none}});
        append_colour(single, same, Filling(sentinel), packed);
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
