// Lists of particles that may be too close to each other, and how they are moved apart.
#pragma once

#include "core/state.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

// Particles and what is near each of them: those of owner k are from begin[k] to begin[k + 1].
struct NearList {
    static constexpr std::size_t room = 24; // behind the last, where a search may write and weaving read

    static constexpr Index none = ~Index{0};

    Index idle = none; // a particle that the lists beside it leave alone; stands where it has no owner
    // In use; the vectors are longer and never shrink, so that a step does not allocate.
    std::size_t owners = 0, count = 0;
    std::vector<Index> owner = {};
    std::vector<std::uint32_t> begin = {0};
    std::vector<Index> particle = {};
    std::vector<float> distance = {}; // m, to be kept

    void clear() { owners = count = 0; }
    // For one owner more, and so many particles near it.
    void make_room(std::size_t more) {
        if (owner.size() < owners + 2 || particle.size() < count + more + room) grow(more);
    }
    // Whatever was written behind the last, up to `new_count`, is near it; nothing may be.
    void add_owner(Index particle_number, std::size_t new_count) {
        owner[owners] = particle_number;
        owners += new_count > count ? 1 : 0;
        count = new_count;
        begin[owners] = static_cast<std::uint32_t>(count);
    }
    // Calls use(owner, particle, distance) for all pairs.
    template <class Use>
    void for_pairs(Use&& use) const {
        for (std::size_t k = 0; k < owners; ++k)
            for (std::uint32_t p = begin[k]; p < begin[k + 1]; ++p) use(owner[k], particle[p], distance[p]);
    }

private:
    void grow(std::size_t more);
};

// Eight lists side by side that have no particle in common: a vector takes an owner of each, and then one by one what
// is near them. Owners of a list follow each other by how many are near them, so that those side by side have about as
// many:
//
//               owner   near it            owner   near it
//     list 0      0      1  2  3  4          5      6  7  8  ..
//     list 1     20     21 22 23  -         24     25 26 27
//      ..
//
// Empty places name the owner and keep no distance; where there is no owner, an idle particle.
class NearStrands {
public:
    static constexpr std::size_t width = 8;
    static constexpr std::size_t most = 16; // near one owner; if more are, it comes again

    template <class T>
    using Eight = std::array<T, width>;
    struct alignas(32) Owners {
        Eight<Index> particle = {};
        std::uint32_t rows = 0; // that are near them
    };
    struct alignas(32) Row {
        Eight<Index> particle = {};
        Eight<float> distance = {}; // m
    };

    // `sentinel` is a particle that no list has, for those without an idle one.
    void weave(std::span<const NearList* const> lists, Index sentinel);

    std::span<const Owners> owners() const { return std::span(owners_).first(owner_count_); }
    // Of all owners; separate() fetches what is so many rows ahead, and there is that much behind the last.
    static constexpr std::size_t ahead = 4;
    std::span<const Row> rows() const { return std::span(rows_).first(row_count_); }

    // An owner, or a part of what is near it.
    struct Piece {
        Index owner = 0;
        std::uint32_t begin = 0, count = 0;
    };
    // The pieces of a list that lie side by side with those of others.
    struct Strand {
        const Index* particle = nullptr; // of its list
        const float* distance = nullptr;
        std::span<const Piece> pieces = {};
        Index owner = 0; // that stands in empty places
    };

private:
    std::size_t owner_count_ = 0, row_count_ = 0; // in use, as above
    std::vector<Owners> owners_ = {};
    std::vector<Row> rows_ = {};
    std::array<std::vector<Piece>, width> pieces_ = {};
};

// Moves particles that are closer than their distance apart, by mass, owner after owner. A pair alone goes all its way
// [FGL03] Eq. 5-9. Of several of one owner all go the same part of theirs, the one that brings them nearest to their
// distances: pulls in one direction share the way, those at right angles do not disturb each other. In formulas: with
// the ways s_k n_k for unit inverse masses, lengths s_k and directions n_k, the part is
//
//     sum s_k^2 (w + w_k)  /  ( sum s_k^2 w_k + w |sum s_k n_k|^2 )
//
// the exact line search of a step of Jacobi's method. Returns how many pairs were too close. Gives the same bits on
// every instruction set.
int separate(const NearStrands& strands, std::span<Vec4> x);

} // namespace taffeta
