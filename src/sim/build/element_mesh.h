// From fabrics to the elements of their laws: what the methods "xpbd" and "implicit" are made of.
#pragma once

#include "energies/element_mesh.h"
#include "sim/world.h"

namespace taffeta {

// The elements of all cloths, of the world's particles.
Sheet make_sheet(const World& world);

std::vector<SheetLaw> laws_of(const World& world); // by cloth

} // namespace taffeta
