// Meshes of the collider shapes, closed and facing outwards, for pictures and exports. ParticleGrid and disk, which
// cloth is made of, are public: <taffeta/mesh.h>.
#pragma once

#include <taffeta/mesh.h>
#include <taffeta/scene.h>

namespace taffeta {

// In the collider's own frame. A plane becomes a large square.
Mesh make_collider_mesh(const ColliderShape& shape);

// One triangle of a plane, in its own frame, that reaches 100 m around the origin: so that cloth does not meet its
// edges, and its corners are near enough to be rounded by less than cloth is thick.
Mesh make_wide_triangle(const Plane& plane);

} // namespace taffeta
