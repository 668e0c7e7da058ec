#include "play.h"

#include "viewer.h"

#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string_view>

namespace taffeta::viewer {
namespace {

int fail(const Errors& errors, int exit_code) {
    for (const Error& error : errors) std::fprintf(stderr, "%s\n", error.to_string().c_str());
    return exit_code;
}

bool is_debugging(const PlayOptions& options) {
    const char* wish = std::getenv("TAFFETA_GL_DEBUG");
    return !options.log.empty() || (wish != nullptr && std::string_view(wish) == "1");
}

} // namespace

int play(const PlayOptions& options) {
    Result<Playable> playable = open_playable(options.scene, options.overrides);
    if (!playable) return fail(playable.errors(), 2);
    std::optional<FrameLog> log;
    if (!options.log.empty()) {
        Result<FrameLog> created = FrameLog::create(options.log);
        if (!created) return fail(created.errors(), 2);
        log = std::move(*created);
    }

    Result<Window> window = Window::create(options.size, is_debugging(options));
    if (!window) return fail(window.errors(), 1);
    std::vector<std::string> gl_errors;
    if (is_debugging(options)) render::watch_errors(gl_errors);
    Result<render::Renderer> renderer = render::Renderer::create();
    if (!renderer) return fail(renderer.errors(), 1);

    Viewer viewer(options, *window, *renderer, gl_errors, std::move(log));
    viewer.load(std::move(*playable));
    viewer.run();
    return 0;
}

} // namespace taffeta::viewer
