// A hanging sheet swings like a chain, a stiff plate like a pendulum.
#include "lab/meshes.h"
#include "lab/rig.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::lab {
namespace {

constexpr double degree = std::numbers::pi / 180;

// The times at which something passes zero, at most so many.
std::vector<double> passages(std::span<const double> values, double frame, std::size_t most) {
    std::vector<double> times;
    for (std::size_t k = 1; k < values.size() && times.size() < most; ++k) {
        const double before = values[k - 1], after = values[k];
        if ((before > 0) != (after > 0)) times.push_back((static_cast<double>(k) - after / (after - before)) * frame);
    }
    return times;
}

// The period of one of several modes that are all seen a little: the one with which waves of all periods fit best. The
// other periods are taken as theory has them, for they only have to be taken out.
double fitted_period(std::span<const double> values, double frame, std::span<const double> periods, std::size_t mode) {
    const auto count = static_cast<Eigen::Index>(values.size());
    const Eigen::VectorXd seen = Eigen::Map<const Eigen::VectorXd>(values.data(), count);
    const auto misfit = [&](double period) {
        Eigen::MatrixXd waves(count, 2 * static_cast<Eigen::Index>(periods.size()) + 1);
        for (Eigen::Index k = 0; k < count; ++k) {
            waves(k, 0) = 1;
            for (std::size_t m = 0; m < periods.size(); ++m) {
                const double phase =
                    2 * std::numbers::pi * static_cast<double>(k) * frame / (m == mode ? period : periods[m]);
                waves(k, 2 * static_cast<Eigen::Index>(m) + 1) = std::cos(phase);
                waves(k, 2 * static_cast<Eigen::Index>(m) + 2) = std::sin(phase);
            }
        }
        return (waves * waves.colPivHouseholderQr().solve(seen) - seen).norm();
    };
    // Ever finer around the best.
    double best = periods[mode];
    for (double step = 0.02; step > 1e-5; step /= 5) {
        const double middle = best;
        double least = misfit(middle);
        for (int k = -8; k <= 8; ++k) {
            const double period = middle * (1 + k * step);
            const double here = misfit(period);
            if (here >= least) continue;
            least = here;
            best = period;
        }
    }
    return best;
}

struct Sheet {
    std::array<std::vector<double>, 3> mode; // how far out, by frame, m
    double frame = 0;
};

constexpr double sheet_length = 1; // m
constexpr int cells_across = 4;

std::array<double, 3> expected_periods() {
    const double unit = std::sqrt(sheet_length / standard_gravity);
    return {chain_period(1) * unit, chain_period(2) * unit, chain_period(3) * unit};
}

// The sheet hangs at rest in gravity that leans by two degrees; then gravity is upright.
Result<Sheet> swing_sheet(const Options& options, double seconds, std::vector<std::string>& notes) {
    const int cells = options.cells, columns = cells + 1;
    Mounting mounting;
    mounting.mesh =
        make_strip({sheet_length, sheet_length * cells_across / cells}, {cells, cells_across}, options.triangulation);
    const std::array<int, 1> top = {0};
    mounting.pinned = lines_across(top, columns, cells_across + 1);
    mounting.rotation = {0, 0, -90};
    const double lean = 2 * degree;
    mounting.gravity = {standard_gravity * std::sin(lean), -standard_gravity * std::cos(lean), 0};
    mounting.substeps = options.method == "limits" ? 4 : 16;
    Result<Rig> rig = Rig::mount(options, options.fabric, mounting);
    if (!rig) return rig.faults();
    rig->come_to_rest("hanging sheet", notes);
    rig->set_gravity({0, -standard_gravity, 0});

    // Modes of a chain are orthogonal, so that each is seen alone.
    std::array<std::vector<double>, 3> weights;
    for (std::size_t m = 0; m < 3; ++m) {
        for (int i = 0; i <= cells; ++i) {
            const double end = i == 0 || i == cells ? 0.5 : 1;
            weights[m].push_back(end * chain_mode(static_cast<int>(m) + 1, 1 - static_cast<double>(i) / cells) / cells);
        }
    }
    Sheet sheet = {.mode = {}, .frame = rig->frame()};
    const int frames = static_cast<int>(std::ceil(seconds / rig->frame()));
    for (int k = 0; k <= frames; ++k) {
        if (k > 0 && !rig->step()) {
            notes.emplace_back("hanging sheet: a step could not be completed");
            break;
        }
        for (std::size_t m = 0; m < 3; ++m) {
            double sum = 0;
            for (int i = 0; i <= cells; ++i)
                for (int j = 0; j <= cells_across; ++j)
                    sum += weights[m][static_cast<std::size_t>(i)] * rig->at(static_cast<Index>(j * columns + i)).x /
                           (cells_across + 1);
            sheet.mode[m].push_back(sum);
        }
    }
    return sheet;
}

// A plate so stiff that it swings as one.
Result<double> swing_plate(const Options& options, double degrees, std::vector<std::string>& notes) {
    constexpr double plate_length = 0.3;
    const int cells = std::clamp(options.cells / 2, 4, 20), columns = cells + 1;
    Fabric plate = options.fabric;
    const double weight = static_cast<double>(plate.density) * standard_gravity; // N/m^2
    // Under its weight it sags by a thousandth of its length and gives by a ten-thousandth.
    plate.bend.fill(static_cast<float>(weight * std::pow(plate_length, 3) * 100));
    plate.stretch.fill(static_cast<float>(weight * plate_length * 1e4));
    plate.shear = plate.stretch[0] / 2;
    plate.poisson = 0;
    plate.bend_hysteresis = 0;
    Mounting mounting;
    mounting.mesh =
        make_strip({plate_length, plate_length * cells_across / cells}, {cells, cells_across}, options.triangulation);
    const std::array<int, 1> edge = {0};
    mounting.pinned = lines_across(edge, columns, cells_across + 1);
    mounting.rotation = {0, 0, static_cast<float>(degrees - 90)};
    mounting.substeps = options.method == "limits" ? 4 : 32;
    Result<Rig> rig = Rig::mount(options, plate, mounting);
    if (!rig) return rig.faults();
    const double expected = pendulum_ratio(degrees) * plate_period(plate_length);
    std::vector<double> angle;
    for (double t = 0; t < 0.5 * expected; t += rig->frame()) {
        const Vec3d tip = rig->at(static_cast<Index>(cells_across / 2 * columns + cells));
        angle.push_back(std::atan2(tip.x, -tip.y));
        if (!rig->step()) {
            notes.push_back("plate at " + number_text(degrees) + " degrees: a step could not be completed");
            break;
        }
    }
    // From the standing start: later swings are smaller.
    const std::vector<double> quarter = passages(angle, rig->frame(), 1);
    return quarter.empty() ? 0 : 4 * quarter[0];
}

} // namespace

