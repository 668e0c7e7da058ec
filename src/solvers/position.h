// The fast solver: Gauss-Seidel over coloured limits, eight at a time, on all threads.
#pragma once

#include "constraints/limits.h"
#include "core/parallel.h"

#include <span>

namespace taffeta {

// Projects every limit once: the parts side by side, each run after run, and then the joints between them. The same
// bits for every number of threads.
void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x, Keep keep = Keep::both);

} // namespace taffeta
