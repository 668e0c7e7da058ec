// What a lamp far above would see.
#pragma once

#include <taffeta/lab.h>

namespace taffeta::lab {

// m^2: of cloth and disc together.
double shadow_area(const Shadow& shadow);
// Cusick's drape coefficient in %, between a limp cloth's 0 and a board's 100.
double drape_coefficient_of(const Shadow& shadow);
// Folds: how often the border, seen from above, comes out beyond its mean distance from the middle. `border` in order.
int count_nodes(const std::vector<std::array<double, 2>>& border);

} // namespace taffeta::lab
