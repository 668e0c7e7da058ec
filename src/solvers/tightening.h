// Sweeps over the few edges that are much too long.
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
    // For limits that keep the longest. The same bits for every number of threads.
    void run(const Limits& limits, const Parallel& parallel, std::span<Vec4> x);

private:
    // The limits of some runs.
    void tighten(const Limits& limits, std::size_t first_run, std::size_t end_run, std::span<Vec4> x);
    // The first `count` of the blocks of a run to sweep over.
    std::span<Index> longer_of(const Limits& limits, std::size_t run, std::size_t count);

    std::vector<Index> longer_ = {};             // by block; those of a run begin where its blocks do
    std::vector<std::size_t> longer_count_ = {}; // by run
};

} // namespace taffeta
