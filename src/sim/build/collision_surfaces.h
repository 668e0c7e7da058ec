// The surfaces of a world that may not pass through each other.
#pragma once

#include "sim/world.h"

namespace taffeta {

// Empty where no cloth meets anything by its triangles.
Guard make_guard(const World& world);

// Where the vertices of a collider are at a time, with its pose.
void place_vertices(Collider& collider, double time);

// Takes over what fabrics say.
void change_guard(World& world);

} // namespace taffeta
