#include "benchmarks.h"
#include "timing.h"

#include "collision/contacts/particle_separation.h"
#include "sim/world.h"
#include "solvers/position/sweep.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace taffeta::bench {
namespace {

constexpr int repeats = 3;
constexpr int frames_to_fold = 60, frames = 5;
constexpr int frames_of_fall = 75;
constexpr int usual_substeps = 4; // of a frame
// In a substep: sweeps, and those after which particles are kept apart.
constexpr int sweeps = 4, passes = sweeps - first_separation(sweeps);

// A round cloth that falls edge first to the floor, with the settings of [FGL03] and acceleration. Nearly upright it
// collapses alike at every resolution; leaning more, a coarse one topples over in one piece.
SceneDesc heap_scene(int particles, int threads, int substeps = usual_substeps) {
    SceneDesc scene;
    scene.frame_rate = 30;
    scene.solver = {.method = "limits",
                    .substeps = substeps,
                    .iterations = sweeps,
                    .velocity_factor =
                        std::pow(0.99f, static_cast<float>(usual_substeps) / static_cast<float>(substeps)),
                    .acceleration = true,
                    .threads = threads};
    scene.cloths = {{.shape = DiskShape{.radius = 0.6f, .particles = particles},
                     .position = {0, 0.65f, 0},
                     .rotation = {88, 0, 0}}};
    scene.colliders = {{.shape = Plane{}}};
    return scene;
}

// The parts of one substep's self-collision, each timed on the state a frame has left, with the limits projected as in
// the step: the search with all its preparation, and the separations of the passes.
struct PassTime {
    double search = std::numeric_limits<double>::infinity(), first = search, separating = search; // s

    double alone() const { return search + first; } // one search, one separation
    double substep() const { return search + separating; }
    double pass() const { return substep() / passes; } // a separation, and its share of the search

    void keep_least(const PassTime& other) {
        search = std::min(search, other.search);
        first = std::min(first, other.first);
        separating = std::min(separating, other.separating);
    }
    void add(const PassTime& other, double share) {
        search += share * other.search, first += share * other.first, separating += share * other.separating;
    }
};

PassTime time_pass(const World& world) {
    Grid grid = world.grid;
    std::vector<Vec4> x = world.state.x;
    for (Index p = 0; p < world.state.count(); ++p) { // where the next substep would begin
        const float h = 1 / (30.0f * static_cast<float>(world.settings.substeps));
        x[p].set_xyz(x[p].xyz() + world.state.v[p].xyz() * h);
    }
    for (int sweep_before = passes; sweep_before < sweeps; ++sweep_before) sweep(world.lengths, world.parallel, x);
    PassTime least;
    for (int repeat = 0; repeat < 5; ++repeat) { // the first brings everything to the caches
        std::vector<Vec4> moved = x;
        PassTime time = {0, 0, 0};
        for (int pass = 0; pass < passes; ++pass) {
            sweep(world.lengths, world.parallel, moved);
            const std::span<const Vec4> particles = std::span(moved).first(world.state.count());
            if (pass == 0) time.search = seconds_of([&] { grid.find_near(particles, world.parallel); });
            time.separating += seconds_of([&] { separate(grid, world.parallel, moved); });
            if (pass == 0) time.first = time.separating;
        }
        least.keep_least(time);
    }
    return least;
}

struct Size {
    int particles = 0, substeps = usual_substeps;
    PassTime time = {0, 0, 0}; // mean over the frames
    double near = 0, contacts = 0;
    float max_stretch = 0;
};

// Times the passes of heaps that have folded onto themselves; sizes take turns.
Faults time_passes(std::span<Size> sizes) {
    const float dt = 1 / 30.0f;
    std::vector<Simulation> heaps;
    for (const Size& size : sizes) {
        Result<Simulation> heap = Simulation::create(heap_scene(size.particles, 1, size.substeps));
        if (!heap) return heap.faults();
        for (int frame = 0; frame < frames_to_fold; ++frame) heap->step(dt);
        heaps.push_back(std::move(*heap));
    }
    for (int frame = 0; frame < frames; ++frame) {
        for (std::size_t k = 0; k < sizes.size(); ++k) {
            sizes[k].contacts += static_cast<double>(heaps[k].step(dt).self_contacts) / frames;
            for (const NearList& list : heaps[k].world().grid.near())
                sizes[k].near += static_cast<double>(list.count) / sizes[k].particles / frames;
        }
        std::vector<PassTime> least(sizes.size());
        for (int turn = 0; turn < repeats; ++turn)
            for (std::size_t k = 0; k < sizes.size(); ++k) least[k].keep_least(time_pass(heaps[k].world()));
        for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k].time.add(least[k], 1.0 / frames);
    }
    for (std::size_t k = 0; k < sizes.size(); ++k) sizes[k].max_stretch = heaps[k].measure().max_stretch;
    return {};
}

