#include "benchmarks.h"
#include "timing.h"

#include "collision/self.h"
#include "sim/world.h"
#include "solvers/position.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace taffeta::bench {
namespace {

constexpr int repeats = 3;
constexpr int frames_to_fold = 60, frames = 5;
constexpr int frames_of_fall = 75;
// In a substep: sweeps, and those after which particles are kept apart, as sim/stages.cpp does it.
constexpr int sweeps = 4, passes = sweeps - 1;

constexpr float radius = 0.6f; // m

// A round cloth that falls edge first to the floor, with the settings of [FGL03] and acceleration. Nearly upright it
// collapses alike at every resolution; leaning more, a coarse one topples over in one piece.
SceneDesc heap_scene(int particles, int threads) {
    SceneDesc scene;
    scene.frame_rate = 30;
    scene.solver = {.method = "limits",
                    .substeps = 4,
                    .iterations = sweeps,
                    .velocity_factor = 0.99f,
                    .acceleration = true,
                    .threads = threads};
    scene.cloths = {{.shape = DiskShape{.radius = radius, .particles = particles},
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
};

PassTime time_pass(const World& world) {
    Grid grid = world.grid;
    std::vector<Vec4> x = world.state.x;
    for (Index p = 0; p < world.state.count(); ++p) { // where the next substep would begin
        const float h = 1 / (30.0f * static_cast<float>(world.settings.substeps));
        x[p].set_xyz(x[p].xyz() + world.state.v[p].xyz() * h);
    }
    for (int sweep_before = passes; sweep_before < sweeps; ++sweep_before) sweep(world.lengths, world.parallel, x);
    PassTime best;
    for (int repeat = 0; repeat < 2 * repeats; ++repeat) {
        std::vector<Vec4> moved = x;
        double separating = 0;
        for (int pass = 0; pass < passes; ++pass) {
            sweep(world.lengths, world.parallel, moved);
            const std::span<const Vec4> particles = std::span(moved).first(world.state.count());
            if (pass == 0)
                best.search = std::min(best.search, seconds_of([&] { grid.find_near(particles, world.parallel); }));
            separating += seconds_of([&] { separate(grid, world.parallel, moved); });
            if (pass == 0) best.first = std::min(best.first, separating);
        }
        best.separating = std::min(best.separating, separating);
    }
    return best;
}

struct Size {
    int particles = 0;
    PassTime time = {}; // mean over the frames
    double contacts = 0;
    float max_stretch = 0;
};

// Times the passes of a heap that has folded onto itself.
Faults time_heap(Size& size) {
    Result<Simulation> created = Simulation::create(heap_scene(size.particles, 1));
    if (!created) return created.faults();
    Simulation& simulation = *created;
    const float dt = 1 / 30.0f;
    for (int frame = 0; frame < frames_to_fold; ++frame) simulation.step(dt);
    size.time = {0, 0, 0};
    for (int frame = 0; frame < frames; ++frame) {
        size.contacts += static_cast<double>(simulation.step(dt).self_contacts) / frames;
        const PassTime time = time_pass(simulation.world());
        size.time.search += time.search / frames;
        size.time.first += time.first / frames;
        size.time.separating += time.separating / frames;
    }
    size.max_stretch = simulation.measure().max_stretch;
    return {};
}

// The same cloth in ten layers, folded like a fan and pressed together until about as many are near each other as in a
// heap of 100,000: as many per particle whatever the number of particles, while a heap has more layers the finer its
// cloth.
std::vector<Vec4> fold(const World& world) {
    constexpr float layers = 10, pressed = 0.45f; // of an edge, which is the distance to be kept
    float edges = 0;
    const std::vector<Limit> limits = world.lengths.in_order();
    for (const Limit& edge : limits) edges += edge.longest / static_cast<float>(limits.size());
    const float width = 2 * radius / layers, apart = pressed * edges;
    std::vector<Vec4> x = world.state.x;
    for (Index p = 0; p < world.state.count(); ++p) {
        const float along = (x[p].x + radius) / width, layer = std::min(std::floor(along), layers - 1);
        const float within = along - layer, folded = std::fmod(layer, 2.0f) == 0 ? within : 1 - within;
        x[p].set_xyz({folded * width, layer * apart, x[p].z});
    }
    return x;
}

struct FoldedSize {
    int particles = 0;
    PassTime time = {};
    double near = 0; // pairs that the search finds, per particle
    Grid grid = {};
    std::vector<Vec4> x = {};
};

Faults prepare_folds(FoldedSize& size) {
    SceneDesc scene = heap_scene(size.particles, 1);
    scene.cloths[0].rotation = {}; // flat
    scene.cloths[0].position = {};
    const Result<Simulation> created = Simulation::create(scene);
    if (!created) return created.faults();
    size.grid = created->world().grid;
    size.x = fold(created->world());
    return {};
}

void time_folds(FoldedSize& size) {
    const Parallel one_thread(1);
    std::vector<Vec4> x = size.x;
    const auto particles = std::span<const Vec4>(x).first(static_cast<std::size_t>(size.particles));
    size.time.search = std::min(size.time.search, seconds_of([&] { size.grid.find_near(particles, one_thread); }));
    size.time.first = std::min(size.time.first, seconds_of([&] { separate(size.grid, one_thread, x); }));
    size.time.separating = passes * size.time.first; // each from the same state: nothing presses the layers together
    size.near = 0;
    for (const NearList& list : size.grid.near()) size.near += static_cast<double>(list.count) / size.particles;
}

// The slope of the line through log(time) over log(particles), by least squares.
template <class AnySize>
double fitted_exponent(std::span<const AnySize> sizes) {
    double n = 0, x = 0, y = 0, xx = 0, xy = 0;
    for (const AnySize& size : sizes) {
        const double a = std::log(static_cast<double>(size.particles)), b = std::log(size.time.pass());
        n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    return (n * xy - x * y) / (n * xx - x * x);
}

Faults bench_passes(Report& report) {
    report.begin_table("self", "Self-collision of a round cloth of 0.6 m in a heap, ns per particle, one thread",
                       {{"particles", "particles", 11},
                        {"ns_search", "search", 9, 1},
                        {"ns_separation", "separation", 12, 1},
                        {"ns_alone", "both", 9, 1},
                        {"ns_substep", "substep", 9, 1},
                        {"ns_pass", "pass", 8, 1},
                        {"self_contacts", "self contacts", 15},
                        {"longest_edge", "longest", 9, 3}});
    Size sizes[] = {{10000}, {20000}, {50000}, {100000}, {200000}};
    double slowest = 0;
    for (Size& size : sizes) {
        if (Faults faults = time_heap(size); !faults.empty()) return faults;
        const double ns_each = 1e9 / size.particles;
        slowest = std::max(slowest, ns_each * size.time.pass());
        report.add({{"particles", size.particles},
                    {"ns_search", ns_each * size.time.search},
                    {"ns_separation", ns_each * size.time.first},
                    {"ns_alone", ns_each * size.time.alone()},
                    {"ns_substep", ns_each * size.time.substep()},
                    {"ns_pass", ns_each * size.time.pass()},
                    {"self_contacts", size.contacts},
                    {"longest_edge", size.max_stretch}});
    }
    report.add(Bar{"self-collision, ns per particle and pass, of three that share a search; the slowest size", slowest,
                   Bar::Kind::at_most, 40});
    report.add(Bar{"self-collision in a heap, 10,000 to 200,000 particles, exponent of the time",
                   fitted_exponent<Size>(sizes), Bar::Kind::at_most, 1.15});
    return {};
}

Faults bench_folds(Report& report) {
    report.begin_table("folds", "Self-collision of a round cloth folded in ten layers, ns per particle, one thread",
                       {{"particles", "particles", 11},
                        {"ns_search", "search", 9, 1},
                        {"ns_separation", "separation", 12, 1},
                        {"ns_pass", "pass", 8, 1},
                        {"near", "near pairs", 12, 2}});
    FoldedSize sizes[] = {{10000}, {20000}, {50000}, {100000}, {200000}};
    for (FoldedSize& size : sizes)
        if (Faults faults = prepare_folds(size); !faults.empty()) return faults;
    for (int turn = 0; turn < 10 * repeats; ++turn)
        for (FoldedSize& size : sizes) time_folds(size);
    for (const FoldedSize& size : sizes) {
        const double ns_each = 1e9 / size.particles;
        report.add({{"particles", size.particles},
                    {"ns_search", ns_each * size.time.search},
                    {"ns_separation", ns_each * size.time.first},
                    {"ns_pass", ns_each * size.time.pass()},
                    {"near", size.near}});
    }
    report.add(Bar{"self-collision in ten layers, 10,000 to 200,000 particles, exponent of the time",
                   fitted_exponent<FoldedSize>(sizes), Bar::Kind::at_most, 1.15});
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
    for (const auto bench : {bench_passes, bench_folds, bench_fall})
        if (Faults faults = bench(report); !faults.empty()) return faults;
    return {};
}

} // namespace taffeta::bench
