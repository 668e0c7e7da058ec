#include "sim/surfaces.h"

#include <algorithm>

namespace taffeta {
namespace {

GuardedSurface::Kind kind_of(SelfCollision self) {
    switch (self) {
    case SelfCollision::none: return GuardedSurface::Kind::passes;
    case SelfCollision::particles: return GuardedSurface::Kind::ignored;
    default: return GuardedSurface::Kind::meets;
    }
}

std::vector<GuardedSurface> surfaces_of(const World& world) {
    std::vector<GuardedSurface> surfaces;
    for (const Cloth& cloth : world.cloths) {
        GuardedSurface& surface = surfaces.emplace_back();
        surface.kind = kind_of(cloth.self_collision);
        surface.thickness = cloth.fabric.thickness;
        surface.friction = cloth.fabric.friction;
        for (const Triangle& t : world.triangles_of(cloth)) {
            const Triangle face = {world.particle_of_vertex[t[0]], world.particle_of_vertex[t[1]],
                                   world.particle_of_vertex[t[2]]};
            if (face[0] != face[1] && face[1] != face[2] && face[2] != face[0]) surface.triangles.push_back(face);
        }
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
    return {surfaces, rest};
}

void change_guard(World& world) {
    if (!world.guard.empty()) world.guard.change(surfaces_of(world));
}

} // namespace taffeta
