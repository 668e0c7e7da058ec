// The parts of the collision benchmark; each adds tables and bars.
#pragma once

#include "report.h"

#include <taffeta/result.h>

namespace taffeta::bench {

void bench_walk(Report& report);       // [MKE03] Table 1: a walking body in trousers
void bench_sheets(Report& report);     // a folded sheet with itself
void bench_heuristics(Report& report); // what else the paper proposes: cones, groups, lists, lazy updates
Faults bench_queries(Report& report);  // continuous tests on the motion of cloth

} // namespace taffeta::bench
