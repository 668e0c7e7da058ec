#include "commands.h"

#ifdef TAFFETA_VIEWER
#include "../viewer/play.h"
#endif

#include <cstdio>

namespace taffeta::cli {

#ifdef TAFFETA_VIEWER

int play(const PlayArguments& arguments) {
    viewer::PlayOptions options;
    if (!arguments.scene.scene.empty()) options.scene = arguments.scene.scene;
    const auto overrides = overrides_of(arguments.scene);
    if (!overrides) return exit_usage;
    const auto picture = picture_options(arguments.picture, {});
    if (!picture) return exit_usage;
    options.overrides = *overrides;
    options.size = picture->size;
    options.view = picture->view;
    options.samples = arguments.samples;
    options.paused = arguments.paused;
    options.out = arguments.out;
    options.log = arguments.log;
    options.frames = arguments.frames;
    return viewer::play(options);
}

#else

int play(const PlayArguments&) {
    std::fputs("this taffeta was built without its viewer (TAFFETA_VIEWER); use: taffeta run SCENE -o film.mp4\n",
               stderr);
    return exit_failed;
}

#endif

} // namespace taffeta::cli
