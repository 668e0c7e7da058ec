// A grid of cells over particles, for finding those that come close.
//
// Guarantee: find_near() finds every pair closer than reach.near * (radius_i + radius_j), once, whatever the shape of
// the cloth; brute force is the oracle in the tests. What it finds, and in which order, depends on x alone, not on the
// number of threads nor on the instruction set.
//
// A slab is as thick as the farthest reach, and so is a row; a column is half as wide. Slabs follow each other along
// the longest side of the cloth, columns along the next, rows along the shortest; cloth that is nowhere thick, or
// spread wide, has one row. Particles are sorted by slab, in it by row, and in that by column: then neighbouring
// columns of a row are one run of particles, which a kernel compares with one particle eight or sixteen at a time. Each
// particle looks at half of what is around it, the other half looks at it:
//
//                  row -1          row 0           row +1
//    this slab                        o > >      < < < > >     o  the particle, and those behind it in its cell
//    next slab   < < < > >        < < < > >      < < < > >
//
// So particles near those of one slab are in it or in the next, and every second slab can be worked on at once.
//
// Memory is bounded, however far the cloth spreads: where there are more slabs, rows or columns than places for them,
// they are counted around as on a clock. Cells that share a place cost comparisons and nothing else.
#pragma once

#include "collision/broad_phase/particle_pairs.h"
#include "core/parallel.h"
#include "core/state.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

// Where the cells of a search are.
struct Cells {
    std::array<int, 3> axis = {0, 1, 2}; // of slabs, columns, rows
    Vec3 low = {};                       // m, the corner of the first
    Vec3 per_metre = {};                 // slabs, columns or rows along each axis of space
    std::uint32_t slabs = 0, columns = 0, rows = 0;

    std::uint32_t in_slab() const { return rows * columns; }
};

// Particles in the order of their cells, by coordinate. Behind the last there is room for a vector.
struct Sorted {
    std::vector<float> x = {}, y = {}, z = {};                // m
    std::vector<float> rest_x = {}, rest_y = {}, rest_z = {}; // m
    std::vector<float> radius = {};                           // m
    std::vector<float> piece = {};                            // number; unused where all are of one
    std::vector<Index> particle = {};
    std::vector<std::uint32_t> cell = {};  // in its slab
    std::vector<std::uint32_t> begin = {}; // of each cell of each slab; one more in each slab, the end of its last
};

// In distances that two particles keep.
struct Reach {
    float near = 1;       // how far a search looks; >= 1
    float neighbours = 1; // closer in the rest shape: neighbours, which need not keep their distance; >= near
};

class Grid {
public:
    Grid() = default;
    // Over the particles named by `members`; `rest` are their places on the cutting table and `radius` half the
    // distance they keep, in m, both by particle. Only particles of one `piece` are neighbours.
    Grid(std::span<const Index> members, std::span<const Vec3> rest, std::span<const float> radius,
         std::span<const Index> piece, const Reach& reach);

    void find_near(std::span<const Vec4> x, const Parallel& parallel);
    // What the last search has found, by slab: an even number of lists, each of which shares particles with the one
    // before and the one after it only (the last is before the first).
    std::span<const NearList> near() const { return std::span(lists_).first(cells_.slabs); }
    // The same for separate(): of every second slab, from slab 0 or 1 on, in strands that share no particle.
    std::span<const NearStrands> strands(std::size_t side) const {
        return std::span(strands_[side]).first(strand_count_);
    }

private:
    void choose_cells(std::span<const Vec4> x, const Parallel& parallel);
    void sort_into_slabs(std::span<const Vec4> x, const Parallel& parallel);
    void sort_slab(std::span<const Vec4> x, std::uint32_t slab);
    void search_and_weave(const Parallel& parallel);

    std::vector<Index> members_ = {};
    Index sentinel_ = 0;
    std::vector<Vec4> still_ = {};  // by particle: m, its place in the rest shape and its radius
    std::vector<float> piece_ = {}; // by particle
    Reach reach_;
    float largest_radius_ = 0; // m
    bool is_one_piece_ = true;

    // Of the last search.
    Cells cells_;
    std::vector<std::array<Vec3, 2>> bounds_ = {};  // m, by chunk of members
    std::vector<std::uint16_t> slab_of_ = {};       // by member
    std::vector<std::uint32_t> slab_counts_ = {};   // by chunk of members and slab
    std::vector<std::uint32_t> begin_of_slab_ = {}; // one more: the end of the last
    std::vector<Index> by_slab_ = {};               // members
    std::vector<std::uint32_t> cell_of_ = {};       // of those
    Sorted sorted_;
    std::vector<NearList> lists_ = {};                     // by slab
    std::array<std::vector<std::uint32_t>, 2> order_ = {}; // every second; of those close by, most members first
    std::array<std::vector<NearStrands>, 2> strands_ = {}; // of these
    std::size_t strand_count_ = 0;
};

} // namespace taffeta
