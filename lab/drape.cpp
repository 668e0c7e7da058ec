// Cusick's drape meter (BS 5058, ISO 9073-9): a round specimen of 30 cm is held between two discs of 18 cm, and what
// hangs out falls into folds. Its shadow, less the disc, over that of a board is the drape coefficient.
//
// Of the part between the discs only the rim is made. As in cantilever.cpp the clamp is half a cell before the last
// pinned circle, so that circle lies half a cell outside the disc.
#include "lab/meshes.h"
#include "lab/rig.h"
#include "lab/shadow.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

namespace taffeta::lab {
namespace {

constexpr double disc_radius = 0.09, specimen_radius = 0.15; // m

struct Draped {
    Shadow shadow = {};
    double coefficient = 0; // %
    int nodes = 0;
};

Result<Draped> drape_specimen(const Options& options, const Fabric& fabric, std::vector<std::string>& notes) {
    const int hanging = std::max(options.cells / 5, 3); // cells between disc and border
    const double cell = (specimen_radius - disc_radius) / (hanging + 0.5);
    const int around = static_cast<int>(2 * std::numbers::pi * (disc_radius + specimen_radius) / 2 / cell);
    Mounting mounting;
    mounting.mesh = make_ring(disc_radius - cell / 2, specimen_radius, {around, hanging + 1}, options.triangulation);
    for (int k = 0; k < 2 * around; ++k) mounting.pinned.push_back(static_cast<Index>(k));
    Result<Rig> rig = Rig::mount(options, fabric, mounting);
    if (!rig) return rig.faults();

    // The border is shaken by up to a millimetre, or the perfect circle would not know where to fold.
    std::vector<Index> border;
    std::vector<Vec3d> shaken;
    std::mt19937 lot(1);
    for (int k = 0; k < around; ++k) {
        border.push_back(static_cast<Index>((hanging + 1) * around + k));
        shaken.push_back(rig->at(border.back()) + Vec3d{0, 0.001 * (static_cast<double>(lot()) / 2147483648.0 - 1), 0});
    }
    rig->hold(border);
    rig->move_held(shaken, 1);
    rig->let_go();
    rig->set_damping(2);
    for (double t = 0; t < 0.2; t += rig->frame())
        if (!rig->step()) break;
    rig->come_to_rest("drape of " + fabric.name, notes);

    Draped draped;
    draped.shadow = {.disc_radius = disc_radius, .specimen_radius = specimen_radius};
    const std::vector<Vec3d> all = rig->positions();
    for (const Triangle& t : mounting.mesh.triangles) {
        const auto seen = [&](std::size_t k) { return std::array<double, 2>{all[t[k]].x, all[t[k]].z}; };
        draped.shadow.triangles.push_back({seen(0), seen(1), seen(2)});
    }
    draped.coefficient = drape_coefficient_of(draped.shadow);
    std::vector<std::array<double, 2>> outline;
    for (const Index vertex : border) outline.push_back({all[vertex].x, all[vertex].z});
    draped.nodes = count_nodes(outline);
    draped.shadow.title =
        fabric.name + ": " + number_text(draped.coefficient, 3) + " %, " + std::to_string(draped.nodes) + " nodes";
    return draped;
}

// Built-in fabrics whose bending was measured together with their drape (Matsudaira, Masuda, Wada and Yokura, J.
// Textile Eng. 61, 2015, doi 10.4188/jte.61.69, read through a transcription). Their stretch and shear are estimates.
struct MeasuredDrape {
    const char* fabric;
    double coefficient; // %
    int nodes;
};
constexpr std::array<MeasuredDrape, 4> measured_drapes = {{
    {"cotton_broadcloth", 82.9, 2},
    {"wool_tropical", 49.8, 5},
    {"polyester_tropical", 50.7, 5},
    {"polyester_faille", 28.3, 7},
}};

} // namespace

Result<Report> drape(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Drape: Cusick's drape meter");
    if (const auto go_on = announce(progress, options.fabric.name); !go_on) return go_on.faults();
    const Result<Draped> own = drape_specimen(options, options.fabric, report.notes);
    if (!own) return own.faults();
    report.rows.push_back({options.fabric.name + ": drape coefficient", own->coefficient, {}, "%", {}});
    report.rows.push_back({options.fabric.name + ": nodes", static_cast<double>(own->nodes), {}, "", {}});
    report.shadows.push_back(own->shadow);

    report.plot = {
        .title = "Drape coefficients, simulated and measured", .x_label = "measured, %", .y_label = "simulated, %"};
    Curve same = {.label = "equal", .points = {{0, 0}, {100, 100}}};
    report.plot.curves.push_back(same);
    for (const MeasuredDrape& measured : measured_drapes) {
        const std::string name = measured.fabric;
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        const Result<io::FabricFile> file = io::open_fabric(name);
        if (!file) return file.faults();
        const Result<Draped> draped = drape_specimen(options, file->fabric, report.notes);
        if (!draped) return draped.faults();
        report.rows.push_back({name + ": drape coefficient", draped->coefficient, measured.coefficient, "%", {}});
        report.rows.push_back(
            {name + ": nodes", static_cast<double>(draped->nodes), static_cast<double>(measured.nodes), "", {}});
        report.shadows.push_back(draped->shadow);
        report.plot.curves.push_back(
            {.label = name, .points = {{measured.coefficient, draped->coefficient}}, .style = Curve::Style::marks});
    }
    report.notes.emplace_back(
        "measured: real cloth, of which stretch and shear are not known; the order counts, not the "
        "last percent");
    return report;
}

Result<double> drape_coefficient(const Options& options, std::vector<std::string>& notes) {
    const Result<Draped> draped = drape_specimen(options, options.fabric, notes);
    if (!draped) return draped.faults();
    return draped->coefficient;
}

} // namespace taffeta::lab
