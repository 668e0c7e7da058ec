#include "collision/broad_phase/particle_grid.h"

#include "core/lane_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/broad_phase/particle_grid.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "core/particles-inl.h"

#ifndef TAFFETA_COLLISION_GRID_ONCE
#define TAFFETA_COLLISION_GRID_ONCE
namespace taffeta {

// Each row begins so many columns later than the one below, so that cells which share a place are seldom those of one
// piece of cloth.
constexpr std::uint32_t shift_of_rows = 37;
constexpr std::uint32_t columns_of_reach = 2;

} // namespace taffeta
#endif

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// Processors with vectors of sixteen compress them by themselves.
constexpr bool compresses = hn::MaxLanes(Many()) == 16;
using ManyUnsigned = hn::RebindToUnsigned<Many>;
using M = hn::Vec<Many>;

// Runs of sorted particles.
struct Runs {
    struct Run {
        std::uint32_t begin, end;
    };
    std::array<Run, 9> run;
    std::size_t count = 0;

    HWY_INLINE void add(std::uint32_t begin, std::uint32_t end) {
        run[count] = {begin, end};
        count += static_cast<std::size_t>(begin < end);
    }
    HWY_INLINE std::size_t size() const {
        std::size_t sum = 0;
        for (std::size_t k = 0; k < count; ++k) sum += run[k].end - run[k].begin;
        return sum;
    }
    // The columns of a row that are within reach of one; where the row begins anew among them there are two runs.
    HWY_INLINE void add_row(const std::uint32_t* HWY_RESTRICT begin_of, std::uint32_t column, std::uint32_t columns) {
        const std::uint32_t first = (column - columns_of_reach) & (columns - 1);
        const std::uint32_t last = (column + columns_of_reach) & (columns - 1);
        if (HWY_LIKELY(first < last)) return add(begin_of[first], begin_of[last + 1]);
        add(begin_of[first], begin_of[columns]);
        add(begin_of[0], begin_of[last + 1]);
    }
};

// Where particles [first, last) of the order are, and where they lie in the rest shape. Slabs are copied at the same
// time, so nothing may be written behind the last.
void copy_sorted(const Vec4* HWY_RESTRICT x, const Vec4* HWY_RESTRICT still, std::size_t first, std::size_t last,
                 Sorted& sorted) {
    const Lanes d;
    const Index* HWY_RESTRICT particle = sorted.particle.data();
    std::size_t k = first;
    for (; k + hn::Lanes(d) <= last; k += hn::Lanes(d)) {
        const Particles at = load(x, particle + k), rest = load(still, particle + k);
        hn::StoreU(at.x, d, &sorted.x[k]);
        hn::StoreU(at.y, d, &sorted.y[k]);
        hn::StoreU(at.z, d, &sorted.z[k]);
        hn::StoreU(rest.x, d, &sorted.rest_x[k]);
        hn::StoreU(rest.y, d, &sorted.rest_y[k]);
        hn::StoreU(rest.z, d, &sorted.rest_z[k]);
        hn::StoreU(rest.w, d, &sorted.radius[k]);
    }
    for (; k < last; ++k) {
        const Vec4 &at = x[particle[k]], &rest = still[particle[k]];
        sorted.x[k] = at.x, sorted.y[k] = at.y, sorted.z[k] = at.z;
        sorted.rest_x[k] = rest.x, sorted.rest_y[k] = rest.y, sorted.rest_z[k] = rest.z;
        sorted.radius[k] = rest.w;
    }
}

// Stores the lanes of `v` that are set one behind the other, and something behind them. Returns how many.
template <class D, class Mask>
HWY_INLINE std::size_t store_set(const D d, const Mask set, const hn::Vec<D> v, hn::TFromD<D>* HWY_RESTRICT to) {
    if constexpr (compresses) {
        hn::StoreU(hn::Compress(v, set), d, to);
        return hn::CountTrue(d, set);
    } else {
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, set, bits);
        const hn::Rebind<std::uint8_t, D> bytes;
        const auto lanes = hn::PromoteTo(ManyUnsigned(), hn::LoadU(bytes, lane_table.lanes[bits[0]].data()));
        hn::StoreU(hn::TableLookupLanes(v, hn::IndicesFromVec(d, lanes)), d, to);
        return static_cast<std::size_t>(std::popcount(bits[0]));
    }
}

