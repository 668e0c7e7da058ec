#include "sim/build/collision_surfaces.h"

#include "collision/colliders/body_mesh.h"

#include <algorithm>
#include <limits>

namespace taffeta {
namespace {

GuardedSurface::Kind kind_of(SelfCollision self) {
    switch (self) {
    case SelfCollision::none: return GuardedSurface::Kind::passes;
    case SelfCollision::particles: return GuardedSurface::Kind::ignored;
    default: return GuardedSurface::Kind::meets;
    }
}

// Triangles that name a point twice are edges of others.
void add_face(GuardedSurface& surface, const Triangle& t) {
    if (t[0] != t[1] && t[1] != t[2] && t[2] != t[0]) surface.triangles.push_back(t);
}

// m; infinite for what is flat, 0 for what has edges, or does not keep particles away by itself.
float least_radius(const ColliderShape& body) {
    if (std::holds_alternative<Plane>(body)) return std::numeric_limits<float>::infinity();
    if (const auto* sphere = std::get_if<Sphere>(&body)) return sphere->radius;
    if (const auto* capsule = std::get_if<Capsule>(&body)) return capsule->radius;
    return 0;
}

float longest_edge(const World& world, const Cloth& cloth) {
    float longest = 0;
    for (const Triangle& t : world.triangles_of(cloth))
        for (std::size_t k = 0; k < 3; ++k)
            longest = std::max(longest, length(world.rest_of(world.particle_of_vertex[t[k]]) -
                                               world.rest_of(world.particle_of_vertex[t[(k + 1) % 3]])));
    return longest;
}

std::vector<GuardedSurface> surfaces_of(const World& world) {
    std::vector<GuardedSurface> surfaces;
    for (const Cloth& cloth : world.cloths) {
        GuardedSurface& surface = surfaces.emplace_back();
        surface.kind = kind_of(cloth.self_collision);
        surface.thickness = cloth.fabric.thickness;
        surface.friction = cloth.fabric.friction;
        surface.longest_edge = longest_edge(world, cloth);
        for (const Triangle& t : world.triangles_of(cloth)) {
            add_face(surface,
                     {world.particle_of_vertex[t[0]], world.particle_of_vertex[t[1]], world.particle_of_vertex[t[2]]});
        }
    }
    for (const Collider& collider : world.colliders) {
        if (collider.vertices.empty()) continue;
        GuardedSurface& surface = surfaces.emplace_back();
        surface.kind = GuardedSurface::Kind::body;
        surface.friction = collider.desc.friction;
        surface.radius = least_radius(collider.body.shape);
        for (const Triangle& t : collider.faces)
            add_face(surface, {collider.first_point + t[0], collider.first_point + t[1], collider.first_point + t[2]});
    }
    return surfaces;
}

} // namespace

Guard make_guard(const World& world) {
    const std::vector<GuardedSurface> surfaces = surfaces_of(world);
    const bool is_needed = std::any_of(surfaces.begin(), surfaces.end(), [](const GuardedSurface& surface) {
        return surface.kind == GuardedSurface::Kind::meets || surface.kind == GuardedSurface::Kind::body;
    });
    if (!is_needed) return {};
    std::vector<Vec3> rest(world.state.x.size());
    for (Index p = 0; p < world.state.count(); ++p) rest[p] = world.rest_of(p);
    for (const Collider& collider : world.colliders)
        std::copy(collider.vertices.begin(), collider.vertices.end(),
                  rest.begin() + static_cast<std::ptrdiff_t>(collider.first_point));
    return {surfaces, rest};
}

void place_vertices(Collider& collider, double time) {
    const Pose& pose = collider.body.pose;
    if (const auto* mesh = std::get_if<BodyMesh>(&collider.body.shape))
        place_body_mesh(*mesh, pose, time, collider.vertices);
    else
        std::transform(collider.shape.begin(), collider.shape.end(), collider.vertices.begin(),
                       [&](const Vec3& p) { return pose.to_world(p); });
}

void change_guard(World& world) {
    if (!world.guard.empty()) world.guard.change(surfaces_of(world));
}

} // namespace taffeta
