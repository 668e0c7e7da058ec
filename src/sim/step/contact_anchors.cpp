#include "sim/step/contact_anchors.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <variant>

namespace taffeta {

Skin skin_of(const World& world, const Cloth& cloth, const Collider& collider) {
    return {cloth.fabric.thickness, collider.desc.friction.value_or(cloth.fabric.friction),
            world.settings.method == Method::limits ? Friction::share : Friction::coulomb};
}

bool has_body_contacts(const World& world) {
    return !world.guard.empty() && world.settings.method != Method::limits;
}

namespace {

// Tells the cascade of the particle that has most of a contact, if a body sets it back from where it would go.
void bear(World& world, const Contact& contact) {
    const std::span<const Vec4> x = world.state.x;
    std::size_t most = 0;
    bool has_body = contact.weight[1] == 0;
    for (std::size_t k = 0; k < 4; ++k) {
        has_body = has_body || contact.particle[k] > world.state.sentinel();
        const float share = std::abs(contact.weight[k]) * x[contact.particle[k]].w;
        if (share > std::abs(contact.weight[most]) * x[contact.particle[most]].w) most = k;
    }
    const Index particle = contact.particle[most];
    if (!has_body || x[particle].w == 0 || world.cascade.is_borne(particle)) return;
    float apart = 0;
    for (std::size_t k = 0; k < 4; ++k)
        if (contact.weight[k] != 0) apart += contact.weight[k] * dot(contact.normal, x[contact.particle[k]].xyz());
    const float missing = contact.distance - apart;
    if (missing <= 0) return;
    const Vec3 normal = contact.weight[most] > 0 ? contact.normal : -contact.normal;
    world.cascade.bear(
        {particle, world.rest_of(particle), x[particle].xyz() + normal * missing, normal, contact.friction});
}

// What a collider has touched in the last substep and sets back in this one. Cloth that lies on bodies with a good part
// of itself is held by the sweeps; asking where all of that is would take longer than it is worth.
void bear(World& world, const Cloth& cloth, const Collider& collider) {
    constexpr Index lies_with = 8; // an eighth
    const State& state = world.state;
    const auto touched = std::span(world.touched).subspan(cloth.first_particle, cloth.particle_count);
    const auto count = std::count(touched.begin(), touched.end(), std::uint8_t{1});
    if (lies_with * static_cast<Index>(count) > cloth.particle_count) return;
    const Skin skin = skin_of(world, cloth, collider);
    for (Index p = cloth.first_particle; p < cloth.first_particle + cloth.particle_count; ++p) {
        if (world.touched[p] == 0 || state.x[p].w == 0 || world.cascade.is_borne(p)) continue;
        const Vec3 from = state.x_prev[p].xyz(), way = state.x[p].xyz() - from; // from outside
        const SurfacePoint surface = nearest_surface(collider.body, from);
        const float missing = skin.thickness - (surface.distance + dot(surface.normal, way));
        if (missing > 0)
            world.cascade.bear(
                {p, world.rest_of(p), state.x[p].xyz() + surface.normal * missing, surface.normal, skin.friction});
    }
}

} // namespace

void find_supports(World& world) {
    if (world.cascade.empty() || world.colliders.empty()) return;
    world.cascade.let_go();
    for (const Contact& contact : world.body_contacts) bear(world, contact);
    for (const std::vector<Contact>& list : world.guard.contacts())
        for (const Contact& contact : list) bear(world, contact);
    if (has_body_contacts(world)) return;
    for (const Cloth& cloth : world.cloths)
        for (const Collider& collider : world.colliders)
            if (!collider.desc.reflection && !std::holds_alternative<BodyMesh>(collider.body.shape))
                bear(world, cloth, collider);
}

} // namespace taffeta
