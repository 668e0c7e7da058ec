#include "stretch.h"

#include "settings.h"
#include "timing.h"

#include "sim/world.h"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <string_view>

namespace taffeta::bench {
namespace {

constexpr float dt = 1 / usual_frame_rate; // s
constexpr int frames_of(int seconds) {
    return seconds * static_cast<int>(usual_frame_rate);
}
constexpr std::string_view sheet = "sheet", disk = "disk", drape = "drape";

struct Task {
    std::string_view scene;
    int n = 0; // n x n particles
    std::string to_string() const { return std::string(scene) + ", n = " + std::to_string(n); }
};

// Let go from the horizontal: a square of 1 m or an irregular disk of as many particles, held at two corners; or a
// square without pins that falls over a sphere. Turned out of the planes of the axes, as in solver.cpp.
SceneDesc make_scene(const Task& task, const SolverDesc& solver) {
    SceneDesc scene;
    scene.frame_rate = usual_frame_rate;
    scene.solver = solver;
    scene.cloths = {{.shape = GridShape{{1, 1}, {task.n - 1, task.n - 1}},
                     .position = {0, 0.4f, 0},
                     .rotation = {0, 10, 0},
                     .self_collision = SelfCollision::none}};
    if (task.scene == drape) {
        scene.fabrics = {{.friction = 0.5f}};
        scene.colliders = {{.shape = Sphere{0.35f}}};
        return scene;
    }
    scene.cloths[0].pins = {CornerPin{"-x-z"}, CornerPin{"+x-z"}};
    if (task.scene == disk) scene.cloths[0].shape = DiskShape{0.5f, task.n * task.n};
    return scene;
}

// What a quarter of the values does not exceed: of times, that of the work on a machine that is busy now and then.
double lower_quartile(std::vector<double> values) {
    const auto quarter = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 4);
    std::nth_element(values.begin(), quarter, values.end());
    return *quarter;
}

// What was seen in 10 s.
struct Outcome {
    Measure end = {};
    float worst_stretch = 1; // after the first second
    bool fell_off = false;   // what it lay on
};

Outcome run_and_watch(Simulation& simulation) {
    Outcome outcome;
    for (int frame = 0; frame < frames_of(10); ++frame) {
        const StepReport report = simulation.step(dt);
        outcome.end = simulation.measure();
        if (frame >= frames_of(1)) outcome.worst_stretch = std::max(outcome.worst_stretch, outcome.end.max_stretch);
        outcome.fell_off = simulation.collider_count() > 0 && report.contacts == 0;
    }
    return outcome;
}

// The largest motion of a vertex in the last frame of 40 s, m; the first 10 s have passed.
float motion_at_rest(Simulation& simulation) {
    for (int frame = frames_of(10) + 1; frame < frames_of(40); ++frame) simulation.step(dt);
    std::vector<Vec3> before(simulation.vertex_count());
    simulation.copy_positions(before);
    simulation.step(dt);
    float largest = 0;
    for (Index v = 0; v < before.size(); ++v) largest = std::max(largest, length(simulation.position(v) - before[v]));
    return largest;
}

// Seconds per frame, plain and accelerated, of the same cloth in the same state: the two take turns on the accelerated
// one. The plain one by itself would stretch, slide off what it lies on, and have less to do. What it lets go of in its
// turn is drawn in again before the next one is timed.
Result<std::array<double, 2>> time_both(const Task& task, Simulation& simulation) {
    constexpr int turns = 10, frames_per_turn = 5;
    std::array<double, 2> best;
    best.fill(std::numeric_limits<double>::infinity());
    for (int turn = 0; turn < turns; ++turn) {
        for (std::size_t k = 0; k < best.size(); ++k) {
            const Result<void> changed =
                simulation.change(make_scene(task, k == 0 ? plain_solver : accelerated_solver));
            if (!changed) return changed.errors();
            const auto run_turn = [&] {
                for (int frame = 0; frame < frames_per_turn; ++frame) simulation.step(dt);
            };
            if (k == 1) run_turn();
            const double seconds = seconds_of(run_turn);
            best[k] = std::min(best[k], seconds / frames_per_turn);
        }
    }
    return best;
}

// What an accelerated run should keep; absent: only told.
struct Bounds {
    std::optional<double> longest = {}, cost = {}, worst = {};
};

Bounds bounds_of(const Task& task) {
    const auto by_n = [&](double at_64, double at_128, double at_256) {
        return task.n == 64 ? at_64 : task.n == 128 ? at_128 : at_256;
    };
    if (task.scene == sheet) return {.longest = by_n(1.02, 1.03, 1.05), .cost = 1.4, .worst = 1.25};
    if (task.scene == disk) return {.longest = by_n(1.04, 1.06, 1.10)};
    if (task.n == 128) return {.longest = 1.10, .cost = 1.5};
    return {};
}

void add_bars(const Task& task, const Row& row, Report& report) {
    const Bounds bounds = bounds_of(task);
    const auto add = [&](const char* what, const char* key, std::optional<double> bound) {
        const double value = row[key].is_number() ? row[key].get<double>() : std::numeric_limits<double>::infinity();
        if (bound) report.add(Bar{task.to_string() + ", accelerated, " + what, value, Bar::Kind::at_most, *bound});
    };
    add("longest edge after 10 s", "longest_edge", bounds.longest);
    add("longest edge after the first second", "worst", bounds.worst);
    add("time over that of 16 plain sweeps", "cost", bounds.cost);
    if (row.contains("motion_mm"))
        report.add(
            Bar{task.to_string() + ", accelerated, mm per frame after 40 s", row["motion_mm"], Bar::Kind::below, 0.01});
}

Errors compare_on(const Task& task, Report& report) {
    std::vector<Simulation> simulations; // plain, accelerated
    std::vector<Row> rows;
    for (const SolverDesc& solver : {plain_solver, accelerated_solver}) {
        SceneDesc scene = make_scene(task, solver);
        if (!solver.acceleration) scene.solver.threads = 0; // it is not timed, and all threads give the same bits
        Result<Simulation> created = Simulation::create(scene);
        if (!created) return created.errors();
        Simulation& simulation = simulations.emplace_back(std::move(*created));
        const Outcome outcome = run_and_watch(simulation);
        Row& row = rows.emplace_back(Row{{"scene", task.scene}, {"n", task.n}, {"solver", name_of(solver)}});
        if (outcome.fell_off) {
            row["longest_edge"] = "fell off";
        } else {
            row["longest_edge"] = outcome.end.max_stretch;
            row["mean_edge"] = outcome.end.mean_stretch;
        }
        row["worst"] = outcome.worst_stretch;
        if (task.n == 64 && task.scene != drape) row["motion_mm"] = 1e3f * motion_at_rest(simulation);
    }
    const Result<std::array<double, 2>> seconds = time_both(task, simulations[1]);
    if (!seconds) return seconds.errors();
    for (std::size_t k = 0; k < rows.size(); ++k) {
        rows[k]["ms_per_frame"] = 1e3 * (*seconds)[k];
        rows[k]["cost"] = (*seconds)[k] / (*seconds)[0];
    }
    if (const std::optional<double> bound = bounds_of(task).longest) rows[1]["bound"] = *bound;
    for (const Row& row : rows) report.add(row);
    add_bars(task, rows[1], report);
    return {};
}

// A run of 10 s.
struct Effort {
    float longest = 0; // edge at the end over its rest length; infinite if the cloth fell off
    double ms_per_frame = 0;
};

Result<Effort> run_with(const Task& task, const SolverDesc& solver) {
    Result<Simulation> simulation = Simulation::create(make_scene(task, solver));
    if (!simulation) return simulation.errors();
    std::vector<double> seconds;
    int contacts = 0;
    for (int frame = 0; frame < frames_of(10); ++frame)
        seconds.push_back(seconds_of([&] { contacts = simulation->step(dt).contacts; }));
    const bool fell_off = task.scene == drape && contacts == 0;
    return Effort{fell_off ? std::numeric_limits<float>::infinity() : simulation->measure().max_stretch,
                  1e3 * lower_quartile(std::move(seconds))};
}

// Ever more sweeps, until the longest edge stays below the last of the growing demands. Sought on all threads, which
// give the same bits sooner; what is found is timed on one.
Errors find_effort(const Task& task, SolverDesc solver, std::span<const int> iterations, Report& report) {
    constexpr std::array demands = {1.10f, 1.03f};
    std::size_t met = 0;
    const auto make_row = [&](float demand) {
        return Row{{"scene", task.scene}, {"n", task.n}, {"solver", name_of(solver)}, {"demand", demand}};
    };
    for (const int count : iterations) {
        solver.iterations = count;
        solver.threads = 0;
        Result<Effort> effort = run_with(task, solver);
        if (!effort) return effort.errors();
        if (effort->longest > demands[met]) continue;
        solver.threads = 1;
        effort = run_with(task, solver);
        if (!effort) return effort.errors();
        for (; met < demands.size() && effort->longest <= demands[met]; ++met) {
            Row row = make_row(demands[met]);
            row["sweeps"] = solver.substeps * count;
            row["ms_per_frame"] = effort->ms_per_frame;
            report.add(row);
        }
        if (met == demands.size()) return {};
    }
    for (; met < demands.size(); ++met) {
        Row row = make_row(demands[met]);
        row["sweeps"] = "not with " + std::to_string(solver.substeps * solver.iterations);
        report.add(row);
    }
    return {};
}

// Kinetic and potential, J.
double energy_of(const Simulation& simulation) {
    const World& world = simulation.world();
    double energy = simulation.measure().kinetic_energy;
    for (std::size_t p = 0; p < world.mass.size(); ++p)
        energy -= world.mass[p] *
                  dot(vector_cast<double>(world.settings.gravity), vector_cast<double>(world.state.x[p].xyz()));
    return energy;
}

// What the release and the new grip of a corner did, at most in one frame.
struct Jolt {
    double gain = 0; // J
    double fall = 0; // J, from the start down to the least energy
    float jump = 0;  // m, of a vertex
};

Result<Jolt> release_and_take_again(const SolverDesc& solver) {
    constexpr int n = 64;
    SceneDesc scene = make_scene({sheet, n}, solver);
    scene.cloths[0].pins = {CornerPin{"-x-z"}};
    Result<Simulation> created = Simulation::create(scene);
    if (!created) return created.errors();
    Simulation& simulation = *created;
    constexpr Index corner = n - 1; // "+x-z"
    GrabId hand = simulation.grab_vertex(corner);

    Jolt jolt;
    const double start = energy_of(simulation);
    double before = start;
    std::vector<Vec3> x_before(simulation.vertex_count());
    for (int frame = 0; frame < frames_of(6); ++frame) {
        if (frame == frames_of(2)) simulation.release(hand);
        if (frame == frames_of(3)) hand = simulation.grab_vertex(corner);
        simulation.copy_positions(x_before);
        simulation.step(dt);
        const double now = energy_of(simulation);
        jolt.fall = std::max(jolt.fall, start - now);
        if (frame >= frames_of(2)) {
            jolt.gain = std::max(jolt.gain, now - before);
            for (Index v = 0; v < x_before.size(); ++v)
                jolt.jump = std::max(jolt.jump, length(simulation.position(v) - x_before[v]));
        }
        before = now;
    }
    return jolt;
}

} // namespace

