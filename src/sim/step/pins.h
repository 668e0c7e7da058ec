// Pins that move: carried by a collider, or by a motion of their own.
#pragma once

#include "sim/world.h"

namespace taffeta {

// Finds how each particle of the moving pins lies within what carries it, and puts it where it is at time 0. All
// colliders are there.
void tie_pins(World& world);

// Where the particles are at a time; the colliders are there already.
void move_pins(World& world, double time);

} // namespace taffeta
