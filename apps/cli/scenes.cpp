#include "commands.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace taffeta::cli {

int list_scenes(bool json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (const io::BuiltinScene& builtin : io::builtin_scenes()) {
        const Result<SceneDesc> scene = io::open_scene(std::string(builtin.name));
        if (!scene) { // an error of ours
            print_errors(scene.errors());
            return exit_failed;
        }
        if (json)
            list.push_back({{"name", builtin.name}, {"description", scene->description}});
        else
            std::printf("%-24s%s\n", std::string(builtin.name).c_str(), scene->description.c_str());
    }
    if (json) std::printf("%s\n", list.dump(2).c_str());
    return exit_done;
}

} // namespace taffeta::cli
