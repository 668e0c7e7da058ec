#include "collision/grid.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/grid.cpp"
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

// By the bits of a mask: the lanes whose bits are set, in order. (The table behind the library's CompressStore is
// copied to the stack at every use by g++.)
struct LaneTable {
    std::array<std::array<std::uint8_t, 8>, 256> lanes = {};

    constexpr LaneTable() {
        for (unsigned bits = 0; bits < lanes.size(); ++bits) {
            std::size_t count = 0;
            for (unsigned lane = 0; lane < 8; ++lane)
                if ((bits >> lane & 1U) != 0) lanes[bits][count++] = static_cast<std::uint8_t>(lane);
        }
    }
};
inline constexpr LaneTable lane_table;

} // namespace taffeta
#endif

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

using Unsigned = hn::RebindToUnsigned<Lanes>;

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
    // The columns of a row that are within reach of one; where the row begins anew among them there are two runs.
    HWY_INLINE void add_row(const std::uint32_t* HWY_RESTRICT begin_of, std::uint32_t column, std::uint32_t columns) {
        const std::uint32_t first = (column - columns_of_reach) & (columns - 1);
        const std::uint32_t last = (column + columns_of_reach) & (columns - 1);
        if (HWY_LIKELY(first < last)) return add(begin_of[first], begin_of[last + 1]);
        add(begin_of[first], begin_of[columns]);
        add(begin_of[0], begin_of[last + 1]);
    }
};

// Stores the lanes of `v` whose bits are set one behind the other, and something behind them.
template <class D, class Vector>
HWY_INLINE void store_set(const D d, const Vector v, std::uint8_t bits, hn::TFromD<D>* HWY_RESTRICT to) {
    const hn::Rebind<std::uint8_t, D> bytes;
    const auto lanes = hn::PromoteTo(Unsigned(), hn::LoadU(bytes, lane_table.lanes[bits].data()));
    hn::StoreU(hn::TableLookupLanes(v, hn::IndicesFromVec(d, lanes)), d, to);
}

// One particle to be compared with others, and what is found near it.
template <bool one_piece>
struct Seeker {
    HWY_INLINE Seeker(const Sorted& sorted, float reach_of_search)
        : x(sorted.x.data()), y(sorted.y.data()), z(sorted.z.data()), rest_x(sorted.rest_x.data()),
          rest_y(sorted.rest_y.data()), rest_z(sorted.rest_z.data()), radius(sorted.radius.data()),
          piece(sorted.piece.data()), particle(sorted.particle.data()), reach(hn::Set(d, reach_of_search)) {}

    // The particle to compare with.
    HWY_INLINE void take(std::uint32_t i) {
        here = {hn::Set(d, x[i]), hn::Set(d, y[i]), hn::Set(d, z[i])};
        rest = {hn::Set(d, rest_x[i]), hn::Set(d, rest_y[i]), hn::Set(d, rest_z[i])};
        own_radius = hn::Set(d, radius[i]);
        if constexpr (!one_piece) own_piece = hn::Set(d, piece[i]);
    }

    // Appends those of [j, end), but not more than a vector of them, that are near it and no neighbours of it.
    HWY_INLINE void compare(std::uint32_t j, std::uint32_t end) {
        const V squared = squared_length(hn::Sub(here.x, hn::LoadU(d, x + j)), hn::Sub(here.y, hn::LoadU(d, y + j)),
                                         hn::Sub(here.z, hn::LoadU(d, z + j)));
        const V rest_squared =
            squared_length(hn::Sub(rest.x, hn::LoadU(d, rest_x + j)), hn::Sub(rest.y, hn::LoadU(d, rest_y + j)),
                           hn::Sub(rest.z, hn::LoadU(d, rest_z + j)));
        const V sum = hn::Add(own_radius, hn::LoadU(d, radius + j));
        const V reached = hn::Mul(reach, sum), reached_squared = hn::Mul(reached, reached);
        // A pair exactly at the reach must be a neighbour once and for all: hence the excess.
        const V neighbours_squared = hn::Mul(reached_squared, hn::Set(d, 1.0001f));
        const auto is_close = hn::Lt(squared, reached_squared);
        auto is_stranger = hn::Gt(rest_squared, neighbours_squared);
        if constexpr (!one_piece) is_stranger = hn::Or(is_stranger, hn::Ne(own_piece, hn::LoadU(d, piece + j)));
        std::uint8_t bits[8] = {};
        hn::StoreMaskBits(d, hn::And(hn::And(is_close, is_stranger), hn::FirstN(d, end - j)), bits);
        store_set(Unsigned(), hn::LoadU(Unsigned(), particle + j), bits[0], near + found);
        store_set(d, sum, bits[0], distance + found);
        found += static_cast<std::size_t>(std::popcount(bits[0]));
    }

