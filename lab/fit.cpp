// From a ruler, a balance and a protractor to a fabric.
#include "io/results/atomic_file.h"
#include "lab/references.h"
#include "lab/rig.h"

#include <taffeta/lab.h>

#include <cmath>
#include <numbers>

namespace taffeta::lab {
namespace {

// Least squares of load = K strain, through the origin.
double slope_of(const std::vector<TensilePoint>& points) {
    double up = 0, down = 0;
    for (const TensilePoint& p : points) {
        up += p.strain * p.load;
        down += p.strain * p.strain;
    }
    return up / down;
}

Faults faults_of(const Measurements& measured) {
    Faults faults;
    const auto demand = [&](bool good, const std::string& message) {
        if (!good) faults.push_back({.message = message});
    };
    demand(measured.weight > 0 && measured.weight < 100,
           "weight: " + number_text(measured.weight) + " is not a weight of cloth in kg/m^2, e.g. 0.15");
    demand(measured.overhang > 0 && measured.overhang < 10,
           "overhang: " + number_text(measured.overhang) + " is not a length in m, e.g. 0.06");
    demand(!measured.weft_overhang || (*measured.weft_overhang > 0 && *measured.weft_overhang < 10),
           "overhang of the weft: " + number_text(measured.weft_overhang.value_or(0)) +
               " is not a length in m, e.g. 0.06");
    demand(measured.angle >= 0.1 && measured.angle <= 89,
           "angle: " + number_text(measured.angle) + " is not between 0.1 and 89 degrees");
    for (const auto* points : {&measured.tensile, &measured.weft_tensile})
        for (const TensilePoint& p : *points)
            demand(p.strain > 0 && p.strain < 10 && p.load > 0 && std::isfinite(p.load),
                   "tensile: " + number_text(p.strain) + ":" + number_text(p.load) +
                       " is not a strain and a load in N/m, both above 0, e.g. 0.01:5");
    return faults;
}

} // namespace

Result<Fit> fit_fabric(const Measurements& measured) {
    if (Faults faults = faults_of(measured); !faults.empty()) return faults;
    Fit fit;
    Fabric& fabric = fit.fabric;
    fabric.name = measured.name;
    fabric.density = static_cast<float>(measured.weight);
    const double gamma = gamma_of_chord(measured.angle);
    const auto stiffness = [&](double overhang) {
        return measured.weight * standard_gravity * std::pow(overhang, 3) / gamma;
    };
    const double warp = stiffness(measured.overhang),
                 weft = stiffness(measured.weft_overhang.value_or(measured.overhang));
    fabric.bend = {static_cast<float>(warp), static_cast<float>(weft)};

    const std::string chord = number_text(measured.angle) + " degrees, where sigma g L^3/D = " + number_text(gamma);
    const auto pair = [](const std::array<float, 2>& values) {
        return "[" + number_text(static_cast<double>(values[0]), 5) + ", " +
               number_text(static_cast<double>(values[1]), 5) + "]";
    };
    std::string& toml = fit.toml;
    toml += "description = \"Fitted to measurements.\"\n";
    toml += "source = \"Density weighed, bend by cantilever";
    toml += measured.tensile.empty() ? "" : ", stretch by tensile test";
    toml += ". Defaults: everything else.\"\n\n";
    toml += "density = " + number_text(measured.weight, 6) + " # kg/m^2, weighed\n";
    toml += "bend = " + pair(fabric.bend) + " # N m, warp and weft: overhangs of " +
            number_text(100 * measured.overhang) + " cm";
    toml += measured.weft_overhang ? " and " + number_text(100 * *measured.weft_overhang) + " cm" : "";
    toml += " hang by " + chord + " (heavy elastica)";
    toml += measured.weft_overhang ? "\n" : "; the weft as the warp\n";
    if (measured.tensile.empty()) {
        toml += "# stretch = " + pair(fabric.stretch) + " # N/m, warp and weft: not measured, the default\n";
    } else {
        const double k = slope_of(measured.tensile);
        const bool both = !measured.weft_tensile.empty();
        fabric.stretch = {static_cast<float>(k), static_cast<float>(both ? slope_of(measured.weft_tensile) : k)};
        toml += "stretch = " + pair(fabric.stretch) + " # N/m, warp and weft: least squares of " +
                std::to_string(measured.tensile.size()) +
                (both ? " and " + std::to_string(measured.weft_tensile.size()) : std::string()) + " tensile points" +
                (both ? "\n" : "; the weft as the warp\n");
    }
    toml += "# shear = " + number_text(static_cast<double>(fabric.shear)) +
            " # N/m: not measured, the default; the strain of a bias strip tells it\n";
    return fit;
}

Result<Done> write_fit(const std::string& file, const Fit& fit) {
    Result<io::AtomicFile> out = io::AtomicFile::create(file);
    if (!out) return out.faults();
    out->write(fit.toml);
    return out->commit();
}

} // namespace taffeta::lab
