#include "solvers/position/sweep.h"

namespace taffeta {
namespace {

constexpr std::size_t block_grain = 256; // of work without order

// The parts side by side, then the blocks that join them.
template <class Elements, class Project>
void sweep_parts(const Elements& elements, const Parallel& parallel, Project&& project) {
    const std::vector<std::size_t>& begin = elements.part_begin;
    parallel.for_pieces(begin.size() - 1, 1, [&](std::size_t from, std::size_t to) {
        project(BlockRange{begin[from], begin[to]});
    });
    project(BlockRange{begin.back(), elements.blocks.size()});
}

} // namespace

void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x, Keep keep) {
    // Parts share no particle: one thread takes a part through all its runs.
    parallel.for_pieces(limits.parts(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = limits.part_begin[from]; k < limits.part_begin[to]; ++k)
            project_limits(limits.run(k), x, keep);
    });
    for (std::size_t k = limits.part_begin.back(); k < limits.runs(); ++k) // joints: of large cloth a fiftieth of all
        project_limits(limits.run(k), x, keep);
}

void sweep(Stretch& stretch, const Parallel& parallel, float h, std::span<Vec4> x) {
    sweep_parts(stretch, parallel, [&](BlockRange range) { project_stretch(stretch, range, h, x); });
}

void sweep(Bend& bend, const Parallel& parallel, float h, std::span<Vec4> x) {
    sweep_parts(bend, parallel, [&](BlockRange range) { project_bend(bend, range, h, x); });
}

void begin(Stretch& stretch, const Parallel& parallel, std::span<const Vec4> x) {
    parallel.for_pieces(stretch.blocks.size(), block_grain, [&](std::size_t from, std::size_t to) {
        begin_stretch(stretch, {from, to}, x);
    });
}

void begin(Bend& bend, const Parallel& parallel, std::span<const Vec4> x) {
    parallel.for_pieces(bend.blocks.size(), block_grain, [&](std::size_t from, std::size_t to) {
        begin_bend(bend, {from, to}, x);
    });
}

} // namespace taffeta
