// The surface of cloth as one sees and touches it. Reads positions, never writes them.
#pragma once

#include <taffeta/mesh.h>

#include <optional>
#include <span>

namespace taffeta {

struct Ray {
    Vec3 origin = {};
    Vec3 direction = {0, 0, -1}; // of unit length
};

struct RayHit {
    Index triangle = 0;
    float distance = 0;                    // m along the ray
    std::array<float, 3> barycentric = {}; // of the triangle's vertices
};

// The first triangle that the ray meets in front of its origin, from either side. No gaps: a ray through an edge or a
// vertex meets one of the triangles around it.
std::optional<RayHit> first_hit(const Ray& ray, std::span<const Triangle> triangles, std::span<const Vec3> positions);

// Unit normals by vertex, weighted by area. `joined` names for each vertex the particle it belongs to, so that seams
// are smooth; empty: each vertex is its own. A vertex without area gets +Y.
void vertex_normals(std::span<const Triangle> triangles, std::span<const Vec3> positions, std::span<const Index> joined,
                    std::span<Vec3> out);

} // namespace taffeta
