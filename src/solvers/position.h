// The fast solver: Gauss-Seidel over coloured limits, eight at a time, on all threads.
#pragma once

#include "constraints/limits.h"
#include "core/parallel.h"

#include <span>

namespace taffeta {

// Projects every limit once, colour after colour. The same bits for every number of threads.
void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x);

// One colour of it.
void sweep_colour(const Limits& limits, std::size_t colour, const Parallel& parallel, std::span<Vec4> x);

} // namespace taffeta
