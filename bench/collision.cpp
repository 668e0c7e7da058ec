#include "collision.h"

#include "benchmarks.h"
#include "embree_boxes.h"
#include "fcl_triangles.h"
#include "timing.h"
#include "walker.h"

#include "collision/broad_phase/bvh.h"
#include "collision/broad_phase/bvh_traversal.h"
#include "collision/broad_phase/proximity_query.h"

#include <algorithm>
#include <functional>
#include <limits>

namespace taffeta::bench {
namespace {

constexpr double dt = 0.01; // s, a step
constexpr int footsteps = 10;
constexpr int steps = 600; // of the walk; one of `every` is timed
constexpr int every = 20;
constexpr int repeats = 4;
constexpr float epsilon = 0.005f; // m
constexpr float papers_epsilon = 0.02f;

struct Step {
    std::vector<Vec4> x, x_end;
    float longest_way = 0; // m
};

std::vector<Step> steps_of(const Walker& walker) {
    std::vector<Step> walk;
    for (int step = 0; step < steps; step += every) {
        Step s = {walker.at(step * dt), walker.at((step + 1) * dt)};
        for (std::size_t v = 0; v < s.x.size(); ++v)
            s.longest_way = std::max(s.longest_way, length(s.x_end[v].xyz() - s.x[v].xyz()));
        walk.push_back(std::move(s));
    }
    return walk;
}

// A way to find the triangles of body and trousers that may meet.
struct Way {
    std::string name;
    std::function<void(const Step&)> update;
    std::function<std::size_t()> search; // returns the number of candidates
    std::function<double()> box_tests = nullptr;
};

struct WayTime {
    double update = 0, search = 0; // s per step
    double candidates = 0, box_tests = 0;

