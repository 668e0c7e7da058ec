// Length limits: the whole inner life of cloth in the method of [FGL03]. A pair of particles may be neither closer than
// `shortest` nor farther than `longest`; between the two it is left alone.
//
//   shortest     longest
//   ----|----------|---->  distance       edges:   min_stretch * l .. max_stretch * l
//   push    rest    pull                  bending: bend_limit * l .. infinity
#pragma once

#include "core/state.h"
#include "mesh/partition.h"

#include <array>
#include <cstddef>
#include <functional>
#include <limits>
#include <span>
#include <vector>

namespace taffeta {

struct Limit {
    Index i = 0, j = 0;
    float shortest = 0;                                     // m
    float longest = std::numeric_limits<float>::infinity(); // m
};

// Eight groups of up to three limits without a common particle: the unit of work of the kernel, read with one
// vector load per field. The limits of a group are the sides of a triangle and share its particles, so that
// each particle is loaded and stored once for two limits; they are projected one after the other. Places without a
// particle name the sentinel, or in a cloth of several parts a particle that the row leaves alone, and move nothing.
struct alignas(32) LimitBlock {
    static constexpr std::size_t size = 8, sides = 3;
    std::array<std::array<Index, size>, sides> particle;

    // Side s joins the particles s and s + 1, the last one the particles 2 and 0.
    Index first(std::size_t side, std::size_t lane) const { return particle[side][lane]; }
    Index second(std::size_t side, std::size_t lane) const { return particle[(side + 1) % sides][lane]; }
};
// The shortest or the longest distances of a block in m, by side. Places without a limit have one that moves nothing.
struct alignas(32) LimitLengths {
    static constexpr float no_shortest = -std::numeric_limits<float>::infinity();
    static constexpr float no_longest = std::numeric_limits<float>::infinity();
    std::array<std::array<float, LimitBlock::size>, LimitBlock::sides> of_side;
};

// Which ends of limits are kept. Gently: by a twentieth of the distance at most, so that limits that cannot all hold do
// not take turns in winning.
enum class LimitMode { both, shortest, longest, longest_relaxed };

// Blocks to be projected one after the other.
struct LimitRun {
    std::span<const LimitBlock> blocks;
    const LimitLengths* shortest = nullptr; // by block; none: nothing is pushed
    const LimitLengths* longest = nullptr;  // by block; none: nothing is pulled
};

// Limits in the order of a sweep. A large cloth is divided into parts (mesh/partition.h); the limits within each part
// come first, part after part, and then those that join parts. Each is made of runs, and a run of rows: the blocks
// of a row share no particle, so that the kernel works on them together.
struct Limits {
    static constexpr std::size_t row = 6; // blocks; a run may end with fewer

    LimitMode keep = LimitMode::both;
    std::vector<LimitBlock> blocks = {};
    std::vector<LimitLengths> shortest = {}, longest = {}; // by block; empty where that end is not kept
    std::vector<std::size_t> run_begin = {0};              // in blocks; one more than there are runs
    std::vector<std::size_t> partition_begin = {
        0};                // in runs; one more than there are parts, behind the last come joints
    std::size_t count = 0; // of limits, without the filling

    std::size_t runs() const { return run_begin.size() - 1; }
    std::size_t parts() const { return partition_begin.size() - 1; }
    LimitRun run(std::size_t k) const;

    // Calls change(limit) for all limits in the order in which one sweep projects them, and keeps what it returns; the
    // particles of a limit must stay.
    void change_all(const std::function<Limit(const Limit&)>& change);
    std::vector<Limit> in_order() const;
};

// What comes after what within a part.
//   colours: runs of limits no two of which share a particle. A sweep hands a correction on by a few particles, to all
//            sides alike.
//   lane_sequential: one run, in which 48 stretches of the cloth are each gone through from particle to particle, side
//   by side.
//            A correction travels along a whole stretch in one sweep, but one way only, so that a single sweep per
//            substep can feed the cloth energy.
enum class SweepOrder { colours, lane_sequential };

struct Packing {
    SweepOrder arrangement = SweepOrder::colours;
    LimitMode keep = LimitMode::both; // the other end of limits is not even stored
    // Where each range of particles begins that is a part, and the end of the last; none: halves of all, and of those.
    std::vector<Index> partition_begin = {};
};

// Groups, divides, arranges and packs. `sentinel` is the index of a held particle behind those of the limits.
Limits make_limits(std::span<const Limit> limits, Index sentinel, const Packing& packing = {});

// With the colours given, and without parts: limits of one list move no particle twice.
Limits pack_limits(std::span<const std::vector<Limit>> by_colour, Index sentinel, LimitMode keep);

// Moves both particles of each limit, by mass, along their line until the distance is within the limit [FGL03] Eq. 5-9.
// Only ends that the run has are kept, whatever `keep` asks for. Gives the same bits on every instruction set.
void project_limits(const LimitRun& run, std::span<Vec4> x, LimitMode keep = LimitMode::both);

// By block: the greatest of its distances over their longest.
void measure_stretch(const LimitRun& run, std::span<const Vec4> x, std::span<float> stretch);
// Projects the distances above `times` their longest to that, gently, in some blocks of a run, by their place in it.
void project_longer(const LimitRun& run, std::span<const Index> blocks, float times, std::span<Vec4> x);

} // namespace taffeta
