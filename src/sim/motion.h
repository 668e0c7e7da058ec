// Scripted motion of colliders.
#pragma once

#include "sim/world.h"

namespace taffeta {

// Linear between keys, position and each angle; held before the first and after the last. There is at least one key.
Pose scripted_pose(const std::vector<Collider::Key>& motion, double time);

} // namespace taffeta
