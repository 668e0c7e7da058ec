// The fast solver: Gauss-Seidel over coloured limits, eight at a time, on all threads.
#pragma once

#include "constraints/bend.h"
#include "constraints/limits.h"
#include "constraints/stretch.h"
#include "core/parallel.h"

#include <span>

namespace taffeta {

// Projects every limit once: the parts side by side, each run after run, and then the joints between them. The same
// bits for every number of threads.
void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x, Keep keep = Keep::both);
void sweep(Stretch& stretch, const Parallel& parallel, float h, std::span<Vec4> x);
void sweep(Bend& bend, const Parallel& parallel, float h, std::span<Vec4> x);

// Before the first sweeps of a substep that began at `x`.
void begin(Stretch& stretch, const Parallel& parallel, std::span<const Vec4> x);
void begin(Bend& bend, const Parallel& parallel, std::span<const Vec4> x);

} // namespace taffeta
