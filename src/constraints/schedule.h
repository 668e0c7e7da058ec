// In which order the elements of a sweep come, eight at a time: those of one block share no particle, so that a vector
// takes them together, and those of different parts share none either, so that threads take the parts side by side.
#pragma once

#include "constraints/limits.h"
#include "mesh/colouring.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace taffeta {

struct Schedule {
    static constexpr std::size_t lanes = 8;
    static constexpr Index none = ~Index{0};
    struct Block {
        std::array<Index, lanes> element; // `none` in lanes without one
        Index filling = 0;                // what those lanes may read and write unchanged: a particle that is no one's
    };

    std::vector<Block> blocks = {};
    // In blocks; one more than there are parts. Behind the last part come the elements that join parts, which are done
    // on one thread.
    std::vector<std::size_t> partition_begin = {0};
};

// `particles` of each element; `partition_begin` as in mesh/partition.h; `sentinel` is a particle that no element has.
// With colours elements come colour after colour; with lane_sequential 16 lanes each go along their own stretch of the
// cloth. Depends on the order of the elements, so that it should be that of the particles.
Schedule make_schedule(const VertexSets& particles, std::span<const Index> partition_begin, Index sentinel,
                       SweepOrder arrangement);

} // namespace taffeta
