// How far cloth stretches, with and without acceleration, and what that costs.
#pragma once

#include "report.h"

#include <taffeta/result.h>

namespace taffeta::bench {

Errors bench_stretch(Report& report); // after 10 s, by scene and number of particles
Errors bench_effort(Report& report);  // how many sweeps it takes to stay below a bound
Errors bench_release(Report& report); // a corner that is let go of and taken again

} // namespace taffeta::bench
