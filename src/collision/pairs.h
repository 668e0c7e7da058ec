// Pairs of particles that may be too close, and their arrangement in blocks of eight for separate().
#pragma once

#include "core/state.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

struct ClosePair {
    Index i = 0, j = 0;
    float distance = 0; // m, to be kept: radius_i + radius_j

    bool operator==(const ClosePair&) const = default;
};

// The pairs between two regions of cloth, or within one. Groups of one round share no region.
struct PairGroup {
    std::uint32_t round = 0;
    std::vector<ClosePair> pairs = {};
};

// Eight pairs that share no particle. Places without a pair come last and name the sentinel particle twice.
struct alignas(32) PairBlock {
    static constexpr std::size_t size = 8;
    std::array<Index, size> i, j;
    std::array<float, size> distance; // m
};
static_assert(sizeof(PairBlock) == 96);

// Sorts pairs into blocks. Keeps its memory between uses, so that a step does not allocate.
class PairPacker {
public:
    explicit PairPacker(Index particles = 0) : sentinel_(particles), marks_(particles) {}

    void begin(); // before the groups of a new search
    // Replaces `blocks` by those of the group's pairs. Two groups may be packed at once if they are of one round.
    void pack(const PairGroup& group, std::vector<PairBlock>& blocks);

private:
    // In which blocks of a batch of 32 a particle is; bits of another batch say nothing.
    struct Mark {
        std::uint32_t batch = 0, blocks = 0;
    };
    Index sentinel_ = 0;
    std::vector<Mark> marks_;
};

// Moves each pair that is closer than its distance apart, by mass, block after block. Returns how many were.
// Gives the same bits on every instruction set.
int separate(std::span<const PairBlock> blocks, std::span<Vec4> x);

} // namespace taffeta
