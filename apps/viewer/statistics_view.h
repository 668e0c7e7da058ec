// The figures of the running simulation, with a graph of where its time goes.
#pragma once

#include "simulation_thread.h"

namespace taffeta::viewer {

void draw_statistics(const Frame& frame, std::size_t triangles, double frames_per_second);

} // namespace taffeta::viewer
