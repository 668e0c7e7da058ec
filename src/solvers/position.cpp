#include "solvers/position.h"

namespace taffeta {

void sweep_colour(const Limits& limits, std::size_t colour, const Parallel& parallel, std::span<Vec4> x) {
    // 256 blocks are some 4 us of work, four times what it costs to share them out.
    constexpr std::size_t grain = 256;
    const std::size_t begin = limits.colour_begin[colour], end = limits.colour_begin[colour + 1];
    const auto blocks = std::span(limits.blocks).subspan(begin, end - begin);
    parallel.for_pieces(blocks.size(), grain,
                        [&](std::size_t from, std::size_t to) { project_limits(blocks.subspan(from, to - from), x); });
}

void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x) {
    for (std::size_t colour = 0; colour < limits.colours(); ++colour) sweep_colour(limits, colour, parallel, x);
}

} // namespace taffeta
