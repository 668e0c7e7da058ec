// Renders a scene without a display.
#include <taffeta/render.h>

#include <cstdio>

int main() {
    auto scene = taffeta::io::open_scene("tablecloth");
    auto context = taffeta::render::HeadlessContext::create();
    if (!scene || !context) return std::puts("no scene or no OpenGL"), 1;
    auto simulation = taffeta::Simulation::create(*scene);
    auto renderer = taffeta::render::Renderer::create();
    if (!simulation || !renderer) return std::puts("no simulation or no renderer"), 1;

    renderer->load(*scene, *simulation);
    taffeta::render::Snapshot snapshot;
    taffeta::render::take_snapshot(*simulation, taffeta::render::View::shaded, 0, snapshot);
    const taffeta::io::Image picture =
        renderer->picture(snapshot, taffeta::render::scene_camera(*scene, *simulation), {64, 48}, {});
    std::printf("%d x %d pixels\n", picture.width, picture.height);
    return picture.rgb.size() == 64 * 48 * 3 ? 0 : 1;
}