// One particle to be compared with others, and what is found near it.
template <bool one_piece>
struct Seeker {
    HWY_INLINE Seeker(const Sorted& sorted, const Reach& reach)
        : x(sorted.x.data()), y(sorted.y.data()), z(sorted.z.data()), rest_x(sorted.rest_x.data()),
          rest_y(sorted.rest_y.data()), rest_z(sorted.rest_z.data()), radius(sorted.radius.data()),
          piece(sorted.piece.data()), particle(sorted.particle.data()),
          squared_reach(hn::Set(d, reach.near * reach.near)),
          // A pair exactly at the limit must be a neighbour once and for all: hence the excess.
          squared_neighbours(hn::Set(d, reach.neighbours * reach.neighbours * 1.0001f)) {}

    // The particle to compare with; what is near it goes behind the last of the list.
    HWY_INLINE void take(std::uint32_t i, NearList& list) {
        here = {hn::Set(d, x[i]), hn::Set(d, y[i]), hn::Set(d, z[i])};
        rest = {hn::Set(d, rest_x[i]), hn::Set(d, rest_y[i]), hn::Set(d, rest_z[i])};
        own_radius = hn::Set(d, radius[i]);
        if constexpr (!one_piece) own_piece = hn::Set(d, piece[i]);
        near = list.particle.data();
        distance = list.distance.data();
        found = list.count;
    }

    // Appends those of a vector, from j on, that are near it and no neighbours of it, if they are `allowed`.
    template <class... Allowed>
    HWY_INLINE void compare(std::uint32_t j, const Allowed... allowed) {
        const M squared = squared_length(hn::Sub(here.x, hn::LoadU(d, x + j)), hn::Sub(here.y, hn::LoadU(d, y + j)),
                                         hn::Sub(here.z, hn::LoadU(d, z + j)));
        const M rest_squared =
            squared_length(hn::Sub(rest.x, hn::LoadU(d, rest_x + j)), hn::Sub(rest.y, hn::LoadU(d, rest_y + j)),
                           hn::Sub(rest.z, hn::LoadU(d, rest_z + j)));
        const M sum = hn::Add(own_radius, hn::LoadU(d, radius + j)), squared_sum = hn::Mul(sum, sum);
        auto is_near = hn::Lt(squared, hn::Mul(squared_reach, squared_sum));
        auto is_stranger = hn::Gt(rest_squared, hn::Mul(squared_neighbours, squared_sum));
        if constexpr (!one_piece) is_stranger = hn::Or(is_stranger, hn::Ne(own_piece, hn::LoadU(d, piece + j)));
        is_near = hn::And(is_near, is_stranger);
        ((is_near = hn::And(is_near, allowed)), ...);
        store_set(ManyUnsigned(), hn::RebindMask(ManyUnsigned(), is_near), hn::LoadU(ManyUnsigned(), particle + j),
                  near + found);
        found += store_set(d, is_near, sum, distance + found);
    }
    // A run of particles.
    HWY_INLINE void compare_run(std::uint32_t j, std::uint32_t end) {
        for (; j < end; j += lanes) compare(j, hn::FirstN(d, end - j));
    }
    // The same, where those behind it are out of reach up to `end_of_slab`. Most runs have one vector or none: then
    // that need not be found out.
    HWY_INLINE void compare_run_in_row(std::uint32_t j, std::uint32_t end, std::uint32_t end_of_slab) {
        if (HWY_UNLIKELY(end + lanes > end_of_slab)) return compare_run(j, end);
        do {
            compare(j);
            j += lanes;
        } while (j < end);
    }

    static constexpr auto lanes = static_cast<std::uint32_t>(hn::MaxLanes(Many()));
    const Many d = {};
    const float *HWY_RESTRICT x, *HWY_RESTRICT y, *HWY_RESTRICT z;
    const float *HWY_RESTRICT rest_x, *HWY_RESTRICT rest_y, *HWY_RESTRICT rest_z;
    const float *HWY_RESTRICT radius, *HWY_RESTRICT piece;
    const Index* HWY_RESTRICT particle;
    const M squared_reach, squared_neighbours;
    struct Place {
        M x, y, z;
    };
    Place here = {}, rest = {};
    M own_radius = {}, own_piece = {};

    Index* HWY_RESTRICT near = nullptr;
    float* HWY_RESTRICT distance = nullptr;
    std::size_t found = 0;
};

