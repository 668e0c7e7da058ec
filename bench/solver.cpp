#include "benchmarks.h"
#include "bullet_sheet.h"
#include "settings.h"
#include "stretch.h"
#include "timing.h"

#include "sim/world.h"
#include "solvers/position/reference.h"

#include <malloc.h>

#include <algorithm>
#include <array>
#include <functional>
#include <limits>
#include <thread>

namespace taffeta::bench {
namespace {

constexpr float dt = 1.0f / 60; // s, one integration step per frame
constexpr int sweeps = 16;
constexpr float velocity_factor = 0.9f; // the sheet comes to hang still, so that the stretch is not that of a swing
constexpr int frames_per_turn = 2;      // that are timed, after one that is not
constexpr int turns = 20;               // 1 s

// One of those who simulate the same sheet.
struct Contestant {
    std::string name = {};
    int threads = 1;
    std::function<void()> frame = {};
    std::function<Vec3(Index)> position = {};                           // of a vertex; none: only time is taken
    double seconds_per_frame = std::numeric_limits<double>::infinity(); // of the best turn
};

struct Sheet {
    std::string mesh;
    int n = 0; // of n x n particles
};

// A sheet of 1 m that hangs by two corners, or a round cloth that hangs by two points of its rim. Every pair is a
// distance to be kept, as far as the method allows: our bending limits push and never pull.
SceneDesc sheet_scene(const Sheet& sheet, int threads) {
    SceneDesc scene;
    scene.frame_rate = 1 / dt;
    scene.solver = {.method = "limits",
                    .substeps = 1,
                    .iterations = sweeps,
                    .velocity_factor = velocity_factor,
                    .acceleration = false,
                    .threads = threads};
    scene.fabrics = {{.name = "cloth", .max_stretch = 1, .min_stretch = 1, .bend_limit = 1}};
    // Upright, and turned out of the planes of the axes: there, one coordinate of everything would be the rounding of a
    // rounding, and denormal numbers would make all solvers in single precision up to one and a half times as slow.
    scene.cloths = {{.fabric = "cloth",
                     .rotation = {90, 10, 0},
                     .pins = {CornerPin{"-x-z"}, CornerPin{"+x-z"}},
                     .self_collision = SelfCollision::none}};
    // Diagonals of one direction: no two edges have the same opposite pair, so that there are 6 n^2 different pairs.
    if (sheet.mesh == "grid")
        scene.cloths[0].shape = GridShape{{1, 1}, {sheet.n - 1, sheet.n - 1}, Diagonals::left};
    else
        scene.cloths[0].shape = DiskShape{0.5f, sheet.n * sheet.n};
    return scene;
}

ReferenceCloth make_reference(const World& world) {
    ReferenceCloth cloth;
    for (const Vec4& p : world.state.particles()) {
        cloth.x.push_back(vector_cast<double>(p.xyz()));
        cloth.inverse_mass.push_back(static_cast<double>(p.w));
    }
    cloth.x_prev = cloth.x;
    for (const Limit& limit : world.limits.in_order())
        cloth.limits.push_back(
            {limit.i, limit.j, static_cast<double>(limit.shortest), static_cast<double>(limit.longest)});
    cloth.gravity = vector_cast<double>(world.settings.gravity);
    cloth.velocity_factor = static_cast<double>(velocity_factor);
    cloth.iterations = sweeps;
    return cloth;
}

BulletSheet make_bullet(const World& world, bool reorder_links) {
    std::vector<Vec3> positions;
    std::vector<float> mass;
    for (const Index particle : world.particle_of_vertex) { // in the order of the mesh, not in ours
        const Vec4& p = world.state.x[particle];
        positions.push_back(p.xyz());
        mass.push_back(p.w > 0 ? 1 / p.w : 0);
    }
    // In the order in which a program appends them: the edges of the mesh, then the bending pairs.
    Topology topology = make_topology(world.triangles);
    std::vector<Pair> links = std::move(topology.edges);
    links.insert(links.end(), topology.opposite.begin(), topology.opposite.end());
    return BulletSheet({.positions = positions,
                        .mass = mass,
                        .links = links,
                        .gravity = world.settings.gravity,
                        .velocity_factor = velocity_factor,
                        .iterations = sweeps,
                        .reorder_links = reorder_links});
}

// The roofline: the projection of all limits, and nothing else of a frame. The kernel goes through the blocks of the
// simulation beside it, in its order, on a copy of its positions.
class BareKernel {
public:
    explicit BareKernel(const World& world) : world_(world), x_(world.state.x) {}

