// Hands: grabbing, holding and letting go of particles [FGL03] 3, "External forces".
#pragma once

#include "sim/world.h"

namespace taffeta {

// What a closing hand takes: the particles within `radius` of `near`, or one particle, the nearest unless it is named.
struct Grasp {
    Vec3 near;        // m
    float radius = 0; // m
    int cloth = -1;   // -1: of any
    std::optional<Index> particle;
};
GrabId close_hand(World& world, const Grasp& grasp);
void open_hand(World& world, GrabId grab);

// Opens and closes the scene file's hands that are due at `time` and says where they are when the substep ends.
void follow_scripts(World& world, double time, double substep_end);

// Gives every particle its own mass, and infinite mass to those that hands hold.
void renew_holds(World& world);

// Tells the cascade who is held, if that is not who it knows.
void tie_cascade(World& world);

// Puts what pins move and what hands hold where these are; hands outrank pins.
void place_held_particles(World& world);

} // namespace taffeta
