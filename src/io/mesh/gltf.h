// glTF 2.0, text or binary.
#pragma once

#include <taffeta/mesh.h>
#include <taffeta/result.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace taffeta::io {

// All triangles of the default scene (of all scenes if none is the default), node after node, in world coordinates
// and at rest: without skinning and morphing. Primitives of a mesh that share their positions share their vertices.
// Texture coordinates are turned to grow upwards, as in all other formats.
// `name` stands for the file in messages; the files it names are relative to `folder`. Images are not looked at.
Result<Mesh> read_gltf(std::string_view bytes, const std::string& name, const std::filesystem::path& folder);

} // namespace taffeta::io
