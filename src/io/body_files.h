// Bodies of triangles from files: one mesh, a mesh with a clip that moves its skin, or a mesh for each frame.
#pragma once

#include <taffeta/body.h>
#include <taffeta/result.h>

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace taffeta::io {

// `to_scene` takes places of the files to metres and Y up. Faults that are not those of one file have none, but may
// have the key "clip".
Result<BodyMesh> read_body(const std::filesystem::path& file, const std::optional<std::string>& clip,
                           const Affine& to_scene);

// Files with #### in their name for the number of the frame: without gaps, from any number on, with the same triangles.
Result<BodyMesh> read_body_frames(const std::filesystem::path& files, float frame_rate, const Affine& to_scene);

// Writes the files of a body into a folder, such that reading them gives the same body, and puts their path into it.
Result<Done> write_body(const std::filesystem::path& folder, const std::string& name, BodyMesh& body);

// The mesh in metres and Y up.
void place_in_scene(const Affine& to_scene, std::vector<Vec3>& positions);

} // namespace taffeta::io