// Where the cells of a slab and of the one after it begin.
struct SlabPair {
    const std::uint32_t *HWY_RESTRICT here, *HWY_RESTRICT next;
};

// One row of cells: two runs for nearly all particles. What lies behind a run in its slab has a column beyond it, out
// of reach, unless the run goes on where the row begins anew.
template <bool one_piece>
void search_row(const Cells& cells, const Sorted& sorted, const Reach& reach, const SlabPair& slabs, NearList& out) {
    const std::uint32_t columns = cells.columns;
    const std::uint32_t *here = slabs.here, *next = slabs.next;
    const std::uint32_t end = here[columns];
    Seeker<one_piece> seeker(sorted, reach);
    for (std::uint32_t i = here[0]; i < end; ++i) {
        const std::uint32_t column = sorted.cell[i];
        const std::uint32_t own_end = here[std::min(column + columns_of_reach + 1, columns)];
        if (HWY_LIKELY(column >= columns_of_reach && column + columns_of_reach < columns)) {
            const std::uint32_t from = next[column - columns_of_reach], to = next[column + columns_of_reach + 1];
            out.make_room(own_end - i + to - from);
            seeker.take(i, out);
            seeker.compare_run_in_row(i + 1, own_end, end);
            seeker.compare_run_in_row(from, to, next[columns]);
        } else {
            Runs runs;
            runs.add(i + 1, own_end);
            if (column + columns_of_reach >= columns) runs.add(here[0], here[column + columns_of_reach + 1 - columns]);
            runs.add_row(next, column, columns);
            out.make_room(runs.size());
            seeker.take(i, out);
            for (std::size_t k = 0; k < runs.count; ++k) seeker.compare_run(runs.run[k].begin, runs.run[k].end);
        }
        out.add_owner(sorted.particle[i], seeker.found);
    }
}

template <bool one_piece>
void search_rows(const Cells& cells, const Sorted& sorted, const Reach& reach, const SlabPair& slabs, NearList& out) {
    const std::uint32_t columns = cells.columns, rows = cells.rows;
    const std::uint32_t *here = slabs.here, *next = slabs.next;
    const std::uint32_t end = here[cells.in_slab()];
    Seeker<one_piece> seeker(sorted, reach);
    Runs runs;
    std::size_t most = 0; // that can be found
    std::uint32_t own_end = 0;
    for (std::uint32_t i = here[0], last_cell = ~0U; i < end; ++i) {
        if (const std::uint32_t cell = sorted.cell[i]; cell != last_cell) {
            last_cell = cell;
            const std::uint32_t column = cell & (columns - 1), row = cell / columns;
            const std::uint32_t above = (row + 1) & (rows - 1), below = (row - 1) & (rows - 1);
            const std::uint32_t column_above = (column + shift_of_rows) & (columns - 1);
            const std::uint32_t column_below = (column - shift_of_rows) & (columns - 1);
            const std::uint32_t* begin_of = here + row * columns;
            runs.count = 0;
            own_end = begin_of[std::min(column + columns_of_reach + 1, columns)];
            if (column + columns_of_reach >= columns)
                runs.add(begin_of[0], begin_of[column + columns_of_reach + 1 - columns]);
            runs.add_row(next + row * columns, column, columns);
            runs.add_row(here + above * columns, column_above, columns);
            runs.add_row(next + below * columns, column_below, columns);
            runs.add_row(next + above * columns, column_above, columns);
            most = own_end - i + runs.size();
        }

        out.make_room(most);
        seeker.take(i, out);
        seeker.compare_run(i + 1, own_end);
        for (std::size_t k = 0; k < runs.count; ++k) seeker.compare_run(runs.run[k].begin, runs.run[k].end);
        out.add_owner(sorted.particle[i], seeker.found);
    }
}

template <bool one_piece>
void search(const Cells& cells, const Sorted& sorted, const Reach& reach, const SlabPair& slabs, NearList& out) {
    out.clear();
    if (cells.rows == 1) return search_row<one_piece>(cells, sorted, reach, slabs, out);
    search_rows<one_piece>(cells, sorted, reach, slabs, out);
}

