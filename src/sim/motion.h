// Scripted motion of colliders.
#pragma once

#include "sim/world.h"

namespace taffeta {

// Linear between keys, position and each angle, exactly the key's at its time; held before the first and after the
// last. There is at least one key.
Collider::Key scripted_key(const std::vector<Collider::Key>& motion, double time);
Pose scripted_pose(const std::vector<Collider::Key>& motion, double time);

} // namespace taffeta
