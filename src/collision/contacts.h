// Contacts of cloth with cloth: vertices and faces, edges and edges, that keep a distance and rub on each other.
//
// A contact is made where the parts are close at the beginning of a substep, while they are still on the side they
// belong to. Its normal n and the weights w of its particles stay for the substep, so that it is one inequality that is
// linear in the positions, with friction across it:
//
//     n . sum_i w_i x_i >= d          vertex and face: w = 1, -b0, -b1, -b2      edges: w = 1-s, s, t-1, -t
#pragma once

#include "core/state.h"

#include <taffeta/mesh.h>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

struct ClothContact {
    std::array<Index, 4> particle = {};
    std::array<float, 4> weight = {};
    Vec3 normal = {};   // unit
    float distance = 0; // m, to be kept
    float friction = 0; // Coulomb's coefficient
    float push = 0;     // m, how far the parts have been set apart in this substep
    Vec3 rub = {};      // m, what friction has done to their sliding
};

// Sets the parts of all contacts apart that are too close, one after the other, and takes from their sliding since the
// substep began what friction does: all of it below its limit, the way they were set apart times the coefficient.
// Returns how many were too close.
int separate(std::span<ClothContact> contacts, std::span<const Vec4> x_prev, std::span<Vec4> x);

} // namespace taffeta
