// Lists of particles that may be too close to another, and how they are moved apart.
#pragma once

#include "core/state.h"

#include <cstddef>
#include <span>
#include <vector>

namespace taffeta {

// Blocks of up to eight particles near one other, their owner. Places without a particle come last, name the owner and
// keep no distance. An owner with more neighbours has several blocks in a row.
struct NearList {
    static constexpr std::size_t block = 8;
    static constexpr std::size_t ahead = 4; // blocks behind the last that may be read: separate() fetches beforehand

    std::size_t blocks = 0;        // in use; the vectors are longer and never shrink, so that a step does not allocate
    std::vector<Index> owner = {}; // by block
    std::vector<Index> particle = {}; // by block and place
    std::vector<float> distance = {}; // m, to be kept; likewise

    // For so many blocks more than are in use.
    void make_room(std::size_t count) {
        if (owner.size() < blocks + count + ahead) grow(count);
    }
    // Calls use(owner, particle, distance) for all pairs.
    template <class Use>
    void for_pairs(Use&& use) const {
        for (std::size_t k = 0; k < block * blocks; ++k)
            if (particle[k] != owner[k / block]) use(owner[k / block], particle[k], distance[k]);
    }

private:
    void grow(std::size_t count);
};

// Moves each pair that is closer than its distance apart, by mass, block after block. A pair alone in its block goes
// all its way [FGL03] Eq. 5-9. Of several all go the same part of theirs, the one that brings them nearest to their
// distances: pulls in one direction share the way, those at right angles do not disturb each other. In formulas: with
// the ways s_k n_k for unit inverse masses, lengths s_k and directions n_k, the part is
//
//     sum s_k^2 (w + w_k)  /  ( sum s_k^2 w_k + w |sum s_k n_k|^2 )
//
// the exact line search of a step of Jacobi's method. Returns how many pairs were too close. Gives the same bits on
// every instruction set.
int separate(const NearList& list, std::span<Vec4> x);

} // namespace taffeta
