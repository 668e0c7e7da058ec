#include "benchmarks.h"

#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <string_view>

namespace {

using namespace taffeta;

struct Benchmark {
    std::string_view name;
    Faults (*run)(bench::Report&);
};
constexpr Benchmark benchmarks[] = {
    {"scenes", bench::bench_scenes},      {"solver", bench::bench_solver},         {"self", bench::bench_self},
    {"fabric", bench::bench_fabric},      {"invariance", bench::bench_invariance}, {"pictures", bench::bench_pictures},
    {"collision", bench::bench_collision}};

constexpr const char* usage =
    "usage: taffeta_bench [scenes | solver | self | fabric | invariance | pictures | collision] [--json FILE]\n"
    "  scenes    each built-in scene, by stage\n"
    "  solver    hanging sheets, beside the bare kernel, the reference solver and Bullet 3;\n"
    "            how far cloth stretches, plain and accelerated\n"
    "  self      how self-collision grows with the number of particles\n"
    "  fabric    measured fabrics: implicit steps, cloth in real time, drape\n"
    "  invariance  the same fabric on other meshes and in other steps; takes minutes\n"
    "  pictures  ms per picture, and how long a film takes\n"
    "  collision what finds contacts: a walking body, folded sheets, continuous tests; beside Embree and FCL\n"
    "Without a name: all of them. --json: what is printed, for machines, into a file.\n";

constexpr int exit_failed = 1, exit_usage = 2;

} // namespace

int main(int argc, char** argv) {
    std::string_view chosen;
    std::string json_path;
    for (int k = 1; k < argc; ++k) {
        const std::string_view argument = argv[k];
        const auto names_it = [&](const Benchmark& benchmark) { return benchmark.name == argument; };
        if (argument == "--json" && k + 1 < argc) {
            json_path = argv[++k];
        } else if (argument == "--help" || argument == "-h") {
            std::fputs(usage, stdout);
            return 0;
        } else if (chosen.empty() && std::any_of(std::begin(benchmarks), std::end(benchmarks), names_it)) {
            chosen = argument;
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

    bench::Report report;
    for (const Benchmark& benchmark : benchmarks) {
        if (!chosen.empty() && benchmark.name != chosen) continue;
        const Faults faults = benchmark.run(report);
        for (const Fault& fault : faults) std::fprintf(stderr, "%s\n", fault.to_string().c_str());
        if (!faults.empty()) return exit_failed;
    }
    report.finish();
    if (!json_path.empty() && !(std::ofstream(json_path) << report.document().dump(2) << "\n").flush()) {
        std::fprintf(stderr, "taffeta_bench: could not write all of \"%s\"\n", json_path.c_str());
        return exit_failed;
    }
    return 0;
}
