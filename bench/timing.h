// How time is taken on a machine that others use too: the least of several repeats of the same work.
#pragma once

#include "core/profile.h"

#include <taffeta/simulation.h>

#include <chrono>
#include <limits>
#include <vector>

namespace taffeta::bench {

template <class Work>
double seconds_of(Work&& work) {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    work();
    return std::chrono::duration<double>(Clock::now() - start).count();
}

struct FrameTime {
    double seconds = std::numeric_limits<double>::infinity();
    Profile stages = {}; // s
};

// A run of a scene: its frames do the same work in every repeat, to the bit, so the least time of each frame is the one
// that was disturbed least.
class TimedRun {
public:
    // Simulates `frames` frames after `warm_up` untimed ones.
    // Errors: the scene cannot be simulated.
    Errors repeat(const SceneDesc& scene, int warm_up, int frames);

    FrameTime mean() const; // s per frame

    // Of the last repeat.
    std::size_t particles = 0, projections = 0; // the latter in one substep
    int threads = 0;
    double self_contacts = 0; // per frame
    int unresolved = 0;       // in all frames
    float max_stretch = 0;    // at the end
    std::uint64_t hash = 0;

private:
    std::vector<FrameTime> best_ = {};
};

double stage_seconds(const FrameTime& time, Stage stage);

} // namespace taffeta::bench
