#include "benchmarks.h"
#include "timing.h"

#include "lab/rig.h"

#include <algorithm>
#include <cmath>
#include <functional>

namespace taffeta::bench {
namespace {

// A square metre of cloth that hangs by two corners.
SceneDesc hung_scene(const std::string& method, int cells) {
    SceneDesc scene;
    scene.solver = {.method = method, .substeps = 1};
    scene.cloths = {{.shape = GridShape{{1, 1}, {cells, cells}},
                     .pins = {CornerPin{"-x-z"}, CornerPin{"+x-z"}},
                     .self_collision = SelfCollision::none}};
    return scene;
}

// How the time of a step grows with the number of particles, at one step per frame.
Errors bench_growth(Report& report) {
    report.begin_table("fabric_implicit", "Implicit steps of 1/30 s: a square metre on two corners falls, all threads",
                       {{"particles", "particles", 11}, {"ms_per_step", "ms/step", 10, 2}});
    double n = 0, x = 0, y = 0, xx = 0, xy = 0; // sums of logarithms, for a line through them
    for (const int cells : {15, 22, 31, 44, 63, 89}) {
        TimedRun run;
        if (Errors errors = run.repeat(hung_scene("implicit", cells), 3, 12); !errors.empty()) return errors;
        const double seconds = run.mean().seconds;
        report.add({{"particles", run.particles}, {"ms_per_step", 1e3 * seconds}});
        const double a = std::log(static_cast<double>(run.particles)), b = std::log(seconds);
        n += 1, x += a, y += b, xx += a * a, xy += a * b;
    }
    report.add(Bar{"implicit steps, 256 to 8,100 particles, exponent of the time", (n * xy - x * y) / (n * xx - x * x),
                   Bar::Kind::at_most, 1.6});
    return {};
}

// A strip clamped at one end, which has one rest shape. (A sheet on two corners has many, and steps of another length
// lead to another of them.)
SceneDesc clamped_scene(float frame_rate) {
    constexpr float side = 0.01f;
    constexpr int cells = 30;
    SceneDesc scene;
    scene.frame_rate = frame_rate;
    scene.solver = {.method = "implicit", .substeps = 1, .damping = 3};
    scene.cloths = {{.shape = GridShape{{cells * side, 5 * side}, {cells, 5}},
                     .position = {cells * side / 2, 0, 0},
                     .pins = {BoxPin{{-1, -1, -1}, {1.5f * side, 1, 1}}},
                     .self_collision = SelfCollision::none}};
    return scene;
}

// Largest difference of two rest shapes that steps of different lengths lead to, over the length of the cloth.
Errors bench_halving(Report& report) {
    std::vector<std::vector<Vec3>> shapes;
    for (const float frame_rate : {30.0f, 60.0f}) {
        Result<Simulation> simulation = Simulation::create(clamped_scene(frame_rate));
        if (!simulation) return simulation.errors();
        constexpr float long_enough = 12; // s
        for (int k = 0; k < static_cast<int>(long_enough * frame_rate); ++k) simulation->step(1 / frame_rate);
        simulation->copy_positions(shapes.emplace_back(simulation->vertex_count()));
    }
    float most = 0;
    for (std::size_t v = 0; v < shapes[0].size(); ++v) most = std::max(most, length(shapes[0][v] - shapes[1][v]));
    report.add(Bar{"implicit, rest shapes of steps of 1/30 and 1/60 s, difference in % of the length",
                   100 * static_cast<double>(most / 0.3f), Bar::Kind::below, 0.5});
    return {};
}

// The strain of warp and weft of all triangles, the largest first. The rest shape lies in x and z, warp along x.
std::vector<double> strains(const Simulation& simulation) {
    const std::span<const Vec3> rest = simulation.rest_positions();
    std::vector<double> all;
    for (const Triangle& t : simulation.triangles()) {
        const Vec3 a = rest[t[1]] - rest[t[0]], b = rest[t[2]] - rest[t[0]];
        const Vec3 x = simulation.position(t[1]) - simulation.position(t[0]);
        const Vec3 y = simulation.position(t[2]) - simulation.position(t[0]);
        const float area = a.x * b.z - a.z * b.x;
        const Vec3 warp = (x * b.z - y * a.z) * (1 / area), weft = (y * a.x - x * b.x) * (1 / area);
        all.push_back(static_cast<double>(std::max(length(warp), length(weft))) - 1);
    }
    std::sort(all.begin(), all.end(), std::greater());
    return all;
}

// Cotton falls on a sphere that then moves to and fro under it.
SceneDesc moving_sphere_scene(SelfCollision self) {
    SceneDesc scene;
    scene.frame_rate = 60;
    scene.solver = {.substeps = 10, .iterations = 8};
    scene.cloths = {{.shape = GridShape{{1, 1}, {70, 70}}, .position = {0, 0.3f, 0}, .self_collision = self}};
    scene.colliders = {{.shape = Sphere{0.25f},
                        .motion = {{.t = 0, .position = Vec3{}},
                                   {.t = 1, .position = Vec3{}},
                                   {.t = 2, .position = Vec3{0.3f, 0, 0}},
                                   {.t = 3, .position = Vec3{0, 0.2f, 0}},
                                   {.t = 4, .position = Vec3{}}}},
                       {.shape = Plane{}, .position = {0, -0.6f, 0}}};
    return scene;
}

Errors bench_real_time(Report& report) {
    report.begin_table("fabric_real_time",
                       "5,000 particles of cotton on a moving sphere, xpbd, 60 frames per second, all threads",
                       {{"self", "self-collision", 16},
                        {"seconds", "seconds", 9, 1},
                        {"ms_per_frame", "ms/frame", 10, 2},
                        {"strain_99", "99 % below", 12, 4},
                        {"strain_most", "most", 9, 4}});
    struct Kind {
        const char* name;
        SelfCollision self;
    };
    for (const Kind& kind :
         {Kind{"particles", SelfCollision::particles}, Kind{"triangles", SelfCollision::triangles}}) {
        Result<Simulation> simulation = Simulation::create(moving_sphere_scene(kind.self));
        if (!simulation) return simulation.errors();
        double slowest = 0, moving = 0, at_rest = 0;
        for (int half = 1; half <= 12; ++half) {
            double seconds = 0, most = 0;
            std::vector<double> last;
            for (int k = 0; k < 30; ++k) {
                seconds += seconds_of([&] { simulation->step(1 / 60.0f); }) / 30;
                last = strains(*simulation);
                most = std::max(most, last.front());
            }
            report.add({{"self", kind.name},
                        {"seconds", half / 2.0},
                        {"ms_per_frame", 1e3 * seconds},
                        {"strain_99", last[last.size() / 100]},
                        {"strain_most", most}});
            slowest = std::max(slowest, 1e3 * seconds);
            if (half > 2) moving = std::max(moving, most); // the fall is over
            at_rest = most;
        }
        const std::string what = std::string("xpbd, 5,000 particles, ") + kind.name + ", ";
        report.add(Bar{what + "ms per frame in the slowest half second", slowest, Bar::Kind::at_most, 1000.0 / 60});
        report.add(Bar{what + "largest strain in % after the fall", 100 * moving, Bar::Kind::below, 5});
        report.add(Bar{what + "largest strain in % at rest", 100 * at_rest, Bar::Kind::below, 5});
    }
    return {};
}

// Cusick's drape by both methods.
Errors bench_drape(Report& report) {
    report.begin_table("fabric_drape", "Cusick's drape of cotton, 20 cells",
                       {{"method", "method", 10}, {"coefficient", "coefficient", 13, 1}});
    std::vector<double> coefficients;
    for (const std::string method : {"implicit", "xpbd"}) {
        std::vector<std::string> notes;
        lab::Options options;
        options.method = method;
        options.cells = 20;
        const Result<double> coefficient = lab::drape_coefficient(options, notes);
        if (!coefficient) return coefficient.errors();
        coefficients.push_back(*coefficient);
        report.add({{"method", method}, {"coefficient", *coefficient}});
    }
    report.add(Bar{"drape, xpbd beside implicit, difference in %",
                   100 * std::abs(coefficients[1] / coefficients[0] - 1), Bar::Kind::at_most, 10});
    return {};
}

} // namespace

Errors bench_invariance(Report& report) {
    report.begin_table("invariance", "What must not matter: spread of a figure over variants of mesh and step",
                       {{"method", "method", 10}, {"figure", "figure", 50}, {"spread", "spread, %", 10, 2}});
    for (const std::string method : {"implicit", "xpbd"}) {
        lab::Options options;
        options.method = method;
        const Result<lab::Report> varied = lab::run_test("invariance", options);
        if (!varied) return varied.errors();
        for (const lab::Row& row : varied->rows)
            if (row.expected) report.add({{"method", method}, {"figure", row.quantity}, {"spread", row.simulated}});
    }
    return {};
}

Errors bench_fabric(Report& report) {
    for (const auto part : {bench_growth, bench_halving, bench_real_time, bench_drape})
        if (Errors errors = part(report); !errors.empty()) return errors;
    return {};
}

} // namespace taffeta::bench
