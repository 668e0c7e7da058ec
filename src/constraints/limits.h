// Length limits: the whole inner life of cloth in the method of [FGL03]. A pair of particles may be neither closer than
// `shortest` nor farther than `longest`; between the two it is left alone.
//
//   shortest     longest
//   ----|----------|---->  distance       edges:   min_stretch * l .. max_stretch * l
//   push    rest    pull                  bending: bend_limit * l .. infinity
#pragma once

#include "core/state.h"

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace taffeta {

struct Limit {
    Index i = 0, j = 0;
    float shortest = 0;                                     // m
    float longest = std::numeric_limits<float>::infinity(); // m
};

// Eight groups of up to three limits, of one colour: the unit of work of the kernel, read in one stream and with one
// vector load per field. The limits of a group are the sides of a triangle and share its particles, so that each
// particle is loaded and stored once for two limits; they are projected one after the other. Places without a particle
// name the sentinel, places without a limit have no shortest length, and both move nothing.
struct alignas(32) LimitBlock {
    static constexpr std::size_t size = 8, sides = 3;
    static constexpr float no_limit = -std::numeric_limits<float>::infinity();
    std::array<std::array<Index, size>, sides> particle;
    std::array<std::array<float, size>, sides> shortest, longest; // m, by side

    // Side s joins the particles s and s + 1, the last one the particles 2 and 0.
    Index first(std::size_t side, std::size_t lane) const { return particle[side][lane]; }
    Index second(std::size_t side, std::size_t lane) const { return particle[(side + 1) % sides][lane]; }
    bool has_limit(std::size_t side, std::size_t lane) const { return shortest[side][lane] != no_limit; }
};
static_assert(sizeof(LimitBlock) == 288);

// Limits in the order of a sweep. A large cloth is divided into parts of neighbouring particles; the limits within each
// part come first, part after part, and then those that join parts. Both are sorted by colour; within a colour they
// keep the order given.
struct Limits {
    std::vector<LimitBlock> blocks;
    std::vector<std::size_t> colour_begin = {0}; // in blocks; one more than there are colours
    std::vector<std::size_t> part_begin = {0}; // in colours; one more than there are parts, behind the last come joints
    std::size_t count = 0;                     // of limits, without the filling

    std::size_t colours() const { return colour_begin.size() - 1; }
    std::size_t parts() const { return part_begin.size() - 1; }
    std::span<const LimitBlock> blocks_of_colour(std::size_t colour) const {
        return std::span(blocks).subspan(colour_begin[colour], colour_begin[colour + 1] - colour_begin[colour]);
    }
    // The limits in the order in which one sweep projects them.
    std::vector<Limit> in_order() const;
};

// Groups, divides, colours and packs. `sentinel` is the index of a held particle behind all others.
Limits make_limits(std::span<const Limit> limits, Index sentinel);

// With the colours given, and without parts: limits of one list move no particle twice.
Limits pack_limits(std::span<const std::vector<Limit>> by_colour, Index sentinel);

// Moves both particles of each limit, by mass, along their line until the distance is within the limit [FGL03] Eq. 5-9.
// The blocks must be of one colour. Gives the same bits on every instruction set.
void project_limits(std::span<const LimitBlock> blocks, std::span<Vec4> x);

} // namespace taffeta