    const Lanes d = {};
    const float *HWY_RESTRICT x, *HWY_RESTRICT y, *HWY_RESTRICT z;
    const float *HWY_RESTRICT rest_x, *HWY_RESTRICT rest_y, *HWY_RESTRICT rest_z;
    const float *HWY_RESTRICT radius, *HWY_RESTRICT piece;
    const Index* HWY_RESTRICT particle;
    const V reach;
    struct Place {
        V x, y, z;
    };
    Place here = {}, rest = {};
    V own_radius = {}, own_piece = {};

    Index* HWY_RESTRICT near = nullptr;
    float* HWY_RESTRICT distance = nullptr;
    std::size_t found = 0;
};

template <bool one_piece>
void search(const Cells& cells, const Sorted& sorted, float reach, std::uint32_t slab, NearList& out) {
    const Lanes d;
    const auto lanes = static_cast<std::uint32_t>(hn::Lanes(d));
    const std::uint32_t columns = cells.columns, rows = cells.rows, next_slab = slab + 1 < cells.slabs ? slab + 1 : 0;
    const std::uint32_t* here = sorted.begin.data() + std::size_t{slab} * (cells.in_slab() + 1);
    const std::uint32_t* next = sorted.begin.data() + std::size_t{next_slab} * (cells.in_slab() + 1);
    const std::uint32_t end = here[cells.in_slab()];
    Seeker<one_piece> seeker(sorted, reach);
    Runs runs;
    std::size_t most = 0; // that can be found
    std::uint32_t own_end = 0;
    out.clear();
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
            if (rows > 1) {
                runs.add_row(here + above * columns, column_above, columns);
                runs.add_row(next + below * columns, column_below, columns);
                runs.add_row(next + above * columns, column_above, columns);
            }
            most = own_end - i;
            for (std::size_t k = 0; k < runs.count; ++k) most += runs.run[k].end - runs.run[k].begin;
        }

        out.make_room(most);
        seeker.near = out.particle.data();
        seeker.distance = out.distance.data();
        seeker.found = out.count;
        seeker.take(i);
        for (std::uint32_t j = i + 1; j < own_end; j += lanes) seeker.compare(j, own_end);
        for (std::size_t k = 0; k < runs.count; ++k)
            for (std::uint32_t j = runs.run[k].begin; j < runs.run[k].end; j += lanes)
                seeker.compare(j, runs.run[k].end);
        out.add_owner(sorted.particle[i], seeker.found);
    }
}

void search_slab(const Cells& cells, const Sorted& sorted, float reach, bool is_one_piece, std::uint32_t slab,
                 NearList& out) {
    if (is_one_piece) return search<true>(cells, sorted, reach, slab, out);
    search<false>(cells, sorted, reach, slab, out);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(search_slab);

namespace {

constexpr std::size_t chunk_size = 16384; // members; some 50 us of work
constexpr std::size_t slab_grain = 4;
constexpr std::uint32_t most_slabs = 512;
constexpr std::size_t most_cells_per_particle = 8;
constexpr std::uint32_t thin = 8; // slabs' thickness; cloth not thicker than that has one row

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
           std::span<const Index> piece, float reach)
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
        array->resize(room);
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
    const float width = std::max(2 * reach_ * largest_radius_ * 1.00001f + 1e-6f * farthest, 1e-6f * longest);
    cells_.per_metre[slab_axis] = cells_.per_metre[row_axis] = 1 / width;
    cells_.per_metre[column_axis] = columns_of_reach / width;
    const auto count = [&](int axis) { return number_of(high[axis], low[axis], cells_.per_metre[axis]) + 1; };
    // An even number of slabs, for every second is worked on at once; enough rows and columns that those within reach
    // are in different places.
    constexpr std::uint32_t least_slabs = 4, least_rows = 4, least_columns = 8;
    cells_.slabs = std::clamp((count(slab_axis) + 1) / 2 * 2, least_slabs, most_slabs);
    cells_.columns = std::bit_ceil(std::max(count(column_axis), least_columns));
    cells_.rows = count(row_axis) <= thin ? 1 : std::bit_ceil(count(row_axis));
    const std::size_t most_cells = most_cells_per_particle * members_.size() / cells_.slabs;
    while (std::size_t{cells_.rows} * cells_.columns > most_cells) {
        if (cells_.columns > least_columns && cells_.columns >= cells_.rows)
            cells_.columns /= 2;
        else if (cells_.rows > least_rows)
            cells_.rows /= 2;
        else
            break;
    }
    static_assert(thin >= least_rows);
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
        for (std::size_t k = begin; k < end; ++k) {
            const Index p = members_[k];
            by_slab_[place[slab_of_[k]]++] = {{x[p].x, x[p].y, x[p].z}, p, still_[p]};
        }
    });
}

