#include "commands.h"

#include <atomic>
#include <csignal>
#include <cstdio>

namespace taffeta::cli {
namespace {

std::atomic<bool> was_interrupted = false;
static_assert(std::atomic<bool>::is_always_lock_free); // or a signal handler may not touch it

void remember_interrupt(int) {
    was_interrupted = true;
}

std::string progress_text(const io::RunProgress& progress) {
    const double speed = progress.wall_seconds > 0 ? progress.simulated_seconds / progress.wall_seconds : 0;
    const double left =
        progress.frame > 1 ? progress.wall_seconds / (progress.frame - 1) * (progress.frames - progress.frame) : 0;
    char line[160];
    std::snprintf(line, sizeof line, "frame %d/%d  %.1fx real time  ETA %s  max stretch %.3f  contacts %d + %d self",
                  progress.frame, progress.frames, speed, duration_text(left).c_str(),
                  static_cast<double>(progress.measure.max_stretch), progress.step.contacts,
                  progress.step.self_contacts);
    return line;
}

void print_summary(const io::RunReport& report, const std::vector<std::string>& outputs) {
    const double speed = report.wall_seconds > 0 ? report.simulated_seconds / report.wall_seconds : 0;
    std::printf("%d frames of %zu vertices, %.2f s in %.2f s (%.1fx real time), hash %016llx\n", report.frames,
                report.vertices, report.simulated_seconds, report.wall_seconds, speed,
                static_cast<unsigned long long>(report.hash));
    for (const std::string& output : outputs) std::printf("wrote %s\n", output.c_str());
}

} // namespace

std::optional<std::vector<io::Override>> overrides_of(const SceneOptions& options) {
    std::vector<io::Override> overrides;
    for (const std::string& assignment : options.set) {
        const auto equals = assignment.find('=');
        if (equals == 0 || equals == std::string::npos) {
            print_errors({{.message = "--set " + assignment + ": write KEY=VALUE, e.g. --set solver.iterations=8"}});
            return {};
        }
        overrides.push_back({assignment.substr(0, equals), assignment.substr(equals + 1)});
    }
    if (!options.duration.empty()) overrides.push_back({"duration", options.duration});
    if (!options.threads.empty()) overrides.push_back({"solver.threads", options.threads});
    return overrides;
}

std::optional<SceneDesc> open_scene(const SceneOptions& options) {
    const auto overrides = overrides_of(options);
    if (!overrides) return {};
    Result<SceneDesc> scene = io::open_scene(options.scene, *overrides);
    if (scene) return std::move(*scene);
    print_errors(scene.errors());
    return {};
}

int run(const SceneOptions& options, const std::vector<std::string>& outputs, const PictureOptions& pictures) {
    const std::optional<SceneDesc> scene = open_scene(options);
    if (!scene) return exit_usage;
    const std::optional<render::PictureOptions> picture = picture_options(pictures, *scene);
    if (!picture) return exit_usage;

    std::signal(SIGINT, remember_interrupt);
    std::signal(SIGTERM, remember_interrupt);
    Result<io::Run> run = [&] {
        ProgressLine line(options.quiet || options.json);
        const auto show_progress = [&](const io::RunProgress& progress) {
            if (line.is_visible()) line.show(progress_text(progress));
            return !was_interrupted;
        };
        return io::run(*scene,
                       {.outputs = outputs, .pictures = render::picture_outputs(*picture), .on_frame = show_progress});
    }();
    if (!run) {
        print_errors(run.errors());
        return exit_usage;
    }

    const io::RunReport& report = run->report;
    for (const std::string& warning : report.warnings)
        if (!options.quiet) print_warning(warning);
    print_errors(run->write_errors);
    if (options.json)
        std::printf("%s\n", io::report_to_json(report).c_str());
    else if (!options.quiet)
        print_summary(report, outputs);
    if (!report.finite)
        std::fprintf(stderr,
                     "%s: the cloth could not be followed beyond frame %d (%.3f s); its frames so far are kept. "
                     "Try more substeps, or slower hands and colliders\n",
                     options.scene.c_str(), report.frames - 1, report.simulated_seconds);
    if (report.interrupted)
        std::fprintf(stderr, "interrupted after frame %d (%.3f s); its frames so far are kept\n", report.frames - 1,
                     report.simulated_seconds);
    return report.finite && !report.interrupted && run->write_errors.empty() ? exit_done : exit_failed;
}

} // namespace taffeta::cli