Errors bench_stretch(Report& report) {
    report.begin_table("settings", "The solvers of the tables that follow, at 30 frames per second",
                       {{"solver", "solver", 12},
                        {"substeps", "substeps", 10},
                        {"iterations", "iterations", 12},
                        {"velocity_factor", "velocity factor", 17, 3}});
    for (const SolverDesc& solver : {plain_solver, accelerated_solver})
        report.add({{"solver", name_of(solver)},
                    {"substeps", solver.substeps},
                    {"iterations", solver.iterations},
                    {"velocity_factor", *solver.velocity_factor}});

    report.begin_table("stretch",
                       "Stretch of n x n particles after 10 s, one thread: plain, and accelerated at the cost shown",
                       {{"scene", "scene", 6},
                        {"n", "n", 5},
                        {"solver", "solver", 13},
                        {"longest_edge", "longest", 9, 3},
                        {"mean_edge", "mean", 8, 3},
                        {"worst", "after 1 s", 11, 3},
                        {"ms_per_frame", "ms/frame", 10, 3},
                        {"cost", "cost", 7, 2},
                        {"motion_mm", "mm/frame at rest", 18, 4}});
    for (const std::string_view scene : {sheet, disk, drape})
        for (const int n : {64, 128, 256})
            if (Errors errors = compare_on({scene, n}, report); !errors.empty()) return errors;
    return {};
}

