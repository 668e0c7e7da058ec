// Scripted motion of colliders and pins.
#pragma once

#include "sim/world.h"

namespace taffeta {

// The keys with nothing left out: what one lacks is as in the key before it, or as at the start.
std::vector<Collider::Key> filled_in(const std::vector<MotionKey>& keys, Vec3 position, Vec3 rotation);

// Linear between keys, position and each angle, exactly the key's at its time; held before the first and after the
// last. There is at least one key.
Collider::Key scripted_key(const std::vector<Collider::Key>& motion, double time);
Pose scripted_pose(const std::vector<Collider::Key>& motion, double time);

} // namespace taffeta
