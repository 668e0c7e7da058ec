// Momentum and angular momentum of a piece of cloth, and giving it back what a solver has lost of them.
#pragma once

#include "core/state.h"

#include <span>

namespace taffeta {

struct Momentum {
    Vec3d linear;  // kg m/s
    Vec3d angular; // kg m^2/s, about the centre of mass
};

// Of the particles named; `mass` in kg.
Momentum momentum_of(std::span<const Index> particles, std::span<const Vec4> x, std::span<const Vec4> v,
                     std::span<const double> mass);

// Changes the velocities by those of a rigid body, one push and one turn, so that the particles have this momentum. A
// piece that lies in a line cannot be turned about it and is not.
void restore_momentum(const Momentum& momentum, std::span<const Index> particles, std::span<const Vec4> x,
                      std::span<const double> mass, std::span<Vec4> v);

} // namespace taffeta
