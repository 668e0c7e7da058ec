// Contacts: vertices and faces, edges and edges, particles and bodies, that keep a distance and rub on each other.
//
// A contact is made where the parts are close at the beginning of a substep, while they are still on the side they
// belong to. Its normal n and the weights w of its particles stay for the substep, so that it is one inequality that is
// linear in the positions, with friction across it:
//
//     n . sum_i w_i x_i >= d          vertex and face: w = 1, -b0, -b1, -b2      edges: w = 1-s, s, t-1, -t
//                                     particle and body: w = 1, 0, 0, 0, with d from the origin of the world
#pragma once

#include "collision/colliders/bodies.h"
#include "core/parallel.h"
#include "core/state.h"

#include <taffeta/mesh.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

struct Contact {
    std::array<Index, 4> particle = {};
    std::array<float, 4> weight = {};
    Vec3 normal = {};   // unit
    float distance = 0; // m, to be kept
    float friction = 0; // Coulomb's coefficient
    Vec3 carried = {};  // m, the way of a body there in this substep
    float push = 0;     // m, how far the parts have been set apart in this substep
    Vec3 rub = {};      // m, what friction has done to their sliding
};

// Sets the parts of all contacts apart that are too close, one after the other, and takes from their sliding since the
// substep began what friction does: all of it below its limit, the way they were set apart times the coefficient.
// Returns how many were too close.
int separate(std::span<Contact> contacts, std::span<const Vec4> x_prev, std::span<Vec4> x);

// Eight contacts of up to n particles.
template <std::size_t n>
struct alignas(64) ContactBlock {
    static constexpr std::size_t size = 8;
    template <class T>
    using Eight = std::array<T, size>;

    std::array<Eight<Index>, n> particle = {}; // of empty places: the sentinel
    std::array<Eight<float>, n> weight = {};
    std::array<Eight<float>, 3> normal = {}, carried = {}, rub = {};
    Eight<float> distance = {}, friction = {}, push = {};
};

// Contacts of n particles that can move, eight at a time: those of a block have no particle in common, and contacts
// that have are in blocks in the order in which they were added. So separate() does the same as one after the other,
// block by block.
template <std::size_t n>
class ContactSeries {
public:
    static constexpr std::size_t size = ContactBlock<n>::size;

    void begin(std::size_t particles);
    // Returns its number: block * size + place in it. `moves` are the places of its particles that can move.
    Index add(const Contact& contact, std::span<const std::size_t> moves, Index sentinel);

    std::span<ContactBlock<n>> blocks() { return std::span(blocks_).first(count_); }
    std::size_t block_count() const { return count_; }
    float push(Index number) const { return blocks_[number / size].push[number % size]; }

private:
    Index find_block(Index earliest, Index sentinel);

    std::vector<ContactBlock<n>> blocks_ = {};
    std::size_t count_ = 0;            // in use; they never shrink, so that a step does not allocate
    std::vector<Index> filled_ = {};   // by block: places in use
    std::vector<Index> next_ = {};     // by block: one after it that may have room
    std::vector<Index> earliest_ = {}; // by particle: the block after the last that has it
};

// Many contacts: first those with one particle that can move, which bodies bear, then those with two, three and four.
// What cannot move in the substep, bodies and what is held, is no particle there: its place is a distance from the
// origin of the world, and its way is carried.
class ContactBlocks {
public:
    static constexpr std::size_t size = ContactBlock<1>::size;

    // `x` with the sentinel, which is no particle and never moves.
    void begin(std::span<const Vec4> x, Index sentinel);
    // `x` is where all that cannot move ends the substep.
    void add(std::span<const Contact> contacts, std::span<const Vec4> x_prev, std::span<const Vec4> x);
    // Contacts of particles with bodies, where the particle has no other contact.
    void add_alone(std::span<const Contact> contacts);
    int separate(std::span<const Vec4> x_prev, std::span<Vec4> x); // returns how many were too close
    // Those that were added alone. To do it again at once would change nothing.
    void separate_alone(std::span<const Vec4> x_prev, std::span<Vec4> x, const Parallel& parallel);

    std::size_t count() const { return places_.size(); }
    std::size_t block_count() const {
        return one_.block_count() + two_.block_count() + three_.block_count() + four_.block_count();
    }
    float push(std::size_t k) const; // of the k-th added

private:
    struct Place {
        Index number = 0;       // block * size + place in it
        std::uint8_t moves = 0; // particles; none: alone, or nothing can move
    };
    static constexpr Index nowhere = ~Index{0};

    ContactSeries<1> one_ = {};
    ContactSeries<2> two_ = {};
    ContactSeries<3> three_ = {};
    ContactSeries<4> four_ = {};
    std::vector<ContactBlock<1>> alone_ = {};
    std::size_t alone_count_ = 0;    // of blocks, in use
    std::vector<Place> places_ = {}; // by contact
    Index sentinel_ = 0;
};

// By particle, on its way from x_prev to x: whether it comes within `reach` of the distance to keep from a body, where
// that is when the substep ends.
void find_near(const Body& body, const Skin& skin, float reach, std::span<const Vec4> x_prev, std::span<const Vec4> x,
               std::span<std::uint8_t> is_near);
// Appends the contacts of these with the body. `first` is the number of the first of `x`.
void append_contacts(const Body& body, const Skin& skin, std::span<const std::uint8_t> is_near, Index first,
                     std::span<const Vec4> x_prev, std::span<const Vec4> x, std::vector<Contact>& contacts);

} // namespace taffeta
