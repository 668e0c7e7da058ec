#include "geometry/closest.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// Where on the edge from a to a + u the point closest to a + r is, from 0 to 1.
double closest_on_edge(const Vec3d& r, const Vec3d& u) {
    const double squared = dot(u, u);
    return squared > 0 ? std::clamp(dot(r, u) / squared, 0.0, 1.0) : 0.0;
}

// Factors s and t for which r - s u - t v is perpendicular to u and v. Where these are almost parallel the first
// quotients lose most of their digits; a second time, for what is left of r, gives them back.
struct Factors {
    double s = 0, t = 0;
    Vec3d rest; // r - s u - t v
};
bool find_perpendicular(const Vec3d& r, const Vec3d& u, const Vec3d& v, Factors& found) {
    const Vec3d n = cross(u, v);
    const double squared = dot(n, n);
    if (!(squared > 0)) return false;
    found = {0, 0, r};
    for (int round = 0; round < 2; ++round) {
        found.s += dot(cross(found.rest, v), n) / squared;
        found.t += dot(cross(u, found.rest), n) / squared;
        found.rest = r - u * found.s - v * found.t;
    }
    return true;
}

} // namespace

// The closest point is on an edge or inside. All of these are tried, and the closest taken: no case has to be told from
// another by numbers that are rounded.
ClosestOnTriangle closest_on_triangle(const Vec3d& p, const std::array<Vec3d, 3>& corners) {
    ClosestOnTriangle best;
    for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t next = (k + 1) % 3;
        const Vec3d r = p - corners[k], u = corners[next] - corners[k];
        const double t = closest_on_edge(r, u);
        const Vec3d apart = r - u * t;
        const double squared = dot(apart, apart);
        if (k > 0 && !(squared < best.squared)) continue;
        best = {{}, squared};
        best.weight[k] = 1 - t;
        best.weight[next] = t;
    }
    Factors inside;
    if (find_perpendicular(p - corners[0], corners[1] - corners[0], corners[2] - corners[0], inside)) {
        const double squared = dot(inside.rest, inside.rest);
        if (inside.s >= 0 && inside.t >= 0 && inside.s + inside.t <= 1 && squared < best.squared)
            best = {{std::max(1 - inside.s - inside.t, 0.0), inside.s, inside.t}, squared};
    }
    return best;
}

// The closest points are both within the edges, or one of them is an end: the latter always if the edges are parallel.
ClosestOfEdges closest_of_edges(const Vec3d& a0, const Vec3d& a1, const Vec3d& b0, const Vec3d& b1) {
    const Vec3d u = a1 - a0, v = b1 - b0, r = b0 - a0;
    ClosestOfEdges best;
    bool is_first = true;
    const auto try_pair = [&](double s, double t, const Vec3d& apart) {
        const double squared = dot(apart, apart);
        if (!is_first && !(squared < best.squared)) return;
        best = {s, t, squared};
        is_first = false;
    };
    const auto try_end_of_a = [&](double s, const Vec3d& from_b0) {
        const double t = closest_on_edge(from_b0, v);
        try_pair(s, t, from_b0 - v * t);
    };
    const auto try_end_of_b = [&](double t, const Vec3d& from_a0) {
        const double s = closest_on_edge(from_a0, u);
        try_pair(s, t, from_a0 - u * s);
    };
    try_end_of_a(0, a0 - b0);
    try_end_of_a(1, a1 - b0);
    try_end_of_b(0, r);
    try_end_of_b(1, b1 - a0);
    Factors inside; // r - s u - (-t) v
    if (find_perpendicular(r, u, v, inside)) {
        const double s = inside.s, t = -inside.t;
        if (s >= 0 && s <= 1 && t >= 0 && t <= 1) try_pair(s, t, inside.rest);
    }
    return best;
}

double triangle_distance(const Corners& a, const Corners& b) {
    if (triangles_intersect(a, b)) return 0;
    std::array<Vec3d, 3> p, q;
    for (std::size_t k = 0; k < 3; ++k) p[k] = vector_cast<double>(a[k]), q[k] = vector_cast<double>(b[k]);
    double squared = closest_on_triangle(p[0], q).squared;
    for (std::size_t k = 0; k < 3; ++k) {
        squared = std::min({squared, closest_on_triangle(p[k], q).squared, closest_on_triangle(q[k], p).squared});
        for (std::size_t l = 0; l < 3; ++l)
            squared = std::min(squared, closest_of_edges(p[k], p[(k + 1) % 3], q[l], q[(l + 1) % 3]).squared);
    }
    return std::sqrt(squared);
}

} // namespace taffeta
