#include "solvers/position/strain_limiting.h"

#include <algorithm>
#include <array>

namespace taffeta {
namespace {

constexpr int sweeps = 6; // of a round
// What is nearer to its limit is not looked at; above, the longest are told apart in such steps.
constexpr float near = 1.02f, step = 0.01f;

// The least step above the limits that no more blocks than `most` exceed.
float find_threshold(std::span<const float> stretch, std::size_t most) {
    constexpr std::size_t steps = 32;
    std::array<std::size_t, steps> between = {}; // by step: blocks between it and the next
    for (const float times : stretch)
        if (times > near) ++between[static_cast<std::size_t>(std::min((times - near) / step, steps - 1.0f))];
    std::size_t lowest = steps, count = 0;
    while (lowest > 0 && count + between[lowest - 1] <= most) count += between[--lowest];
    return near + step * static_cast<float>(lowest);
}

} // namespace

void Tightening::run(const Limits& limits, const Effort& effort, const Parallel& parallel, std::span<Vec4> x) {
    if (limits.blocks.empty()) return;
    stretch_.resize(limits.blocks.size());
    longest_.resize(limits.blocks.size());
    parallel.for_pieces(limits.parts(), 1, [&](std::size_t from, std::size_t to) {
        for (std::size_t part = from; part < to; ++part)
            tighten(limits, effort, limits.part_begin[part], limits.part_begin[part + 1], x);
    });
    tighten(limits, effort, limits.part_begin.back(), limits.runs(), x); // joints
}

void Tightening::tighten(const Limits& limits, const Effort& effort, std::size_t first_run, std::size_t end_run,
                         std::span<Vec4> x) {
    const std::size_t first = limits.run_begin[first_run], count = limits.run_begin[end_run] - first;
    for (int round = 0; round < effort.rounds; ++round) {
        for (std::size_t k = first_run; k < end_run; ++k) {
            const LimitRun run = limits.run(k);
            measure_stretch(run, x, std::span(stretch_).subspan(limits.run_begin[k], run.blocks.size()));
        }
        const std::size_t most = (count + effort.share - 1) / effort.share;
        const float threshold = find_threshold(std::span(stretch_).subspan(first, count), most);
        for (std::size_t k = first_run; k < end_run; ++k) {
            const LimitRun run = limits.run(k);
            const std::span<Index> longest = std::span(longest_).subspan(limits.run_begin[k], run.blocks.size());
            std::size_t found = 0;
            for (Index b = 0; b < run.blocks.size(); ++b)
                if (stretch_[limits.run_begin[k] + b] > threshold) longest[found++] = b;
            // One step longer than what was found: what is within it may get there while its neighbours are pulled.
            for (int sweep = 0; sweep < sweeps; ++sweep) project_longer(run, longest.first(found), threshold + step, x);
        }
    }
}

} // namespace taffeta
