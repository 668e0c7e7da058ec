#include "sim/step/grabs.h"

#include <algorithm>

namespace taffeta {
namespace {

bool is_held(const World& world, Index particle) {
    return std::any_of(world.hands.begin(), world.hands.end(), [&](const Hand& hand) {
        return std::any_of(hand.held.begin(), hand.held.end(),
                           [&](const Hand::Held& held) { return held.particle == particle; });
    });
}

Vec3 at_time(const std::vector<GrabDesc::Key>& path, double time) {
    const auto after = std::find_if(path.begin(), path.end(), [&](const auto& key) { return key.t > time; });
    if (after == path.begin()) return path.front().position;
    if (after == path.end()) return path.back().position;
    const auto& a = *(after - 1);
    const auto& b = *after;
    const auto part = static_cast<float>((time - a.t) / (b.t - a.t));
    if (part <= 0) return a.position;
    if (part >= 1) return b.position;
    return a.position + (b.position - a.position) * part;
}

} // namespace

GrabId close_hand(World& world, const Grasp& grasp) {
    Index begin = 0, end = world.state.count();
    if (grasp.cloth >= 0) {
        const Cloth& cloth = world.cloths[static_cast<std::size_t>(grasp.cloth)];
        begin = cloth.first_particle;
        end = begin + cloth.particle_count;
    }
    const Vec3& near = grasp.near;
    Hand hand = {.id = world.next_grab++, .position = near, .step_start = near, .target = near, .held = {}};
    const auto take = [&](Index particle, const Vec3& offset) {
        if (is_held(world, particle)) return;
        hand.held.push_back({particle, offset});
        world.state.x[particle].w = 0; // infinite mass while held
        world.cascade_is_tied = false;
    };

    if (grasp.radius > 0) { // what a brush takes keeps its place within the hand
        for (Index p = begin; p < end; ++p) {
            const Vec3 offset = world.state.x[p].xyz() - near;
            if (dot(offset, offset) <= grasp.radius * grasp.radius) take(p, offset);
        }
    } else if (grasp.particle) { // a single particle sticks to the hand itself
        take(*grasp.particle, {});
    } else {
        Index nearest = end;
        float least = 0;
        for (Index p = begin; p < end; ++p) {
            const Vec3 d = world.state.x[p].xyz() - near;
            if ((nearest == end || dot(d, d) < least) && !is_held(world, p)) {
                nearest = p;
                least = dot(d, d);
            }
        }
        if (nearest != end) take(nearest, {});
    }
    world.hands.push_back(std::move(hand));
    return world.hands.back().id;
}

void open_hand(World& world, GrabId grab) {
    const auto hand = std::find_if(world.hands.begin(), world.hands.end(), [&](const Hand& h) { return h.id == grab; });
    if (hand == world.hands.end()) return;
    for (const Hand::Held& held : hand->held) world.state.x[held.particle].w = world.state.w[held.particle];
    world.hands.erase(hand);
    world.cascade_is_tied = false;
}

void follow_scripts(World& world, double time, double substep_end) {
    const double tolerance = 1e-3 * (substep_end - time); // the sum of many steps is not exactly a key's time
    for (ScriptedHand& script : world.scripted_hands) {
        using enum ScriptedHand::Phase;
        const auto& path = script.desc.path;
        if (script.phase == waiting && time >= path.front().t - tolerance) {
            const Vec3 near = script.particle ? world.state.x[*script.particle].xyz()
                                              : script.desc.near.value_or(path.front().position);
            script.hand = close_hand(world, {near, script.desc.radius, script.cloth, script.particle});
            script.phase = holding;
        }
        if (script.phase == holding && time >= path.back().t - tolerance) {
            open_hand(world, script.hand);
            script.phase = done;
        }
        if (script.phase == holding) {
            const auto hand = std::find_if(world.hands.begin(), world.hands.end(),
                                           [&](const Hand& h) { return h.id == script.hand; });
            if (hand != world.hands.end()) hand->position = at_time(path, substep_end);
        }
    }
}

void renew_holds(World& world) {
    State& state = world.state;
    for (Index p = 0; p < state.count(); ++p) state.x[p].w = state.w[p];
    for (const Hand& hand : world.hands)
        for (const Hand::Held& held : hand.held) state.x[held.particle].w = 0;
    world.cascade_is_tied = false;
}

void tie_cascade(World& world) {
    if (world.cascade_is_tied) return;
    std::vector<Index> held;
    std::vector<Vec3> rest;
    for (Index p = 0; p < world.state.count(); ++p) {
        if (world.state.x[p].w != 0 || world.mass[p] == 0) continue;
        held.push_back(p);
        rest.push_back(world.rest_of(p));
    }
    world.cascade.hold(held, rest);
    world.cascade_is_tied = true;
}

void place_held_particles(World& world) {
    for (const MovingPin& pin : world.moving_pins)
        for (std::size_t k = 0; k < pin.particles.size(); ++k)
            world.state.x[pin.particles[k]].set_xyz(pin.carried[k].place);
    for (const Hand& hand : world.hands)
        for (const Hand::Held& held : hand.held) world.state.x[held.particle].set_xyz(hand.position + held.offset);
}

} // namespace taffeta
