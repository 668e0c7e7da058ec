#include "collision/contacts/contact_constraints.h"

#include <algorithm>
#include <cmath>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/contacts/contact_constraints.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "core/solve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

using Eight = ContactBlock<1>::Eight<float>;

HWY_INLINE Points load_points(const std::array<Eight, 3>& from, std::size_t first) {
    const Lanes d;
    return {hn::Load(d, &from[0][first]), hn::Load(d, &from[1][first]), hn::Load(d, &from[2][first])};
}

// taffeta::project_contacts() for eight contacts at a time, with the same bits.
template <std::size_t n>
HWY_INLINE int project_all(std::span<ContactBlock<n>> blocks, const Vec4* HWY_RESTRICT x_prev, Vec4* HWY_RESTRICT x) {
    const Lanes d;
    const V zero = hn::Zero(d);
    int count = 0;
    for (ContactBlock<n>& block : blocks) {
        for (std::size_t first = 0; first < ContactBlock<n>::size; first += hn::Lanes(d)) {
            Particles p[n];
            V weight[n];
            const Points normal = load_points(block.normal, first);
            V apart = zero, yields = zero;
            for (std::size_t k = 0; k < n; ++k) {
                p[k] = load(x, &block.particle[k][first]);
                weight[k] = hn::Load(d, &block.weight[k][first]);
                apart = hn::Add(apart, hn::Mul(weight[k], dot(normal, {p[k].x, p[k].y, p[k].z})));
                yields = hn::Add(yields, hn::Mul(hn::Mul(weight[k], weight[k]), p[k].w));
            }
            const V missing = hn::Sub(hn::Load(d, &block.distance[first]), apart);
            const V pushed = hn::Load(d, &block.push[first]);
            const auto is_close = hn::And(hn::Gt(missing, zero), hn::Gt(yields, zero));
            const auto is_active = hn::Or(is_close, hn::And(hn::Gt(pushed, zero), hn::Gt(yields, zero)));
            if (hn::AllFalse(d, is_active)) continue;
            count += static_cast<int>(hn::CountTrue(d, is_close));

            const V push = hn::IfThenElseZero(is_close, missing), all_impulses = hn::Add(pushed, push);
            hn::Store(all_impulses, d, &block.push[first]);
            const Points surface_displacement = load_points(block.surface_displacement, first);
            Points moved = {hn::Neg(surface_displacement.x), hn::Neg(surface_displacement.y),
                            hn::Neg(surface_displacement.z)};
            for (std::size_t k = 0; k < n; ++k)
                moved = moved + difference(p[k], load(x_prev, &block.particle[k][first])) * weight[k];
            const V along = dot(normal, moved);
            const Points before = load_points(block.lambda_t, first);
            // What friction has done, less the sliding: it would stop it.
            Points lambda_t = {hn::Sub(before.x, hn::Sub(moved.x, hn::Mul(normal.x, along))),
                               hn::Sub(before.y, hn::Sub(moved.y, hn::Mul(normal.y, along))),
                               hn::Sub(before.z, hn::Sub(moved.z, hn::Mul(normal.z, along)))};
            const V limit = hn::Mul(hn::Load(d, &block.friction[first]), all_impulses),
                    needed = hn::Sqrt(dot(lambda_t, lambda_t));
            const auto is_too_much = hn::Gt(needed, limit);
            lambda_t = lambda_t * hn::IfThenElse(is_too_much, hn::Div(limit, needed), hn::Set(d, 1.0f));
            hn::Store(hn::IfThenElse(is_active, lambda_t.x, before.x), d, &block.lambda_t[0][first]);
            hn::Store(hn::IfThenElse(is_active, lambda_t.y, before.y), d, &block.lambda_t[1][first]);
            hn::Store(hn::IfThenElse(is_active, lambda_t.z, before.z), d, &block.lambda_t[2][first]);
            const V way_x = hn::Add(hn::Mul(normal.x, push), hn::Sub(lambda_t.x, before.x));
            const V way_y = hn::Add(hn::Mul(normal.y, push), hn::Sub(lambda_t.y, before.y));
            const V way_z = hn::Add(hn::Mul(normal.z, push), hn::Sub(lambda_t.z, before.z));
            for (std::size_t k = 0; k < n; ++k) {
                const V share = hn::IfThenElseZero(is_active, hn::Div(hn::Mul(weight[k], p[k].w), yields));
                p[k].x = hn::Add(p[k].x, hn::Mul(way_x, share));
                p[k].y = hn::Add(p[k].y, hn::Mul(way_y, share));
                p[k].z = hn::Add(p[k].z, hn::Mul(way_z, share));
                store(p[k], x, &block.particle[k][first]);
            }
        }
    }
    return count;
}

