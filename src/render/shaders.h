// The programs of the renderer; their text is in shaders/.
#pragma once

#include "render/gl.h"

namespace taffeta::render {

struct Shaders {
    Program depth;     // anything, depth only
    Program occlusion; // depth -> how open
    Program blur;      // of the occlusion
    Program background;
    Program floor;
    Program cloth;
    Program body;
    Program flat;
};
Result<Shaders> make_shaders();

} // namespace taffeta::render
