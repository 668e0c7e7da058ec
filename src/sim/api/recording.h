// What callers do with hands and colliders, written down as scripts that do it again.
//
// A replay gives the same bits because scripts and callers move things by the same arithmetic: from one key to the next
// in the same shares of the way (Substep::part), and exactly onto a key when its time has come. So one key at the end
// of each step is enough.
#pragma once

#include "sim/step/grabs.h"

namespace taffeta {

void start_recording(World& world);

// A hand has just closed: the last of the world's hands.
void record_grab(World& world, const Grasp& grasp);
// It is about to open.
void record_release(World& world, GrabId grab);
// A caller is about to move the collider.
void record_take_over(World& world, std::size_t collider);
// Colliders have moved along their scripts up to `time`.
void record_scripts(World& world, double time);
// A step has ended.
void record_step(World& world);

SceneDesc recorded_scene(const World& world, SceneDesc scene);

} // namespace taffeta
