// Cloth against a body, as many particles at a time as a vector holds. Each line does what its like in bodies.cpp does,
// with the same roundings: products and sums stay apart, and no square root or quotient is an estimate.
#include "collision/colliders/bodies.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/response/push_out.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include <type_traits>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

using Lanes = hn::CappedTag<float, 8>;               // 1, 4 or 8 particles at a time
using Flags = hn::Rebind<std::int32_t, Lanes>;       // as many whole numbers
using PackedFlags = hn::Rebind<std::uint8_t, Lanes>; // and bytes
using V = hn::Vec<Lanes>;
using Mask = hn::Mask<Lanes>;

HWY_INLINE V all(float value) {
    return hn::Set(Lanes(), value);
}

// A point or direction in each lane.
struct Points {
    V x, y, z;
};

HWY_INLINE Points all(const Vec3& p) {
    return {all(p.x), all(p.y), all(p.z)};
}
HWY_INLINE Points operator+(const Points& a, const Points& b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}
HWY_INLINE Points operator-(const Points& a, const Points& b) {
    return {a.x - b.x, a.y - b.y, a.z - b.z};
}
HWY_INLINE Points operator*(const Points& a, V s) {
    return {a.x * s, a.y * s, a.z * s};
}
HWY_INLINE V dot(const Points& a, const Points& b) {
    return a.x * b.x + a.y * b.y + a.z * b.z;
}
HWY_INLINE V length(const Points& a) {
    return hn::Sqrt(dot(a, a));
}
HWY_INLINE Points choose(Mask mask, const Points& yes, const Points& no) {
    return {hn::IfThenElse(mask, yes.x, no.x), hn::IfThenElse(mask, yes.y, no.y), hn::IfThenElse(mask, yes.z, no.z)};
}

struct Turn {
    Points row0, row1, row2;

    explicit Turn(const Rotation& r) : row0(all(r.row[0])), row1(all(r.row[1])), row2(all(r.row[2])) {}
    HWY_INLINE Points operator*(const Points& p) const { return {dot(row0, p), dot(row1, p), dot(row2, p)}; }
};

struct Surface {
    V distance;
    Points normal;
};

HWY_INLINE Surface choose(Mask mask, const Surface& yes, const Surface& no) {
    return {hn::IfThenElse(mask, yes.distance, no.distance), choose(mask, yes.normal, no.normal)};
}

HWY_INLINE Surface nearest(const Sphere& sphere, const Points& local) {
    const V r = length(local);
    return {r - all(sphere.radius), choose(hn::Gt(r, all(0)), local * (all(1) / r), all(Vec3{0, 1, 0}))};
}

struct UnitPlane {
    Points normal;
};

HWY_INLINE Surface nearest(const UnitPlane& plane, const Points& local) {
    return {dot(plane.normal, local), plane.normal};
}

HWY_INLINE Surface nearest(const Box& box, const Points& local) {
    const Points half = all(box.size * 0.5f);
    const Points beyond = {hn::Abs(local.x) - half.x, hn::Abs(local.y) - half.y, hn::Abs(local.z) - half.z};
    const Points outside = {hn::ZeroIfNegative(beyond.x), hn::ZeroIfNegative(beyond.y), hn::ZeroIfNegative(beyond.z)};
    const Points sign = {hn::CopySign(all(1), local.x), hn::CopySign(all(1), local.y), hn::CopySign(all(1), local.z)};
    const V distance = length(outside);
    const Points signed_outside = {sign.x * outside.x, sign.y * outside.y, sign.z * outside.z};
    const Surface from_outside = {distance, signed_outside * (all(1) / distance)};

    const Mask is_y = hn::And(hn::Ge(beyond.y, beyond.x), hn::Ge(beyond.y, beyond.z));
    const Mask is_x = hn::AndNot(is_y, hn::Ge(beyond.x, beyond.z));
    const Mask is_z = hn::Not(hn::Or(is_x, is_y));
    const Surface from_inside = {
        hn::IfThenElse(is_y, beyond.y, hn::IfThenElse(is_x, beyond.x, beyond.z)),
        {hn::IfThenElseZero(is_x, sign.x), hn::IfThenElseZero(is_y, sign.y), hn::IfThenElseZero(is_z, sign.z)}};
    return choose(hn::Gt(distance, all(0)), from_outside, from_inside);
}

