#include "sim/step/pins.h"

#include "collision/colliders/body_mesh.h"
#include "geometry/closest.h"
#include "sim/step/motion.h"

#include <limits>

namespace taffeta {
namespace {

// That of a triangle: its first corner, its first edge, its normal.
Pose frame_of(const Vec3& a, const Vec3& b, const Vec3& c) {
    const Vec3 along = normalized(b - a), normal = normalized(cross(b - a, c - a));
    const Rotation to_local = {{along, cross(normal, along), normal}};
    return {a, to_local.transposed()};
}

bool is_triangle(const Triangle& t) {
    return t[0] != t[1];
}

Pose frame_of(const Triangle& carrier, const std::vector<Vec3>& vertices) {
    return frame_of(vertices[carrier[0]], vertices[carrier[1]], vertices[carrier[2]]);
}

// Of those with area; without any, three times one vertex.
Triangle nearest_triangle(const Collider& collider, const Vec3& p) {
    Triangle nearest = {};
    double least = std::numeric_limits<double>::infinity();
    for (const Triangle& t : collider.faces) {
        const Vec3 &a = collider.vertices[t[0]], &b = collider.vertices[t[1]], &c = collider.vertices[t[2]];
        if (length(cross(b - a, c - a)) == 0) continue;
        const double squared =
            closest_on_triangle(vector_cast<double>(p),
                                {vector_cast<double>(a), vector_cast<double>(b), vector_cast<double>(c)})
                .squared;
        if (squared >= least) continue;
        least = squared;
        nearest = t;
    }
    return nearest;
}

const Collider* followed(const World& world, const MovingPin& pin) {
    return pin.desc.follow ? &world.colliders[static_cast<std::size_t>(*pin.desc.follow)] : nullptr;
}

void tie(const World& world, MovingPin& pin) {
    const Collider* collider = followed(world, pin);
    pin.motion = filled_in(pin.desc.motion, {}, {});
    Vec3d sum;
    for (const Index p : pin.particles) sum += vector_cast<double>(world.state.x[p].xyz());
    pin.centre = pin.desc.centre.value_or(vector_cast<float>(sum * (1.0 / static_cast<double>(pin.particles.size()))));
    for (const Index p : pin.particles) {
        const Vec3 at = world.state.x[p].xyz();
        MovingPin::Carried carried = {.local = at - pin.centre, .carrier = {}, .place = at};
        if (collider != nullptr) carried.local = collider->body.pose.to_local(at);
        if (collider != nullptr && std::holds_alternative<BodyMesh>(collider->body.shape))
            carried.carrier = nearest_triangle(*collider, at);
        if (is_triangle(carried.carrier)) carried.local = frame_of(carried.carrier, collider->vertices).to_local(at);
        pin.carried.push_back(carried);
    }
}

} // namespace

void tie_pins(World& world) {
    std::erase_if(world.moving_pins, [](const MovingPin& pin) { return pin.particles.empty(); });
    for (MovingPin& pin : world.moving_pins) tie(world, pin);
    move_pins(world, 0);
    for (const MovingPin& pin : world.moving_pins)
        for (std::size_t k = 0; k < pin.particles.size(); ++k) {
            world.state.x[pin.particles[k]].set_xyz(pin.carried[k].place);
            world.state.x_prev[pin.particles[k]].set_xyz(pin.carried[k].place);
        }
}

void move_pins(World& world, double time) {
    for (MovingPin& pin : world.moving_pins) {
        const Collider* collider = followed(world, pin);
        Pose pose = collider != nullptr ? collider->body.pose : scripted_pose(pin.motion, time);
        if (collider == nullptr) pose.position += pin.centre;
        for (MovingPin::Carried& carried : pin.carried)
            carried.place = (is_triangle(carried.carrier) ? frame_of(carried.carrier, collider->vertices) : pose)
                                .to_world(carried.local);
    }
}

} // namespace taffeta
