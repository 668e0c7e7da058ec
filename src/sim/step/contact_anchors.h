// What bodies bear, for the multilevel (solvers/position/multilevel.h), and what cloth is to them.
#pragma once

#include "sim/world.h"

namespace taffeta {

ContactMaterial contact_material(const World& world, const Cloth& cloth, const Collider& collider);

// Whether simple bodies push in the sweeps, not only after them. Method "limits" has friction of its own, which needs
// to be last.
bool uses_collider_constraints(const World& world);

// Tells the multilevel which particles bodies set back from where they would go in this substep.
void find_contact_anchors(World& world);

} // namespace taffeta
