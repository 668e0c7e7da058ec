#include "benchmarks.h"

#include <taffeta/render.h>

#include <chrono>
#include <filesystem>
#include <unistd.h>

namespace taffeta::bench {
namespace {

double seconds_of(const auto& work) {
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

Errors bench_pictures(Report& report) {
    Result<SceneDesc> scene = io::open_scene("tablecloth");
    if (!scene) return scene.errors();
    const render::Size size = {1280, 720};
    constexpr int frames = 120;

    {
        Result<render::HeadlessContext> context = render::HeadlessContext::create();
        if (!context) return context.errors();
        Result<render::Renderer> renderer = render::Renderer::create();
        if (!renderer) return renderer.errors();
        Result<Simulation> simulation = Simulation::create(*scene);
        if (!simulation) return simulation.errors();
        for (int frame = 0; frame < frames; ++frame) simulation->step(1 / scene->frame_rate);
        renderer->load(*scene, *simulation);
        render::Snapshot snapshot;
        render::take_snapshot(*simulation, render::View::shaded, 0, snapshot);
        const Camera camera = render::scene_camera(*scene, *simulation);

        const std::string hardware = render::is_software() ? "software" : "hardware";
        report.begin_table("pictures", "Pictures of the tablecloth, 1280 x 720, with " + hardware + " OpenGL",
                           {{"samples", "samples", 9}, {"ms_per_picture", "ms/picture", 12, 1}});
        for (const int samples : {1, 4}) {
            constexpr int pictures = 10;
            const auto take = [&] { renderer->picture(snapshot, camera, size, {.samples = samples}); };
            take(); // the first one compiles the shaders
            const double seconds = seconds_of([&] {
                for (int k = 0; k < pictures; ++k) take();
            });
            report.add(Row{{"samples", samples}, {"ms_per_picture", 1e3 * seconds / pictures}});
        }
    }

    const std::filesystem::path film =
        std::filesystem::temp_directory_path() / ("taffeta_bench_" + std::to_string(getpid()) + ".mp4");
    scene->duration = static_cast<float>(frames - 1) / scene->frame_rate; // the start is a frame, too
    Errors errors;
    const double seconds = seconds_of([&] {
        const Result<io::Run> run =
            io::run(*scene, {.outputs = {film.string()}, .pictures = render::picture_outputs({.size = size})});
        errors = run ? run->write_errors : run.errors();
    });
    std::error_code ignored;
    std::filesystem::remove(film, ignored);
    if (!errors.empty()) return errors;
    report.add(Bar{"film of 120 frames of the tablecloth, 1280 x 720, seconds", seconds, Bar::Kind::below, 30});
    return {};
}

} // namespace taffeta::bench
