#include "collision.h"

#include "embree_boxes.h"
#include "fcl_triangles.h"
#include "folded_sheet.h"
#include "timing.h"

#include "collision/broad_phase/proximity_query.h"

#include <algorithm>

namespace taffeta::bench {
namespace {

constexpr int repeats = 7;
constexpr int sizes[] = {100, 224}; // cells along a side

void repeat_ours(const FoldedSheet& sheet, const Parallel& parallel, ProximityQuery& proximity, SheetTime& best) {
    best.update = std::min(best.update, seconds_of([&] { proximity.refit(sheet.x, {}, sheet.epsilon, parallel); }));
    best.search = std::min(best.search, seconds_of([&] { proximity.find_candidates(parallel); }));
    best.distances = std::min(best.distances, seconds_of([&] { proximity.measure(sheet.x, sheet.epsilon, parallel); }));
    best.candidates = best.close = 0;
    for (const FeaturePairs& list : proximity.lists()) {
        best.candidates += list.vertex_face_candidates.count + list.edge_candidates.count;
        best.close += list.vertex_faces.size() + list.edges.size();
    }
}

void repeat_peers(const FoldedSheet& sheet, EmbreeBoxes& embree, SheetTime& best) {
    best.update = std::min(best.update, seconds_of([&] { embree.refit(sheet.x, {}, sheet.epsilon); }));
    const BoxPairs* pairs = nullptr;
    best.search = std::min(best.search, seconds_of([&] { pairs = &embree.collide(); }));
    best.candidates = pairs->size();
    best.distances = std::min(best.distances, seconds_of([&] {
                                  best.close =
                                      count_close(sheet.triangles, sheet.x, *pairs, static_cast<double>(sheet.epsilon));
                              }));
}

void add_row(Report& report, const FoldedSheet& sheet, const char* way, int threads, const SheetTime& time) {
    report.add({{"way", way},
                {"triangles", sheet.triangles.size()},
                {"threads", threads},
                {"ms_update", 1e3 * time.update},
                {"ms_search", 1e3 * time.search},
                {"ms_distances", 1e3 * time.distances},
                {"ms_total", 1e3 * time.total()},
                {"ns_total", 1e9 * time.total() / static_cast<double>(sheet.triangles.size())},
                {"candidates", time.candidates},
                {"close", time.close}});
}

} // namespace

std::vector<SheetTimes> time_sheets() {
    std::vector<SheetTimes> times;
    for (const int cells : sizes) {
        const FoldedSheet sheet = make_folded_sheet(cells);
        const Parallel one(1), two(2);
        ProximityQuery proximity(sheet.triangles, sheet.rest);
        SheetTimes& best = times.emplace_back();
        for (int repeat = 0; repeat < repeats; ++repeat) {
            repeat_ours(sheet, one, proximity, best.one);
            repeat_ours(sheet, two, proximity, best.two);
        }
    }
    return times;
}

void bench_sheets(Report& report, std::span<const SheetTimes> ours) {
    report.begin_table("collision_sheets", "A folded sheet with itself, ms",
                       {{"way", "way", 36},
                        {"triangles", "triangles", 11},
                        {"threads", "threads", 9},
                        {"ms_update", "update", 9, 2},
                        {"ms_search", "search", 9, 2},
                        {"ms_distances", "distances", 11, 2},
                        {"ms_total", "total", 9, 2},
                        {"ns_total", "ns/triangle", 13, 1},
                        {"candidates", "candidates", 12},
                        {"close", "close", 9}});
    for (std::size_t k = 0; k < ours.size(); ++k) {
        const FoldedSheet sheet = make_folded_sheet(sizes[k]);
        const std::string size = std::to_string(sheet.triangles.size()) + " triangles";
        const auto& [one, two] = ours[k];
        add_row(report, sheet, "vertices, faces and edges in clusters", 1, one);
        add_row(report, sheet, "vertices, faces and edges in clusters", 2, two);
        report.add(Bar{"folded sheet, " + size + ": one thread over two, time", one.total() / two.total(),
                       Bar::Kind::at_least, 1.6});
        if (!EmbreeBoxes::is_available() || !FclTriangles::is_available()) continue;
        const Parallel parallel(1); // ours again, taking turns with the peers
        ProximityQuery proximity(sheet.triangles, sheet.rest);
        EmbreeBoxes embree(sheet.triangles, 0);
        embree.refit(sheet.x, {}, sheet.epsilon); // builds it
        SheetTime again, peers;
        for (int repeat = 0; repeat < repeats; ++repeat) {
            repeat_ours(sheet, parallel, proximity, again);
            repeat_peers(sheet, embree, peers);
        }
        add_row(report, sheet, "Embree's pairs, FCL's distances", 1, peers);
        report.add(Bar{"folded sheet, " + size + ": ours over Embree and FCL, time", again.total() / peers.total(),
                       Bar::Kind::at_most, 0.25});
    }
}

} // namespace taffeta::bench
