// The surfaces of a world that may not pass through each other.
#pragma once

#include "sim/world.h"

namespace taffeta {

// Empty where no cloth meets anything by its triangles.
Guard make_guard(const World& world);

// Takes over what fabrics say.
void change_guard(World& world);

} // namespace taffeta
