#include "collision.h"

#include "folded_sheet.h"
#include "timing.h"

#include "collision/broad_phase/normal_cones.h"
#include "collision/comparison/separation_list.h"
#include "collision/broad_phase/bvh_traversal.h"
#include "collision/broad_phase/bvh.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <span>

namespace taffeta::bench {
namespace {

constexpr int cells = 100;
constexpr int steps = 8, repeats = 5;
constexpr TreeShape shape = {6, 8, false};

// The sheet, of which one half moves in small steps.
std::vector<std::vector<Vec4>> motion_of(const FoldedSheet& sheet) {
    std::vector<std::vector<Vec4>> states;
    for (int step = 0; step < steps; ++step) {
        std::vector<Vec4>& x = states.emplace_back(sheet.x);
        for (std::size_t v = 0; v < x.size(); ++v) {
            const float part = std::max(sheet.rest[v].z, 0.0f); // 0 .. 0.5
            x[v].y += sheet.epsilon * 0.1f * part * static_cast<float>(step);
        }
    }
    return states;
}

struct SearchTime {
    double update = 0, search = 0; // s per step
    std::size_t pairs = 0, volume_tests = 0;

    double total() const { return update + search; }
};

// A way to find pairs of triangles in a series of steps.
struct Way {
    const char* name;
    std::function<void(std::span<const Vec4>)> update;
    std::function<void()> search;
    std::function<std::size_t()> pairs, volume_tests;
};

// All take turns with the whole series.
std::vector<SearchTime> time_ways(const std::vector<std::vector<Vec4>>& motion, std::span<const Way> ways) {
    struct Least {
        double update = std::numeric_limits<double>::infinity(), search = update;
    };
    std::vector<std::vector<Least>> least(ways.size(), std::vector<Least>(motion.size()));
    std::vector<SearchTime> means(ways.size());
    for (int repeat = 0; repeat < repeats; ++repeat) {
        for (std::size_t k = 0; k < ways.size(); ++k) {
            for (std::size_t step = 0; step < motion.size(); ++step) {
                Least& best = least[k][step];
                best.update = std::min(best.update, seconds_of([&] { ways[k].update(motion[step]); }));
                best.search = std::min(best.search, seconds_of([&] { ways[k].search(); }));
            }
            means[k].pairs = ways[k].pairs();
            means[k].volume_tests = ways[k].volume_tests();
        }
    }
    for (std::size_t k = 0; k < ways.size(); ++k) {
        for (const auto& [update, search] : least[k]) {
            means[k].update += update / static_cast<double>(motion.size());
            means[k].search += search / static_cast<double>(motion.size());
        }
    }
    return means;
}

std::size_t count_pairs(const Traversal& traversal) {
    std::size_t count = 0;
    for (const TreePairs& list : traversal.lists()) count += list.pairs().size();
    return count;
}

// In the order of the ways below.
std::vector<SearchTime> time_sheet(Report& report, const char* name, const FoldedSheet& sheet) {
    const Parallel parallel(1);
    Tree tree(sheet.triangles, sheet.rest, shape), lazy(sheet.triangles, sheet.rest, shape);
    NormalCones cones(tree, sheet.triangles, sheet.rest.size());
    Traversal traversal;
    SeparationList list(steps);
    const float epsilon = sheet.epsilon, tolerance = 0.1f * epsilon;
    const auto refit = [&](std::span<const Vec4> x) { tree.refit(x, epsilon, parallel); };
    const auto pairs = [&] { return count_pairs(traversal); };
    const auto tests = [&] { return traversal.box_tests(); };
    const Way ways[] = {{"a fresh search", refit, [&] { traversal.find_self(tree, parallel); }, pairs, tests},
                        {"normal cones and 64 groups or more",
                         [&](std::span<const Vec4> x) {
                             refit(x);
                             cones.refit(tree, x, parallel);
                         },
                         [&] { traversal.find_self(tree, cones, parallel); }, pairs, tests},
                        {"separation list, new every eight steps", refit, [&] { list.find_self(tree); },
                         [&] { return list.pairs().size(); }, [&] { return list.box_tests(); }},
                        {"lazy update",
                         [&](std::span<const Vec4> x) { lazy.refit_lazily(x, epsilon, tolerance, parallel); },
                         [&] { traversal.find_self(lazy, parallel); }, pairs, tests}};
    std::vector<SearchTime> times = time_ways(motion_of(sheet), ways);
    for (std::size_t k = 0; k < times.size(); ++k) {
        const SearchTime& time = times[k];
        report.add({{"way", ways[k].name},
                    {"sheet", name},
                    {"ms_update", 1e3 * time.update},
                    {"ms_search", 1e3 * time.search},
                    {"ms_total", 1e3 * time.total()},
                    {"pairs", time.pairs},
                    {"volume_tests", time.volume_tests}});
    }
    return times;
}

} // namespace

void bench_heuristics(Report& report) {
    report.begin_table("collision_heuristics",
                       "Pairs of triangles of a sheet of 20,000, one half of which moves; ms, one thread",
                       {{"way", "way", 40},
                        {"sheet", "sheet", 9},
                        {"ms_update", "update", 9, 3},
                        {"ms_search", "search", 9, 3},
                        {"ms_total", "total", 9, 3},
                        {"pairs", "pairs", 10},
                        {"volume_tests", "volume tests", 14}});
    const std::vector<SearchTime> flat = time_sheet(report, "flat", make_flat_sheet(cells));
    const std::vector<SearchTime> folded = time_sheet(report, "folded", make_folded_sheet(cells));
    report.add(Bar{"flat sheet: with normal cones over without, time", flat[1].total() / flat[0].total(),
                   Bar::Kind::at_most, 0.5});
    report.add(Bar{"folded sheet: with normal cones over without, time", folded[1].total() / folded[0].total(),
                   Bar::Kind::at_most, 1});
    report.add(Bar{"folded sheet: a separation list over a fresh search, time", folded[2].total() / folded[0].total(),
                   Bar::Kind::at_least, 1});
    report.add(
        Bar{"folded sheet: lazy update over update, time", folded[3].update / folded[0].update, Bar::Kind::at_most, 1});
}

} // namespace taffeta::bench
