// From fabrics to the elements of their laws: method "xpbd".
#pragma once

#include "energies/bending.h"
#include "energies/membrane.h"
#include "sim/world.h"

namespace taffeta {

MembraneLaw membrane_law(const Fabric& fabric);
// Bent along the warp cloth does not bend along the weft, and twist costs what it does for equal stiffnesses.
BendingLaw bending_law(const Fabric& fabric);

// The elements of all cloths, for the settings' method; none where it has no use for them.
void weave(World& world);

// How far patches of each cloth may be drawn apart before the cascade holds them. `cloth_of` by particle.
Cascade::Give give_of_fabrics(const World& world, std::span<const std::size_t> cloth_of);

} // namespace taffeta
