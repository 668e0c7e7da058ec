// Strips that hang by one end. Each part carries what hangs below it, so that one strip is a whole test of loads:
// at x below the clamp the load is sigma g (L - x) per metre of width. Gravity is made so strong that the fabric gives
// by a few percent.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <algorithm>
#include <cmath>

namespace taffeta::lab {
namespace {

struct Cut {
    std::string_view name;
    double bias; // degrees between the strip and the warp
};
constexpr std::array<Cut, 3> cuts = {{{"warp", 0}, {"weft", 90}, {"bias", 45}}};
constexpr int cells_across = 8;
constexpr double length = 0.4; // m

struct Drawn {
    std::vector<double> load;        // N/m, from the clamp downwards, in the middle of each cell
    std::vector<double> strain;      // of the middle line
    std::vector<double> contraction; // of the width, between rows
    double elongation = 0;           // of the whole strip, a share of its length
};

Result<Drawn> hang_strip(const Options& options, const Cut& cut, double gravity, std::vector<std::string>& notes) {
    // Hangs along -y: turned by -90 degrees about Z, x goes down.
    const int cells = options.cells, columns = cells + 1;
    const double width = length * cells_across / cells;
    Mounting mounting;
    mounting.mesh = make_strip({length, width}, {cells, cells_across}, options.triangulation);
    const std::array<int, 1> top = {0};
    mounting.pinned = lines_across(top, columns, cells_across + 1);
    mounting.rotation = {0, 0, -90};
    mounting.gravity = {0, -gravity, 0};
    const double a = cut.bias * std::numbers::pi / 180;
    mounting.warp = vector_cast<float>(Vec3d{std::cos(a), 0, std::sin(a)});
    Result<Rig> rig = Rig::mount(options, options.fabric, mounting);
    if (!rig) return rig.faults();
    rig->come_to_rest(std::string(cut.name) + " strip", notes);

    const auto at = [&](int i, int j) { return rig->at(static_cast<Index>(j * columns + i)); };
    const auto rest = [&](int i, int j) {
        return vector_cast<double>(mounting.mesh.positions[static_cast<std::size_t>(j * columns + i)]);
    };
    Drawn drawn;
    const double sigma = static_cast<double>(options.fabric.density);
    const int middle = cells_across / 2;
    // By rows: the mean height of each, so that a strip that skews is measured along its load.
    const auto height = [&](const auto& place, int i, int axis) {
        double sum = 0;
        for (int j = 0; j <= cells_across; ++j) sum += place(i, j)[axis] / (cells_across + 1);
        return sum;
    };
    for (int i = 0; i < cells; ++i) {
        const double from = height(rest, i, 0), to = height(rest, i + 1, 0);
        drawn.load.push_back(sigma * gravity * (length - (from + to) / 2));
        drawn.strain.push_back((height(at, i, 1) - height(at, i + 1, 1)) / (to - from) - 1);
        const auto across = [&](const auto& place, int row) {
            return std::abs(place(row, cells_across).z - place(row, 0).z);
        };
        drawn.contraction.push_back(1 - (across(at, i) + across(at, i + 1)) / (across(rest, i) + across(rest, i + 1)));
    }
    drawn.elongation = -at(cells, middle).y / length - 1;
    return drawn;
}

} // namespace

Result<Report> tensile(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Tensile: strips drawn out by their own weight");
    report.plot = {.title = report.title, .x_label = "load, N/m", .y_label = "strain, %"};
    const Membrane law = membrane_of(options.fabric);
    const double sigma = static_cast<double>(options.fabric.density);
    for (const Cut& cut : cuts) {
        const std::string name(cut.name);
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        // Strong enough for 2 % half way down.
        const double load_of_two_percent = 0.02 / (draw_out(law, 1e-3, cut.bias).strain / 1e-3);
        const double gravity = 2 * load_of_two_percent / (sigma * length);
        const Result<Drawn> drawn = hang_strip(options, cut, gravity, report.notes);
        if (!drawn) return drawn.faults();

        Curve theory = {.label = name + ", law"},
              seen = {.label = name + ", " + options.method, .style = Curve::Style::marks};
        const auto cells = drawn->load.size();
        // Away from the clamp, which keeps the strip from growing narrow, by twice the width.
        const std::size_t clear = std::min<std::size_t>(2 * cells_across, cells / 2);
        double expected_elongation = 0;
        for (std::size_t k = 0; k < cells; ++k) {
            const Uniaxial exact = draw_out(law, drawn->load[k], cut.bias);
            expected_elongation += exact.strain / static_cast<double>(cells);
            theory.points.push_back({drawn->load[k], 100 * exact.strain});
            if (k >= clear || (law.across == 0 && cut.bias != 45))
                seen.points.push_back({drawn->load[k], 100 * drawn->strain[k]});
        }
        report.plot.curves.push_back(theory);
        report.plot.curves.push_back(seen);

        // The clamp's grip counts for more on the bias, whose strips grow narrow most.
        report.rows.push_back({name + ": elongation under own weight", 100 * drawn->elongation,
                               100 * expected_elongation, "%", cut.bias == 45 ? 0.1 : 0.01});
        for (const double part : {0.5, 0.75}) {
            const auto k = std::max(clear, static_cast<std::size_t>(part * static_cast<double>(cells)));
            const Uniaxial exact = draw_out(law, drawn->load[k], cut.bias);
            report.rows.push_back({name + ": strain under " + number_text(drawn->load[k], 3) + " N/m",
                                   100 * drawn->strain[k], 100 * exact.strain, "%", cut.bias == 45 ? 0.03 : 0.01});
            if (part == 0.5)
                report.rows.push_back({name + ": contraction under " + number_text(drawn->load[k], 3) + " N/m",
                                       100 * drawn->contraction[k], 100 * exact.contraction, "%",
                                       std::abs(exact.contraction) < 1e-9 ? 0.01
                                       : cut.bias == 45                   ? 0.05
                                                                          : 0.02});
        }
    }
    return report;
}

} // namespace taffeta::lab
