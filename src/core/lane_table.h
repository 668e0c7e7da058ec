// By the bits of a mask: the lanes whose bits are set, in order. For storing these lanes of a vector one behind the
// other. (The table behind the library's CompressStore is copied to the stack at every use by g++.)
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace taffeta {

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
