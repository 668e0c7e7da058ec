#include "solvers/position.h"

namespace taffeta {

void sweep(const Limits& limits, const Parallel& parallel, std::span<Vec4> x, Keep keep) {
    // Parts share no particle: one thread takes a part through all its runs.
    parallel.for_pieces(limits.parts(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t k = limits.part_begin[from]; k < limits.part_begin[to]; ++k)
            project_limits(limits.run(k), x, keep);
    });
    for (std::size_t k = limits.part_begin.back(); k < limits.runs(); ++k) // joints: of large cloth a fiftieth of all
        project_limits(limits.run(k), x, keep);
}

} // namespace taffeta
