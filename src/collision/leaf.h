// Eight particles against eight: the innermost test of the self-collision search.
#pragma once

#include <taffeta/math.h>

#include <array>
#include <cstdint>

namespace taffeta {

// The particles of one leaf of a hierarchy by coordinate, so that a comparison of one with eight is one of vectors.
// Empty places hold no numbers (NaN) and are close to nothing.
struct alignas(64) Leaf {
    static constexpr std::size_t size = 8;
    std::array<float, size> x, y, z; // m
    std::array<float, size> radius;  // m, half the distance to be kept
};

// Where the particles of a leaf lie in the rest shape of their piece of cloth (m), and the number of the piece.
struct alignas(64) RestLeaf {
    std::array<float, Leaf::size> x, y, z, piece;
};

// Bit 8 k + l is set if particle k of `a` is closer to particle l of `b` than reach * (radius_k + radius_l).
// Gives the same answer on every instruction set, as does the next.
std::uint64_t find_close(const Leaf& a, const Leaf& b, float reach);

// Of neighbours the same bit is set: of one piece, and not farther apart than that in its rest shape.
std::uint64_t find_neighbours(const RestLeaf& rest_a, const RestLeaf& rest_b, const Leaf& a, const Leaf& b,
                              float reach);

} // namespace taffeta
