// The verbs of step(): each hands spans of the world to the kernels of one folder.
#pragma once

#include "sim/world.h"

namespace taffeta {

// A step in progress: which part of it a substep is.
struct Substep {
    double begin = 0, end = 0; // s; the last one ends exactly when the step does
    float part = 1;            // of the step that is over when the substep ends, 0..1
};

Substep nth_substep(const World& world, float dt, int k); // of a step that begins now

// Neither colliders nor hands nor pins touch any cloth in this substep.
bool flies_freely(const World& world, const StepReport& report);

void begin_step(World& world);
void move_bodies_and_hands(World& world, const Substep& substep);
void apply_forces(World& world, const Substep& substep, float h);
void predict_positions(World& world, float h);
void find_candidates(World& world);
// Of bodies and of the guard, as found, into blocks.
void collect_contacts(World& world);
void solve_constraints(World& world, float h, StepReport& report);
void solve_contacts(World& world, StepReport& report);
void stop_impacts(World& world, StepReport& report);
void update_velocities(World& world, float h, const StepReport& report);
void throw_back(World& world, float h);
void end_step(World& world, StepReport& report);

} // namespace taffeta
