#include "timing.h"

#include "sim/world.h"

namespace taffeta::bench {

Errors TimedRun::repeat(const SceneDesc& scene, int warm_up, int frames) {
    Result<Simulation> created = Simulation::create(scene);
    if (!created) return created.errors();
    Simulation& simulation = *created;
    const World& world = simulation.world();
    const float dt = 1 / scene.frame_rate;

    unresolved = 0;
    for (int frame = 0; frame < warm_up; ++frame) unresolved += simulation.step(dt).unresolved;
    best_.resize(static_cast<std::size_t>(frames));
    long contacts = 0;
    for (FrameTime& best : best_) {
        const Profile before = world.profile;
        StepReport step;
        FrameTime time = {.seconds = seconds_of([&] { step = simulation.step(dt); }), .stages = world.profile};
        for (std::size_t stage = 0; stage < before.size(); ++stage) time.stages[stage] -= before[stage];
        if (time.seconds < best.seconds) best = time;
        contacts += step.self_contacts;
        unresolved += step.unresolved;
    }
    particles = world.state.count();
    const auto iterations = static_cast<std::size_t>(world.settings.iterations);
    projections = world.settings.acceleration
                      ? world.multilevel.projections() + world.limits.count + world.lengths.count * iterations
                      : world.limits.count * iterations;
    threads = simulation.threads();
    self_contacts = static_cast<double>(contacts) / frames;
    max_stretch = simulation.measure().max_stretch;
    hash = simulation.hash();
    return {};
}

FrameTime TimedRun::mean() const {
    FrameTime mean = {.seconds = 0};
    const auto count = static_cast<double>(best_.size());
    for (const FrameTime& frame : best_) {
        mean.seconds += frame.seconds / count;
        for (std::size_t stage = 0; stage < mean.stages.size(); ++stage)
            mean.stages[stage] += frame.stages[stage] / count;
    }
    return mean;
}

double stage_seconds(const FrameTime& time, Stage stage) {
    return time.stages[static_cast<std::size_t>(stage)];
}

} // namespace taffeta::bench
