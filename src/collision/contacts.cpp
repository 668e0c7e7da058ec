#include "collision/contacts.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// How a contact's parts move against each other, per unit of a push along n: sum of w^2 over the masses.
float yielding(const Contact& contact, std::span<const Vec4> x) {
    float sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += contact.weight[k] * contact.weight[k] * x[contact.particle[k]].w;
    return sum;
}

void move_by(const Contact& contact, const Vec3& way, float yields, std::span<Vec4> x) {
    for (std::size_t k = 0; k < 4; ++k) {
        Vec4& p = x[contact.particle[k]];
        p.set_xyz(p.xyz() + way * (contact.weight[k] * p.w / yields));
    }
}

} // namespace

int separate(std::span<Contact> contacts, std::span<const Vec4> x_prev, std::span<Vec4> x) {
    int count = 0;
    for (Contact& contact : contacts) {
        Vec3 apart, moved = -contact.carried; // of one part against the other: now, and since the substep began
        for (std::size_t k = 0; k < 4; ++k) {
            const Vec3 place = x[contact.particle[k]].xyz();
            apart += place * contact.weight[k];
            moved += (place - x_prev[contact.particle[k]].xyz()) * contact.weight[k];
        }
        const float missing = contact.distance - dot(contact.normal, apart);
        if (missing <= 0 && contact.push == 0) continue;
        const float yields = yielding(contact, x);
        if (!(yields > 0)) continue;
        // Pushes are not taken back when others push too: with few sweeps, layers would then stay in each other.
        const float push = std::max(missing, 0.0f);
        contact.push += push;
        Vec3 way = contact.normal * push;
        const Vec3 sliding = moved - contact.normal * dot(contact.normal, moved);
        Vec3 rub = contact.rub - sliding; // would stop it; friction does no more than its limit
        const float limit = contact.friction * contact.push;
        if (const float needed = length(rub); needed > limit) rub = rub * (limit / needed);
        way += rub - contact.rub;
        contact.rub = rub;
        move_by(contact, way, yields, x);
        count += missing > 0;
    }
    return count;
}

void find_contacts(const Body& body, const Skin& skin, float reach, Index first, std::span<const Vec4> x_prev,
                   std::span<const Vec4> x, std::vector<Contact>& contacts) {
    const float farthest = reach_of(body.shape) + skin.thickness + reach;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const Vec3 to = x[k].xyz(), from_centre = to - body.pose.position;
        if (x[k].w == 0 || dot(from_centre, from_centre) > farthest * farthest) continue;
        const SurfacePoint surface = surface_on_the_way(body, x_prev[k].xyz(), to);
        if (!(surface.distance < skin.thickness + reach)) continue;
        Contact& contact = contacts.emplace_back();
        contact.particle.fill(first + static_cast<Index>(k));
        contact.weight = {1, 0, 0, 0};
        contact.normal = surface.normal;
        contact.distance = dot(surface.normal, to) - surface.distance + skin.thickness;
        contact.friction = skin.friction;
        contact.carried = to - body.pose_prev.to_world(body.pose.to_local(to));
    }
}

} // namespace taffeta
