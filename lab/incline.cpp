// A sheet on a slope, of a solid or of another sheet. The slope is level here, and gravity leans.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::lab {
namespace {

constexpr double side = 0.2;    // m
constexpr double margin = 2;    // degrees below and above the angle of friction
constexpr double landing = 0.2; // s, until it lies: it starts where nothing presses on it yet, and nothing rubs
constexpr double holding = 5;   // s
constexpr double sliding = 1;   // s
constexpr double degree = std::numbers::pi / 180;

// The sheet below: `way` longer than the one that slides on it, with room for its corners when it is turned. Its lines
// run along the slope, and no vertex lies under one of the sheet above.
Mesh make_ground(double way, int cells, Triangulation triangulation) {
    const double cell = side / cells, room = side / 2;
    const int along = static_cast<int>(std::ceil((side + way + 2 * room) / cell));
    const int across = static_cast<int>(std::ceil((side + 2 * room) / cell));
    Mesh mesh = make_strip({along * cell, across * cell}, {along, across}, triangulation);
    for (Vec3& p : mesh.positions) p -= Vec3{static_cast<float>(room - cell / 3), 0, static_cast<float>(cell / 5)};
    return mesh;
}

} // namespace

Result<Slid> let_slide(const Options& options, const Slope& slope, double seconds) {
    const int cells = std::clamp(options.cells / 4, 2, 20);
    const double a = slope.degrees * degree;
    const SceneDesc usual;
    Mounting mounting;
    mounting.mesh = make_strip({side, side}, {cells, cells}, options.triangulation);
    mounting.position = {0, options.fabric.thickness, 0};
    mounting.gravity = {standard_gravity * std::sin(a), -standard_gravity * std::cos(a), 0};
    mounting.frame_rate = usual.frame_rate;
    mounting.substeps = usual.solver.substeps;
    mounting.iterations = usual.solver.iterations;
    Fabric fabric = options.fabric;
    fabric.friction = static_cast<float>(slope.friction);
    if (slope.surface == Surface::plane) {
        mounting.colliders = {{.shape = Plane{}, .friction = fabric.friction}};
    } else {
        mounting.ground =
            make_ground(slide(slope.degrees, slope.friction) * seconds * seconds / 2, cells, options.triangulation);
        mounting.rotation = {0, 20, 0}; // no line lies on a line
    }
    Result<Rig> rig = Rig::mount(options, fabric, mounting);
    if (!rig) return rig.faults();

    Slid slid;
    const auto place = [&] {
        double sum = 0;
        const std::vector<Vec3d> all = rig->positions();
        for (const Vec3d& p : all) sum += p.x / static_cast<double>(all.size());
        return sum;
    };
    const double start = place();
    const auto frames = [&](double span) { return static_cast<int>(std::lround(span / rig->frame())); };
    for (int k = 0; k <= frames(seconds); ++k) {
        if (k > 0 && !rig->step()) break;
        slid.way.push_back({k * rig->frame(), place() - start});
        if (k == frames(landing)) slid.creep = -slid.way.back()[1];
    }
    slid.creep += slid.way.back()[1];
    // Second half: least squares of a parabola would be kinder; velocities over two windows show the same and no more.
    const std::size_t n = slid.way.size();
    const std::size_t window = std::max<std::size_t>(n / 5, 1);
    const auto velocity = [&](std::size_t from) {
        return (slid.way[from + window][1] - slid.way[from][1]) / (slid.way[from + window][0] - slid.way[from][0]);
    };
    if (n > 3 * window + 1) {
        const std::size_t early = window, late = n - 1 - window;
        slid.acceleration = (velocity(late) - velocity(early)) / (slid.way[late][0] - slid.way[early][0]);
    }
    return slid;
}

Result<Report> incline(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Incline: friction that holds and friction that slides");
    report.plot = {.title = report.title, .x_label = "time, s", .y_label = "way down the slope, m"};
    for (const auto& [surface, what] : {std::pair{Surface::plane, "on a plane"}, {Surface::cloth, "on cloth"}}) {
        for (const double friction : {0.2, 0.4, 0.6}) {
            const std::string pair = std::string(what) + ", mu " + number_text(friction);
            for (const double more : {-margin, margin}) {
                const double degrees = std::atan(friction) / degree + more;
                const std::string name = pair + ", slope " + number_text(degrees, 3) + " degrees";
                if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
                const double seconds = more < 0 ? landing + holding : sliding;
                const Result<Slid> slid = let_slide(options, {surface, friction, degrees}, seconds);
                if (!slid) return slid.faults();
                if (more < 0) {
                    report.rows.push_back(
                        {name + ": creeps in " + number_text(holding) + " s", 1000 * slid->creep, 0, "mm", 1});
                    continue;
                }
                const double expected = slide(degrees, friction);
                report.rows.push_back({name + ": acceleration", slid->acceleration, expected, "m/s^2", 0.05});
                Curve seen = {.label = options.method + " " + pair, .style = Curve::Style::marks};
                Curve theory = {.label = "Coulomb, mu " + number_text(friction)};
                for (const auto& [t, way] : slid->way) {
                    theory.points.push_back({t, expected * t * t / 2});
                    seen.points.push_back({t, way});
                }
                if (surface == Surface::plane) report.plot.curves.push_back(theory); // one for both
                report.plot.curves.push_back(seen);
            }
        }
    }
    return report;
}

} // namespace taffeta::lab
