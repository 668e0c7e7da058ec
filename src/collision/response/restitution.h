// The simple response to solid bodies: particles are set back and thrown back, one by one, with a velocity of their own
// [EWS96] as printed in [Wal06] Eq. 16, relative to the body's [Vas01]:
//
//        v     n   v'          v' = c_fric v_t + c_refl n |v_n|
//         \    |   /           p' = p + d n
//          \   |  /
//     ______\__|_/______       c_fric is 1 - friction: what is left of the sliding, whatever the pressure
//
// Where bodies and cloth rest, contacts that hold (collision/colliders/bodies.h,
// collision/contacts/contact_constraints.h) are better: here the sliding that is left depends on the length of the
// step, and edges of bodies cut between particles.
#pragma once

#include "collision/colliders/bodies.h"
#include "core/state.h"

#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

// A particle that was thrown back: its way in a substep is its new velocity times the length of that.
struct Reflected {
    Index particle = 0;
    Vec3 way = {}; // m
};

// For `count` particles from `first` on. Sets those that are closer than the thickness back, marks them in `touched`
// and appends them to `reflected`. Returns how many they are.
int reflect(const Body& body, const Skin& skin, float reflection, Index first, Index count,
            std::span<const Vec4> x_prev, std::span<Vec4> x, std::span<std::uint8_t> touched,
            std::vector<Reflected>& reflected);

} // namespace taffeta