int project_ones(std::span<ContactBlock<1>> blocks, const Vec4* x_prev, Vec4* x) {
    return project_all(blocks, x_prev, x);
}
int project_twos(std::span<ContactBlock<2>> blocks, const Vec4* x_prev, Vec4* x) {
    return project_all(blocks, x_prev, x);
}
int project_threes(std::span<ContactBlock<3>> blocks, const Vec4* x_prev, Vec4* x) {
    return project_all(blocks, x_prev, x);
}
int project_fours(std::span<ContactBlock<4>> blocks, const Vec4* x_prev, Vec4* x) {
    return project_all(blocks, x_prev, x);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(project_ones);
HWY_EXPORT(project_twos);
HWY_EXPORT(project_threes);
HWY_EXPORT(project_fours);

namespace {

// How a contact's parts move against each other, per unit of a push along n: sum of w^2 over the masses.
float yielding(const ContactConstraint& contact, std::span<const Vec4> x) {
    float sum = 0;
    for (std::size_t k = 0; k < 4; ++k) sum += contact.weight[k] * contact.weight[k] * x[contact.particle[k]].w;
    return sum;
}

void move_by(const ContactConstraint& contact, const Vec3& way, float yields, std::span<Vec4> x) {
    for (std::size_t k = 0; k < 4; ++k) {
        Vec4& p = x[contact.particle[k]];
        p.set_xyz(p.xyz() + way * (contact.weight[k] * p.w / yields));
    }
}

// Of one part against the other since the substep began, across the normal.
Vec3 sliding(const ContactConstraint& contact, std::span<const Vec4> x_prev, std::span<const Vec4> x) {
    Vec3 moved = -contact.surface_displacement;
    for (std::size_t k = 0; k < 4; ++k)
        moved += (x[contact.particle[k]].xyz() - x_prev[contact.particle[k]].xyz()) * contact.weight[k];
    return moved - contact.normal * dot(contact.normal, moved);
}

// What friction still does: to stop the sliding, but no more in all than its limit.
Vec3 lambda_t(ContactConstraint& contact, const Vec3& slid) {
    Vec3 all = contact.lambda_t - slid;
    const float limit = contact.friction * contact.push;
    if (const float needed = length(all); needed > limit) all = all * (limit / needed);
    const Vec3 more = all - contact.lambda_t;
    contact.lambda_t = all;
    return more;
}

} // namespace

int project_contacts(std::span<ContactConstraint> contacts, std::span<const Vec4> x_prev, std::span<Vec4> x) {
    int count = 0;
    for (ContactConstraint& contact : contacts) {
        float apart = 0; // m, along the normal
        for (std::size_t k = 0; k < 4; ++k)
            apart += contact.weight[k] * dot(contact.normal, x[contact.particle[k]].xyz());
        const float missing = contact.distance - apart;
        if (missing <= 0 && contact.push == 0) continue;
        const float yields = yielding(contact, x);
        if (!(yields > 0)) continue;
        // Pushes are not taken back when others push too: with few sweeps, layers would then stay in each other.
        const float push = std::max(missing, 0.0f);
        contact.push += push;
        Vec3 way = contact.normal * push;
        way += lambda_t(contact, sliding(contact, x_prev, x));
        move_by(contact, way, yields, x);
        count += missing > 0;
    }
    return count;
}

namespace {

// All but the particles and their weights.
template <std::size_t n>
void fill_place(const ContactConstraint& contact, Index place, ContactBlock<n>& block) {
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        block.normal[a][place] = contact.normal[axis];
        block.surface_displacement[a][place] = contact.surface_displacement[axis];
        block.lambda_t[a][place] = contact.lambda_t[axis];
    }
    block.distance[place] = contact.distance;
    block.friction[place] = contact.friction;
    block.push[place] = contact.push;
}

} // namespace

template <std::size_t n>
void ContactBlockList<n>::begin(std::size_t particles) {
    earliest_.assign(particles, 0);
    count_ = 0;
    filled_.clear(), next_.clear();
}

template <std::size_t n>
Index ContactBlockList<n>::find_block(Index earliest, Index sentinel) {
    Index block = earliest;
    while (block < count_ && filled_[block] == size) block = next_[block];
    for (Index passed = earliest; passed < block;) passed = std::exchange(next_[passed], block); // none has room
    if (block < count_) return block;
    if (blocks_.size() == count_) blocks_.emplace_back();
    blocks_[block] = {};
    for (auto& particles : blocks_[block].particle) particles.fill(sentinel);
    filled_.push_back(0);
    next_.push_back(block + 1);
    ++count_;
    return block;
}

template <std::size_t n>
Index ContactBlockList<n>::add(const ContactConstraint& contact, std::span<const std::size_t> moves, Index sentinel) {
    Index earliest = 0;
    for (const std::size_t k : moves) earliest = std::max(earliest, earliest_[contact.particle[k]]);
    const Index number = find_block(earliest, sentinel), place = filled_[number]++;
    ContactBlock<n>& block = blocks_[number];
    for (std::size_t k = 0; k < n; ++k) {
        const Index particle = contact.particle[moves[k]];
        earliest_[particle] = number + 1;
        block.particle[k][place] = particle;
        block.weight[k][place] = contact.weight[moves[k]];
    }
    fill_place(contact, place, block);
    return number * static_cast<Index>(size) + place;
}

