// The fast solver: Gauss-Seidel over coloured limits, eight at a time, on all threads.
#pragma once

#include "constraints/limits.h"
#include "core/parallel.h"

#include <span>

namespace taffeta {

enum class Direction { forth, back };

// Projects every limit once: the parts side by side, each colour after colour, and then the joints between them; or
// all of it in the opposite order. The same bits for every number of threads.
void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x, Direction direction = Direction::forth);

} // namespace taffeta
