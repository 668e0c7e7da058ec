// The polygons are as far apart as the origin is from their difference, the convex hull of all a - b. Its point nearest
// to the origin is that of a simplex of at most four corners; each round takes the corner farthest in the direction of
// the origin into it and drops those that the nearest point does not need:
//
//      w        o     origin
//       .      /|
//        . . v  |     v: nearest so far, on the simplex s; w: the corner to come. v is the answer
//       /   |   |     when no corner is nearer to the origin than the plane through v: v . w = v . v
//      s ---.-- s
#include "geometry/gjk.h"

#include "geometry/closest.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>

namespace taffeta {
namespace {

// A corner of the difference, and the share that it has in the nearest point.
struct Corner {
    Vec3d a = {}, b = {};
    double weight = 1;

    Vec3d at() const { return a - b; }
};

struct Simplex {
    std::array<Corner, 4> corner = {};
    std::size_t count = 0;

    void add(const Corner& c) { corner[count++] = c; }
    Vec3d nearest() const {
        const ClosestOfPolygons points = places();
        return points.on_a - points.on_b;
    }
    ClosestOfPolygons places() const {
        ClosestOfPolygons sum;
        for (std::size_t k = 0; k < count; ++k) {
            sum.on_a += corner[k].a * corner[k].weight;
            sum.on_b += corner[k].b * corner[k].weight;
        }
        return sum;
    }
};

const Vec3d& farthest(std::span<const Vec3d> points, const Vec3d& direction) {
    return *std::max_element(points.begin(), points.end(),
                             [&](const Vec3d& p, const Vec3d& q) { return dot(p, direction) < dot(q, direction); });
}

// The corners that the point nearest to the origin lies between, with their shares in it.
Simplex nearest_on_edge(const Corner& a, const Corner& b) {
    const ClosestOfEdges closest = closest_of_edges({}, {}, a.at(), b.at());
    Simplex needed;
    if (closest.t < 1) needed.add({a.a, a.b, 1 - closest.t});
    if (closest.t > 0) needed.add({b.a, b.b, closest.t});
    return needed;
}

Simplex nearest_on_face(const Corner& a, const Corner& b, const Corner& c) {
    const ClosestOnTriangle closest = closest_on_triangle({}, {a.at(), b.at(), c.at()});
    Simplex needed;
    for (std::size_t k = 0; k < 3; ++k) {
        const Corner& corner = k == 0 ? a : k == 1 ? b : c;
        if (closest.weight[k] > 0) needed.add({corner.a, corner.b, closest.weight[k]});
    }
    return needed;
}

double volume(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    return dot(cross(b - a, c - a), d - a);
}

Simplex nearest_on_tetrahedron(const std::array<Corner, 4>& c) {
    // Within it, the shares are those of the volumes across from the corners, which have one sign.
    const Vec3d p0 = c[0].at(), p1 = c[1].at(), p2 = c[2].at(), p3 = c[3].at();
    const std::array<double, 4> part = {volume({}, p1, p2, p3), volume(p0, {}, p2, p3), volume(p0, p1, {}, p3),
                                        volume(p0, p1, p2, {})};
    const double whole = part[0] + part[1] + part[2] + part[3];
    const bool is_within =
        whole != 0 && std::all_of(part.begin(), part.end(), [&](double v) { return v / whole >= 0; });
    if (is_within) {
        Simplex all;
        for (std::size_t k = 0; k < 4; ++k) all.add({c[k].a, c[k].b, part[k] / whole});
        return all;
    }
    Simplex best = nearest_on_face(c[0], c[1], c[2]);
    for (const Simplex& face :
         {nearest_on_face(c[0], c[1], c[3]), nearest_on_face(c[0], c[2], c[3]), nearest_on_face(c[1], c[2], c[3])}) {
        const Vec3d v = face.nearest(), u = best.nearest();
        if (dot(v, v) < dot(u, u)) best = face;
    }
    return best;
}

Simplex nearest_on(const Simplex& s) {
    switch (s.count) {
    case 1: return s;
    case 2: return nearest_on_edge(s.corner[0], s.corner[1]);
    case 3: return nearest_on_face(s.corner[0], s.corner[1], s.corner[2]);
    default: return nearest_on_tetrahedron(s.corner);
    }
}

double extent_of(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    double extent = 0;
    for (const std::span<const Vec3d> points : {a, b})
        for (const Vec3d& p : points) extent = std::max(extent, length(p - a[0]));
    return extent;
}

} // namespace

ClosestOfPolygons closest_of_polygons(std::span<const Vec3d> a, std::span<const Vec3d> b) {
    assert(!a.empty() && !b.empty());
    constexpr double rounding = 1e-15; // of the extent
    const double tolerance = rounding * extent_of(a, b);
    Simplex simplex;
    simplex.add({a[0], b[0]});
    Vec3d v = simplex.nearest();
    // Each round comes nearer to the origin, so no simplex is seen twice; the bound is for what rounding might do.
    const std::size_t rounds = 16 + 4 * (a.size() + b.size());
    for (std::size_t round = 0; round < rounds && simplex.count < 4; ++round) {
        const Corner next = {farthest(a, -v), farthest(b, v)};
        if (dot(v, v) - dot(v, next.at()) <= tolerance * length(v)) break;
        Simplex grown = simplex;
        grown.add(next);
        grown = nearest_on(grown);
        const Vec3d nearer = grown.nearest();
        if (!(dot(nearer, nearer) < dot(v, v))) break;
        simplex = grown;
        v = nearer;
    }
    ClosestOfPolygons closest = simplex.places();
    closest.distance = simplex.count == 4 ? 0 : length(v);
    return closest;
}

} // namespace taffeta
