#include "benchmarks.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace taffeta;

struct Benchmark {
    std::string_view name;
    Errors (*run)(bench::Report&);
};
constexpr Benchmark benchmarks[] = {
    {"scenes", bench::bench_scenes},      {"solver", bench::bench_solver},         {"self", bench::bench_self},
    {"fabric", bench::bench_fabric},      {"invariance", bench::bench_invariance}, {"pictures", bench::bench_pictures},
    {"collision", bench::bench_collision}};

constexpr const char* usage =
    "usage: taffeta_bench [NAME...] [--json FILE]\n"
    "  scenes    each built-in scene, by stage\n"
    "  solver    hanging sheets, beside the bare kernel, the reference solver and Bullet 3;\n"
    "            how far cloth stretches, plain and accelerated\n"
    "  self      how self-collision grows with the number of particles\n"
    "  fabric    measured fabrics: implicit steps, cloth in real time, drape\n"
    "  invariance  the same fabric on other meshes and in other steps; takes minutes\n"
    "  pictures  ms per picture, and how long a film takes\n"
    "  collision what finds contacts: a walking body, folded sheets, continuous tests; beside Embree and FCL\n"
    "Without a name: all of them. --json: what is printed, for machines, into a file, where that of other benchmarks "
    "stays.\n";

constexpr int exit_failed = 1, exit_usage = 2;

// What an earlier run has left in a file; empty if it is none of ours.
bench::Row read_document(const std::string& path) {
    std::ifstream file(path);
    bench::Row document = bench::Row::parse(file, nullptr, false);
    const bool is_ours = document.is_object() && document.contains("benchmarks");
    return is_ours ? document : bench::Row();
}

// What was measured now, and what an earlier run says of other benchmarks.
bench::Row document_with(const bench::Report& report, const bench::Row& before) {
    bench::Row document = report.document();
    if (before.is_null()) return document;
    const auto is_of_another = [&](const bench::Row& part) {
        const auto& now = document["benchmarks"];
        return std::find(now.begin(), now.end(), part["benchmark"]) == now.end();
    };
    for (const auto& [key, table] : before["tables"].items())
        if (is_of_another(table)) document["tables"][key] = table;
    for (const bench::Row& bar : before["bars"])
        if (is_of_another(bar)) document["bars"].push_back(bar);
    return document;
}

} // namespace

int main(int argc, char** argv) {
    std::vector<std::string_view> chosen;
    std::string json_path;
    for (int k = 1; k < argc; ++k) {
        const std::string_view argument = argv[k];
        const auto names_it = [&](const Benchmark& benchmark) { return benchmark.name == argument; };
        if (argument == "--json" && k + 1 < argc) {
            json_path = argv[++k];
        } else if (argument == "--help" || argument == "-h") {
            std::fputs(usage, stdout);
            return 0;
        } else if (std::any_of(std::begin(benchmarks), std::end(benchmarks), names_it)) {
            chosen.push_back(argument);
        } else {
            std::fprintf(stderr, "taffeta_bench: cannot use the argument \"%s\"\n%s", argv[k], usage);
            return exit_usage;
        }
    }
    // Asked before minutes of work. What is in the file stays until there is something new.
    if (!json_path.empty() && !std::ofstream(json_path, std::ios::app)) {
        std::fprintf(stderr, "taffeta_bench: cannot write to \"%s\"; does its folder exist?\n", json_path.c_str());
        return exit_usage;
    }

    const bench::Row before = read_document(json_path);
    bench::Report report;
    for (const Benchmark& benchmark : benchmarks) {
        if (!chosen.empty() && std::find(chosen.begin(), chosen.end(), benchmark.name) == chosen.end()) continue;
        report.begin_benchmark(std::string(benchmark.name));
        const Errors errors = benchmark.run(report);
        for (const Error& error : errors) std::fprintf(stderr, "%s\n", error.to_string().c_str());
        if (!errors.empty()) return exit_failed;
    }
    report.finish();
    if (!json_path.empty() && !(std::ofstream(json_path) << document_with(report, before).dump(2) << "\n").flush()) {
        std::fprintf(stderr, "taffeta_bench: could not write all of \"%s\"\n", json_path.c_str());
        return exit_failed;
    }
    return 0;
}
