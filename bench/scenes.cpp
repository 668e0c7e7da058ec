#include "benchmarks.h"
#include "timing.h"

#include <taffeta/io.h>

#include <algorithm>
#include <array>
#include <cmath>

namespace taffeta::bench {
namespace {

constexpr int repeats = 5;

struct TimedScene {
    std::string name;
    SceneDesc desc;
    int frames = 0;
    std::array<TimedRun, 2> runs; // on one thread, on all
};

Result<std::vector<TimedScene>> open_scenes() {
    std::vector<TimedScene> scenes;
    for (const io::BuiltinScene& builtin : io::builtin_scenes()) {
        Result<SceneDesc> desc = io::open_scene(std::string(builtin.name));
        if (!desc) return desc.errors();
        TimedScene& scene = scenes.emplace_back();
        scene.name = builtin.name;
        scene.desc = std::move(*desc);
        const float longest = 6; // s, of what is timed
        scene.frames = static_cast<int>(std::lround(std::min(scene.desc.duration, longest) * scene.desc.frame_rate));
    }
    return scenes;
}

Row make_row(const TimedScene& scene, const TimedRun& run) {
    const FrameTime time = run.mean();
    const double projections = static_cast<double>(run.projections) * scene.desc.solver.substeps;
    Row row = {{"scene", scene.name},
               {"particles", run.particles},
               {"threads", run.threads},
               {"ms_per_frame", 1e3 * time.seconds},
               {"times_real_time", 1 / (time.seconds * static_cast<double>(scene.desc.frame_rate))},
               {"ns_per_projection", 1e9 * stage_seconds(time, Stage::constraints) / projections},
               {"longest_edge", run.max_stretch}};
    for (std::size_t stage = 0; stage < stage_names.size(); ++stage)
        row[std::string("ms_") + stage_names[stage]] = 1e3 * time.stages[stage];
    return row;
}

} // namespace

Errors bench_scenes(Report& report) {
    std::vector<Column> columns = {{"scene", "scene", 22},
                                   {"particles", "particles", 10},
                                   {"threads", "threads", 9},
                                   {"ms_per_frame", "ms/frame", 10, 3},
                                   {"times_real_time", "x real", 8, 1},
                                   {"ns_per_projection", "ns/proj", 9, 2},
                                   {"longest_edge", "longest", 9, 3}};
    for (const char* stage : stage_names) columns.push_back({std::string("ms_") + stage, stage, 12, 3});
    report.begin_table("scenes", "Built-in scenes; the columns from \"move\" on are ms per frame by stage", columns);

    Result<std::vector<TimedScene>> scenes = open_scenes();
    if (!scenes) return scenes.errors();
    for (int repeat = 0; repeat < repeats; ++repeat) {
        for (TimedScene& scene : *scenes) {
            for (std::size_t all = 0; all < scene.runs.size(); ++all) {
                scene.desc.solver.threads = all ? 0 : 1;
                if (Errors errors = scene.runs[all].repeat(scene.desc, 0, scene.frames); !errors.empty()) return errors;
            }
        }
    }

    int different = 0;
    for (const TimedScene& scene : *scenes) {
        for (const TimedRun& run : scene.runs) report.add(make_row(scene, run));
        if (scene.runs[0].hash != scene.runs[1].hash) ++different;
        if (scene.name == "tabletop_dragged")
            report.add(Bar{"tabletop_dragged, one thread, times faster than real time",
                           make_row(scene, scene.runs[0])["times_real_time"], Bar::Kind::at_least, 30});
    }
    report.add(Bar{"scenes that end differently on one thread and on all", static_cast<double>(different),
                   Bar::Kind::at_most, 0});
    return {};
}

} // namespace taffeta::bench