    void sweep_frame() {
        for (int sweep = 0; sweep < sweeps; ++sweep)
            for (std::size_t run = 0; run < world_.limits.runs(); ++run) project_limits(world_.limits.run(run), x_);
    }

private:
    const World& world_;
    std::vector<Vec4> x_;
};

// Edges over their rest lengths.
struct Stretch {
    float longest = 0, mean = 0;
};

Stretch stretch_of(const World& world, const Contestant& contestant) {
    Stretch stretch;
    double sum = 0;
    const auto position = [&](Index particle) { return contestant.position(world.vertex_of_particle[particle]); };
    for (const Pair& edge : world.edges) {
        const float ratio = length(position(edge.j) - position(edge.i)) / world.rest_length(edge);
        stretch.longest = std::max(stretch.longest, ratio);
        sum += static_cast<double>(ratio);
    }
    stretch.mean = static_cast<float>(sum / static_cast<double>(world.edges.size()));
    return stretch;
}

double bytes_in_use() {
    const struct mallinfo2 heap = mallinfo2();
    return static_cast<double>(heap.uordblks + heap.hblkhd);
}

// All that a simulation keeps on the heap, after its first step.
Result<double> bytes_per_particle(const SceneDesc& scene) {
    const double before = bytes_in_use();
    Result<Simulation> simulation = Simulation::create(scene);
    if (!simulation) return simulation.faults();
    simulation->step(dt);
    return (bytes_in_use() - before) / simulation->world().state.count();
}

// The contestants take turns, so that what else the machine does hits all of them. The first frame of a turn brings
// back to the caches what the others have driven out; a simulation that runs by itself finds it there.
void race(std::span<Contestant> contestants) {
    for (int turn = 0; turn < turns; ++turn) {
        for (Contestant& contestant : contestants) {
            contestant.frame();
            const double seconds = seconds_of([&] {
                for (int frame = 0; frame < frames_per_turn; ++frame) contestant.frame();
            });
            contestant.seconds_per_frame = std::min(contestant.seconds_per_frame, seconds / frames_per_turn);
        }
    }
}

void add_bars(const Sheet& sheet, double one, double two, double kernel, double bullet, Report& report) {
    const std::string name = sheet.mesh + ", n = " + std::to_string(sheet.n);
    if (sheet.n >= 128) {
        report.add(
            Bar{name + ", one thread, time of a frame over the bare kernel's", one / kernel, Bar::Kind::at_most, 1.25});
        report.add(Bar{name + ", two threads, times as fast as one", one / two, Bar::Kind::at_least, 1.7});
    }
    if (sheet.n == 128)
        report.add(Bar{name + ", one thread, share of Bullet's time", one / bullet, Bar::Kind::at_most, 0.25});
}

Faults race_on(const Sheet& sheet, Report& report) {
    Result<Simulation> one = Simulation::create(sheet_scene(sheet, 1));
    if (!one) return one.faults();
    Result<Simulation> two = Simulation::create(sheet_scene(sheet, 2));
    if (!two) return two.faults();
    const World& world = one->world();
    BareKernel kernel(world);
    ReferenceCloth reference = make_reference(world);
    BulletSheet bullet = make_bullet(world, false);
    BulletSheet reordered = make_bullet(world, true);

    std::array<Contestant, 6> contestants = {
        Contestant{.name = "bare kernel", .frame = [&] { kernel.sweep_frame(); }},
        {.name = "taffeta", .frame = [&] { one->step(dt); }, .position = [&](Index v) { return one->position(v); }},
        {.name = "taffeta",
         .threads = 2,
         .frame = [&] { two->step(dt); },
         .position = [&](Index v) { return two->position(v); }},
        {.name = "reference",
         .frame = [&] { reference.step(static_cast<double>(dt)); },
         .position = [&](Index v) { return vector_cast<float>(reference.x[world.particle_of_vertex[v]]); }},
        {.name = "Bullet", .frame = [&] { bullet.step(dt); }, .position = [&](Index v) { return bullet.position(v); }},
        {.name = "Bullet reordered",
         .frame = [&] { reordered.step(dt); },
         .position = [&](Index v) { return reordered.position(v); }},
    };
    race(contestants);

    const double projections = static_cast<double>(world.limits.count) * sweeps;
    const auto seconds = [&](std::size_t k) { return contestants[k].seconds_per_frame; };
    for (const Contestant& contestant : contestants) {
        Row row = {{"solver", contestant.name},
                   {"mesh", sheet.mesh},
                   {"n", sheet.n},
                   {"threads", contestant.threads},
                   {"ms_per_frame", 1e3 * contestant.seconds_per_frame},
                   {"ns_per_projection", 1e9 * contestant.seconds_per_frame / projections},
                   {"share_of_kernel", contestant.seconds_per_frame / seconds(0)},
                   {"share_of_bullet", contestant.seconds_per_frame / seconds(4)},
                   {"share_of_bullet_reordered", contestant.seconds_per_frame / seconds(5)}};
        if (contestant.position) {
            const Stretch stretch = stretch_of(world, contestant);
            row["longest_edge"] = stretch.longest;
            row["mean_edge"] = stretch.mean;
        }
        report.add(row);
    }
    add_bars(sheet, seconds(1), seconds(2), seconds(0), seconds(4), report);
    return {};
}

Faults race_on_sheets(Report& report) {
    report.begin_table(
        "solver", "Hanging sheets of n x n particles, 16 sweeps per frame of 1/60 s, all stages; stretch after 1 s",
        {{"solver", "solver", 16},
         {"mesh", "mesh", 6},
         {"n", "n", 5},
         {"threads", "threads", 9},
         {"ms_per_frame", "ms/frame", 10, 3},
         {"ns_per_projection", "ns/proj", 9, 2},
         {"share_of_kernel", "of kernel", 11, 2},
         {"share_of_bullet", "of Bullet", 11, 3},
         {"share_of_bullet_reordered", "of reordered", 14, 3},
         {"longest_edge", "longest", 9, 3},
         {"mean_edge", "mean", 8, 3}});
    for (const char* mesh : {"grid", "disk"})
        for (const int n : {64, 128, 256})
            if (Faults faults = race_on({mesh, n}, report); !faults.empty()) return faults;
    return {};
}

// Plain and accelerated on one thread and on two, with their usual settings; and two on one thread each, side by side,
// which have nothing to wait for: what the machine allows.
Faults scale_on(const Sheet& sheet, Report& report) {
    for (const SolverDesc& solver : {plain_solver, accelerated_solver}) {
        std::vector<Simulation> simulations;
        for (const int threads : {1, 2, 1, 1}) {
            SceneDesc scene = sheet_scene(sheet, threads);
            scene.solver = solver;
            scene.solver.threads = threads;
            Result<Simulation> simulation = Simulation::create(scene);
            if (!simulation) return simulation.faults();
            simulations.push_back(std::move(*simulation));
        }
        const auto step = [&](std::size_t k) { simulations[k].step(1 / usual_frame_rate); };
        std::array<Contestant, 3> contestants = {
            Contestant{.frame = [&] { step(0); }}, {.frame = [&] { step(1); }}, {.frame = [&] {
                std::thread beside([&] { step(2); });
                step(3);
                beside.join();
            }}};
        race(contestants);

        const double one = contestants[0].seconds_per_frame, two = contestants[1].seconds_per_frame;
        const double side_by_side = contestants[2].seconds_per_frame;
        report.add({{"solver", name_of(solver)},
                    {"mesh", sheet.mesh},
                    {"n", sheet.n},
                    {"ms_on_one", 1e3 * one},
                    {"ms_on_two", 1e3 * two},
                    {"times_as_fast", one / two},
                    {"machine", 2 * one / side_by_side}});
        if (solver.acceleration)
            report.add(Bar{sheet.mesh + ", n = " + std::to_string(sheet.n) +
                               ", accelerated, two threads, times as fast as one",
                           one / two, Bar::Kind::at_least, 1.7});
    }
    return {};
}

Faults scale_sheets(Report& report) {
    report.begin_table("threads", "Hanging sheets of n x n particles at 30 frames per second, on one thread and on two",
                       {{"solver", "solver", 12},
                        {"mesh", "mesh", 6},
                        {"n", "n", 5},
                        {"ms_on_one", "ms/frame, one", 15, 3},
                        {"ms_on_two", "two", 9, 3},
                        {"times_as_fast", "one/two", 9, 2},
                        {"machine", "machine", 9, 2}});
    for (const char* mesh : {"grid", "disk"})
        for (const int n : {128, 256})
            if (Faults faults = scale_on({mesh, n}, report); !faults.empty()) return faults;
    return {};
}

Faults weigh_sheets(Report& report) {
    report.begin_table("memory", "Bytes per particle after the first step, 256 x 256 particles",
                       {{"mesh", "mesh", 6},
                        {"plain", "plain", 8},
                        {"accelerated", "accelerated", 13},
                        {"self_colliding", "self-colliding", 16},
                        {"both", "both", 8}});
    for (const char* mesh : {"grid", "disk"}) {
        Row row = {{"mesh", mesh}};
        const auto weigh = [&](const char* name, bool is_accelerated, SelfCollision self_collision) -> Faults {
            SceneDesc scene = sheet_scene({mesh, 256}, 1);
            scene.solver = is_accelerated ? accelerated_solver : plain_solver;
            scene.cloths[0].self_collision = self_collision;
            const Result<double> bytes = bytes_per_particle(scene);
            if (!bytes) return bytes.faults();
            row[name] = *bytes;
            return {};
        };
        for (Faults faults :
             {weigh("plain", false, SelfCollision::none), weigh("accelerated", true, SelfCollision::none),
              weigh("self_colliding", false, SelfCollision::particles), weigh("both", true, SelfCollision::particles)})
            if (!faults.empty()) return faults;
        report.add(row);
        report.add(
            Bar{std::string(mesh) + ", accelerated, bytes per particle", row["accelerated"], Bar::Kind::below, 400});
    }
    return {};
}

// The cloth of [FGL03] section 5: 1,000 particles, four substeps of four sweeps per frame of 1/30 s.
Faults time_small_sheet(Report& report) {
    report.begin_table("real_time", "1,000 particles, four substeps per frame of 1/30 s, one thread",
                       {{"solver", "solver", 12},
                        {"mesh", "mesh", 6},
                        {"iterations", "sweeps", 8},
                        {"ms_per_frame", "ms/frame", 10, 3},
                        {"times_real_time", "x real", 8, 1},
                        {"longest_edge", "longest", 9, 3}});
    SolverDesc accelerated = plain_solver;
    accelerated.acceleration = true;
    accelerated.iterations = 2; // in half of the sweeps it holds the cloth far better
    for (const SolverDesc& solver : {plain_solver, accelerated}) {
        for (const std::string mesh : {"grid", "disk"}) {
            SceneDesc scene = sheet_scene({mesh, 32}, 1);
            if (mesh == "grid")
                scene.cloths[0].shape = GridShape{{1.6f, 1}, {39, 24}, Diagonals::left};
            else
                scene.cloths[0].shape = DiskShape{0.5f, 1000};
            scene.frame_rate = usual_frame_rate;
            scene.solver = solver;
            TimedRun run;
            for (int repeat = 0; repeat < 5; ++repeat)
                if (Faults faults = run.repeat(scene, 10, 60); !faults.empty()) return faults;
            const double seconds = run.mean().seconds;
            const double times_real_time = 1 / (seconds * static_cast<double>(scene.frame_rate));
            report.add({{"solver", name_of(solver)},
                        {"mesh", mesh},
                        {"iterations", solver.iterations},
                        {"ms_per_frame", 1e3 * seconds},
                        {"times_real_time", times_real_time},
                        {"longest_edge", run.max_stretch}});
            report.add(
                Bar{mesh + " of 1,000 particles, " + name_of(solver) + ", one thread, times faster than real time",
                    times_real_time, Bar::Kind::at_least, 200});
        }
    }
    return {};
}

} // namespace

Faults bench_solver(Report& report) {
    for (const auto bench :
         {race_on_sheets, scale_sheets, bench_stretch, bench_effort, bench_release, weigh_sheets, time_small_sheet})
        if (Faults faults = bench(report); !faults.empty()) return faults;
    return {};
}

} // namespace taffeta::bench
