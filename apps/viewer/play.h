// The interactive viewer: a window in which cloth is taken by the mouse.
#pragma once

#include <taffeta/io.h>
#include <taffeta/render.h>

#include <filesystem>
#include <string>
#include <vector>

namespace taffeta::viewer {

struct PlayOptions {
    std::string scene = "tablecloth"; // a scene file, the name of a built-in scene or a mesh
    std::vector<io::Override> overrides = {};
    render::Size size = {1280, 800};
    render::View view = render::View::shaded;
    int samples = 0; // per pixel; 0: 4, or 1 where OpenGL is software and pictures are slow enough
    bool paused = false;
    std::filesystem::path out = "."; // where pictures, films and scenes are written
    std::filesystem::path log = {};  // a line of JSON per drawn frame; empty: none
    long frames = 0;                 // ends after so many; 0: when the user does
};

// Until the window is closed. Answers the exit code: 0 done, 1 no window could be opened, 2 the scene is bad; errors go
// to stderr.
int play(const PlayOptions& options);

} // namespace taffeta::viewer
