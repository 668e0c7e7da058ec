// What must not matter: how fine the mesh is, which way it is cut, how long the steps are and how often they iterate.
// The same fabric each time; the figures should stay.
#include "lab/rig.h"

#include <algorithm>
#include <functional>

namespace taffeta::lab {
namespace {

struct Variant {
    std::string name;
    Options options;
};

struct Figure {
    std::string_view name, unit;
    Result<double> (*measure)(const Options&, std::vector<std::string>&);
};
constexpr std::array<Figure, 3> figures = {{{"cantilever tip height", "L", tip_height},
                                            {"drape coefficient", "%", drape_coefficient},
                                            {"swing period", "s", swing_period}}};

struct Family {
    std::string name;
    std::vector<Variant> variants;
};

std::vector<Family> families_of(const Options& options) {
    std::vector<Family> families = {{"cells", {}}, {"triangulation", {}}, {"frame rate", {}}, {"iterations", {}}};
    const auto vary = [&](std::size_t family, const std::string& name, const std::function<void(Options&)>& change) {
        Variant variant = {name, options};
        change(variant.options);
        families[family].variants.push_back(variant);
    };
    for (const int cells : {20, 40, 80})
        vary(0, std::to_string(cells) + " cells", [&](Options& o) { o.cells = cells; });
    for (const auto& [triangulation, name] : triangulation_names)
        vary(1, std::string(name), [&, kind = triangulation](Options& o) { o.triangulation = kind; });
    for (const int rate : {30, 60, 120})
        vary(2, std::to_string(rate) + " Hz", [&](Options& o) { o.frame_rate = static_cast<float>(rate); });
    for (const int iterations : {4, 8, 16})
        vary(3, std::to_string(iterations) + " iterations", [&](Options& o) { o.iterations = iterations; });
    return families;
}

} // namespace

Result<Report> invariance(const Options& options, const Progress& progress) {
    Report report = start_report(options, "Invariance: what must not matter");
    report.plot = {.title = report.title, .x_label = "variant", .y_label = "figure / its value in the first variant"};
    for (const Figure& figure : figures) {
        Curve curve = {.label = std::string(figure.name), .style = Curve::Style::line_and_marks};
        double place = 0;
        std::optional<double> first;
        for (const Family& family : families_of(options)) {
            double low = 0, high = 0;
            std::vector<Row> rows;
            for (std::size_t k = 0; k < family.variants.size(); ++k) {
                const Variant& variant = family.variants[k];
                const std::string name = std::string(figure.name) + ", " + variant.name;
                if (const auto go_on = announce(progress, name); !go_on) return go_on.faults();
                const Result<double> value = figure.measure(variant.options, report.notes);
                if (!value) return value.faults();
                low = k == 0 ? *value : std::min(low, *value);
                high = k == 0 ? *value : std::max(high, *value);
                rows.push_back({name, *value, {}, std::string(figure.unit), {}});
                if (!first) first = *value;
                curve.points.push_back({place++, *first != 0 ? *value / *first : 0});
            }
            report.rows.insert(report.rows.end(), rows.begin(), rows.end());
            const double middle = (std::abs(low) + std::abs(high)) / 2;
            report.rows.push_back({std::string(figure.name) + ": spread over " + family.name,
                                   middle > 0 ? 100 * (high - low) / middle : 0, 0, "%", 2.0});
        }
        report.plot.curves.push_back(curve);
    }
    return report;
}

} // namespace taffeta::lab
