// The laboratory: the tests of textile engineering, done on simulated cloth, beside the answers that theory or
// measurement gives. The target taffeta::lab.
//
//   lab::Options options = {.fabric = fabric, .method = "implicit"};
//   auto report = lab::run_test("cantilever", options);        // rows of simulated and expected figures, and a plot
//   if (report) lab::write_report("out", *report);             // out/cantilever.json, out/cantilever.png
//
// SI units. Expected answers are computed by the laboratory itself, never by the simulation.
#pragma once

#include <taffeta/fabric.h>
#include <taffeta/io.h>
#include <taffeta/result.h>

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace taffeta::lab {

struct TestInfo {
    std::string_view name, summary;
};
std::span<const TestInfo> tests(); // in the order of the accuracy page

// How specimens are cut into triangles: the diagonals of regular cells one way, the other way, in turns or by lot, and
// points moved by lot.
enum class Triangulation { left, right, alternating, random, irregular };
inline constexpr std::array<std::pair<Triangulation, std::string_view>, 5> triangulation_names = {{
    {Triangulation::left, "left"},
    {Triangulation::right, "right"},
    {Triangulation::alternating, "alternating"},
    {Triangulation::random, "random"},
    {Triangulation::irregular, "irregular"},
}};

struct Options {
    Fabric fabric = {};
    std::string method = "implicit";
    int cells = 40; // along a specimen
    Triangulation triangulation = Triangulation::alternating;
    float frame_rate = 60; // 1/s, of what moves; on the incline, 30 as in scenes
    int substeps = 0;      // per frame; 0: what the test finds fine enough
    int iterations = 0;    // 0: what the test finds enough
    int threads = 0;       // 0: all cores
};

// One figure.
struct Row {
    std::string quantity = {};
    double simulated = 0;
    std::optional<double> expected = {}; // absent: nobody knows
    std::string unit = {};
    // How far it may be from what is expected: a share of that, or where that is zero a difference. Absent: no bound is
    // claimed, the expected figure is a measurement of real cloth.
    std::optional<double> tolerance = {};

    double error() const; // a share of what is expected, or where that is zero a difference; 0 if nothing is expected
    bool is_within() const;
};

struct Curve {
    std::string label = {};
    std::vector<std::array<double, 2>> points = {};
    enum class Style { line, marks, line_and_marks } style = Style::line;
};

struct Plot {
    std::string title = {}, x_label = {}, y_label = {};
    bool logarithmic_x = false, logarithmic_y = false;
    bool equal_scales = false; // a metre is as long both ways
    std::vector<Curve> curves = {};
};

// Cloth seen from above, over the disc that carries it; metres.
struct Shadow {
    std::string title = {};
    std::vector<std::array<std::array<double, 2>, 3>> triangles = {};
    double disc_radius = 0, specimen_radius = 0;
};

struct Report {
    std::string test = {}, title = {};
    std::string fabric = {}, method = {};
    int cells = 0;
    std::vector<Row> rows = {};
    std::vector<std::string> notes = {}; // what the reader should know, e.g. that a specimen did not come to rest
    Plot plot = {};
    std::vector<Shadow> shadows = {};
    double seconds = 0; // it took
};

// Told what is being done; false ends the test with an error.
using Progress = std::function<bool(const std::string& what)>;

Result<Report> run_test(std::string_view name, const Options& options, const Progress& progress = {});

std::string report_to_json(const Report& report);
std::string report_to_text(const Report& report); // a table for people

// Pictures of a report: its plot, or the shadows with it.
Result<io::Image> draw(const Report& report, int width = 1200, int height = 800);
Result<io::Image> draw_plot(const Plot& plot, int width = 1200, int height = 800);
// folder/TEST.json and folder/TEST.png, complete or not at all.
Result<void> write_report(const std::string& folder, const Report& report);

// --- from a ruler and a balance to a fabric
struct TensilePoint {
    double strain = 0; // 1
    double load = 0;   // N per m of width
};
struct Measurements {
    std::string name = "measured";
    double weight = 0;                           // kg/m^2
    double overhang = 0, angle = 41.5;           // m, and degrees below the horizontal from the edge to the tip
    std::optional<double> weft_overhang = {};    // m, at the same angle; absent: as the warp
    std::vector<TensilePoint> tensile = {};      // of the warp
    std::vector<TensilePoint> weft_tensile = {}; // empty: as the warp
};
struct Fit {
    Fabric fabric = {};
    std::string toml = {}; // with a word about how each figure was got
};
Result<Fit> fit_fabric(const Measurements& measured);
Result<void> write_fit(const std::string& file, const Fit& fit); // its TOML

} // namespace taffeta::lab
