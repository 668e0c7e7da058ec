// Where the warp of a woven cloth runs: what tells its two stiffnesses apart.
#pragma once

#include <taffeta/mesh.h>

#include <optional>
#include <vector>

namespace taffeta {

// By triangle, a unit vector in its plane in the rest shape:
//   along `warp` as it lies in that plane, if given;
//   else along dX/du, if the mesh has texture coordinates;
//   else along x as it lies in that plane, and along z where the triangle is nearly perpendicular to x.
// Zero where there is none: the triangle has no area, or no area in the texture, or `warp` is perpendicular to it.
std::vector<Vec3> warp_directions(const Mesh& mesh, std::optional<Vec3> warp);

// The triangles with an area for which there is none, in order.
std::vector<Index> triangles_without_warp(const Mesh& mesh, std::optional<Vec3> warp);

} // namespace taffeta
