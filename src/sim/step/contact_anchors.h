// What bodies bear, for the cascade (solvers/position/multilevel.h), and what cloth is to them.
#pragma once

#include "sim/world.h"

namespace taffeta {

Skin skin_of(const World& world, const Cloth& cloth, const Collider& collider);

// Whether simple bodies push in the sweeps, not only after them. Method "limits" has friction of its own, which needs
// to be last.
bool has_body_contacts(const World& world);

// Tells the cascade which particles bodies set back from where they would go in this substep.
void find_supports(World& world);

} // namespace taffeta
