// Strips that lose their shape: standing on a base, lying on edge, and pushed together at the ends. Each leans by a
// thousandth to begin with, so that it knows where to go.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::lab {
namespace {

constexpr double lean = 1e-3; // rad

struct Strip {
    Mesh mesh = {};
    std::vector<Index> pinned = {};
    double cell = 0;
    int columns = 0, rows = 0;

    Vec3d tip(const Rig& rig) const {
        Vec3d sum;
        for (int j = 0; j < rows; ++j) sum += rig.at(static_cast<Index>(j * columns + columns - 1)) * (1.0 / rows);
        return sum;
    }
};

// Clamped by two rows, half a cell of which belongs to the length; see cantilever.cpp.
Strip clamped_strip(const Options& options, double length, int cells_across) {
    Strip strip = {.cell = length / (options.cells + 0.5), .columns = options.cells + 2, .rows = cells_across + 1};
    strip.mesh = make_strip({strip.cell * (options.cells + 1), strip.cell * cells_across},
                            {options.cells + 1, cells_across}, options.triangulation);
    const std::array<int, 2> clamp = {0, 1};
    strip.pinned = lines_across(clamp, strip.columns, strip.rows);
    return strip;
}

// How far the tip of a standing strip leans out, in lengths of the strip [Gre81].
Result<double> stand(const Options& options, double gamma, std::vector<std::string>& notes) {
    const double weight = static_cast<double>(options.fabric.density) * standard_gravity;
    const double length = std::cbrt(gamma * static_cast<double>(options.fabric.bend[0]) / weight);
    const Strip strip = clamped_strip(options, length, 4);
    Mounting mounting = {.mesh = strip.mesh, .pinned = strip.pinned};
    mounting.rotation = {0, 0, 90};
    mounting.gravity = {standard_gravity * std::sin(lean), -standard_gravity * std::cos(lean), 0};
    Result<Rig> rig = Rig::mount(options, options.fabric, mounting);
    if (!rig) return rig.faults();
    rig->come_to_rest("standing strip, Gamma " + number_text(gamma), notes);
    const Vec3d tip = strip.tip(*rig) - Vec3d{0, strip.cell / 2, 0};
    return (tip.x * std::cos(lean) + tip.y * std::sin(lean)) / length;
}

// How far the tip of a strip on edge goes sideways, in lengths of the strip.
Result<double> lie_on_edge(const Options& options, double load, std::vector<std::string>& notes) {
    // q = sigma g w, B = w D, C = 4 w D66.
    const double weight = static_cast<double>(options.fabric.density) * standard_gravity;
    const double stiffness =
        std::sqrt(static_cast<double>(options.fabric.bend[0]) * 4 * twist_stiffness(options.fabric));
    const double length = std::cbrt(load * stiffness / weight);
    const Strip strip = clamped_strip(options, length, 2);
    Mounting mounting = {.mesh = strip.mesh, .pinned = strip.pinned};
    mounting.rotation = {90, 0, 0};
    mounting.gravity = {0, -standard_gravity * std::cos(lean), standard_gravity * std::sin(lean)};
    Result<Rig> rig = Rig::mount(options, options.fabric, mounting);
    if (!rig) return rig.faults();
    rig->come_to_rest("strip on edge, load " + number_text(load), notes);
    return strip.tip(*rig).z / length;
}

// The heights of the arch, in lengths of the strip, for ends that come closer and closer [CK02].
Result<std::vector<double>> push_together(const Options& options, std::span<const double> shortenings,
                                          std::vector<std::string>& notes) {
    constexpr double length = 0.1;
    constexpr int cells_across = 4;
    const int columns = options.cells + 1;
    Mounting mounting;
    mounting.mesh = make_strip({length, cells_across * length / options.cells}, {options.cells, cells_across},
                               options.triangulation);
    // Without weight, but for a breath from below that decides on which side the arch will be.
    const double weight = static_cast<double>(options.fabric.density) * std::pow(length, 3);
    mounting.gravity = {0, 0.01 * static_cast<double>(options.fabric.bend[0]) / weight, 0};
    Result<Rig> rig = Rig::mount(options, options.fabric, mounting);
    if (!rig) return rig.faults();
    const std::array<int, 2> ends = {0, options.cells};
    const std::vector<Index> held = lines_across(ends, columns, cells_across + 1);
    rig->hold(held);
    std::vector<double> heights;
    for (const double shortening : shortenings) {
        std::vector<Vec3d> targets;
        for (const Index vertex : held) {
            Vec3d p = vector_cast<double>(mounting.mesh.positions[vertex]);
            p.x = p.x < length / 2 ? length * shortening / 2 : length * (1 - shortening / 2);
            targets.push_back(p);
        }
        rig->move_held(targets, 30);
        rig->come_to_rest("strip shortened by " + number_text(100 * shortening) + " %", notes);
        double highest = 0;
        for (int i = 0; i < columns; ++i)
            highest = std::max(highest, rig->at(static_cast<Index>(cells_across / 2 * columns + i)).y);
        heights.push_back(highest / length);
    }
    return heights;
}

} // namespace

Result<Report> buckling(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Buckling: standing, on edge, pushed together");
    report.plot = {.title = "A strip that stands on a clamped base and leans by 1/1000",
                   .x_label = "weight over that at which it buckles",
                   .y_label = "tip out of the vertical / L"};
    Curve theory = {.label = "heavy elastica"}, seen = {.label = options.method, .style = Curve::Style::marks};
    const double critical = greenhill_gamma();
    const auto expected_lean = [&](double ratio) {
        return heavy_elastica(ratio * critical, std::numbers::pi / 2 - lean).reach;
    };
    for (double ratio = 0.8; ratio < 1.32; ratio += 0.01) theory.points.push_back({ratio, expected_lean(ratio)});
    for (const double ratio : {0.8, 0.9, 0.97, 1.03, 1.1, 1.3}) {
        const std::string name = "standing strip, " + number_text(ratio) + " of critical: tip out";
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        const Result<double> found = stand(options, ratio * critical, report.notes);
        if (!found) return found.faults();
        // Near the critical weight an error of the stiffness comes out 30 times as large.
        const double tolerance = std::clamp(0.003 / std::abs(ratio - 1), 0.02, 0.1);
        report.rows.push_back({name, *found, expected_lean(ratio), "L", tolerance});
        seen.points.push_back({ratio, *found});
    }
    report.plot.curves = {theory, seen};

    for (const double ratio : {0.85, 1.2}) {
        const std::string name = "strip on edge, " + number_text(ratio) + " of critical: ";
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        const Result<double> found = lie_on_edge(options, ratio * lateral_buckling_load(), report.notes);
        if (!found) return found.faults();
        report.rows.push_back({name + "sideways", *found, {}, "L", {}});
        report.rows.push_back({name + "buckles", std::abs(*found) > 0.1 ? 1.0 : 0.0, ratio > 1 ? 1.0 : 0.0, "", 0});
    }

    constexpr std::array<double, 5> shortenings = {0.1, 0.2, 0.3, 0.4, 0.5};
    if (const auto go_on = announce(progress, "strip pushed together"); !go_on) return go_on.faults();
    const Result<std::vector<double>> heights = push_together(options, shortenings, report.notes);
    if (!heights) return heights.faults();
    for (std::size_t k = 0; k < shortenings.size(); ++k)
        report.rows.push_back({"pushed together by " + number_text(100 * shortenings[k]) + " %: height", (*heights)[k],
                               arch_height(shortenings[k]), "L", 0.01});
    return report;
}

} // namespace taffeta::lab
