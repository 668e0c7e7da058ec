// Changing the parameters of a world in motion.
#include "sim/build/build.h"
#include "sim/build/collision_surfaces.h"
#include "sim/build/elements.h"
#include "sim/step/grabs.h"
#include "sim/step/implicit_step.h"

#include <algorithm>
#include <cmath>
#include <tuple>

namespace taffeta {
namespace {

// All that a cloth is made of but its fabric.
auto make_of(const ClothDesc& cloth) {
    return std::tie(cloth.shape, cloth.position, cloth.rotation, cloth.scale, cloth.velocity, cloth.pins,
                    cloth.self_collision, cloth.warp, cloth.self_distance, cloth.weld);
}

auto make_of(const ColliderDesc& collider) {
    return std::tie(collider.shape, collider.position, collider.rotation, collider.friction, collider.reflection,
                    collider.motion);
}

auto make_of(const GrabDesc& grab) {
    return std::tie(grab.near, grab.vertex, grab.radius, grab.path);
}

// Entries that are not what the world was made of, as faults with the key of each.
template <class Entry, class Made>
void compare(const std::string& key, const std::vector<Entry>& scene, const std::vector<Made>& made, Faults& faults) {
    constexpr auto remedy = "make a new simulation for another scene";
    if (scene.size() != made.size())
        faults.push_back({.message = "the scene has " + std::to_string(scene.size()) + " [[" + key +
                                     "]] tables, the simulation was made of " + std::to_string(made.size()) + "; " +
                                     remedy,
                          .key = key});
    for (std::size_t k = 0; k < std::min(scene.size(), made.size()); ++k) {
        if (make_of(scene[k]) == make_of(made[k].desc)) continue;
        const std::string entry = key + "." + std::to_string(k);
        faults.push_back({.message = entry + " is not what the simulation was made of; " + remedy, .key = entry});
    }
}

void change_density(World& world, const Cloth& cloth, float density) {
    State& state = world.state;
    std::vector<Vec3> rest;
    for (Index p = 0; p < cloth.particle_count; ++p) rest.push_back(world.rest_of(cloth.first_particle + p));
    std::vector<Triangle> triangles(world.triangles_of(cloth).begin(), world.triangles_of(cloth).end());
    for (Triangle& t : triangles)
        for (Index& v : t) v = world.particle_of_vertex[v] - cloth.first_particle;
    const std::vector<double> mass = particle_masses(rest, triangles, density);
    for (Index p = 0; p < cloth.particle_count; ++p) {
        const Index particle = cloth.first_particle + p;
        world.mass[particle] = mass[p];
        if (state.w[particle] != 0) state.w[particle] = static_cast<float>(1 / mass[p]); // what is pinned stays so
    }
    renew_holds(world);
}

// Gives every limit the lengths of its cloth's fabric; their places in the blocks stay.
void change_limits(World& world) {
    const std::vector<Index> cloth_of = world.cloth_of_particles();
    const auto renewed = [&](const Limit& limit) {
        const Pair pair = {limit.i, limit.j};
        const Fabric& fabric = world.cloths[cloth_of[pair.i]].fabric;
        const float length_at_rest = world.rest_length(pair);
        const bool is_bending = std::isinf(limit.longest); // an edge has a greatest length
        return is_bending ? bend_limit(fabric, pair, length_at_rest) : edge_limit(fabric, pair, length_at_rest);
    };
    world.limits.change_all(renewed);
    world.lengths.change_all(renewed);
}

// What the elements of a cloth depend on.
auto laws(const Fabric& fabric) {
    return std::tuple(fabric.stretch, fabric.poisson, fabric.shear, fabric.bend, fabric.bend_hysteresis,
                      fabric.strain_limit, fabric.stretch_damping, fabric.bend_damping);
}

// What says how much of a fabric's stiffness sweeps make, and how much it takes.
auto effort(const Settings& settings) {
    return std::tuple(settings.substeps, settings.iterations, settings.frame_rate, settings.gravity);
}

} // namespace

Result<Done> Simulation::change(const SceneDesc& scene) {
    World& world = *world_;
    Faults faults = check(scene);
    std::vector<ClothDesc> cloths = scene.cloths;
    for (std::size_t k = 0; k < std::min(cloths.size(), world.cloths.size()); ++k) // whatever is usual now
        if (cloths[k].self_collision == SelfCollision::usual) cloths[k].self_collision = world.cloths[k].self_collision;
    compare("cloth", cloths, world.cloths, faults);
    compare("collider", scene.colliders, world.colliders, faults);
    compare("grab", scene.grabs, world.scripted_hands, faults);
    if (!faults.empty()) return faults;

    const Settings settings_before = world.settings;
    const bool was_accelerated = world.settings.acceleration;
    world.settings = settings_of(scene);
    make_wind_faces(world);
    bool have_limits_changed = false, has_weight_changed = false, have_laws_changed = false;
    for (std::size_t k = 0; k < world.cloths.size(); ++k) {
        Cloth& cloth = world.cloths[k];
        const Fabric before = cloth.fabric;
        cloth.fabric = cloth_fabric(scene, k);
        if (cloth.fabric.density != before.density) {
            change_density(world, cloth, cloth.fabric.density);
            has_weight_changed = true;
        }
        const auto lengths = [](const Fabric& fabric) {
            return std::tuple(fabric.min_stretch, fabric.max_stretch, fabric.bend_limit);
        };
        have_limits_changed = have_limits_changed || lengths(cloth.fabric) != lengths(before);
        have_laws_changed = have_laws_changed || laws(cloth.fabric) != laws(before);
    }
    change_guard(world);
    if (world.settings.method != settings_before.method) {
        make_constraints(world);
        return Done{};
    }
    if (world.settings.method == Method::implicit) {
        if (have_laws_changed || has_weight_changed) change_implicit(world);
        return Done{};
    }
    if (world.settings.method == Method::xpbd) {
        if (was_accelerated != world.settings.acceleration) {
            make_constraints(world);
        } else if (have_laws_changed || has_weight_changed || effort(world.settings) != effort(settings_before)) {
            renew_laws(world);
            world.cascade = make_cascade(world);
            world.cascade_is_tied = false;
        }
        return Done{};
    }
    if (have_limits_changed) change_limits(world);
    if (was_accelerated != world.settings.acceleration) {
        std::vector<Limit> limits = world.limits.in_order();
        const std::vector<Limit> lengths = world.lengths.in_order();
        limits.insert(limits.end(), lengths.begin(), lengths.end());
        arrange_limits(std::move(limits), world);
    }
    if (have_limits_changed || has_weight_changed || was_accelerated != world.settings.acceleration) {
        world.cascade = make_cascade(world);
        world.cascade_is_tied = false;
    }
    return Done{};
}

} // namespace taffeta
