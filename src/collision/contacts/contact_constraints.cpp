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

// taffeta::separate() for eight contacts at a time, with the same bits.
template <std::size_t n>
HWY_INLINE int separate_all(std::span<ContactBlock<n>> blocks, const Vec4* HWY_RESTRICT x_prev, Vec4* HWY_RESTRICT x) {
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

            const V push = hn::IfThenElseZero(is_close, missing), all_pushes = hn::Add(pushed, push);
            hn::Store(all_pushes, d, &block.push[first]);
            const Points carried = load_points(block.carried, first);
            Points moved = {hn::Neg(carried.x), hn::Neg(carried.y), hn::Neg(carried.z)};
            for (std::size_t k = 0; k < n; ++k)
                moved = moved + difference(p[k], load(x_prev, &block.particle[k][first])) * weight[k];
            const V along = dot(normal, moved);
            const Points before = load_points(block.rub, first);
            // What friction has done, less the sliding: it would stop it.
            Points rub = {hn::Sub(before.x, hn::Sub(moved.x, hn::Mul(normal.x, along))),
                          hn::Sub(before.y, hn::Sub(moved.y, hn::Mul(normal.y, along))),
                          hn::Sub(before.z, hn::Sub(moved.z, hn::Mul(normal.z, along)))};
            const V limit = hn::Mul(hn::Load(d, &block.friction[first]), all_pushes), needed = hn::Sqrt(dot(rub, rub));
            const auto is_too_much = hn::Gt(needed, limit);
            rub = rub * hn::IfThenElse(is_too_much, hn::Div(limit, needed), hn::Set(d, 1.0f));
            hn::Store(hn::IfThenElse(is_active, rub.x, before.x), d, &block.rub[0][first]);
            hn::Store(hn::IfThenElse(is_active, rub.y, before.y), d, &block.rub[1][first]);
            hn::Store(hn::IfThenElse(is_active, rub.z, before.z), d, &block.rub[2][first]);
            const V way_x = hn::Add(hn::Mul(normal.x, push), hn::Sub(rub.x, before.x));
            const V way_y = hn::Add(hn::Mul(normal.y, push), hn::Sub(rub.y, before.y));
            const V way_z = hn::Add(hn::Mul(normal.z, push), hn::Sub(rub.z, before.z));
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

int separate_ones(std::span<ContactBlock<1>> blocks, const Vec4* x_prev, Vec4* x) {
    return separate_all(blocks, x_prev, x);
}
int separate_twos(std::span<ContactBlock<2>> blocks, const Vec4* x_prev, Vec4* x) {
    return separate_all(blocks, x_prev, x);
}
int separate_threes(std::span<ContactBlock<3>> blocks, const Vec4* x_prev, Vec4* x) {
    return separate_all(blocks, x_prev, x);
}
int separate_fours(std::span<ContactBlock<4>> blocks, const Vec4* x_prev, Vec4* x) {
    return separate_all(blocks, x_prev, x);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(separate_ones);
HWY_EXPORT(separate_twos);
HWY_EXPORT(separate_threes);
HWY_EXPORT(separate_fours);

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

// Of one part against the other since the substep began, across the normal.
Vec3 sliding(const Contact& contact, std::span<const Vec4> x_prev, std::span<const Vec4> x) {
    Vec3 moved = -contact.carried;
    for (std::size_t k = 0; k < 4; ++k)
        moved += (x[contact.particle[k]].xyz() - x_prev[contact.particle[k]].xyz()) * contact.weight[k];
    return moved - contact.normal * dot(contact.normal, moved);
}

// What friction still does: to stop the sliding, but no more in all than its limit.
Vec3 rub(Contact& contact, const Vec3& slid) {
    Vec3 all = contact.rub - slid;
    const float limit = contact.friction * contact.push;
    if (const float needed = length(all); needed > limit) all = all * (limit / needed);
    const Vec3 more = all - contact.rub;
    contact.rub = all;
    return more;
}

} // namespace

int separate(std::span<Contact> contacts, std::span<const Vec4> x_prev, std::span<Vec4> x) {
    int count = 0;
    for (Contact& contact : contacts) {
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
        way += rub(contact, sliding(contact, x_prev, x));
        move_by(contact, way, yields, x);
        count += missing > 0;
    }
    return count;
}

namespace {

// All but the particles and their weights.
template <std::size_t n>
void fill_place(const Contact& contact, Index place, ContactBlock<n>& block) {
    for (int axis = 0; axis < 3; ++axis) {
        const auto a = static_cast<std::size_t>(axis);
        block.normal[a][place] = contact.normal[axis];
        block.carried[a][place] = contact.carried[axis];
        block.rub[a][place] = contact.rub[axis];
    }
    block.distance[place] = contact.distance;
    block.friction[place] = contact.friction;
    block.push[place] = contact.push;
}

} // namespace

template <std::size_t n>
void ContactSeries<n>::begin(std::size_t particles) {
    earliest_.assign(particles, 0);
    count_ = 0;
    filled_.clear(), next_.clear();
}

template <std::size_t n>
Index ContactSeries<n>::find_block(Index earliest, Index sentinel) {
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
Index ContactSeries<n>::add(const Contact& contact, std::span<const std::size_t> moves, Index sentinel) {
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

void ContactBlocks::begin(std::span<const Vec4> x, Index sentinel) {
    sentinel_ = sentinel;
    one_.begin(x.size()), two_.begin(x.size()), three_.begin(x.size()), four_.begin(x.size());
    alone_count_ = 0;
    places_.clear();
}

void ContactBlocks::add(std::span<const Contact> contacts, std::span<const Vec4> x_prev, std::span<const Vec4> x) {
    for (Contact contact : contacts) {
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
            contact.carried -= (p.xyz() - x_prev[contact.particle[k]].xyz()) * weight;
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

float ContactBlocks::push(std::size_t k) const {
    const auto [number, moves] = places_[k];
    switch (moves) {
    case 1: return one_.push(number);
    case 2: return two_.push(number);
    case 3: return three_.push(number);
    case 4: return four_.push(number);
    default: return number == nowhere ? 0 : alone_[number / size].push[number % size];
    }
}

void ContactBlocks::add_alone(std::span<const Contact> contacts) {
    const std::size_t needed = alone_count_ + (contacts.size() + size - 1) / size;
    if (alone_.size() < needed) alone_.resize(2 * needed);
    for (std::size_t k = 0; k < contacts.size(); ++k) {
        const auto place = static_cast<Index>(k % size);
        if (place == 0) {
            alone_[alone_count_] = {};
            alone_[alone_count_++].particle[0].fill(sentinel_);
        }
        const auto number = static_cast<Index>(alone_count_ - 1);
        alone_[number].particle[0][place] = contacts[k].particle[0];
        alone_[number].weight[0][place] = contacts[k].weight[0];
        fill_place(contacts[k], place, alone_[number]);
        places_.push_back({number * static_cast<Index>(size) + place, 0});
    }
}

int ContactBlocks::separate(std::span<const Vec4> x_prev, std::span<Vec4> x) {
    int count = HWY_DYNAMIC_DISPATCH(separate_ones)(one_.blocks(), x_prev.data(), x.data());
    count += HWY_DYNAMIC_DISPATCH(separate_twos)(two_.blocks(), x_prev.data(), x.data());
    count += HWY_DYNAMIC_DISPATCH(separate_threes)(three_.blocks(), x_prev.data(), x.data());
    count += HWY_DYNAMIC_DISPATCH(separate_fours)(four_.blocks(), x_prev.data(), x.data());
    return count;
}

void ContactBlocks::separate_alone(std::span<const Vec4> x_prev, std::span<Vec4> x, const Parallel& parallel) {
    constexpr std::size_t grain = 32; // blocks: some 2 us of work
    parallel.for_pieces(alone_count_, grain, [&](std::size_t begin, std::size_t end) {
        HWY_DYNAMIC_DISPATCH(separate_ones)
        (std::span(alone_).subspan(begin, end - begin), x_prev.data(), x.data());
    });
}

void find_near(const Body& body, const Skin& skin, float reach, std::span<const Vec4> x_prev, std::span<const Vec4> x,
               std::span<std::uint8_t> is_near) {
    const float farthest = reach_of(body.shape) + skin.thickness + reach;
    for (std::size_t k = 0; k < x.size(); ++k) {
        const Vec3 to = x[k].xyz(), from_centre = to - body.pose.position;
        const bool may_be = x[k].w != 0 && dot(from_centre, from_centre) <= farthest * farthest;
        is_near[k] = may_be && surface_on_the_way(body, x_prev[k].xyz(), to).distance < skin.thickness + reach ? 1 : 0;
    }
}

void append_contacts(const Body& body, const Skin& skin, std::span<const std::uint8_t> is_near, Index first,
                     std::span<const Vec4> x_prev, std::span<const Vec4> x, std::vector<Contact>& contacts) {
    for (std::size_t k = 0; k < x.size(); ++k) {
        if (is_near[k] == 0) continue;
        const Vec3 to = x[k].xyz();
        const SurfacePoint surface = surface_on_the_way(body, x_prev[k].xyz(), to);
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
#endif
