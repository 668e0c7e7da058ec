// The two ways of solving that the benchmark compares, at 30 frames per second.
#pragma once

#include <taffeta/scene.h>

namespace taffeta::bench {

constexpr float usual_frame_rate = 30; // 1/s

// The settings of [FGL03] section 5: 16 sweeps per frame.
inline const SolverDesc plain_solver = {
    .method = "limits", .substeps = 4, .iterations = 4, .velocity_factor = 0.99f, .acceleration = false, .threads = 1};

// For all cloth that stretch.cpp measures; the bounds there say what it should reach, and at what cost.
inline const SolverDesc accelerated_solver = {
    .method = "limits", .substeps = 5, .iterations = 4, .velocity_factor = 0.992f, .acceleration = true, .threads = 1};

inline const char* name_of(const SolverDesc& solver) {
    return solver.acceleration ? "accelerated" : "plain";
}

} // namespace taffeta::bench