Errors bench_effort(Report& report) {
    constexpr std::array plain_iterations = {4, 8, 16, 32, 64};
    constexpr std::array accelerated_iterations = {1, 2, 5, 10, 20};
    report.begin_table("effort",
                       "Sweeps per frame, and their time, that keep the longest edge after 10 s below a bound",
                       {{"scene", "scene", 6},
                        {"n", "n", 5},
                        {"solver", "solver", 13},
                        {"demand", "longest", 9, 2},
                        {"sweeps", "sweeps", 14},
                        {"ms_per_frame", "ms/frame", 10, 3}});
    for (const std::string_view scene : {sheet, drape}) {
        for (const int n : {64, 128}) {
            const Task task = {scene, n};
            for (Errors errors : {find_effort(task, plain_solver, plain_iterations, report),
                                  find_effort(task, accelerated_solver, accelerated_iterations, report)})
                if (!errors.empty()) return errors;
        }
    }
    return {};
}

Errors bench_release(Report& report) {
    report.begin_table("release",
                       "A sheet, n = 64: a corner is let go of after 2 s and held again where it is after 3 s",
                       {{"solver", "solver", 12},
                        {"gain", "energy gain", 13, 6},
                        {"share_of_fall", "of the fall", 13, 6},
                        {"jump_mm", "jump, mm", 10, 1}});
    std::vector<Jolt> jolts;
    for (const SolverDesc& solver : {plain_solver, accelerated_solver}) {
        const Result<Jolt> jolt = release_and_take_again(solver);
        if (!jolt) return jolt.errors();
        jolts.push_back(*jolt);
        report.add({{"solver", name_of(solver)},
                    {"gain", jolt->gain},
                    {"share_of_fall", jolt->gain / jolt->fall},
                    {"jump_mm", 1e3f * jolt->jump}});
    }
    report.add(Bar{"release and new grip, accelerated, gain of energy in a frame over the energy of the fall",
                   jolts[1].gain / jolts[1].fall, Bar::Kind::at_most, 1e-4});
    report.add(Bar{"release and new grip, accelerated, largest jump in a frame over the plain one",
                   static_cast<double>(jolts[1].jump / jolts[0].jump), Bar::Kind::at_most, 1});
    return {};
}

} // namespace taffeta::bench