// The slope of the line through log(time) over log(particles), by least squares.
double fitted_exponent(std::span<const Size> sizes) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const Size& size : sizes) {
        const double a = std::log(static_cast<double>(size.particles)), b = std::log(size.time.pass());
        n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

Faults time_heaps(const char* table, const std::string& title, std::span<Size> sizes, Report& report) {
    report.begin_table(table, title,
                       {{"particles", "particles", 11},
                        {"substeps", "substeps", 10},
                        {"ns_search", "search", 9, 1},
                        {"ns_separation", "separation", 12, 1},
                        {"ns_alone", "both", 9, 1},
                        {"ns_substep", "substep", 9, 1},
                        {"ns_pass", "pass", 8, 1},
                        {"near", "near pairs", 12, 2},
                        {"self_contacts", "self contacts", 15},
                        {"longest_edge", "longest", 9, 3}});
    if (Faults faults = time_passes(sizes); !faults.empty()) return faults;
    for (const Size& size : sizes) {
        const double ns_each = 1e9 / size.particles;
        report.add({{"particles", size.particles},
                    {"substeps", size.substeps},
                    {"ns_search", ns_each * size.time.search},
                    {"ns_separation", ns_each * size.time.first},
                    {"ns_alone", ns_each * size.time.alone()},
                    {"ns_substep", ns_each * size.time.substep()},
                    {"ns_pass", ns_each * size.time.pass()},
                    {"near", size.near},
                    {"self_contacts", size.contacts},
                    {"longest_edge", size.max_stretch}});
    }
    return {};
}

Faults bench_heaps(Report& report) {
    Size sizes[] = {{10000}, {20000}, {50000}, {100000}, {200000}};
    if (Faults faults = time_heaps(
            "self", "Self-collision of a round cloth of 0.6 m in a heap, ns per particle, one thread", sizes, report);
        !faults.empty())
        return faults;
    double slowest = 0;
    for (const Size& size : sizes) slowest = std::max(slowest, 1e9 / size.particles * size.time.pass());
    report.add(Bar{"self-collision, ns per particle and pass, of three that share a search; the slowest size", slowest,
                   Bar::Kind::at_most, 40});
    report.add(Bar{"self-collision in a heap, 10,000 to 200,000 particles, exponent of the time",
                   fitted_exponent(sizes), Bar::Kind::at_most, 1.15});
    return {};
}

// In substeps of one length a finer cloth, whose particles keep smaller distances, goes through itself more and ends in
// a denser heap. Here particles go as many of their distances in a substep at every size.
Faults bench_heaps_in_fine_steps(Report& report) {
    Size sizes[] = {{10000}, {20000}, {50000}, {100000}, {200000}};
    for (Size& size : sizes)
        size.substeps = static_cast<int>(std::lround(usual_substeps * std::sqrt(size.particles / 10000.0)));
    if (Faults faults = time_heaps(
            "self_fine", "The same, with substeps as fine as the cloth, ns per particle, one thread", sizes, report);
        !faults.empty())
        return faults;
    report.add(Bar{"self-collision in a heap, substeps as fine as the cloth, exponent of the time",
                   fitted_exponent(sizes), Bar::Kind::at_most, 1.15});
    return {};
}

Faults bench_fall(Report& report) {
    report.begin_table("fall", "100,000 particles fall in a heap, everything included, from the start to 2.5 s",
                       {{"threads", "threads", 9},
                        {"ms_per_frame", "ms/frame", 10, 2},
                        {"ms_candidates", "candidates", 12, 2},
                        {"ms_constraints", "constraints", 13, 2},
                        {"ms_contacts", "contacts", 10, 2}});
    double all_threads = 0;
    std::array<TimedRun, 2> runs; // on one thread, and on all, by turns
    for (int repeat = 0; repeat < repeats; ++repeat)
        for (const int threads : {1, 0})
            if (Faults faults = runs[threads == 1 ? 0 : 1].repeat(heap_scene(100000, threads), 0, frames_of_fall);
                !faults.empty())
                return faults;
    for (const TimedRun& run : runs) {
        const FrameTime time = run.mean();
        all_threads = 1e3 * time.seconds;
        report.add({{"threads", run.threads},
                    {"ms_per_frame", 1e3 * time.seconds},
                    {"ms_candidates", 1e3 * stage_seconds(time, Stage::candidates)},
                    {"ms_constraints", 1e3 * stage_seconds(time, Stage::constraints)},
                    {"ms_contacts", 1e3 * stage_seconds(time, Stage::contacts)}});
    }
    report.add(Bar{"100,000 particles in a heap, ms per frame on all threads; real time is", all_threads,
                   Bar::Kind::at_most, 1000.0 / 30});
    return {};
}

} // namespace

Faults bench_self(Report& report) {
    for (const auto bench : {bench_heaps, bench_heaps_in_fine_steps, bench_fall})
        if (Faults faults = bench(report); !faults.empty()) return faults;
    return {};
}

} // namespace taffeta::bench
