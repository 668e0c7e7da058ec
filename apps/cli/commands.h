// The commands of the tool. Each takes its options and answers the exit code.
#pragma once

#include "console.h"

#include <taffeta/io.h>
#include <taffeta/render.h>

#include <optional>
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

// How pictures and films are taken.
struct PictureOptions {
    std::string size = "1280x720";
    std::string camera = {}; // "x,y,z" or "x,y,z:x,y,z[:fov]"; empty: the scene's
    std::string view = "shaded";
};

int run(const SceneOptions& options, const std::vector<std::string>& outputs, const PictureOptions& pictures);
int list_scenes(bool json);
int list_keys(bool markdown);
enum class Format { text, json, markdown };
int list_fabrics(const std::string& name, Format format); // an empty name: all built-in ones
int check(const std::vector<std::string>& targets, bool json, bool frames);
int bench(const SceneOptions& options); // an empty scene: all built-in ones

struct PlayArguments {
    SceneOptions scene; // an empty one: the viewer's own choice
    PictureOptions picture = {.size = "1280x800"};
    int samples = 0; // what suits the machine
    bool paused = false;
    std::string out = ".", log;
    long frames = 0;
};
int play(const PlayArguments& arguments);

struct LabArguments {
    std::string test;   // or "all"
    std::string fabric; // by name; empty: the default one
    std::string method = "implicit";
    int cells = 40;
    int threads = 0;
    std::string output; // folder; empty: no files
    bool json = false, quiet = false;
};
int lab(const LabArguments& arguments);

struct FitArguments {
    std::string name = "measured";
    double weight = 0, overhang = 0, weft_overhang = 0, angle = 41.5;
    std::string tensile, weft_tensile; // "strain:load,..."
    std::string output;                // file; empty: standard output
};
int fit(const FitArguments& arguments);

// What the options set, or nothing after the errors have been told.
std::optional<std::vector<io::Override>> overrides_of(const SceneOptions& options);
std::optional<render::PictureOptions> picture_options(const PictureOptions& options, const SceneDesc& scene);

// The scene with everything the options set, or nothing after the errors have been told.
std::optional<SceneDesc> open_scene(const SceneOptions& options);

} // namespace taffeta::cli
