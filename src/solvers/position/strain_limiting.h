// More sweeps over the few edges that are longest.
//
// A sweep over all edges brings each a bit nearer to its length, and most are near it soon; but along ridges of folds,
// at pins and where a body starts to move some stay several times as far off as the rest. They are few, so that many
// more sweeps over them alone cost less than one over all (docs/decisions/0008-acceleration.md).
#pragma once

#include "constraints/limits.h"
#include "core/parallel.h"

#include <cstddef>
#include <span>
#include <vector>

namespace taffeta {

class Tightening {
public:
    struct Effort {
        int rounds = 1;        // of finding the longest and sweeping over them
        std::size_t share = 8; // an eighth of all edges, in blocks, is the most that a round sweeps over
    };
    // For limits that keep the longest. The same bits for every number of threads.
    void run(const Limits& limits, const Effort& effort, const Parallel& parallel, std::span<Vec4> x);

private:
    // The limits of some runs.
    void tighten(const Limits& limits, const Effort& effort, std::size_t first_run, std::size_t end_run,
                 std::span<Vec4> x);

    std::vector<float> stretch_ = {}; // by block
    std::vector<Index> longest_ = {}; // of each run, from where its blocks begin: those to sweep over
};

} // namespace taffeta