    double total() const { return update + search; }
};

// The least time of each step over the repeats; the mean over the steps.
std::vector<WayTime> time_ways(const std::vector<Step>& walk, std::span<const Way> ways) {
    std::vector<WayTime> times(ways.size());
    const auto n = static_cast<double>(walk.size());
    for (const Step& step : walk) {
        std::vector<WayTime> best(ways.size(),
                                  {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()});
        for (int repeat = 0; repeat < repeats; ++repeat) {
            for (std::size_t k = 0; k < ways.size(); ++k) {
                best[k].update = std::min(best[k].update, seconds_of([&] { ways[k].update(step); }));
                std::size_t candidates = 0;
                best[k].search = std::min(best[k].search, seconds_of([&] { candidates = ways[k].search(); }));
                best[k].candidates = static_cast<double>(candidates);
                if (ways[k].box_tests) best[k].box_tests = ways[k].box_tests();
            }
        }
        for (std::size_t k = 0; k < ways.size(); ++k) {
            times[k].update += best[k].update / n;
            times[k].search += best[k].search / n;
            times[k].candidates += best[k].candidates / n;
            times[k].box_tests += best[k].box_tests / n;
        }
    }
    return times;
}

std::size_t count_pairs(const BvhTraversal& traversal) {
    std::size_t count = 0;
    for (const BvhPairs& list : traversal.lists()) count += list.pairs().size();
    return count;
}

std::size_t count_candidates(const ProximityQuery& proximity) {
    std::size_t count = 0;
    for (const FeaturePairs& list : proximity.lists())
        count += list.vertex_face_candidates.count + list.edge_candidates.count;
    return count;
}

enum class Volumes { oriented, swept, unoriented, papers_unoriented };

// Two trees of pairs of triangles, as the paper has them.
class TwoTrees {
public:
    TwoTrees(const Walker& walker, const BvhShape& shape, Volumes volumes, const Parallel& parallel)
        : volumes_(volumes), parallel_(parallel) {
        const std::span<const Triangle> all = walker.triangles;
        garment_ = Bvh(all.first(walker.garment_triangles), walker.standing, shape);
        body_ = Bvh(all.subspan(walker.garment_triangles), walker.standing, shape);
    }
    void update(const Step& step) {
        for (Bvh* tree : {&garment_, &body_}) {
            switch (volumes_) {
            case Volumes::oriented: tree->refit_oriented(step.x, step.x_end, epsilon, parallel_); break;
            case Volumes::swept: tree->refit_swept(step.x, step.x_end, epsilon, parallel_); break;
            case Volumes::unoriented: tree->refit(step.x, epsilon + 2 * step.longest_way, parallel_); break;
            case Volumes::papers_unoriented: tree->refit(step.x, papers_epsilon, parallel_); break;
            }
        }
    }
    std::size_t search() {
        traversal_.find_between(garment_, body_, parallel_);
        return count_pairs(traversal_);
    }
    double box_tests() const { return static_cast<double>(traversal_.box_tests()); }

private:
    Bvh garment_, body_;
    Volumes volumes_;
    const Parallel& parallel_;
    BvhTraversal traversal_;
};

// What the collision of a simulation uses: clusters of eight faces, and what is in them.
class Default {
public:
    Default(const Walker& walker, const Parallel& parallel) : parallel_(parallel) {
        const auto body = static_cast<Index>(walker.garment_triangles);
        proximity_ = ProximityQuery(walker.triangles, walker.standing, {{0, body}, body});
    }
    void update(const Step& step) { proximity_.refit(step.x, step.x_end, epsilon, parallel_); }
    std::size_t search() {
        proximity_.find_candidates(parallel_);
        return count_candidates(proximity_);
    }
    std::size_t search_clusters() { // the part of it that is the tree's
        traversal_.find_self(proximity_.tree(), parallel_);
        return count_pairs(traversal_);
    }
    double box_tests() const { return static_cast<double>(traversal_.box_tests()); }

private:
    ProximityQuery proximity_;
    const Parallel& parallel_;
    BvhTraversal traversal_;
};

struct Setup {
    const char* name;
    BvhShape shape;
    Volumes volumes;
};
constexpr Setup setups[] = {{"accelerated: 18-DOPs, four branches, oriented", {18, 4, false}, Volumes::oriented},
                            {"unoriented, as much as is needed", {18, 4, false}, Volumes::unoriented},
                            {"unoriented, 2 cm", {18, 4, false}, Volumes::papers_unoriented},
                            {"boxes", {6, 4, false}, Volumes::oriented},
                            {"two branches", {18, 2, false}, Volumes::oriented},
                            {"eight branches", {18, 8, false}, Volumes::oriented},
                            {"around both ends", {18, 4, false}, Volumes::swept},
                            {"boxes, eight branches, around both ends", {6, 8, false}, Volumes::swept}};

void add_row(Report& report, const std::string& name, int threads, std::size_t triangles, const WayTime& time) {
    const double ns_each = 1e9 / static_cast<double>(triangles);
    Row row = {{"way", name},
               {"threads", threads},
               {"ns_update", ns_each * time.update},
               {"ns_search", ns_each * time.search},
               {"ns_total", ns_each * time.total()},
               {"ms_step", 1e3 * time.total()},
               {"candidates", time.candidates}};
    if (time.box_tests > 0) row["box_tests"] = time.box_tests;
    report.add(row);
}

Way way_of(const Setup& setup, TwoTrees& trees) {
    return {setup.name, [&](const Step& step) { trees.update(step); }, [&] { return trees.search(); },
            [&] { return trees.box_tests(); }};
}
Way way_of(Default& ours) {
    return {"default: vertices, faces and edges in clusters", [&](const Step& step) { ours.update(step); },
            [&] { return ours.search(); }};
}

// The setups, on one thread and on two, all taking turns; after them the default.
struct OurTimes {
    std::vector<WayTime> one = {}, two = {};
};
OurTimes time_ours(Report& report, const Walker& walker, const std::vector<Step>& walk) {
    const Parallel threads[] = {Parallel(1), Parallel(2)};
    std::vector<std::unique_ptr<TwoTrees>> trees;
    std::vector<std::unique_ptr<Default>> defaults;
    std::vector<Way> ways;
    for (const Parallel& parallel : threads) {
        for (const Setup& setup : setups) {
            trees.push_back(std::make_unique<TwoTrees>(walker, setup.shape, setup.volumes, parallel));
            ways.push_back(way_of(setup, *trees.back()));
        }
        Default& ours = *defaults.emplace_back(std::make_unique<Default>(walker, parallel));
        ways.push_back({"default, as far as pairs of clusters", [&](const Step& step) { ours.update(step); },
                        [&] { return ours.search_clusters(); }, [&] { return ours.box_tests(); }});
        ways.push_back(way_of(ours));
    }
    const std::vector<WayTime> times = time_ways(walk, ways);
    const std::size_t half = times.size() / 2;
    for (std::size_t k = 0; k < ways.size(); ++k)
        add_row(report, ways[k].name, k < half ? 1 : 2, walker.triangles.size(), times[k]);
    const auto middle = times.begin() + static_cast<std::ptrdiff_t>(half);
    return {{times.begin(), middle}, {middle, times.end()}};
}

// Peers take turns with two of ours again, on one thread each, for the ratios; after the others, because Embree leaves
// oneTBB with its own number of threads.
void time_peers(Report& report, const Walker& walker, const std::vector<Step>& walk, const Setup& setup) {
    const Parallel parallel(1);
    TwoTrees trees(walker, setup.shape, setup.volumes, parallel);
    Default ours(walker, parallel);
    EmbreeBoxes embree(walker.triangles, walker.garment_triangles);
    embree.refit(walk[0].x, walk[0].x_end, epsilon); // builds it
    FclTriangles fcl(walker.triangles, walker.garment_triangles, walk[0].x);
    const Way ways[] = {way_of(setup, trees),
                        way_of(ours),
                        {"Embree, refitted, around both ends",
                         [&](const Step& step) { embree.refit(step.x, step.x_end, epsilon); },
                         [&] { return embree.collide().size(); }},
                        {"FCL, boxes refitted at the end of the step; what crosses there",
                         [&](const Step& step) { fcl.refit(step.x_end); }, [&] { return fcl.collide(); }}};
    const std::vector<WayTime> times = time_ways(walk, ways);
    if (FclTriangles::is_available()) add_row(report, ways[3].name, 1, walker.triangles.size(), times[3]);
    if (!EmbreeBoxes::is_available()) return;
    add_row(report, ways[2].name, 1, walker.triangles.size(), times[2]);
    report.add(Bar{"walking body: pairs of triangles over Embree, time", times[0].total() / times[2].total(),
                   Bar::Kind::at_most, 1});
    report.add(
        Bar{"walking body: the default over Embree, time", times[1].total() / times[2].total(), Bar::Kind::at_most, 1});
}

std::size_t setup_of(const char* name) {
    return static_cast<std::size_t>(std::find_if(std::begin(setups), std::end(setups),
                                                 [&](const Setup& setup) { return std::string(setup.name) == name; }) -
                                    std::begin(setups));
}

} // namespace

void bench_walk(Report& report) {
    const Walker walker = make_walker(footsteps);
    const std::vector<Step> walk = steps_of(walker);
    report.begin_table("collision_walk",
                       "A body of " + std::to_string(walker.triangles.size() - walker.garment_triangles) +
                           " triangles walks 6 s in trousers of " + std::to_string(walker.garment_triangles) +
                           "; steps of 0.01 s, one of twenty timed; ns per triangle",
                       {{"way", "way", 64},
                        {"threads", "threads", 9},
                        {"ns_update", "update", 9, 2},
                        {"ns_search", "search", 9, 2},
                        {"ns_total", "total", 9, 2},
                        {"ms_step", "ms/step", 10, 3},
                        {"candidates", "candidates", 12},
                        {"box_tests", "volume tests", 14}});
    const auto [one, two] = time_ours(report, walker, walk);
    const WayTime& accelerated = one[0];
    report.add(Bar{"walking body: unoriented over oriented inflation at equal recall, time",
                   one[setup_of("unoriented, as much as is needed")].total() / accelerated.total(), Bar::Kind::at_least,
                   1.5});
    report.add(Bar{"walking body: unoriented over oriented inflation at equal recall, time of the search",
                   one[setup_of("unoriented, as much as is needed")].search / accelerated.search, Bar::Kind::at_least,
                   2});
    report.add(Bar{"walking body: boxes over 18-DOPs, time", one[setup_of("boxes")].total() / accelerated.total(),
                   Bar::Kind::at_least, 0.95});
    report.add(Bar{"walking body: two over four branches, time",
                   one[setup_of("two branches")].total() / accelerated.total(), Bar::Kind::at_least, 0.95});
    report.add(Bar{"walking body: the default, one thread over two, time", one.back().total() / two.back().total(),
                   Bar::Kind::at_least, 1.6});
    if (EmbreeBoxes::is_available() || FclTriangles::is_available())
        time_peers(report, walker, walk, setups[setup_of("boxes, eight branches, around both ends")]);
}

Errors bench_collision(Report& report) {
    if (!EmbreeBoxes::is_available()) std::puts("Built without Embree: it is left out of the tables.");
    if (!FclTriangles::is_available()) std::puts("Built without FCL: it is left out of the tables.");
    // Before Embree, which leaves oneTBB with its own threads.
    if (Errors errors = bench_dressed(report); !errors.empty()) return errors;
    const std::vector<SheetTimes> sheets = time_sheets();
    bench_walk(report);
    bench_sheets(report, sheets);
    bench_heuristics(report);
    return bench_queries(report);
}

} // namespace taffeta::bench
