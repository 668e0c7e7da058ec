#include "commands.h"

#ifdef TAFFETA_LAB
#include <taffeta/lab.h>
#endif

#include <charconv>
#include <cstdio>

namespace taffeta::cli {

#ifdef TAFFETA_LAB
namespace {

// A built-in fabric or a fabric file, or nothing after the errors have been told.
std::optional<Fabric> fabric_by_name(const std::string& name) {
    if (name.empty()) return Fabric{};
    Result<io::FabricFile> file = io::open_fabric(name);
    if (file) return file->fabric;
    Errors errors = file.errors();
    for (Error& error : errors)
        if (error.file.empty()) error.message = "the fabric " + error.message;
    print_errors(errors);
    return {};
}

// Which tests a word means.
std::vector<std::string> tests_of(const std::string& word) {
    if (word != "all") return {word};
    std::vector<std::string> names;
    for (const lab::TestInfo& test : lab::tests())
        if (test.name != "invariance") names.emplace_back(test.name); // that is many tests by itself
    return names;
}

void list_tests() {
    for (const lab::TestInfo& test : lab::tests())
        std::fprintf(stderr, "  %-12s%s\n", std::string(test.name).c_str(), std::string(test.summary).c_str());
    std::fprintf(stderr, "  %-12s%s\n", "all", "all of these but invariance");
    std::fprintf(stderr, "  %-12s%s\n", "fit", "a fabric from measurements; see taffeta lab fit --help");
}

// "0.01:5,0.02:11", or nothing after the error has been told.
std::optional<std::vector<lab::TensilePoint>> tensile_points(const std::string& text) {
    std::vector<lab::TensilePoint> points;
    const char* at = text.data();
    const char* end = at + text.size();
    while (at != end) {
        lab::TensilePoint point;
        const auto strain = std::from_chars(at, end, point.strain);
        bool good = strain.ec == std::errc{} && strain.ptr != end && *strain.ptr == ':';
        if (good) {
            const auto load = std::from_chars(strain.ptr + 1, end, point.load);
            good = load.ec == std::errc{} && (load.ptr == end || (*load.ptr == ',' && load.ptr + 1 != end));
            at = load.ptr == end ? end : load.ptr + 1;
        }
        if (!good) {
            print_errors({{.message = "tensile: '" + text + "' is not a list of STRAIN:LOAD, e.g. 0.01:5,0.02:11"}});
            return {};
        }
        points.push_back(point);
    }
    return points;
}

} // namespace

int lab(const LabArguments& arguments) {
    if (arguments.test.empty()) {
        print_errors({{.message = "which test? Use one of these"}});
        list_tests();
        return exit_usage;
    }
    const std::optional<Fabric> fabric = fabric_by_name(arguments.fabric);
    if (!fabric) return exit_usage;
    const lab::Options options = {
        .fabric = *fabric, .method = arguments.method, .cells = arguments.cells, .threads = arguments.threads};
    const std::vector<std::string> tests = tests_of(arguments.test);
    std::string json;
    for (const std::string& test : tests) {
        Result<lab::Report> report = [&] {
            ProgressLine line(arguments.quiet);
            return lab::run_test(test, options, [&](const std::string& what) {
                line.show(test + ": " + what);
                return true;
            });
        }();
        if (!report) {
            print_errors(report.errors());
            return exit_usage;
        }
        if (arguments.json)
            json += (json.empty() ? "" : ",\n") + lab::report_to_json(*report);
        else if (!arguments.quiet)
            std::printf("%s\n", lab::report_to_text(*report).c_str());
        std::fflush(stdout);
        if (arguments.output.empty()) continue;
        if (const Result<void> written = lab::write_report(arguments.output, *report); !written) {
            print_errors(written.errors());
            return exit_failed;
        }
    }
    if (arguments.json) std::printf(tests.size() == 1 ? "%s" : "[\n%s]\n", json.c_str());
    return exit_done;
}

int fit(const FitArguments& arguments) {
    const auto tensile = tensile_points(arguments.tensile), weft = tensile_points(arguments.weft_tensile);
    if (!tensile || !weft) return exit_usage;
    lab::Measurements measured = {.name = arguments.name,
                                  .weight = arguments.weight,
                                  .overhang = arguments.overhang,
                                  .angle = arguments.angle,
                                  .tensile = *tensile,
                                  .weft_tensile = *weft};
    if (arguments.weft_overhang != 0) measured.weft_overhang = arguments.weft_overhang;
    const Result<lab::Fit> fit = lab::fit_fabric(measured);
    if (!fit) {
        print_errors(fit.errors());
        return exit_usage;
    }
    if (arguments.output.empty()) {
        std::fputs(fit->toml.c_str(), stdout);
        return exit_done;
    }
    if (const Result<void> written = lab::write_fit(arguments.output, *fit); !written) {
        print_errors(written.errors());
        return exit_failed;
    }
    return exit_done;
}

#else

int lab(const LabArguments&) {
    print_errors({{.message = "this taffeta was built without the laboratory (TAFFETA_LAB=OFF)"}});
    return exit_usage;
}

int fit(const FitArguments&) {
    return lab({});
}

#endif

} // namespace taffeta::cli