void search_slab(const Cells& cells, const Sorted& sorted, const Reach& reach, bool is_one_piece, std::uint32_t slab,
                 NearList& out) {
    const std::uint32_t next_slab = slab + 1 < cells.slabs ? slab + 1 : 0;
    const std::uint32_t* begin = sorted.begin.data();
    const SlabPair slabs = {begin + std::size_t{slab} * (cells.in_slab() + 1),
                            begin + std::size_t{next_slab} * (cells.in_slab() + 1)};
    if (is_one_piece) return search<true>(cells, sorted, reach, slabs, out);
    search<false>(cells, sorted, reach, slabs, out);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(copy_sorted);
HWY_EXPORT(search_slab);

namespace {

constexpr std::size_t chunk_size = 8192; // members; some 20 us of work
constexpr std::size_t slab_grain = 4;
constexpr std::uint32_t most_slabs = 512;
constexpr std::size_t most_cells_per_particle = 8;
constexpr std::uint32_t thin = 8; // slabs' thickness

std::size_t chunk_count(std::size_t members) {
    return (members + chunk_size - 1) / chunk_size;
}

// Calls body(chunk, begin, end) for all chunks of members.
template <class Body>
void for_chunks(const Parallel& parallel, std::size_t members, Body&& body) {
    parallel.for_pieces(chunk_count(members), 1, [&](std::size_t first, std::size_t last) {
        for (std::size_t chunk = first; chunk < last; ++chunk)
            body(chunk, chunk * chunk_size, std::min((chunk + 1) * chunk_size, members));
    });
}

// The number of the slab, column or row that a coordinate is in.
std::uint32_t number_of(float coordinate, float low, float per_metre) {
    const float number = (coordinate - low) * per_metre;
    return number > 0 && number < 1e7f ? static_cast<std::uint32_t>(number) : 0; // above, it is not a finite one
}

} // namespace

Grid::Grid(std::span<const Index> members, std::span<const Vec3> rest, std::span<const float> radius,
           std::span<const Index> piece, const Reach& reach)
    : members_(members.begin(), members.end()), sentinel_(static_cast<Index>(rest.size())), reach_(reach) {
    if (members.empty()) return;
    still_.reserve(rest.size());
    piece_.reserve(rest.size());
    for (std::size_t p = 0; p < rest.size(); ++p) {
        still_.push_back({rest[p].x, rest[p].y, rest[p].z, radius[p]});
        piece_.push_back(static_cast<float>(piece[p]));
    }
    for (const Index p : members) {
        largest_radius_ = std::max(largest_radius_, radius[p]);
        is_one_piece_ = is_one_piece_ && piece[p] == piece[members.front()];
    }
    const std::size_t chunks = chunk_count(members.size()), room = members.size() + NearList::room;
    bounds_.resize(chunks);
    slab_counts_.resize(chunks * most_slabs);
    slab_of_.resize(members.size());
    by_slab_.resize(members.size());
    cell_of_.resize(members.size());
    begin_of_slab_.resize(most_slabs + 1);
    for (auto* array : {&sorted_.x, &sorted_.y, &sorted_.z, &sorted_.rest_x, &sorted_.rest_y, &sorted_.rest_z,
                        &sorted_.radius, &sorted_.piece})
        array->resize(room, 1e30f); // behind the last: out of reach
    sorted_.particle.resize(room);
    sorted_.cell.resize(room);
}

void Grid::choose_cells(std::span<const Vec4> x, const Parallel& parallel) {
    for_chunks(parallel, members_.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        Vec3 low = x[members_[begin]].xyz(), high = low;
        for (std::size_t k = begin; k < end; ++k) {
            const Vec4& p = x[members_[k]];
            low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
            high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
        }
        bounds_[chunk] = {low, high};
    });
    Vec3 low = bounds_[0][0], high = bounds_[0][1];
    float farthest = 0, longest = 0;
    for (int axis = 0; axis < 3; ++axis) {
        for (const auto& bounds : bounds_) {
            low[axis] = std::min(low[axis], bounds[0][axis]);
            high[axis] = std::max(high[axis], bounds[1][axis]);
        }
        farthest = std::max({farthest, std::abs(low[axis]), std::abs(high[axis])});
        longest = std::max(longest, high[axis] - low[axis]);
    }
    const Vec3 side = high - low;
    cells_.low = low;
    cells_.axis = {0, 1, 2};
    std::sort(cells_.axis.begin(), cells_.axis.end(),
              [&](int a, int b) { return side[a] != side[b] ? side[a] > side[b] : a < b; });
    const auto [slab_axis, column_axis, row_axis] = cells_.axis;

    // Far from the origin numbers are rounded: cells are wider by that much, so that no pair is lost. And a million of
    // them along a side is plenty.
    const float width = std::max(2 * reach_.near * largest_radius_ * 1.00001f + 1e-6f * farthest, 1e-6f * longest);
    cells_.per_metre[slab_axis] = cells_.per_metre[row_axis] = 1 / width;
    cells_.per_metre[column_axis] = columns_of_reach / width;
    const auto count = [&](int axis) { return number_of(high[axis], low[axis], cells_.per_metre[axis]) + 1; };
    // An even number of slabs, for every second is worked on at once; enough rows and columns that those within reach
    // are in different places.
    constexpr std::uint32_t least_slabs = 4, least_rows = 4, least_columns = 8;
    cells_.slabs = std::clamp((count(slab_axis) + 1) / 2 * 2, least_slabs, most_slabs);
    cells_.columns = std::bit_ceil(std::max(count(column_axis), least_columns));
    // One row where cloth is thin, or spread so wide that hardly anything lies behind anything: longer runs, but fewer.
    const std::size_t in_row = std::size_t{cells_.slabs} * count(column_axis);
    const bool has_one_row = count(row_axis) <= thin || members_.size() <= in_row;
    cells_.rows = has_one_row ? 1 : std::bit_ceil(count(row_axis));
    const std::size_t most_cells = most_cells_per_particle * members_.size() / cells_.slabs;
    while (std::size_t{cells_.rows} * cells_.columns > most_cells) {
        if (cells_.columns > least_columns && cells_.columns >= cells_.rows)
            cells_.columns /= 2;
        else if (cells_.rows > least_rows)
            cells_.rows /= 2;
        else
            break;
    }
}