HWY_INLINE Surface nearest(const Capsule& capsule, const Points& local) {
    const V half = all(capsule.height * 0.5f);
    // Not hn::Clamp: which of two zeros of different signs it takes depends on the instruction set.
    const V upper = hn::IfThenElse(hn::Lt(half, local.y), half, local.y);
    const V on_axis = hn::IfThenElse(hn::Lt(local.y, hn::Neg(half)), hn::Neg(half), upper);
    const Points from_axis = {local.x, local.y - on_axis, local.z};
    const V r = length(from_axis);
    return {r - all(capsule.radius), choose(hn::Gt(r, all(0)), from_axis * (all(1) / r), all(Vec3{1, 0, 0}))};
}

HWY_INLINE Surface nearest(const Cylinder& cylinder, const Points& local) {
    const V zero = all(0);
    const V r = hn::Sqrt(local.x * local.x + local.z * local.z);
    const Points radial = choose(hn::Gt(r, zero), {local.x / r, zero, local.z / r}, all(Vec3{1, 0, 0}));
    const Points axial = {zero, hn::CopySign(all(1), local.y), zero};
    const V beyond_side = r - all(cylinder.radius), beyond_cap = hn::Abs(local.y) - all(cylinder.height * 0.5f);

    const V to_rim = hn::Sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap);
    const Surface rim = {to_rim, radial * (beyond_side / to_rim) + axial * (beyond_cap / to_rim)};
    const Surface flat =
        choose(hn::Ge(beyond_cap, beyond_side), Surface{beyond_cap, axial}, Surface{beyond_side, radial});
    return choose(hn::And(hn::Gt(beyond_side, zero), hn::Gt(beyond_cap, zero)), rim, flat);
}

// What needs to be done but once.
template <class Shape>
HWY_INLINE Shape prepared(const Shape& shape) {
    return shape;
}
HWY_INLINE UnitPlane prepared(const Plane& plane) {
    return {all(normalized(plane.normal))};
}

template <class Shape>
HWY_INLINE Surface way_out(const Shape& shape, const Points& from, const Points& to, Mask is_contact,
                           const Surface& nearest_to) {
    if constexpr (std::is_same_v<Shape, UnitPlane>) return nearest_to; // wherever it came in
    const Lanes d;
    const V zero = all(0);
    Mask came_in = hn::And(is_contact, hn::Lt(nearest_to.distance, zero));
    if (hn::AllFalse(d, came_in)) return nearest_to;
    came_in = hn::AndNot(hn::Lt(nearest(shape, from).distance, zero), came_in);
    if (hn::AllFalse(d, came_in)) return nearest_to;

    // Two halvings at a time, with both places where the second may be: one after the other they would mostly wait for
    // square roots. It takes seven tenths of the time.
    const Points way = to - from;
    const auto is_inside = [&](V part) HWY_ATTR { return hn::Lt(nearest(shape, from + way * part).distance, zero); };
    V outside = zero;
    for (float half = 0.5f; half >= 1.0f / 4096; half *= 0.25f) {
        const V middle = outside + all(half), before = outside + all(0.5f * half), after = middle + all(0.5f * half);
        outside = hn::IfThenElse(is_inside(middle), hn::IfThenElse(is_inside(before), outside, before),
                                 hn::IfThenElse(is_inside(after), middle, after));
    }
    const Points entry = from + way * outside;
    const Surface surface = nearest(shape, entry);
    return choose(came_in, {surface.distance + dot(to - entry, surface.normal), surface.normal}, nearest_to);
}

