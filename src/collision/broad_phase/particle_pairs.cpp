#include "collision/broad_phase/particle_pairs.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <numeric>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/broad_phase/particle_pairs.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include "core/particles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// Of pairs with an owner: where the other is, and the pull on the owner, [FGL03] Eq. 5-9 with d_min.
struct Pull {
    Particles j;
    V x, y, z;
};

// Four in a row of each list, from `at` on, become four rows: of all lists, or of as many as a vector holds from
// `first` on.
template <class T>
HWY_INLINE void transpose_four(const NearStrands::Eight<const T*>& from, std::size_t first, std::size_t at,
                               hn::Vec<hn::CappedTag<T, 8>> (&rows)[4]) {
    const hn::CappedTag<T, 8> d;
#if HWY_TARGET == HWY_SCALAR
    for (std::size_t k = 0; k < 4; ++k) rows[k] = hn::Set(d, from[first][at + k]);
#else
    const hn::FixedTag<T, 4> four;
    for (std::size_t k = 0; k < 4; ++k)
#if HWY_MAX_BYTES >= 32
        rows[k] = hn::Combine(d, hn::LoadU(four, from[k + 4] + at), hn::LoadU(four, from[k] + at));
#else
        rows[k] = hn::LoadU(four, from[first + k] + at);
#endif
    transpose(d, rows[0], rows[1], rows[2], rows[3]);
#endif
}

// The pieces at one place of all strands. Returns how many rows they have.
std::size_t weave_owners(const NearStrands::Eight<NearStrands::Strand>& strands, std::size_t place,
                         NearStrands::Owners& owners, NearStrands::Row* HWY_RESTRICT rows) {
    constexpr std::size_t width = NearStrands::width;
    NearStrands::Eight<const Index*> particle;
    NearStrands::Eight<const float*> distance;
    alignas(32) NearStrands::Eight<std::uint32_t> count;
    std::uint32_t most = 0;
    for (std::size_t lane = 0; lane < width; ++lane) {
        const NearStrands::Strand& strand = strands[lane];
        const bool is_over = place >= strand.pieces.size();
        const NearStrands::Piece piece = is_over ? NearStrands::Piece{strand.owner, 0, 0} : strand.pieces[place];
        owners.particle[lane] = piece.owner;
        particle[lane] = strand.particle + piece.begin;
        distance[lane] = strand.distance + piece.begin;
        count[lane] = piece.count;
        most = std::max(most, piece.count);
    }
    owners.rows = most;
    const Lanes d;
    const hn::RebindToUnsigned<Lanes> du;
    for (std::size_t first = 0; first < width; first += hn::Lanes(d)) {
        const auto own = hn::Load(du, &owners.particle[first]), counts = hn::Load(du, &count[first]);
        for (std::uint32_t row = 0; row < most; row += 4) {
            hn::Vec<decltype(du)> particles[4];
            V distances[4];
            transpose_four(particle, first, row, particles);
            transpose_four(distance, first, row, distances);
            for (std::uint32_t k = 0; k < 4; ++k) { // those behind the last are overwritten by the next owners'
                const auto is_there = hn::Lt(hn::Set(du, row + k), counts);
                hn::Store(hn::IfThenElse(is_there, particles[k], own), du, &rows[row + k].particle[first]);
                hn::Store(hn::IfThenElseZero(hn::RebindMask(d, is_there), distances[k]), d,
                          &rows[row + k].distance[first]);
            }
        }
    }
    return most;
}

std::size_t weave_strands(const NearStrands::Eight<NearStrands::Strand>& strands, std::size_t places,
                          NearStrands::Owners* HWY_RESTRICT owners, NearStrands::Row* HWY_RESTRICT rows) {
    std::size_t row_count = 0;
    for (std::size_t place = 0; place < places; ++place)
        row_count += weave_owners(strands, place, owners[place], rows + row_count);
    return row_count;
}

