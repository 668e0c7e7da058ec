// Stanford PLY.
#pragma once

#include <taffeta/mesh.h>
#include <taffeta/result.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace taffeta::io {

// Text or binary of either byte order. `name` stands for the file in messages. Texture coordinates are the
// properties u v, s t or texture_u texture_v; polygons become fans; everything else is skipped.
Result<Mesh> read_ply(std::string_view bytes, const std::string& name);

// Binary, little-endian.
Result<Done> write_ply(const std::filesystem::path& file, const Mesh& mesh);

} // namespace taffeta::io
