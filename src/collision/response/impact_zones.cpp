#include "collision/response/impact_zones.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace taffeta {

namespace {

// x with c0 x.x + c1 x.y + c2 x.z = right, for columns c of a matrix that is positive definite, or was before it was
// rounded; then nothing.
std::optional<Vec3d> solve(const std::array<Vec3d, 3>& c, const Vec3d& right) {
    const double volume = dot(c[0], cross(c[1], c[2]));
    if (!(volume > 0)) return {};
    return Vec3d{dot(right, cross(c[1], c[2])), dot(c[0], cross(right, c[2])), dot(c[0], cross(c[1], right))} *
           (1 / volume);
}

void stiffen(std::array<Vec3d, 3>& c) { // points may be in a plane or on a line
    const double slack = 1e-9 * (c[0].x + c[1].y + c[2].z);
    c[0].x += slack, c[1].y += slack, c[2].z += slack;
}

} // namespace

void Zones::clear(std::size_t points) {
    parent_.resize(points);
    is_in_.assign(points, 0);
    std::iota(parent_.begin(), parent_.end(), Index{0});
    members_.clear();
}

Index Zones::root(Index p) {
    while (parent_[p] != p) p = parent_[p] = parent_[parent_[p]];
    return p;
}

void Zones::join(const std::array<Index, 4>& points) {
    for (const Index p : points) {
        if (is_in_[p] == 0) {
            is_in_[p] = 1;
            members_.push_back(p);
        }
        const Index a = root(points[0]), b = root(p);
        parent_[std::max(a, b)] = std::min(a, b);
    }
}

int Zones::move(std::span<const Vec4> x_prev, std::span<const float> own_w, const Following& following,
                std::span<Vec4> x) {
    std::sort(members_.begin(), members_.end(),
              [&](Index a, Index b) { return std::pair(root(a), a) < std::pair(root(b), b); });
    int count = 0;
    for (std::size_t begin = 0; begin < members_.size(); ++count) {
        std::size_t end = begin;
        while (end < members_.size() && root(members_[end]) == root(members_[begin])) ++end;
        move_as_one(std::span(members_).subspan(begin, end - begin), x_prev, own_w, following, x);
        begin = end;
    }
    return count;
}

void Zones::move_as_one(std::span<const Index> zone, std::span<const Vec4> x_prev, std::span<const float> own_w,
                        const Following& following, std::span<Vec4> x) {
    const auto leads = [&](Index p) {
        const bool is_held = p < own_w.size() && own_w[p] > 0;
        return x[p].w == 0 && !(is_held && !following.hands_lead);
    };
    leaders_.clear(), others_.clear(), masses_.clear();
    for (const Index p : zone) {
        const Vec3d from = vector_cast<double>(x_prev[p].xyz());
        const Way way = {from, vector_cast<double>(x[p].xyz()) - from};
        if (leads(p)) leaders_.push_back(way);
        if (x[p].w == 0) continue;
        others_.push_back(way);
        masses_.push_back(1 / static_cast<double>(x[p].w));
    }
    const RigidMotion free = leaders_.empty() ? rigid_motion(others_, masses_) : RigidMotion{};
    for (const Index p : zone) {
        if (leads(p)) continue;
        const Vec3d from = vector_cast<double>(x_prev[p].xyz());
        const Vec3d moved = leaders_.empty() ? free.way(from) : led_way(leaders_, from, following.bends);
        x[p].set_xyz(vector_cast<float>(from + moved));
    }
}

Vec3d Zones::RigidMotion::way(const Vec3d& from) const { // Cayley's turn, which needs no sine
    const Vec3d across = cross(turn, from - centre);
    return shift + (across + cross(turn, across) * 0.5) * (1 / (1 + 0.25 * dot(turn, turn)));
}

// That which has the momentum and the angular momentum of points with ways of their own [Pro97].
Zones::RigidMotion Zones::rigid_motion(std::span<const Way> points, std::span<const double> masses) {
    RigidMotion motion;
    double mass = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
        motion.centre += points[k].from * masses[k];
        motion.shift += points[k].way * masses[k];
        mass += masses[k];
    }
    if (!(mass > 0)) return motion;
    motion.centre = motion.centre * (1 / mass), motion.shift = motion.shift * (1 / mass);
    Vec3d angular;
    std::array<Vec3d, 3> inertia = {}; // columns
    for (std::size_t k = 0; k < points.size(); ++k) {
        const Vec3d q = points[k].from - motion.centre;
        angular += cross(q, points[k].way) * masses[k];
        inertia[0].x += masses[k] * dot(q, q), inertia[1].y += masses[k] * dot(q, q);
        inertia[2].z += masses[k] * dot(q, q);
        for (int axis = 0; axis < 3; ++axis) inertia[static_cast<std::size_t>(axis)] -= q * (masses[k] * q[axis]);
    }
    stiffen(inertia);
    motion.turn = solve(inertia, angular).value_or(Vec3d{});
    return motion;
}

// The way of a place that goes with leaders. With `bends`, by the affine motion that fits theirs best, those nearby
// counting most: what turns has such a motion, and what bends has nearly one.
Vec3d Zones::led_way(std::span<const Way> leaders, const Vec3d& from, bool bends) {
    const auto weight_of = [&](const Vec3d& place) {
        return bends ? 1 / (dot(place - from, place - from) + 1e-12) : 1.0;
    };
    Vec3d mean, centre;
    double weights = 0, farthest = 0;
    for (const auto& [place, way] : leaders) {
        const double weight = weight_of(place);
        mean += way * weight, centre += place * weight;
        weights += weight;
        farthest = std::max(farthest, length(way));
    }
    mean = mean * (1 / weights), centre = centre * (1 / weights);
    if (!bends) return mean;
    // Least squares: mean + B C^-1 (from - centre), with C = sum w q q^T, B = sum w l q^T.
    std::array<Vec3d, 3> c = {}, b = {}; // columns
    for (const auto& [place, way] : leaders) {
        const Vec3d q = place - centre, l = way - mean;
        const double weight = weight_of(place) / weights;
        for (int axis = 0; axis < 3; ++axis) {
            c[static_cast<std::size_t>(axis)] += q * (weight * q[axis]);
            b[static_cast<std::size_t>(axis)] += l * (weight * q[axis]);
        }
    }
    stiffen(c);
    const std::optional<Vec3d> s = solve(c, from - centre);
    if (!s) return mean;
    const Vec3d moved = mean + b[0] * s->x + b[1] * s->y + b[2] * s->z;
    return length(moved) < 3 * farthest ? moved : mean;
}

} // namespace taffeta
