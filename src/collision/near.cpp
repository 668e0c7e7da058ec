#include "collision/near.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/near.cpp"
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

void NearList::grow(std::size_t more) {
    if (owner.size() < owners + 2) {
        owner.resize(std::bit_ceil(2 * (owners + 2)));
        begin.resize(owner.size() + 1);
    }
    if (particle.size() >= count + more + room) return;
    particle.resize(std::bit_ceil(2 * (count + more + room)));
    distance.resize(particle.size());
}

void NearStrands::weave(std::span<const NearList* const> lists, Index sentinel) {
    assert(lists.size() <= width);
    owner_count_ = row_count_ = 0;
    std::size_t longest = 0;
    for (std::size_t lane = 0; lane < width; ++lane) {
        std::vector<Piece>& pieces = pieces_[lane];
        pieces.clear();
        if (lane >= lists.size()) continue;
        const NearList& list = *lists[lane];
        // Sorted by their number, those with most first; in the order of the list where it is the same.
        std::array<std::uint32_t, most + 1> place = {};
        const auto for_pieces = [&](auto&& use) {
            for (std::size_t k = 0; k < list.owners; ++k)
                for (std::uint32_t p = list.begin[k]; p < list.begin[k + 1]; p += most)
                    use(Piece{list.owner[k], p, std::min<std::uint32_t>(list.begin[k + 1] - p, most)});
        };
        for_pieces([&](const Piece& piece) { ++place[most - piece.count]; });
        std::uint32_t sum = 0;
        for (std::uint32_t& at : place) sum += std::exchange(at, sum);
        pieces.resize(sum);
        for_pieces([&](const Piece& piece) { pieces[place[most - piece.count]++] = piece; });
        longest = std::max(longest, pieces.size());
    }
    if (owners_.size() < longest) owners_.resize(std::bit_ceil(longest));
    owner_count_ = longest;
    for (std::size_t k = 0; k < longest; ++k) {
        Owners& owners = owners_[k];
        owners.rows = 0;
        for (std::size_t lane = 0; lane < width; ++lane)
            if (k < pieces_[lane].size()) owners.rows = std::max(owners.rows, pieces_[lane][k].count);
        if (rows_.size() < row_count_ + owners.rows + most + ahead)
            rows_.resize(2 * (row_count_ + owners.rows + most + ahead));
        for (std::size_t lane = 0; lane < width; ++lane) {
            const std::vector<Piece>& pieces = pieces_[lane];
            Piece piece = {pieces.empty() ? sentinel : pieces[0].owner, 0, 0};
            if (k < pieces.size()) piece = pieces[k];
            owners.particle[lane] = piece.owner;
            Row* const rows = rows_.data() + row_count_;
            for (std::uint32_t p = 0; p < piece.count; ++p) {
                rows[p].particle[lane] = lists[lane]->particle[piece.begin + p];
                rows[p].distance[lane] = lists[lane]->distance[piece.begin + p];
            }
            for (std::uint32_t p = piece.count; p < owners.rows; ++p) {
                rows[p].particle[lane] = piece.owner;
                rows[p].distance[lane] = 0;
            }
        }
        row_count_ += owners.rows;
    }
}

int separate(const NearStrands& strands, std::span<Vec4> x) {
    return HWY_DYNAMIC_DISPATCH(separate_strands)(strands, x.data());
}

} // namespace taffeta
#endif
