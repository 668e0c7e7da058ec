// Eight particles against eight: the innermost test of the self-collision search.
#pragma once

#include <taffeta/math.h>

#include <array>
#include <cstdint>

namespace taffeta {

// The particles of one leaf of a hierarchy by coordinate, so that a comparison of one with eight is one of vectors.
struct alignas(64) Leaf {
    static constexpr std::size_t size = 8;
    std::array<float, size> x, y, z; // m; empty places: not a number, close to nothing
    std::array<float, size> radius;  // m
    // Where they lie in the rest shape of their piece of cloth (m), and the number of the piece.
    std::array<float, size> rest_x, rest_y, rest_z, piece;
    std::array<Index, size> particle;
};

// Bit 8 k + l is set if particle k of `a` is closer to particle l of `b` than reach * (radius_k + radius_l), unless they
// are neighbours: of one piece, and not farther apart than that in its rest shape.
// Gives the same answer on every instruction set.
std::uint64_t close_particles(const Leaf& a, const Leaf& b, float reach);

} // namespace taffeta