void Grid::sort_into_slabs(std::span<const Vec4> x, const Parallel& parallel) {
    const std::uint32_t slabs = cells_.slabs;
    const int axis = cells_.axis[0];
    for_chunks(parallel, members_.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::uint32_t* count = slab_counts_.data() + chunk * most_slabs;
        std::fill(count, count + slabs, 0U);
        for (std::size_t k = begin; k < end; ++k) {
            std::uint32_t slab = number_of(x[members_[k]].xyz()[axis], cells_.low[axis], cells_.per_metre[axis]);
            if (slab >= slabs) slab %= slabs;
            slab_of_[k] = static_cast<std::uint16_t>(slab);
            ++count[slab];
        }
    });
    // The numbers of each chunk in each slab become the places of the first of them.
    std::uint32_t sum = 0;
    for (std::uint32_t slab = 0; slab < slabs; ++slab) {
        begin_of_slab_[slab] = sum;
        for (std::size_t chunk = 0; chunk < bounds_.size(); ++chunk) {
            const std::uint32_t place = sum;
            sum += slab_counts_[chunk * most_slabs + slab];
            slab_counts_[chunk * most_slabs + slab] = place;
        }
    }
    begin_of_slab_[slabs] = sum;
    for_chunks(parallel, members_.size(), [&](std::size_t chunk, std::size_t begin, std::size_t end) {
        std::uint32_t* place = slab_counts_.data() + chunk * most_slabs;
        for (std::size_t k = begin; k < end; ++k) by_slab_[place[slab_of_[k]]++] = members_[k];
    });
}

void Grid::sort_slab(std::span<const Vec4> x, std::uint32_t slab) {
    const std::uint32_t first = begin_of_slab_[slab], last = begin_of_slab_[slab + 1];
    const std::uint32_t rows = cells_.rows, columns = cells_.columns, in_slab = cells_.in_slab();
    std::uint32_t* begin = sorted_.begin.data() + std::size_t{slab} * (in_slab + 1);
    std::fill(begin, begin + in_slab + 1, 0U);
    const int column_axis = cells_.axis[1], row_axis = cells_.axis[2];
    const float column_low = cells_.low[column_axis], columns_per_metre = cells_.per_metre[column_axis];
    const float row_low = cells_.low[row_axis], rows_per_metre = cells_.per_metre[row_axis];
    const Index* HWY_RESTRICT members = by_slab_.data();
    std::uint32_t* HWY_RESTRICT cell_of = cell_of_.data();
    for (std::uint32_t k = first; k < last; ++k) {
        const Vec3 at = x[members[k]].xyz();
        const std::uint32_t row = rows == 1 ? 0 : number_of(at[row_axis], row_low, rows_per_metre);
        const std::uint32_t column = number_of(at[column_axis], column_low, columns_per_metre) + shift_of_rows * row;
        cell_of[k] = (row & (rows - 1)) * columns + (column & (columns - 1));
        ++begin[cell_of[k]];
    }
    // Numbers become ends, and going backwards ends become begins.
    std::uint32_t sum = first;
    for (std::uint32_t cell = 0; cell < in_slab; ++cell) sum = begin[cell] += sum;
    begin[in_slab] = last;
    Index* HWY_RESTRICT particle = sorted_.particle.data();
    std::uint32_t* HWY_RESTRICT cell = sorted_.cell.data();
    for (std::uint32_t k = last; k-- > first;) {
        const std::uint32_t to = --begin[cell_of[k]];
        particle[to] = members[k];
        cell[to] = cell_of[k];
    }
    HWY_DYNAMIC_DISPATCH(copy_sorted)(x.data(), still_.data(), first, last, sorted_);
    if (!is_one_piece_)
        for (std::uint32_t k = first; k < last; ++k) sorted_.piece[k] = piece_[particle[k]];
}

