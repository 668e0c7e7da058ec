// From fabrics to the elements of their laws: method "xpbd".
#pragma once

#include "constraints/bend.h"
#include "constraints/stretch.h"
#include "sim/world.h"

namespace taffeta {

struct Elements {
    Stretch stretch = {};
    Bend bend = {};
};

// The elements of all cloths and, accelerated, the limits that hold what sweeps over them do not; none for methods that
// have no use for them.
void weave(World& world);

// The same elements after fabrics, masses or settings other than method and acceleration have changed.
void renew_laws(World& world);

// Of the stiffness that the fabrics ask for, how much sweeps make in substeps of h. One sweep, of cells of the side l,
// cannot make cloth stiffer than sigma l^2/h^2, and n sweeps about n times that; 1 at twice the stiffness asked for, at
// which a third is missing.
double share_of_sweeps(const World& world, double h);

// How far cloth may be drawn out before acceleration holds it.
Cascade::Give give_of_fabrics(const World& world);

} // namespace taffeta
