// How far rounding can lead the continuous query astray, and where it stops: for both of its forms, the readable one in
// continuous.cpp and the vectors in continuous_lanes.cpp, which give the same bits.
#pragma once

#include "geometry/ccd.h"

namespace taffeta {

// The bounds that docs/ccd.md proves, in its words.
struct ErrorBounds {
    static constexpr double u = 0x1p-53; // the unit roundoff

    double eta, direction, cubic, tiny, shrink, grow;

    explicit ErrorBounds(const ContinuousOptions& options)
        : eta(options.eta), direction(options.error_bounds * 16 * u), cubic(options.error_bounds * 1024 * u),
          tiny(options.error_bounds * 1e-300), shrink(1 - options.error_bounds * 4 * u),
          grow(1 + options.error_bounds * 4 * u) {}
};

inline constexpr double least_divisor = 1e-300;   // so that there are quotients for edges and faces without size
inline constexpr double least_progress = 0x1p-30; // of the step; below it, pairs at metres per step are well within eta
inline constexpr double beyond = 2;               // a time behind the end of the step

} // namespace taffeta
