// Result folders, read again.
#include "collision/body_mesh.h"
#include "geometry/intersections.h"
#include "io/npy.h"
#include "mesh/generators.h"
#include "sim/motion.h"

#include <taffeta/io.h>

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

// As the keys are filled in for a simulation.
Pose pose_at(const ColliderDesc& collider, double time) {
    const auto keys = filled_in(collider.motion, collider.position, collider.rotation);
    return keys.empty() ? Pose{collider.position, rotation_from_degrees(collider.rotation)} : scripted_pose(keys, time);
}

// Where the surface of a collider is; of round ones, that of a mesh within; of planes, which have no end, nothing.
Mesh surface_at(const ColliderDesc& collider, double time) {
    BodyMesh body;
    if (const auto* mesh = std::get_if<BodyMesh>(&collider.shape))
        body = *mesh;
    else if (!std::holds_alternative<Plane>(collider.shape))
        body.mesh = make_collider_mesh(collider.shape);
    Mesh surface = {std::vector<Vec3>(body_vertex_count(body)), body.mesh->triangles, {}};
    place_body_mesh(body, pose_at(collider, time), time, surface.positions);
    return surface;
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
    std::vector<BodyIntersection> found;
    for (std::size_t k = 0; k < recording.scene.colliders.size(); ++k) {
        const Mesh surface = surface_at(recording.scene.colliders[k], time);
        for (const auto& [cloth, body] : find_intersections({recording.frames[frame], recording.rest.triangles},
                                                            {surface.positions, surface.triangles}))
            found.push_back({k, cloth, body});
    }
    return found;
}

} // namespace taffeta::io
