// A sheet on a slope. The slope is level here, and gravity leans.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::lab {
namespace {

constexpr double side = 0.2;     // m
constexpr double duration = 0.5; // s

struct Slid {
    std::vector<std::array<double, 2>> way = {}; // s, m
    double acceleration = 0;                     // m/s^2
};

Result<Slid> let_slide(const Options& options, double friction, double degrees) {
    const int cells = std::clamp(options.cells / 4, 2, 20);
    const double a = degrees * std::numbers::pi / 180;
    Mounting mounting;
    mounting.mesh = make_strip({side, side}, {cells, cells}, options.triangulation);
    mounting.position = {0, options.fabric.thickness, 0};
    mounting.gravity = {standard_gravity * std::sin(a), -standard_gravity * std::cos(a), 0};
    mounting.substeps = options.method == "limits" ? 4 : 16;
    ColliderDesc slope = {.shape = Plane{}};
    slope.friction = static_cast<float>(friction);
    mounting.colliders = {slope};
    Result<Rig> rig = Rig::mount(options, options.fabric, mounting);
    if (!rig) return rig.faults();

    Slid slid;
    const auto place = [&] {
        double sum = 0;
        const std::vector<Vec3d> all = rig->positions();
        for (const Vec3d& p : all) sum += p.x / static_cast<double>(all.size());
        return sum;
    };
    const double start = place();
    const int frames = static_cast<int>(std::lround(duration / rig->frame()));
    for (int k = 0; k <= frames; ++k) {
        if (k > 0 && !rig->step()) break;
        slid.way.push_back({k * rig->frame(), place() - start});
    }
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

} // namespace

Result<Report> incline(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Incline: friction that holds and friction that slides");
    report.plot = {.title = report.title, .x_label = "time, s", .y_label = "way down the slope, m"};
    for (const double friction : {0.2, 0.4, 0.6}) {
        for (const double share : {0.95, 1.25}) { // of the slope at which it begins to slide
            const double degrees = std::atan(share * friction) * 180 / std::numbers::pi;
            const std::string name = "mu " + number_text(friction) + ", slope " + number_text(degrees, 3) + " degrees";
            if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
            const Result<Slid> slid = let_slide(options, friction, degrees);
            if (!slid) return slid.faults();
            const double expected = slide(degrees, friction);
            if (expected == 0) {
                report.rows.push_back({name + ": slips in 0.5 s", 1000 * slid->way.back()[1], 0, "mm", 1});
                continue;
            }
            report.rows.push_back({name + ": acceleration", slid->acceleration, expected, "m/s^2", 0.02});
            Curve theory = {.label = "Coulomb, mu " + number_text(friction)};
            Curve seen = {.label = options.method + ", mu " + number_text(friction), .style = Curve::Style::marks};
            for (const auto& [t, way] : slid->way) {
                theory.points.push_back({t, expected * t * t / 2});
                seen.points.push_back({t, way});
            }
            report.plot.curves.push_back(theory);
            report.plot.curves.push_back(seen);
        }
    }
    return report;
}

} // namespace taffeta::lab
