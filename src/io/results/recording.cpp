// Result folders, read again.
#include "collision/colliders/body_mesh.h"
#include "geometry/orientation.h"
#include "io/results/npy.h"
#include "mesh/generators.h"
#include "mesh/intersections.h"
#include "sim/step/motion.h"

#include <taffeta/io.h>

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

// As the keys are filled in for a simulation.
Pose pose_at(const ColliderDesc& collider, double time) {
    const auto keys = filled_in(collider.motion, collider.position, collider.rotation);
    return keys.empty() ? Pose{collider.position, rotation_from_degrees(collider.rotation)} : scripted_pose(keys, time);
}

// Where the surface of a collider is, that has an end; of round ones, that of a mesh within.
Mesh surface_at(const ColliderDesc& collider, double time) {
    BodyMesh body;
    if (const auto* mesh = std::get_if<BodyMesh>(&collider.shape))
        body = *mesh;
    else
        body.mesh = make_collider_mesh(collider.shape);
    Mesh surface = {std::vector<Vec3>(body_vertex_count(body)), body.mesh->triangles, {}};
    place_body_mesh(body, pose_at(collider, time), time, surface.positions);
    return surface;
}

// The triangles with a corner behind a plane.
std::vector<Index> find_triangles_behind(const Plane& plane, const Pose& pose, const SurfaceView& cloth) {
    const Vec3 normal = pose.rotation * plane.normal;
    std::vector<bool> is_behind;
    is_behind.reserve(cloth.positions.size());
    for (const Vec3& p : cloth.positions) is_behind.push_back(is_finite(p) && plane_side(normal, pose.position, p) < 0);
    std::vector<Index> found;
    for (Index t = 0; t < cloth.triangles.size(); ++t) {
        const auto [a, b, c] = cloth.triangles[t];
        if (is_behind[a] || is_behind[b] || is_behind[c]) found.push_back(t);
    }
    return found;
}

} // namespace

Result<Recording> read_recording(const fs::path& folder) {
    Result<Mesh> rest = read_mesh(folder / "rest.obj");
    if (!rest) return rest.faults();
    const Result<Trajectory> trajectory = read_npy(folder / "positions.npy");
    if (!trajectory) return trajectory.faults();
    if (trajectory->vertices != rest->positions.size())
        return Fault{.message = "has " + std::to_string(trajectory->vertices) +
                                " vertices, but rest.obj beside it has " + std::to_string(rest->positions.size()),
                     .file = (folder / "positions.npy").string()};
    Result<SceneDesc> scene = read_scene(folder / "scene.toml");
    if (!scene) return scene.faults();
    Recording recording = {std::move(*rest), {}, std::move(*scene)};
    for (std::size_t k = 0; k < trajectory->frames; ++k) {
        const std::span<const Vec3> frame = trajectory->frame(k);
        recording.frames.emplace_back(frame.begin(), frame.end());
    }
    return recording;
}

std::vector<BodyIntersection> find_body_intersections(const Recording& recording, std::size_t frame) {
    const double time = static_cast<double>(frame) / static_cast<double>(recording.scene.frame_rate);
    const SurfaceView cloth = {recording.frames[frame], recording.rest.triangles};
    std::vector<BodyIntersection> found;
    for (std::size_t k = 0; k < recording.scene.colliders.size(); ++k) {
        const ColliderDesc& collider = recording.scene.colliders[k];
        if (const auto* plane = std::get_if<Plane>(&collider.shape)) {
            for (const Index own : find_triangles_behind(*plane, pose_at(collider, time), cloth))
                found.push_back({k, own, 0});
            continue;
        }
        const Mesh surface = surface_at(collider, time);
        for (const auto& [own, face] : find_intersections(cloth, {surface.positions, surface.triangles}))
            found.push_back({k, own, face});
    }
    return found;
}

} // namespace taffeta::io
