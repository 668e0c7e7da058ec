// The benchmarks; each adds a table and its bars to the report. docs/performance.md explains the columns.
#pragma once

#include "report.h"

#include <taffeta/result.h>

namespace taffeta::bench {

Errors bench_scenes(Report& report);     // the built-in scenes
Errors bench_solver(Report& report);     // solvers side by side; stretch, plain and accelerated
Errors bench_pictures(Report& report);   // pictures and a film
Errors bench_self(Report& report);       // how self-collision grows with the number of particles
Errors bench_fabric(Report& report);     // measured fabrics: implicit steps, cloth in real time, drape
Errors bench_invariance(Report& report); // the same fabric on other meshes and in other steps; a quarter of an hour
Errors bench_collision(Report& report);  // hierarchies and continuous tests, beside Embree and FCL

} // namespace taffeta::bench