Result<Report> swing(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Swing: a hanging sheet and a stiff plate");
    report.plot = {.title = "Swing of a hanging sheet, its first two modes", .x_label = "time, s", .y_label = "mm"};
    if (const auto go_on = announce(progress, "hanging sheet"); !go_on) return go_on.faults();
    const double unit = std::sqrt(sheet_length / standard_gravity);
    const Result<Sheet> sheet = swing_sheet(options, 1.4 * chain_period(1) * unit, report.notes);
    if (!sheet) return sheet.faults();
    for (const int mode : {1, 2, 3}) {
        const std::vector<double>& values = sheet->mode[static_cast<std::size_t>(mode - 1)];
        const double found =
            fitted_period(values, sheet->frame, expected_periods(), static_cast<std::size_t>(mode - 1));
        const double expected = chain_period(mode) * unit;
        // Of cells links the n-th mode is too slow or too fast by about this much: 0.07, 0.97 and 3.9 % for 20.
        constexpr std::array<double, 3> floor = {0.005, 0.015, 0.045};
        report.rows.push_back({"sheet, period of mode " + number_text(mode), found, expected, "s",
                               floor[static_cast<std::size_t>(mode - 1)]});
        if (mode > 2) continue;
        Curve seen = {.label = options.method + ", mode " + number_text(mode), .style = Curve::Style::marks},
              theory = {.label = "chain, mode " + number_text(mode)};
        for (std::size_t k = 0; k < values.size(); ++k) {
            const double t = static_cast<double>(k) * sheet->frame;
            if (k % 2 == 0) seen.points.push_back({t, 1000 * values[k]});
            theory.points.push_back({t, 1000 * values[0] * std::cos(2 * std::numbers::pi * t / expected)});
        }
        report.plot.curves.push_back(theory);
        report.plot.curves.push_back(seen);
    }
    for (const double degrees : {30.0, 60.0, 90.0}) {
        const std::string name = "plate, period from " + number_text(degrees) + " degrees";
        if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
        const Result<double> found = swing_plate(options, degrees, report.notes);
        if (!found) return found.faults();
        report.rows.push_back({name, *found, pendulum_ratio(degrees) * plate_period(0.3), "s", 0.01});
    }
    return report;
}

Result<double> swing_period(const Options& options, std::vector<std::string>& notes) {
    const Result<Sheet> sheet =
        swing_sheet(options, 1.35 * chain_period(1) * std::sqrt(sheet_length / standard_gravity), notes);
    if (!sheet) return sheet.faults();
    return fitted_period(sheet->mode[0], sheet->frame, expected_periods(), 0);
}

} // namespace taffeta::lab
