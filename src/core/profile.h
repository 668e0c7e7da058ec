// Time per stage of the step.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>

namespace taffeta {

enum class Stage { move, forces, predict, candidates, constraints, contacts, impacts, velocities, inspect, count };

inline constexpr std::array<const char*, static_cast<std::size_t>(Stage::count)> stage_names = {
    "move", "forces", "predict", "candidates", "constraints", "contacts", "impacts", "velocities", "inspect"};

using Profile = std::array<double, static_cast<std::size_t>(Stage::count)>; // s

// Adds the time of a scope to a stage, and takes it from the one that the scope is in, if it is in one.
class StageTimer {
public:
    StageTimer(Profile& profile, Stage stage, Stage within = Stage::count)
        : seconds_(profile[static_cast<std::size_t>(stage)]),
          others_(within == Stage::count ? nullptr : &profile[static_cast<std::size_t>(within)]) {}
    StageTimer(const StageTimer&) = delete;
    StageTimer& operator=(const StageTimer&) = delete;
    ~StageTimer() {
        const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
        seconds_ += seconds;
        if (others_ != nullptr) *others_ -= seconds;
    }

private:
    using Clock = std::chrono::steady_clock;
    double& seconds_;
    double* others_;
    Clock::time_point start_ = Clock::now();
};

} // namespace taffeta
