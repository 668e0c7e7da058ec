#include <taffeta/lab.h>

#include "io/results/atomic_file.h"
#include "lab/rig.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace taffeta::lab {
namespace {

constexpr std::array<TestInfo, 9> infos = {{
    {"cantilever", "a strip over an edge: bending length, and the master curve of heavy strips (ASTM D1388)"},
    {"drape", "a round specimen on a disc: drape coefficient, folds and shadow (Cusick, BS 5058)"},
    {"tensile", "hanging strips along warp, weft and bias: strain and contraction under load"},
    {"shear", "a picture frame: whether cloth follows a homogeneous shear"},
    {"incline", "a sheet on a slope, solid or of cloth: friction that holds, friction that slides (Coulomb)"},
    {"swing", "periods of a hanging sheet and of a stiff plate"},
    {"catenary", "the sag of a limp strip between two hands"},
    {"buckling", "strips that stand, lie on edge or are pushed together (Greenhill, Timoshenko, Euler)"},
    {"invariance", "what must not matter: cells, triangulation, frame rate, iterations"},
}};
constexpr std::array<Test, 9> functions = {cantilever, drape,         tensile,  shear,     incline,
                                           swing,      hanging_strip, buckling, invariance};

// As theory has it.
Fabric without_losses(Fabric fabric) {
    fabric.bend_hysteresis = 0;
    fabric.stretch_damping = 0;
    fabric.bend_damping = 0;
    return fabric;
}

// JSON knows no infinity.
nlohmann::ordered_json number(double value) {
    return std::isfinite(value) ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

std::string padded(std::string text, std::size_t width, bool right) {
    // Bytes that go on with a character take no room.
    const auto shown = static_cast<std::size_t>(std::count_if(
        text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u; }));
    const std::string room(shown < width ? width - shown : 0, ' ');
    return right ? room + text : text + room;
}

std::string error_text(const Row& row) {
    if (!row.expected) return "";
    return *row.expected == 0 ? "" : (row.error() >= 0 ? "+" : "") + number_text(100 * row.error(), 3) + " %";
}

} // namespace

double Row::error() const {
    if (!expected) return 0;
    return *expected == 0 ? simulated : (simulated - *expected) / std::abs(*expected);
}

bool Row::is_within() const {
    return !expected || !tolerance || std::abs(error()) <= *tolerance; // no number is never within
}

std::span<const TestInfo> tests() {
    return infos;
}

Result<Report> run_test(std::string_view name, const Options& options, const Progress& progress) {
    const auto found =
        std::find_if(infos.begin(), infos.end(), [&](const TestInfo& info) { return info.name == name; });
    if (found == infos.end()) {
        std::string all;
        for (const TestInfo& info : infos) all += (all.empty() ? "" : ", ") + std::string(info.name);
        return Fault{.message = "there is no test '" + std::string(name) + "'; the tests are " + all};
    }
    if (options.cells < 4 || options.cells > 1000)
        return Fault{.message = "cells: " + std::to_string(options.cells) + " is not between 4 and 1000"};
    const auto start = std::chrono::steady_clock::now();
    Options used = options;
    const bool ideal = name != "drape" && name != "invariance";
    if (ideal) used.fabric = without_losses(used.fabric);
    Result<Report> report = functions[static_cast<std::size_t>(found - infos.begin())](used, progress);
    if (!report) return report;
    if (used.fabric != options.fabric)
        report->notes.emplace_back("hysteresis and damping of the fabric are left out, for theory knows none");
    report->test = std::string(name);
    report->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    return report;
}

std::string report_to_json(const Report& report) {
    nlohmann::ordered_json json = {{"test", report.test},     {"title", report.title}, {"fabric", report.fabric},
                                   {"method", report.method}, {"cells", report.cells}, {"seconds", report.seconds}};
    json["rows"] = nlohmann::ordered_json::array();
    for (const Row& row : report.rows) {
        nlohmann::ordered_json entry = {
            {"quantity", row.quantity}, {"simulated", number(row.simulated)}, {"unit", row.unit}};
        if (row.expected) {
            entry["expected"] = number(*row.expected);
            entry["error"] = number(row.error());
        }
        if (row.tolerance) {
            entry["tolerance"] = number(*row.tolerance);
            entry["within"] = row.is_within();
        }
        json["rows"].push_back(entry);
    }
    json["notes"] = report.notes;
    json["curves"] = nlohmann::ordered_json::array();
    for (const Curve& curve : report.plot.curves) {
        nlohmann::ordered_json points = nlohmann::ordered_json::array();
        for (const auto& [x, y] : curve.points) points.push_back({number(x), number(y)});
        json["curves"].push_back({{"label", curve.label}, {"points", points}});
    }
    return json.dump(2) + "\n";
}

std::string report_to_text(const Report& report) {
    std::string text = report.title + "\nfabric " + report.fabric + ", method " + report.method + ", " +
                       std::to_string(report.cells) + " cells, " + number_text(report.seconds, 3) + " s\n\n";
    std::vector<std::array<std::string, 5>> lines = {{"quantity", "simulated", "expected", "error", ""}};
    for (const Row& row : report.rows)
        lines.push_back({row.quantity, number_text(row.simulated) + (row.unit.empty() ? "" : " " + row.unit),
                         row.expected ? number_text(*row.expected) : "", error_text(row),
                         row.is_within() ? "" : "  beyond " + number_text(*row.tolerance)});
    std::array<std::size_t, 5> widths = {};
    for (const auto& line : lines)
        for (std::size_t k = 0; k < line.size(); ++k) widths[k] = std::max(widths[k], line[k].size());
    for (const auto& line : lines) {
        std::string whole = padded(line[0], widths[0], false);
        for (std::size_t k = 1; k < 4; ++k) whole += "  " + padded(line[k], widths[k], true);
        whole += line[4];
        whole.erase(whole.find_last_not_of(' ') + 1);
        text += whole + "\n";
    }
    for (const std::string& note : report.notes) text += "note: " + note + "\n";
    return text;
}

Result<Done> write_report(const std::string& folder, const Report& report) {
    const Result<io::Image> picture = draw(report);
    if (!picture) return picture.faults();
    const std::string stem = folder + (folder.empty() || folder.back() == '/' ? "" : "/") + report.test;
    Result<io::AtomicFile> json = io::AtomicFile::create(stem + ".json");
    if (!json) return json.faults();
    json->write(report_to_json(report));
    if (Result<Done> written = io::write_png(stem + ".png", *picture); !written) return written;
    return json->commit();
}

} // namespace taffeta::lab
