// Wavefront OBJ.
#pragma once

#include <taffeta/mesh.h>
#include <taffeta/result.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace taffeta::io {

// `name` stands for the file in messages. Vertices keep their order and are never split: one with several texture
// coordinates keeps the first. Polygons become fans. Lines that say nothing about the surface are ignored.
Result<Mesh> read_obj(std::string_view text, const std::string& name);

// Reading it gives the same positions, bit by bit.
Result<Done> write_obj(const std::filesystem::path& file, const Mesh& mesh);

} // namespace taffeta::io
