#include "benchmarks.h"
#include "timing.h"

#include <cmath>

namespace taffeta::bench {
namespace {

constexpr int repeats = 3;
constexpr int frames_to_fold = 60, frames = 10;

// A round cloth that falls edge first to the floor, timed when it has folded onto itself. Nearly upright it collapses
// alike at every resolution; leaning more, a coarse one topples over in one piece.
SceneDesc heap_scene(int particles) {
    SceneDesc scene;
    scene.frame_rate = 30;
    scene.solver = {.substeps = 4, .iterations = 8, .velocity_factor = 0.99f, .threads = 1};
    scene.cloths = {{.shape = DiskShape{.radius = 0.6f, .particles = particles},
                     .position = {0, 0.65f, 0},
                     .rotation = {88, 0, 0}}};
    scene.colliders = {{.shape = Plane{}}};
    return scene;
}

struct Size {
    int particles = 0;
    TimedRun run = {};
};

// The slope of the line through log(time) over log(particles), by least squares.
double fitted_exponent(std::span<const Size> sizes) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const Size& size : sizes) {
        const double a = std::log(static_cast<double>(size.run.particles)), b = std::log(size.run.mean().seconds);
        n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

} // namespace

Faults bench_self(Report& report) {
    report.begin_table("self", "Self-collision: a round cloth of 0.6 m in a heap on the floor, one thread",
                       {{"particles", "particles", 11},
                        {"ms_per_frame", "ms/frame", 10, 2},
                        {"ns_candidates", "ns candidates", 15, 1},
                        {"ns_constraints", "ns constraints", 16, 1},
                        {"ns_all", "ns all", 9, 1},
                        {"self_contacts", "self contacts", 15},
                        {"longest_edge", "longest", 9, 3}});
    Size sizes[] = {{2000}, {5000}, {10000}, {20000}, {50000}};
    for (int repeat = 0; repeat < repeats; ++repeat) {
        for (Size& size : sizes) {
            Faults faults = size.run.repeat(heap_scene(size.particles), frames_to_fold, frames);
            if (!faults.empty()) return faults;
        }
    }
    for (const Size& size : sizes) {
        const FrameTime time = size.run.mean();
        const double ns_each = 1e9 / (static_cast<double>(size.run.particles) * heap_scene(0).solver.substeps);
        report.add({{"particles", size.run.particles},
                    {"ms_per_frame", 1e3 * time.seconds},
                    {"ns_candidates", ns_each * stage_seconds(time, Stage::candidates)},
                    {"ns_constraints", ns_each * stage_seconds(time, Stage::constraints)},
                    {"ns_all", ns_each * time.seconds},
                    {"self_contacts", size.run.self_contacts},
                    {"longest_edge", size.run.max_stretch}});
    }
    report.add(Bar{"self-collision, 2,000 to 50,000 particles, exponent of the time per frame", fitted_exponent(sizes),
                   Bar::Kind::below, 1.3});
    return {};
}

} // namespace taffeta::bench
