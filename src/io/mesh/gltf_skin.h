// Bodies of triangles in glTF 2.0: skins, and the animations that move them.
#pragma once

#include <taffeta/body.h>
#include <taffeta/result.h>

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace taffeta::io {

// All triangles of the default scene as one body, in metres and Y up by `to_scene`. With a clip its vertices follow
// their joints, or the node of a mesh without skin; without one they are where these are at rest. Morph targets are not
// read. A fault of the clip's name has no file and the key "clip".
Result<BodyMesh> read_gltf_body(std::string_view bytes, const std::string& name, const std::filesystem::path& folder,
                                const std::optional<std::string>& clip, const Affine& to_scene);

// A body with a skin as a .glb, such that reading its clip gives the same body.
Result<Done> write_gltf_body(const std::filesystem::path& file, const BodyMesh& body);

} // namespace taffeta::io
