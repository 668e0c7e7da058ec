// From files to scenes that can be played, and back.
#pragma once

#include <taffeta/io.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace taffeta::viewer {

// The same motion in steps short enough for the screen: 30 Hz with 4 substeps become 60 Hz with 2.
SceneDesc for_playing(SceneDesc scene);

// A mesh as a cloth that falls on a ball on the floor. Its size is brought to that of a garment where it is given in
// other units.
SceneDesc scene_of_mesh(Mesh mesh, const std::string& path);

// A scene file, the name of a built-in scene or a mesh (.obj, .ply, .glb, .gltf), ready for playing.
struct Playable {
    SceneDesc scene = {}; // resolved
    std::unique_ptr<Simulation> simulation = {};
};
Result<Playable> open_playable(const std::string& name_or_file, const std::vector<io::Override>& overrides = {});

// The first of FOLDER/STEM-001.ENDING, STEM-002.ENDING, ... that does not exist.
std::filesystem::path new_file(const std::filesystem::path& folder, const std::string& stem, const std::string& ending);

// The scene as TOML with the meshes of its cloths beside it.
Result<void> write_scene(const std::filesystem::path& file, SceneDesc scene);

} // namespace taffeta::viewer
