// Where cloth may start: outside of bodies.
#pragma once

#include "sim/world.h"

namespace taffeta {

// Cloth that starts in a body, or closer to it than it is thick, is set on its surface; of bodies of triangles, in
// those that are closed (collision/colliders/inside_test.h). Where its triangles still cut a body then, they are moved
// outwards, bit by bit, up to the length of an edge. What cannot be brought out so, for a body goes right through it,
// has a warning. What is pinned stays.
void bring_out(World& world);

} // namespace taffeta
