#include "collision.h"
#include "timing.h"

#include <utility>

namespace taffeta::bench {
namespace {

// The built-in figure walks at 1.8 steps per second.
SceneDesc walk_in(ClothDesc garment) {
    SceneDesc scene;
    scene.solver.damping = 0.5f;
    scene.cloths = {std::move(garment)};
    scene.colliders = {{.shape = make_figure({.steps = 16})}, {.shape = Plane{}}};
    return scene;
}

Pin carried_by_figure(const BoxPin& box) {
    Pin pin = box;
    pin.follow = 0;
    return pin;
}

// Hangs from the shoulders and lies on the back.
ClothDesc make_cape() {
    return {.shape = GridShape{{0.9f, 1.1f}, {89, 110}},
            .position = {0, 0.87f, -0.2f},
            .rotation = {90, 0, 0},
            .pins = {carried_by_figure({{-0.2f, 1.415f, -1}, {0.2f, 1.5f, 1}})}};
}

// Falls over the head and hangs around the body.
ClothDesc make_element_mesh() {
    return {.shape = GridShape{{1.4f, 1.4f}, {99, 99}}, .position = {0, 1.9f, 0}};
}

// Close to the legs everywhere.
ClothDesc make_close_trousers() {
    return {.shape = TrousersShape{10000}, .pins = {carried_by_figure({{-1, 1.035f, -1}, {1, 1.045f, 1}})}};
}

} // namespace

Errors bench_dressed(Report& report) {
    report.begin_table("collision_dressed",
                       "10,000 particles on a walking body, everything included: ms per frame of 1/30 s, mean of 1 s",
                       {{"garment", "garment", 10},
                        {"threads", "threads", 9},
                        {"ms_per_frame", "ms/frame", 10, 1},
                        {"ms_candidates", "candidates", 12, 1},
                        {"ms_constraints", "constraints", 13, 1},
                        {"ms_impacts", "impacts", 9, 1},
                        {"longest_edge", "longest", 9, 2},
                        {"unresolved", "unresolved", 12},
                        {"frames_per_second", "frames/s", 10, 1}});
    struct Garment {
        const char* name;
        ClothDesc cloth;
        int warm_up; // frames, until it has come to lie on the body
    };
    for (const Garment& garment : {Garment{"cape", make_cape(), 10}, Garment{"sheet", make_element_mesh(), 45},
                                   Garment{"trousers", make_close_trousers(), 10}}) {
        for (const int threads : {1, 0}) {
            SceneDesc scene = walk_in(garment.cloth);
            scene.solver.threads = threads;
            TimedRun run;
            constexpr int repeats = 4, frames = 30;
            for (int repeat = 0; repeat < repeats; ++repeat)
                if (Errors errors = run.repeat(scene, garment.warm_up, frames); !errors.empty()) return errors;
            const FrameTime time = run.mean();
            report.add({{"garment", garment.name},
                        {"threads", run.threads},
                        {"ms_per_frame", 1e3 * time.seconds},
                        {"ms_candidates", 1e3 * stage_seconds(time, Stage::candidates)},
                        {"ms_constraints", 1e3 * stage_seconds(time, Stage::constraints)},
                        {"ms_impacts", 1e3 * stage_seconds(time, Stage::impacts)},
                        {"longest_edge", run.max_stretch},
                        {"unresolved", run.unresolved},
                        {"frames_per_second", 1 / time.seconds}});
            if (threads != 0) continue;
            const std::string what = "10,000 particles on a walking body, ";
            report.add(Bar{what + "frames per second, " + garment.name, 1 / time.seconds, Bar::Kind::at_least, 10});
            report.add(
                Bar{what + "unresolved, " + garment.name, static_cast<double>(run.unresolved), Bar::Kind::at_most, 0});
        }
    }
    return {};
}

} // namespace taffeta::bench
