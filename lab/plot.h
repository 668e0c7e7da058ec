// Plots and shadows as pictures, drawn with Cairo.
#pragma once

#include <vector>

namespace taffeta::lab {

// Round numbers between low and high, about `count` of them: multiples of 1, 2 or 5 times a power of ten; on a
// logarithmic scale (low > 0) powers of ten and, where those are few, twice and five times them.
std::vector<double> ticks(double low, double high, int count, bool logarithmic);

} // namespace taffeta::lab
