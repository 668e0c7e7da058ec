#include "collision/colliders/bodies.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffeta {

SurfacePoint nearest_surface(const Sphere& sphere, const Vec3& local) {
    const float r = length(local);
    return {r - sphere.radius, r > 0 ? local * (1 / r) : Vec3{0, 1, 0}};
}

SurfacePoint nearest_surface(const Plane& plane, const Vec3& local) {
    const Vec3 n = normalized(plane.normal);
    return {dot(n, local), n};
}

SurfacePoint nearest_surface(const Box& box, const Vec3& local) {
    const Vec3 half = box.size * 0.5f;
    const Vec3 beyond = {std::abs(local.x) - half.x, std::abs(local.y) - half.y, std::abs(local.z) - half.z};
    const Vec3 outside = {std::max(beyond.x, 0.0f), std::max(beyond.y, 0.0f), std::max(beyond.z, 0.0f)};
    const Vec3 sign = {std::copysign(1.0f, local.x), std::copysign(1.0f, local.y), std::copysign(1.0f, local.z)};
    const float distance = length(outside);
    if (distance > 0) {
        const float per = 1 / distance;
        return {distance, {sign.x * outside.x * per, sign.y * outside.y * per, sign.z * outside.z * per}};
    }
    // Inside: through the nearest face, Y before X before Z where they are equally near, so that cloth goes up.
    const int axis = beyond.y >= beyond.x && beyond.y >= beyond.z ? 1 : beyond.x >= beyond.z ? 0 : 2;
    Vec3 normal;
    normal[axis] = sign[axis];
    return {beyond[axis], normal};
}

SurfacePoint nearest_surface(const Capsule& capsule, const Vec3& local) {
    const float half = capsule.height * 0.5f;
    const Vec3 from_axis = {local.x, local.y - std::clamp(local.y, -half, half), local.z};
    const float r = length(from_axis);
    return {r - capsule.radius, r > 0 ? from_axis * (1 / r) : Vec3{1, 0, 0}};
}

SurfacePoint nearest_surface(const Cylinder& cylinder, const Vec3& local) {
    const float r = std::sqrt(local.x * local.x + local.z * local.z);
    const Vec3 radial = r > 0 ? Vec3{local.x / r, 0, local.z / r} : Vec3{1, 0, 0};
    const Vec3 axial = {0, std::copysign(1.0f, local.y), 0};
    const float beyond_side = r - cylinder.radius, beyond_cap = std::abs(local.y) - cylinder.height * 0.5f;
    if (beyond_side > 0 && beyond_cap > 0) { // nearest to the rim
        const float distance = std::sqrt(beyond_side * beyond_side + beyond_cap * beyond_cap);
        return {distance, radial * (beyond_side / distance) + axial * (beyond_cap / distance)};
    }
    if (beyond_cap >= beyond_side) return {beyond_cap, axial};
    return {beyond_side, radial};
}

SurfacePoint nearest_surface(const BodyMesh&, const Vec3&) {
    return {std::numeric_limits<float>::infinity(), {0, 1, 0}};
}

SurfacePoint nearest_surface(const Body& body, const Vec3& world) {
    const Vec3 local = body.pose.to_local(world);
    const SurfacePoint surface =
        std::visit([&](const auto& shape) { return nearest_surface(shape, local); }, body.shape);
    return {surface.distance, body.pose.rotation * surface.normal};
}

float reach_of(const ColliderShape& shape) {
    struct Reach {
        float operator()(const Sphere& sphere) const { return sphere.radius; }
        float operator()(const Box& box) const { return 0.5f * length(box.size); }
        float operator()(const Plane&) const { return std::numeric_limits<float>::infinity(); }
        float operator()(const Capsule& capsule) const { return capsule.radius + 0.5f * capsule.height; }
        float operator()(const Cylinder& cylinder) const { return std::hypot(cylinder.radius, 0.5f * cylinder.height); }
        float operator()(const BodyMesh&) const { return std::numeric_limits<float>::infinity(); }
    };
    return std::visit(Reach{}, shape);
}