void ContactSet::begin(std::span<const Vec4> x, Index sentinel) {
    sentinel_ = sentinel;
    one_.begin(x.size()), two_.begin(x.size()), three_.begin(x.size()), four_.begin(x.size());
    uncoupled_count_ = 0;
    places_.clear();
}

void ContactSet::add(std::span<const ContactConstraint> contacts, std::span<const Vec4> x_prev,
                     std::span<const Vec4> x) {
    for (ContactConstraint contact : contacts) {
        std::array<std::size_t, 4> moves = {};
        std::size_t count = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const float weight = contact.weight[k];
            const Vec4& p = x[contact.particle[k]];
            if (weight == 0) continue;
            if (p.w > 0) {
                moves[count++] = k;
                continue;
            }
            contact.distance -= weight * dot(contact.normal, p.xyz());
            contact.surface_displacement -= (p.xyz() - x_prev[contact.particle[k]].xyz()) * weight;
        }
        const std::span<const std::size_t> moving = std::span(moves).first(count);
        Place place = {nowhere, static_cast<std::uint8_t>(count)};
        switch (count) {
        case 1: place.number = one_.add(contact, moving, sentinel_); break;
        case 2: place.number = two_.add(contact, moving, sentinel_); break;
        case 3: place.number = three_.add(contact, moving, sentinel_); break;
        case 4: place.number = four_.add(contact, moving, sentinel_); break;
        default: break;
        }
        places_.push_back(place);
    }
}

float ContactSet::push(std::size_t k) const {
    const auto [number, moves] = places_[k];
    switch (moves) {
    case 1: return one_.push(number);
    case 2: return two_.push(number);
    case 3: return three_.push(number);
    case 4: return four_.push(number);
    default: return number == nowhere ? 0 : uncoupled_[number / size].push[number % size];
    }
}

void ContactSet::add_uncoupled(std::span<const ContactConstraint> contacts) {
    const std::size_t needed = uncoupled_count_ + (contacts.size() + size - 1) / size;
    if (uncoupled_.size() < needed) uncoupled_.resize(2 * needed);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const auto place = static_cast<Index>(k % size);
        if (place == 0) {
            uncoupled_[uncoupled_count_] = {};
            uncoupled_[uncoupled_count_++].particle[0].fill(sentinel_);
        }
        const auto number = static_cast<Index>(uncoupled_count_ - 1);
        uncoupled_[number].particle[0][place] = contacts[k].particle[0];
        uncoupled_[number].weight[0][place] = contacts[k].weight[0];
        fill_place(contacts[k], place, uncoupled_[number]);
        places_.push_back({number * static_cast<Index>(size) + place, 0});
    }
}

int ContactSet::project(std::span<const Vec4> x_prev, std::span<Vec4> x) {
    int count = HWY_DYNAMIC_DISPATCH(project_ones)(one_.blocks(), x_prev.data(), x.data());
    count += HWY_DYNAMIC_DISPATCH(project_twos)(two_.blocks(), x_prev.data(), x.data());
    count += HWY_DYNAMIC_DISPATCH(project_threes)(three_.blocks(), x_prev.data(), x.data());
    count += HWY_DYNAMIC_DISPATCH(project_fours)(four_.blocks(), x_prev.data(), x.data());
    return count;
}

void ContactSet::project_uncoupled(std::span<const Vec4> x_prev, std::span<Vec4> x, const Parallel& parallel) {
    constexpr std::size_t grain = 32; // blocks: some 2 us of work
    parallel.for_ranges(uncoupled_count_, grain, [&](std::size_t begin, std::size_t end) {
        HWY_DYNAMIC_DISPATCH(project_ones)
        (std::span(uncoupled_).subspan(begin, end - begin), x_prev.data(), x.data());
    });
}

void find_collider_candidates(const Body& body, const ContactMaterial& material, float reach,
                              std::span<const Vec4> x_prev, std::span<const Vec4> x, std::span<std::uint8_t> is_near) {
    const float farthest = reach_of(body.shape) + material.thickness + reach;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const Vec3 to = x[k].xyz(), from_centre = to - body.pose.position;
        const bool may_be = x[k].w != 0 && dot(from_centre, from_centre) <= farthest * farthest;
        is_near[k] =
            may_be && surface_on_trajectory(body, x_prev[k].xyz(), to).distance < material.thickness + reach ? 1 : 0;
    }
}

void append_collider_contacts(const Body& body, const ContactMaterial& material, std::span<const std::uint8_t> is_near,
                              Index first, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                              std::vector<ContactConstraint>& contacts) {
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (is_near[k] == 0) continue;
        const Vec3 to = x[k].xyz();
        const SurfacePoint surface = surface_on_trajectory(body, x_prev[k].xyz(), to);
        ContactConstraint& contact = contacts.emplace_back();
        contact.particle.fill(first + static_cast<Index>(k));
        contact.weight = {1, 0, 0, 0};
        contact.normal = surface.normal;
        contact.distance = dot(surface.normal, to) - surface.distance + material.thickness;
        contact.friction = material.friction;
        contact.surface_displacement = to - body.pose_prev.to_world(body.pose.to_local(to));
    }
}

} // namespace taffeta
#endif
