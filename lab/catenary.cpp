// A limp strip between two rows that are held at one height.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <algorithm>
#include <cmath>

namespace taffeta::lab {

Result<Report> hanging_strip(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Catenary: a limp strip between two hands");
    report.plot = {.title = report.title, .x_label = "x / L", .y_label = "y / L", .equal_scales = true};
    // A chain neither stretches nor resists bending; the fabric lends its weight.
    Fabric chain = options.fabric;
    const double length = 1;
    const double weight = static_cast<double>(chain.density) * standard_gravity * length; // N/m
    chain.bend = {static_cast<float>(1e-7 * weight), static_cast<float>(1e-7 * weight)};
    chain.bend_hysteresis = 0;
    chain.stretch = {static_cast<float>(5000 * weight), static_cast<float>(5000 * weight)};
    chain.shear = static_cast<float>(500 * weight);
    chain.poisson = 0;

    const int columns = options.cells + 1, cells_across = 2;
    for (const double span : {0.5, 0.6, 0.8, 0.9}) {
        const std::string name = "sag/L at span/L " + number_text(span);
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        Mounting mounting;
        mounting.mesh = make_strip({length, cells_across * length / options.cells}, {options.cells, cells_across},
                                   options.triangulation);
        Result<Rig> rig = Rig::mount(options, chain, mounting);
        if (!rig) return rig.faults();
        const std::array<int, 2> ends = {0, options.cells};
        const std::vector<Index> held = lines_across(ends, columns, cells_across + 1);
        rig->hold(held);
        std::vector<Vec3d> targets;
        for (const Index vertex : held) {
            Vec3d p = rig->at(vertex);
            p.x = p.x < length / 2 ? length * (1 - span) / 2 : length * (1 + span) / 2;
            targets.push_back(p);
        }
        rig->move_held(targets, 60);
        rig->come_to_rest(name, report.notes);

        double lowest = 0;
        Curve seen = {.label = options.method + ", span " + number_text(span), .style = Curve::Style::marks};
        for (int i = 0; i < columns; ++i) {
            const Vec3d p = rig->at(static_cast<Index>(columns + i)); // the middle line
            lowest = std::min(lowest, p.y);
            seen.points.push_back({p.x / length - 0.5, p.y / length});
        }
        const Catenary exact = catenary(span);
        Curve theory = {.label = "catenary, span " + number_text(span)};
        for (int k = 0; k <= 100; ++k) {
            const double x = span * (k / 100.0 - 0.5);
            theory.points.push_back(
                {x, exact.parameter * (std::cosh(x / exact.parameter) - std::cosh(span / 2 / exact.parameter))});
        }
        report.rows.push_back({name, -lowest / length, exact.sag, "", 0.01});
        report.plot.curves.push_back(theory);
        report.plot.curves.push_back(seen);
    }
    report.notes.emplace_back("the strip is made limp and inextensible for this test; the fabric lends its weight");
    return report;
}

} // namespace taffeta::lab
