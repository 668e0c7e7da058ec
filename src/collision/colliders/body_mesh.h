// Bodies of triangles: where their vertices are at any time.
#pragma once

#include <taffeta/body.h>

#include <span>

namespace taffeta {

inline std::size_t body_vertex_count(const BodyMesh& mesh) {
    return mesh.mesh->positions.size();
}
inline std::span<const Triangle> body_triangles(const BodyMesh& mesh) {
    return mesh.mesh->triangles;
}

// Where all vertices are in the world, after the mesh has deformed and the pose has moved it as a whole. A function of
// its arguments alone: the same bits whoever asks, and in whatever order. out.size() == body_vertex_count(mesh).
void place_body_mesh(const BodyMesh& mesh, const Pose& pose, double time, std::span<Vec3> out);

// From the meshes to the body, by joint.
std::vector<Affine> joint_transforms(const Skeleton& skeleton, double time);

// From a node to its parent, as it is without a clip.
Affine local_transform(const Skeleton::Node& node);

} // namespace taffeta
