// The commands of the tool. Each takes its options and answers the exit code.
#pragma once

#include "console.h"

#include <taffeta/io.h>

#include <string>
#include <vector>

namespace taffeta::cli {

struct SceneOptions {
    std::string scene;
    std::vector<std::string> set; // KEY=VALUE
    std::string duration;         // s; empty: the scene's
    std::string threads;          // empty: the scene's
    bool quiet = false;
    bool json = false;
};

int run(const SceneOptions& options, const std::vector<std::string>& outputs);
int list_scenes(bool json);
int list_keys(bool markdown);
int check(const std::vector<std::string>& targets, bool json);
int bench(const SceneOptions& options); // an empty scene: all built-in ones

// The scene with everything the options set, or nothing after the faults have been told.
std::optional<SceneDesc> open_scene(const SceneOptions& options);

} // namespace taffeta::cli
