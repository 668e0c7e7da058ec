#include "builtin_scenes_text.h" // made from scenes/*.toml by the build

#include <taffeta/io.h>

#include <algorithm>

namespace taffeta::io {

std::span<const BuiltinScene> builtin_scenes() {
    return builtin_scene_texts;
}

Result<SceneDesc> open_scene(const std::string& name_or_file, const std::vector<Override>& overrides) {
    const auto scenes = builtin_scenes();
    const auto builtin = std::find_if(scenes.begin(), scenes.end(),
                                      [&](const BuiltinScene& scene) { return scene.name == name_or_file; });
    std::error_code ignored;
    const bool is_file = std::filesystem::is_regular_file(name_or_file, ignored);
    if (builtin != scenes.end() && !is_file)
        return read_scene_text(builtin->text, name_or_file + ".toml", {}, overrides);
    if (is_file) return read_scene(name_or_file, overrides);

    std::string message = "there is no such scene file and no built-in scene of this name; built-in are";
    for (const BuiltinScene& scene : scenes)
        message += (&scene == scenes.data() ? " " : ", ") + std::string(scene.name);
    return Fault{.message = message, .file = name_or_file};
}

} // namespace taffeta::io
