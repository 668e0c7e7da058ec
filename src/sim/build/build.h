// From the description of a scene to a world ready to step: the only place where scenes are validated.
#pragma once

#include "sim/world.h"

#include <memory>

namespace taffeta {

Result<std::unique_ptr<World>> build_world(const SceneDesc& scene);

// The unplaced shape of a cloth, scaled.
Mesh make_mesh(const ClothDesc& desc);

// --- what depends on parameters, at the start and whenever they change
Settings settings_of(const SceneDesc& scene);

// Lumped masses in kg. Particles that only triangles without area touch get a small one, so that they follow their
// neighbours; those that belong to no triangle have none.
std::vector<double> particle_masses(std::span<const Vec3> rest, std::span<const Triangle> triangles, float density);

// An edge between min_stretch and max_stretch of its rest length; two opposite vertices at least bend_limit of theirs
// apart.
Limit edge_limit(const Fabric& fabric, const Pair& edge, float rest_length);
Limit bend_limit(const Fabric& fabric, const Pair& opposite, float rest_distance);

// All that a substep of the settings' method projects: limits, elements, the cascade.
void make_constraints(World& world);

// Puts limits in the order that the settings ask for: all together, or accelerated those of bending and of edges apart.
void arrange_limits(std::vector<Limit> limits, World& world);

// What the wind blows on; for settings without any, nothing is made.
void make_wind_faces(World& world);

// For settings with acceleration; empty otherwise.
Cascade make_cascade(const World& world);

} // namespace taffeta
