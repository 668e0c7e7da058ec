#include "sim/api/recording.h"

#include "sim/step/motion.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace taffeta {
namespace {

bool is_minus_zero(float value) {
    return value == 0 && std::signbit(value);
}

// Whether interpolation between the two gives their bits: x + 0 does, but for -0.
bool stays(const Vec3& a, const Vec3& b) {
    for (int axis = 0; axis < 3; ++axis)
        if (a[axis] != b[axis] || is_minus_zero(a[axis]) || is_minus_zero(b[axis])) return false;
    return true;
}

bool stays(const GrabDesc::Key& a, const GrabDesc::Key& b) {
    return stays(a.position, b.position);
}
bool stays(const MotionKey& a, const MotionKey& b) {
    return stays(*a.position, *b.position) && a.rotation == b.rotation;
}

// Of a thing at rest the first and the last key are enough.
template <class Key>
void add_key(std::vector<Key>& keys, const Key& key) {
    const std::size_t count = keys.size();
    const bool rests = count >= 2 && stays(keys[count - 2], key) && stays(keys[count - 1], key);
    if (rests)
        keys.back() = key;
    else
        keys.push_back(key);
}

MotionKey to_motion_key(const Collider::Key& key) {
    return {key.t, key.position, key.rotation};
}

int cloth_of(const World& world, Index particle) {
    const auto owner = std::find_if(world.cloths.begin(), world.cloths.end(), [&](const Cloth& cloth) {
        return particle < cloth.first_particle + cloth.particle_count;
    });
    return static_cast<int>(owner - world.cloths.begin());
}

} // namespace

void start_recording(World& world) {
    Recording& recording = world.recording.emplace();
    recording.colliders.resize(world.colliders.size());
    record_scripts(world, world.time);
}

void record_grab(World& world, const Grasp& grasp) {
    if (!world.recording) return;
    const Hand& hand = world.hands.back();
    std::set<int> cloths; // a brush may have taken of several
    for (const Hand::Held& held : hand.held) cloths.insert(cloth_of(world, held.particle));
    for (const int number : cloths) {
        const Cloth& cloth = world.cloths[static_cast<std::size_t>(number)];
        GrabDesc desc = {.cloth = cloth.name, .radius = grasp.radius, .path = {{world.time, hand.position}}};
        if (grasp.radius == 0)
            desc.vertex = world.vertex_of_particle[hand.held.front().particle] - cloth.first_vertex;
        else if (grasp.particle)
            desc.vertex = world.vertex_of_particle[*grasp.particle] - cloth.first_vertex;
        else
            desc.near = grasp.near;
        world.recording->hands.push_back({hand.id, std::move(desc)});
    }
}

void record_release(World& world, GrabId grab) {
    if (!world.recording) return;
    auto& hands = world.recording->hands;
    std::erase_if(hands, [&](const Recording::Hand& hand) { // it has opened before anything could move
        return hand.id == grab && hand.desc.path.size() < 2;
    });
    for (Recording::Hand& hand : hands)
        if (hand.id == grab) hand.id = 0;
}

void record_take_over(World& world, std::size_t collider) {
    if (!world.recording) return;
    Recording::Collider& record = world.recording->colliders[collider];
    if (record.is_moved) return;
    record.is_moved = true;
    if (record.keys.empty()) record.keys.push_back({world.time, world.colliders[collider].body.pose.position, {}});
}

void record_scripts(World& world, double time) {
    if (!world.recording) return;
    for (std::size_t k = 0; k < world.colliders.size(); ++k) {
        // Every substep, for its place there need not lie between those at the ends of a step.
        const std::vector<Collider::Key>& motion = world.colliders[k].motion;
        if (!motion.empty()) world.recording->colliders[k].keys.push_back(to_motion_key(scripted_key(motion, time)));
    }
}

void record_step(World& world) {
    if (!world.recording) return;
    for (Recording::Hand& record : world.recording->hands)
        for (const Hand& hand : world.hands)
            if (hand.id == record.id) add_key(record.desc.path, {world.time, hand.position});
    for (std::size_t k = 0; k < world.colliders.size(); ++k) {
        Recording::Collider& record = world.recording->colliders[k];
        if (record.is_moved)
            add_key(record.keys, {world.time, world.colliders[k].body.pose.position, record.keys.back().rotation});
    }
}

SceneDesc recorded_scene(const World& world, SceneDesc scene) {
    if (!world.recording) return scene;
    constexpr double long_after = 1000; // s: whoever simulates on finds the hand still closed
    std::vector<GrabDesc> grabs;
    for (const Recording::Hand& hand : world.recording->hands) {
        GrabDesc& grab = grabs.emplace_back(hand.desc);
        if (hand.id != 0) grab.path.push_back({world.time + long_after, grab.path.back().position});
    }
    // Callers act between the steps and so before the hands of the scene, which close and open within them.
    scene.grabs.insert(scene.grabs.begin(), grabs.begin(), grabs.end());
    for (std::size_t k = 0; k < scene.colliders.size(); ++k)
        if (world.recording->colliders[k].is_moved) scene.colliders[k].motion = world.recording->colliders[k].keys;
    scene.duration = static_cast<float>(world.time);
    return scene;
}

} // namespace taffeta
