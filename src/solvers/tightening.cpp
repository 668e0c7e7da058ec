#include "solvers/tightening.h"

#include <algorithm>

namespace taffeta {
namespace {

// By how many times its limit a distance is too long, and from where on it may become so by the sweeps.
constexpr float too_long = 1.03f, near_that = 1.02f;
// What lies beside the blocks that are swept over grows too long in turn, so it is looked for again. Found once and
// swept over 16 times, cotton on a moving ball is drawn out by 4 to 6 %; found twice, and each time swept over 8
// times, by 3.5 to 4 %.
constexpr int rounds = 2;
constexpr std::size_t most_sweeps = 8; // of a round, which projects no more blocks than a sweep over all

} // namespace

void Tightening::run(const Limits& limits, const Parallel& parallel, std::span<Vec4> x) {
    longer_.resize(limits.blocks.size());
    longer_count_.resize(limits.runs());
    parallel.for_pieces(limits.parts(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t part = from; part < to; ++part)
            tighten(limits, limits.part_begin[part], limits.part_begin[part + 1], x);
    });
    tighten(limits, limits.part_begin.back(), limits.runs(), x); // joints
}

void Tightening::tighten(const Limits& limits, std::size_t first_run, std::size_t end_run, std::span<Vec4> x) {
    const std::size_t all = limits.run_begin[end_run] - limits.run_begin[first_run];
    for (int round = 0; round < rounds; ++round) {
        std::size_t count = 0;
        for (std::size_t k = first_run; k < end_run; ++k) {
            const LimitRun run = limits.run(k);
            longer_count_[k] = find_longer(run, near_that, x, longer_of(limits, k, run.blocks.size()));
            count += longer_count_[k];
        }
        if (count == 0) return;
        const std::size_t sweeps = std::min(most_sweeps, all / count);
        for (std::size_t sweep = 0; sweep < sweeps; ++sweep)
            for (std::size_t k = first_run; k < end_run; ++k)
                project_longer(limits.run(k), longer_of(limits, k, longer_count_[k]), too_long, x);
    }
}

std::span<Index> Tightening::longer_of(const Limits& limits, std::size_t run, std::size_t count) {
    return std::span(longer_).subspan(limits.run_begin[run], count);
}

} // namespace taffeta
