// The parts of the collision benchmark; each adds tables and bars.
#pragma once

#include "report.h"

#include <taffeta/result.h>

#include <limits>
#include <span>
#include <vector>

namespace taffeta::bench {

// A folded sheet with itself.
struct SheetTime {
    double update = std::numeric_limits<double>::infinity(), search = update, distances = update; // s
    std::size_t candidates = 0, close = 0;

    double total() const { return update + search + distances; }
};
struct SheetTimes {
    SheetTime one, two; // threads
};
std::vector<SheetTimes> time_sheets(); // ours, by size
void bench_sheets(Report& report, std::span<const SheetTimes> ours);

void bench_walk(Report& report);       // [MKE03] Table 1: a walking body in trousers
void bench_heuristics(Report& report); // what else the paper proposes: cones, groups, lists, lazy updates
Errors bench_queries(Report& report);  // continuous tests on the motion of cloth
Errors bench_dressed(Report& report);  // a body that walks in 10,000 particles

} // namespace taffeta::bench
