// Method "implicit": the world's side of solvers/implicit/implicit_solver.h.
#pragma once

#include "sim/world.h"

namespace taffeta {

void make_implicit(World& world);   // for settings of that method; else nothing is made
void change_implicit(World& world); // after fabrics or masses have changed

// Predicts, solves and ends a substep in one: what is stiff cannot be taken apart.
void advance_implicitly(World& world, float h, StepReport& report);
SettleReport settle_implicitly(World& world);

void remember_implicit(World& world); // when a step begins,
void put_back_implicit(World& world); // to return to when it cannot be completed

} // namespace taffeta