namespace {

// Back to the side where a particle has come in during this substep, if it has; else to the nearest surface. Otherwise
// thin bodies would let cloth through that gets past their middle. `from` and `to` are the particle's way in the
// shape's own frame, `nearest` belongs to `to`. All shapes are convex: beyond the tangent plane at the entry is
// outside.
template <class Shape>
SurfacePoint way_out(const Shape& shape, const Vec3& from, const Vec3& to, const SurfacePoint& nearest) {
    if constexpr (std::is_same_v<Shape, Plane>) return nearest; // wherever it came in
    if (nearest.distance >= 0 || nearest_surface(shape, from).distance < 0) return nearest;
    float outside = 0;
    for (float half = 0.5f; half >= 1.0f / 4096; half *= 0.5f) { // the way is known to 1/4096 then
        const float middle = outside + half;
        if (!(nearest_surface(shape, from + (to - from) * middle).distance < 0)) outside = middle;
    }
    const Vec3 entry = from + (to - from) * outside;
    const SurfacePoint surface = nearest_surface(shape, entry);
    return {surface.distance + dot(to - entry, surface.normal), surface.normal};
}

} // namespace

SurfacePoint surface_on_the_way(const Body& body, const Vec3& from, const Vec3& to) {
    const Vec3 local = body.pose.to_local(to), local_prev = body.pose_prev.to_local(from);
    const SurfacePoint surface =
        std::visit([&](const auto& shape) { return way_out(shape, local_prev, local, nearest_surface(shape, local)); },
                   body.shape);
    return {surface.distance, body.pose.rotation * surface.normal};
}

int collide_singly(const Body& body, const Skin& skin, Round round, std::span<Vec4> x, std::span<const Vec4> x_prev,
                   std::span<std::uint8_t> touched) {
    if (std::holds_alternative<BodyMesh>(body.shape)) return 0;
    const Rotation to_local = body.pose.rotation.transposed(), to_local_prev = body.pose_prev.rotation.transposed();
    const bool moves = !(body.pose == body.pose_prev);
    const float reach = reach_of(body.shape) + skin.thickness; // most particles are beyond it, which is quickly said
    // One loop per kind of shape: the choice is made once, not per particle.
    return std::visit(
        [&](const auto& shape) {
            int contacts = 0;
            for (std::size_t k = 0; k < x.size(); ++k) {
                if (x[k].w == 0 || (round == Round::again && touched[k] == 0)) continue;
                const Vec3 position = x[k].xyz();
                const Vec3 from_centre = position - body.pose.position;
                if (dot(from_centre, from_centre) > reach * reach) continue;
                const Vec3 local = to_local * from_centre;
                const SurfacePoint nearest = nearest_surface(shape, local);
                if (!(nearest.distance < skin.thickness)) continue;
                ++contacts;
                touched[k] = 1;

                const Vec3 local_prev = to_local_prev * (x_prev[k].xyz() - body.pose_prev.position);
                const SurfacePoint surface = way_out(shape, local_prev, local, nearest);
                const Vec3 n = body.pose.rotation * surface.normal;
                const float depth = skin.thickness - surface.distance;
                Vec3 corrected = position + n * depth; // Eq. 18
                if (round == Round::first) {
                    Vec3 d = position - x_prev[k].xyz();
                    if (moves) d -= position - body.pose_prev.to_world(local); // the body's own motion there
                    const Vec3 d_t = d - n * dot(d, n);                        // Eq. 19
                    float share = skin.friction;                               // Eq. 20
                    if (skin.law == Friction::coulomb) {
                        const float most = skin.friction * depth, way = length(d_t);
                        share = way > most ? most / way : 1.0f;
                    }
                    corrected -= d_t * share;
                }
                x[k].set_xyz(corrected); // Eq. 21
            }
            return contacts;
        },
        body.shape);
}

} // namespace taffeta
