#include "solvers/position.h"

namespace taffeta {
namespace {

template <class Visit>
void for_each(std::size_t begin, std::size_t end, Direction direction, const Visit& visit) {
    for (std::size_t k = begin; k < end; ++k) visit(direction == Direction::forth ? k : begin + end - 1 - k);
}

} // namespace

void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x, Direction direction) {
    // Parts share no particle: one thread takes a part through all its colours, some 50 us of work.
    const auto sweep_parts = [&] {
        parallel.for_pieces(limits.parts(), 1, [&](std::size_t from, std::size_t to) {
            for_each(limits.part_begin[from], limits.part_begin[to], direction,
                     [&](std::size_t colour) { project_limits(limits.blocks_of_colour(colour), x); });
        });
    };
    const auto sweep_joints = [&] {
        constexpr std::size_t grain = 128; // blocks: some 2 us of work, twice what it costs to share them out
        for_each(limits.part_begin.back(), limits.colours(), direction, [&](std::size_t colour) {
            const std::span<const LimitBlock> blocks = limits.blocks_of_colour(colour);
            parallel.for_pieces(blocks.size(), grain, [&](std::size_t from, std::size_t to) {
                project_limits(blocks.subspan(from, to - from), x);
            });
        });
    };
    if (direction == Direction::back) sweep_joints();
    sweep_parts();
    if (direction == Direction::forth) sweep_joints();
}

} // namespace taffeta