void Grid::find_near(std::span<const Vec4> x, const Parallel& parallel) {
    if (!(largest_radius_ > 0)) return;
    choose_cells(x, parallel);
    sort_into_slabs(x, parallel);
    const auto for_slabs = [&](auto&& body) {
        parallel.for_uneven_pieces(cells_.slabs, slab_grain, [&](std::size_t begin, std::size_t end) {
            for (std::size_t slab = begin; slab < end; ++slab) body(static_cast<std::uint32_t>(slab));
        });
    };
    const std::size_t table = std::size_t{cells_.slabs} * (cells_.in_slab() + 1);
    if (sorted_.begin.size() < table) sorted_.begin.resize(std::bit_ceil(table));
    if (lists_.size() < cells_.slabs) lists_.resize(cells_.slabs);
    for_slabs([&](std::uint32_t slab) { sort_slab(x, slab); });
    search_and_weave(parallel);
}

// Slabs that are not far from each other and have about as many particles, and so about as many pairs, side by side:
// the shorter lists leave few places empty, and threads that begin at different ends keep out of each other's caches.
// Slabs without particles come last: only one of the strands has them beside others, and no two threads write to the
// sentinel.
void Grid::search_and_weave(const Parallel& parallel) {
    constexpr std::size_t width = NearStrands::width;
    constexpr std::ptrdiff_t close_by = 4 * width; // slabs
    const auto members_in = [&](std::uint32_t slab) { return begin_of_slab_[slab + 1] - begin_of_slab_[slab]; };
    const auto has_more = [&](std::uint32_t a, std::uint32_t b) {
        return members_in(a) != members_in(b) ? members_in(a) > members_in(b) : a < b;
    };
    strand_count_ = (cells_.slabs / 2 + width - 1) / width;
    for (std::size_t side = 0; side < 2; ++side) {
        std::vector<std::uint32_t>& order = order_[side];
        order.clear();
        const auto add = [&](bool has_members) {
            for (auto slab = static_cast<std::uint32_t>(side); slab < cells_.slabs; slab += 2)
                if ((members_in(slab) > 0) == has_members) order.push_back(slab);
        };
        add(true);
        const auto filled = static_cast<std::ptrdiff_t>(order.size());
        add(false);
        for (std::ptrdiff_t begin = 0; begin < filled; begin += close_by) {
            const auto from = order.begin() + begin, to = from + std::min(close_by, filled - begin);
            std::sort(from, to, has_more);
        }
        if (strands_[side].size() < strand_count_) strands_[side].resize(strand_count_);
    }
    const auto search = HWY_DYNAMIC_DISPATCH(search_slab);
    parallel.for_uneven_pieces(2 * strand_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const std::size_t side = k % 2, strand = k / 2;
            const std::vector<std::uint32_t>& order = order_[side];
            std::array<const NearList*, width> lists = {};
            std::size_t count = 0;
            for (std::size_t place = strand * width; place < order.size() && count < width; ++place) {
                NearList& list = lists_[order[place]];
                search(cells_, sorted_, reach_, is_one_piece_, order[place], list);
                list.idle = members_in(order[place]) > 0 ? sorted_.particle[begin_of_slab_[order[place]]] : sentinel_;
                lists[count++] = &list;
            }
            strands_[side][strand].weave(std::span(lists).first(count), sentinel_);
        }
    });
}

} // namespace taffeta
#endif
