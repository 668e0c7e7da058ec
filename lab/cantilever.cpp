// ASTM D1388: a strip is pushed over an edge and bends under its own weight.
//
//   | pinned | free length            The strip is clamped half a cell before the last pinned row: a row of hinges
//   o====o====o---o---o---o---o       there would turn about that point. So L = free length + half a cell, and drop
//           ^ origin                  and reach of the tip are measured from there.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <cmath>

namespace taffeta::lab {
namespace {

constexpr int cells_across = 4;

struct Tip {
    double drop = 0, reach = 0;
    double length = 0;                             // m, from the clamp
    std::vector<std::array<double, 2>> shape = {}; // m, the middle line from the clamp
};

enum class Thread { warp, weft };

double stiffness(const Fabric& fabric, Thread along) {
    return static_cast<double>(fabric.bend[along == Thread::warp ? 0 : 1]);
}

double length_for(const Fabric& fabric, Thread along, double gamma) {
    return std::cbrt(gamma * stiffness(fabric, along) / (static_cast<double>(fabric.density) * standard_gravity));
}

// What the mesh alone leaves: of 20 cells 0.25 %, where the strip hangs steeply 1.4 %, and a quarter of it of twice as
// many; and 0.1 % for the rest.
double bound(const Options& options, double gamma) {
    return 0.001 + (0.004 + 0.012 * gamma / 100) * std::pow(20.0 / options.cells, 2);
}

Result<Tip> bend_strip(const Options& options, Thread along, double length, std::vector<std::string>& notes) {
    // One cell is pinned; half of it belongs to the length.
    const double cell = length / (options.cells + 0.5);
    Mounting mounting;
    mounting.mesh = make_strip({cell * (options.cells + 1), cell * cells_across}, {options.cells + 1, cells_across},
                               options.triangulation);
    const int columns = options.cells + 2;
    const std::array<int, 2> clamp = {0, 1};
    mounting.pinned = lines_across(clamp, columns, cells_across + 1);
    if (along == Thread::weft) mounting.warp = {0, 0, 1};
    Result<Rig> rig = Rig::mount(options, options.fabric, mounting);
    if (!rig) return rig.faults();
    rig->come_to_rest("strip of " + number_text(100 * length) + " cm", notes);

    Tip tip = {.length = length};
    const auto middle_line = [&](int i) { return rig->at(static_cast<Index>(cells_across / 2 * columns + i)); };
    for (int i = 1; i < columns; ++i) tip.shape.push_back({middle_line(i).x - cell / 2, middle_line(i).y});
    // The mean over the last row, so that a strip that twists is not told by one corner.
    Vec3d end;
    for (int j = 0; j <= cells_across; ++j)
        end += rig->at(static_cast<Index>(j * columns + columns - 1)) * (1.0 / (cells_across + 1));
    tip.drop = -end.y;
    tip.reach = end.x - cell / 2;
    return tip;
}

} // namespace

Result<Report> cantilever(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Cantilever: bending under own weight");
    report.plot = {.title = report.title,
                   .x_label = "weight over stiffness, sigma g L^3 / D",
                   .y_label = "tip drop / tip reach",
                   .logarithmic_x = true,
                   .logarithmic_y = true};
    Curve theory = {.label = "heavy elastica"}, simulated = {.label = options.method, .style = Curve::Style::marks};
    for (double p = std::log10(0.4); p <= std::log10(130.0); p += 0.05) {
        const Elastica strip = heavy_elastica(std::pow(10, p));
        theory.points.push_back({std::pow(10, p), strip.drop / strip.reach});
    }

    // The master curve [RLR21].
    for (const double gamma : {0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0}) {
        const std::string name = "drop/reach at Gamma " + number_text(gamma);
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        const Result<Tip> tip =
            bend_strip(options, Thread::warp, length_for(options.fabric, Thread::warp, gamma), report.notes);
        if (!tip) return tip.faults();
        const Elastica strip = heavy_elastica(gamma);
        report.rows.push_back({name, tip->drop / tip->reach, strip.drop / strip.reach, "", bound(options, gamma)});
        simulated.points.push_back({gamma, tip->drop / tip->reach});
    }
    report.plot.curves = {theory, simulated};

    // The bending length as the standard reads it: hang the tip near 41.5 degrees and read c of overhang and angle.
    for (const Thread along : {Thread::warp, Thread::weft}) {
        const std::string name = along == Thread::warp ? "bending length, warp" : "bending length, weft";
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        const Result<Tip> tip = bend_strip(options, along, length_for(options.fabric, along, 8), report.notes);
        if (!tip) return tip.faults();
        const double angle = std::atan2(tip->drop, tip->reach) * 180 / std::numbers::pi;
        const bool readable = angle > 0.01 && angle < 89;
        const double c = readable ? tip->length / std::cbrt(gamma_of_chord(angle)) : 0;
        report.rows.push_back({name, 100 * c, 100 * length_for(options.fabric, along, 1), "cm", bound(options, 8)});
    }
    return report;
}

Result<double> tip_height(const Options& options, std::vector<std::string>& notes) {
    const Result<Tip> tip = bend_strip(options, Thread::warp, length_for(options.fabric, Thread::warp, 8), notes);
    if (!tip) return tip.faults();
    return -tip->drop / tip->length;
}

} // namespace taffeta::lab