int separate_strands(const NearStrands& strands, Vec4* HWY_RESTRICT x) {
    constexpr float tiny = 1e-30f; // a denominator not above it: coincident particles or both held, nothing to do
    const Lanes d;
    const V zero = hn::Zero(d);
    std::size_t contacts = 0;
    const NearStrands::Row* first_row = strands.rows().data();
    for (const NearStrands::Owners& owners : strands.owners()) {
        for (std::size_t k = 0; k < owners.rows; ++k)
            for (const Index later : first_row[NearStrands::ahead + k].particle) hwy::Prefetch(x + later);
        for (std::size_t first = 0; first < NearStrands::width; first += hn::Lanes(d)) {
            const Particles i = load(x, &owners.particle[first]);
            Pull pulls[NearStrands::most];
            V all_x = zero, all_y = zero, all_z = zero, numerator = zero, squares = zero;
            std::size_t close = 0;
            for (std::size_t k = 0; k < owners.rows; ++k) {
                const NearStrands::Row& row = first_row[k];
                const Particles j = load(x, &row.particle[first]);
                const V dx = hn::Sub(j.x, i.x), dy = hn::Sub(j.y, i.y), dz = hn::Sub(j.z, i.z);
                const V squared = squared_length(dx, dy, dz), distance = hn::Load(d, &row.distance[first]);
                const auto is_close = hn::Lt(squared, hn::Mul(distance, distance));
                close += hn::CountTrue(d, is_close);
                const V now = hn::Sqrt(squared), both = hn::Add(i.w, j.w), denominator = hn::Mul(now, both);
                const V way = hn::IfThenElseZero(hn::And(is_close, hn::Gt(denominator, hn::Set(d, tiny))),
                                                 hn::Div(hn::Sub(now, distance), denominator));
                pulls[k] = {j, hn::Mul(way, dx), hn::Mul(way, dy), hn::Mul(way, dz)};
                all_x = hn::Add(all_x, pulls[k].x);
                all_y = hn::Add(all_y, pulls[k].y);
                all_z = hn::Add(all_z, pulls[k].z);
                const V square = hn::Mul(hn::Mul(way, way), squared);
                squares = hn::Add(squares, square);
                numerator = hn::Add(numerator, hn::Mul(square, both));
            }
            if (close == 0) continue;
            contacts += close;

            // How far to go on all of them together.
            const V excess = hn::Sub(squared_length(all_x, all_y, all_z), squares);
            const V denominator = hn::Add(numerator, hn::Mul(i.w, excess));
            const V part = hn::IfThenElseZero(hn::Gt(denominator, hn::Set(d, tiny)), hn::Div(numerator, denominator));
            for (std::size_t k = 0; k < owners.rows; ++k) {
                Pull& pull = pulls[k];
                const V scale = hn::Mul(part, pull.j.w);
                pull.j.x = hn::Sub(pull.j.x, hn::Mul(scale, pull.x));
                pull.j.y = hn::Sub(pull.j.y, hn::Mul(scale, pull.y));
                pull.j.z = hn::Sub(pull.j.z, hn::Mul(scale, pull.z));
                store(pull.j, x, &first_row[k].particle[first]);
            }
            // After the others: empty places have stored the owner where it was.
            const V scale = hn::Mul(part, i.w);
            const Particles moved = {hn::Add(i.x, hn::Mul(scale, all_x)), hn::Add(i.y, hn::Mul(scale, all_y)),
                                     hn::Add(i.z, hn::Mul(scale, all_z)), i.w};
            store(moved, x, &owners.particle[first]);
        }
        first_row += owners.rows;
    }
    return static_cast<int>(contacts);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(separate_strands);
HWY_EXPORT(weave_strands);

void NearList::grow(std::size_t more) {
    if (owner.size() < owners + 2) {
        owner.resize(std::bit_ceil(2 * (owners + 2)));
        begin.resize(owner.size() + 1);
    }
    if (particle.size() >= count + more + room) return;
    particle.resize(std::bit_ceil(2 * (count + more + room)));
    distance.resize(particle.size());
}

namespace {

// Of how many `most` are near, or one less or more, or two less or more, and so on.
using AtLeast = std::array<std::uint32_t, NearStrands::most>;

// The pieces of a list, sorted by their number, those with most first; in the order of the list where it is the same.
AtLeast sort_pieces(const NearList& list, std::vector<NearStrands::Piece>& pieces) {
    constexpr std::uint32_t most = NearStrands::most;
    AtLeast place = {}; // of the next with so many; in the end that of the first with less, or how many are before it
    const auto for_pieces = [&](auto&& use) {
        for (std::size_t k = 0; k < list.owners; ++k)
            for (std::uint32_t p = list.begin[k]; p < list.begin[k + 1]; p += most)
                use(NearStrands::Piece{list.owner[k], p, std::min(list.begin[k + 1] - p, most)});
    };
    for_pieces([&](const NearStrands::Piece& piece) { ++place[most - piece.count]; });
    std::uint32_t sum = 0;
    for (std::uint32_t& at : place) sum += std::exchange(at, sum);
    pieces.resize(sum);
    for_pieces([&](const NearStrands::Piece& piece) { pieces[place[most - piece.count]++] = piece; });
    return place;
}

} // namespace

void NearStrands::weave(std::span<const NearList* const> lists, Index sentinel) {
    assert(lists.size() <= width);
    static const NearList nothing = {.particle = std::vector<Index>(most + NearList::room),
                                     .distance = std::vector<float>(most + NearList::room)};
    Eight<Strand> strands;
    AtLeast longest = {}; // of the pieces at each place
    for (std::size_t lane = 0; lane < width; ++lane) {
        const bool is_there = lane < lists.size();
        const Index idle = is_there ? lists[lane]->idle : NearList::none;
        const NearList& list = is_there && lists[lane]->count > 0 ? *lists[lane] : nothing;
        std::vector<Piece>& pieces = pieces_[lane];
        const AtLeast at_least = sort_pieces(list, pieces);
        for (std::size_t less = 0; less < most; ++less) longest[less] = std::max(longest[less], at_least[less]);
        strands[lane] = {list.particle.data(), list.distance.data(), pieces, idle == NearList::none ? sentinel : idle};
    }
    const std::size_t places = longest.back(), rows = std::accumulate(longest.begin(), longest.end(), std::size_t{0});
    if (owners_.size() < places) owners_.resize(std::bit_ceil(places));
    owner_count_ = places;
    constexpr std::size_t behind = ahead + most;
    if (rows_.size() < rows + behind) rows_.resize(2 * (rows + behind));
    row_count_ = HWY_DYNAMIC_DISPATCH(weave_strands)(strands, places, owners_.data(), rows_.data());
}

int separate(const NearStrands& strands, std::span<Vec4> x) {
    return HWY_DYNAMIC_DISPATCH(separate_strands)(strands, x.data());
}

} // namespace taffeta
#endif
