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

// Eight groups of up to three limits without a common particle: the unit of work of the kernel, read in one stream and
// with one vector load per field. The limits of a group are the sides of a triangle and share its particles, so that
// each particle is loaded and stored once for two limits; they are projected one after the other. Places without a
// particle name the sentinel, or in a cloth of several parts a particle that the row leaves alone; places without a
// limit have no shortest length; both move nothing.
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
// part come first, part after part, and then those that join parts. Each is made of runs, and a run of rows: the blocks
// of a row share no particle, so that the kernel works on them together.
struct Limits {
    static constexpr std::size_t row = 3; // blocks; a run may end with fewer

    std::vector<LimitBlock> blocks;
    std::vector<std::size_t> run_begin = {0};  // in blocks; one more than there are runs
    std::vector<std::size_t> part_begin = {0}; // in runs; one more than there are parts, behind the last come joints
    std::size_t count = 0;                     // of limits, without the filling

    std::size_t runs() const { return run_begin.size() - 1; }
    std::size_t parts() const { return part_begin.size() - 1; }
    std::span<const LimitBlock> run(std::size_t k) const {
        return std::span(blocks).subspan(run_begin[k], run_begin[k + 1] - run_begin[k]);
    }
    // The limits in the order in which one sweep projects them.
    std::vector<Limit> in_order() const;
};

// What comes after what within a part.
//   colours: runs of limits no two of which share a particle. A sweep hands a correction on by a few particles, to all
//            sides alike.
//   strands: one run, in which 24 stretches of the cloth are each gone through from particle to particle, side by side.
//            A correction travels along a whole stretch in one sweep, but one way only, so that a single sweep per
//            substep can feed the cloth energy.
enum class Arrangement { colours, strands };

// Groups, divides, arranges and packs. `sentinel` is the index of a held particle behind those of the limits.
Limits make_limits(std::span<const Limit> limits, Index sentinel, Arrangement arrangement = Arrangement::colours);

// With the colours given, and without parts: limits of one list move no particle twice.
Limits pack_limits(std::span<const std::vector<Limit>> by_colour, Index sentinel);

// Which end of a limit is kept.
enum class Keep { both, longest };

// Moves both particles of each limit, by mass, along their line until the distance is within the limit [FGL03] Eq. 5-9.
// The blocks must be rows of one run. Gives the same bits on every instruction set.
void project_limits(std::span<const LimitBlock> blocks, std::span<Vec4> x, Keep keep = Keep::both);

} // namespace taffeta