template <class Shape>
int collide_with(const Shape& shape, const Body& body, const Skin& skin, Round round, std::size_t count,
                 Vec4* HWY_RESTRICT x, const Vec4* HWY_RESTRICT x_prev, std::uint8_t* HWY_RESTRICT touched) {
    const Lanes d;
    const Flags flags;
    const PackedFlags packed;
    const Turn to_local(body.pose.rotation.transposed()), to_local_prev(body.pose_prev.rotation.transposed());
    const Turn to_world(body.pose.rotation), to_world_prev(body.pose_prev.rotation);
    const Points centre = all(body.pose.position), centre_prev = all(body.pose_prev.position);
    const bool moves = !(body.pose == body.pose_prev);
    const float reach = reach_of(body.shape) + skin.thickness;
    const V squared_reach = all(reach * reach), thickness = all(skin.thickness), friction = all(skin.friction);

    std::size_t contacts = 0;
    for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
        Points position, start;
        V w, w_prev;
        hn::LoadInterleaved4(d, &x[k].x, position.x, position.y, position.z, w);
        const auto was_touched = hn::PromoteTo(flags, hn::LoadU(packed, touched + k));
        const Points from_centre = position - centre;
        Mask is_contact = hn::And(hn::Ne(w, all(0)), hn::Le(dot(from_centre, from_centre), squared_reach));
        if (round == Round::again)
            is_contact = hn::And(is_contact, hn::RebindMask(d, hn::Gt(was_touched, hn::Zero(flags))));
        if (hn::AllFalse(d, is_contact)) continue;
        const Points local = to_local * from_centre;
        const Surface nearest_to = nearest(shape, local);
        is_contact = hn::And(is_contact, hn::Lt(nearest_to.distance, thickness));
        if (hn::AllFalse(d, is_contact)) continue;
        contacts += hn::CountTrue(d, is_contact);
        const auto is_touched = hn::IfThenElse(hn::RebindMask(flags, is_contact), hn::Set(flags, 1), was_touched);
        hn::StoreU(hn::DemoteTo(packed, is_touched), packed, touched + k);

        hn::LoadInterleaved4(d, &x_prev[k].x, start.x, start.y, start.z, w_prev);
        const Points local_prev = to_local_prev * (start - centre_prev);
        const Surface surface = way_out(shape, local_prev, local, is_contact, nearest_to);
        const Points n = to_world * surface.normal;
        const V depth = thickness - surface.distance;
        Points corrected = position + n * depth; // Eq. 18
        if (round == Round::first) {
            Points step = position - start;
            if (moves) step = step - (position - (to_world_prev * local + centre_prev)); // the body's own motion there
            const Points step_t = step - n * dot(step, n);                               // Eq. 19
            V share = friction;                                                          // Eq. 20
            if (skin.law == Friction::coulomb) {
                const V most = friction * depth, way = length(step_t);
                share = hn::IfThenElse(hn::Gt(way, most), most / way, all(1));
            }
            corrected = corrected - step_t * share;
        }
        const Points end = choose(is_contact, corrected, position);
        hn::StoreInterleaved4(end.x, end.y, end.z, w, d, &x[k].x); // Eq. 21
    }
    return static_cast<int>(contacts);
}

// `count` is a multiple of eight.
int collide_lanes(const Body& body, const Skin& skin, Round round, std::size_t count, Vec4* x, const Vec4* x_prev,
                  std::uint8_t* touched) {
    return std::visit(
        [&]<class Shape>(const Shape& shape) HWY_ATTR {
            if constexpr (std::is_same_v<Shape, BodyMesh>)
                return 0;
            else
                return collide_with(prepared(shape), body, skin, round, count, x, x_prev, touched);
        },
        body.shape);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(collide_lanes);

int collide(const Body& body, const Skin& skin, Round round, std::span<Vec4> x, std::span<const Vec4> x_prev,
            std::span<std::uint8_t> touched) {
    const std::size_t whole = x.size() / 8 * 8;
    return HWY_DYNAMIC_DISPATCH(collide_lanes)(body, skin, round, whole, x.data(), x_prev.data(), touched.data()) +
           collide_singly(body, skin, round, x.subspan(whole), x_prev.subspan(whole), touched.subspan(whole));
}

} // namespace taffeta
#endif