void Grid::sort_slab(std::uint32_t slab) {
    const std::uint32_t first = begin_of_slab_[slab], last = begin_of_slab_[slab + 1];
    const std::uint32_t rows = cells_.rows, columns = cells_.columns, in_slab = cells_.in_slab();
    std::uint32_t* begin = sorted_.begin.data() + std::size_t{slab} * (in_slab + 1);
    std::fill(begin, begin + in_slab + 1, 0U);
    const int column_axis = cells_.axis[1], row_axis = cells_.axis[2];
    const float column_low = cells_.low[column_axis], columns_per_metre = cells_.per_metre[column_axis];
    const float row_low = cells_.low[row_axis], rows_per_metre = cells_.per_metre[row_axis];
    const Entry* HWY_RESTRICT entries = by_slab_.data();
    std::uint32_t* HWY_RESTRICT cell_of = cell_of_.data();
    for (std::uint32_t k = first; k < last; ++k) {
        const auto& at = entries[k].at;
        const std::uint32_t row =
            rows == 1 ? 0 : number_of(at[static_cast<std::size_t>(row_axis)], row_low, rows_per_metre);
        const std::uint32_t column =
            number_of(at[static_cast<std::size_t>(column_axis)], column_low, columns_per_metre) + shift_of_rows * row;
        cell_of[k] = (row & (rows - 1)) * columns + (column & (columns - 1));
        ++begin[cell_of[k]];
    }
    // Numbers become ends, and going backwards ends become begins.
    std::uint32_t sum = first;
    for (std::uint32_t cell = 0; cell < in_slab; ++cell) sum = begin[cell] += sum;
    begin[in_slab] = last;
    float *HWY_RESTRICT x = sorted_.x.data(), *HWY_RESTRICT y = sorted_.y.data(), *HWY_RESTRICT z = sorted_.z.data();
    float *HWY_RESTRICT rest_x = sorted_.rest_x.data(), *HWY_RESTRICT rest_y = sorted_.rest_y.data();
    float *HWY_RESTRICT rest_z = sorted_.rest_z.data(), *HWY_RESTRICT radius = sorted_.radius.data();
    Index* HWY_RESTRICT particle = sorted_.particle.data();
    std::uint32_t* HWY_RESTRICT cell = sorted_.cell.data();
    for (std::uint32_t k = last; k-- > first;) {
        const Entry& entry = entries[k];
        const std::uint32_t to = --begin[cell_of[k]];
        x[to] = entry.at[0], y[to] = entry.at[1], z[to] = entry.at[2];
        rest_x[to] = entry.still.x, rest_y[to] = entry.still.y, rest_z[to] = entry.still.z;
        radius[to] = entry.still.w;
        particle[to] = entry.particle;
        cell[to] = cell_of[k];
    }
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
    for_slabs([&](std::uint32_t slab) { sort_slab(slab); });
    const auto search = HWY_DYNAMIC_DISPATCH(search_slab);
    for_slabs([&](std::uint32_t slab) { search(cells_, sorted_, reach_, is_one_piece_, slab, lists_[slab]); });
    weave(parallel);
}

// Lists of about the same length side by side, so that the shorter ones do not leave places empty. Those without a
// pair come last: only one of the strands has lanes without a list, and no two threads write to the sentinel.
void Grid::weave(const Parallel& parallel) {
    constexpr std::size_t width = NearStrands::width;
    const std::size_t half = cells_.slabs / 2, strands = (half + width - 1) / width;
    for (std::size_t side = 0; side < 2; ++side) {
        std::vector<std::uint32_t>& order = order_[side];
        order.clear();
        for (auto slab = static_cast<std::uint32_t>(side); slab < cells_.slabs; slab += 2) order.push_back(slab);
        std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return lists_[a].count != lists_[b].count ? lists_[a].count > lists_[b].count : a < b;
        });
        if (strands_[side].size() < strands) strands_[side].resize(strands);
    }
    strand_count_ = strands;
    parallel.for_uneven_pieces(2 * strands, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) {
            const std::vector<std::uint32_t>& order = order_[k / strands];
            std::array<const NearList*, width> lists = {};
            std::size_t count = 0;
            for (std::size_t place = k % strands * width; place < order.size() && count < width; ++place)
                lists[count++] = &lists_[order[place]];
            strands_[k / strands][k % strands].weave(std::span(lists).first(count), sentinel_);
        }
    });
}

} // namespace taffeta
#endif
