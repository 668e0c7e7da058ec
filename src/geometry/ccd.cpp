// One pair at a time, to be read first. continuous_lanes.cpp does the same with vectors, to the last bit: what changes
// here changes there.
#include "geometry/ccd.h"

#include "geometry/ccd_bounds.h"

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

// The corners of the difference at both ends of the step, around the triangle or parallelogram.
template <std::size_t n>
struct Difference {
    std::array<Vec3d, n> start, end;
    double size = 0; // the largest component of all
};

double sum_norm(const Vec3d& a) {
    return std::abs(a.x) + std::abs(a.y) + std::abs(a.z);
}

// False if there is anything that is not finite, or too large.
template <std::size_t n>
bool measure(Difference<n>& c) {
    constexpr double most = 0x1p200; // no product of four overflows, nor a quotient of it by the least divisor
    bool is_good = true;
    for (const std::array<Vec3d, n>* corners : {&c.start, &c.end}) {
        for (const Vec3d& corner : *corners) {
            const double x = std::abs(corner.x), y = std::abs(corner.y), z = std::abs(corner.z);
            is_good = is_good && x <= most && y <= most && z <= most;
            c.size = std::max(c.size, std::max(std::max(x, y), z));
        }
    }
    return is_good;
}

// All beyond the limits on one side, at the start and at the end: and so in between.
template <std::size_t n>
bool is_apart_along(const std::array<double, n>& start, const std::array<double, n>& end, double limit_start,
                    double limit_end) {
    double low0 = start[0], high0 = start[0], low1 = end[0], high1 = end[0];
    for (std::size_t k = 1; k < n; ++k) {
        low0 = std::min(low0, start[k]);
        high0 = std::max(high0, start[k]);
        low1 = std::min(low1, end[k]);
        high1 = std::max(high1, end[k]);
    }
    return (low0 > limit_start && low1 > limit_end) || (high0 < -limit_start && high1 < -limit_end);
}

// Signs of differences are exact, and rounding keeps order: no bound is needed.
template <std::size_t n>
bool has_separating_axis(const Difference<n>& c, const ErrorBounds& bounds) {
    for (int axis = 0; axis < 3; ++axis) {
        std::array<double, n> start, end;
        for (std::size_t k = 0; k < n; ++k) start[k] = c.start[k][axis], end[k] = c.end[k][axis];
        if (is_apart_along(start, end, bounds.eta, 0)) return true;
    }
    return false;
}

// Whatever the direction is and however it was found. With the sum norm for the length, eta is met with some to spare.
template <std::size_t n>
bool separates(const Vec3d& direction, const Difference<n>& c, const ErrorBounds& bounds) {
    const double norm = sum_norm(direction);
    const double error = bounds.direction * (norm * c.size) + bounds.tiny;
    std::array<double, n> start, end;
    for (std::size_t k = 0; k < n; ++k) {
        start[k] = dot(direction, c.start[k]);
        end[k] = dot(direction, c.end[k]);
    }
    return is_apart_along(start, end, error + bounds.eta * norm, error);
}

// det(e, g, c0)(t), a cubic, is 0 when the origin is in the plane of the corners; it is not if its four coefficients in
// the basis of Bernstein (the inner ones times three) have one sign.
template <std::size_t n>
bool is_never_coplanar(const Difference<n>& c, const Vec3d& normal0, const Vec3d& normal1, const ErrorBounds& bounds) {
    const Vec3d e0 = c.start[1] - c.start[0], g0 = c.start[n - 1] - c.start[0];
    const Vec3d e1 = c.end[1] - c.end[0], g1 = c.end[n - 1] - c.end[0];
    const Vec3d middle = cross(e0, g1) + cross(e1, g0);
    const double b0 = dot(normal0, c.start[0]), b3 = dot(normal1, c.end[0]);
    const double b1 = dot(normal0, c.end[0]) + dot(middle, c.start[0]);
    const double b2 = dot(normal1, c.start[0]) + dot(middle, c.end[0]);
    const double error = bounds.cubic * (c.size * c.size * c.size) + bounds.tiny;
    const double first = error + bounds.eta * sum_norm(normal0);
    return (b0 > first && std::min({b1, b2, b3}) > error) || (b0 < -first && std::max({b1, b2, b3}) < -error);
}

// The point of a triangle or parallelogram that is nearest to the origin, to rounding: above its inside, or on an edge.
template <std::size_t n>
Vec3d find_nearest(const std::array<Vec3d, n>& c) {
    const Vec3d normal = cross(c[1] - c[0], c[n - 1] - c[0]);
    bool is_inside = true;
    Vec3d nearest;
    double nearest_square = 0;
    for (std::size_t k = 0; k < n; ++k) {
        const Vec3d &here = c[k], &next = c[(k + 1) % n];
        is_inside = is_inside && dot(normal, cross(here, next)) > 0;
        const Vec3d edge = next - here;
        const double part = -dot(here, edge) / std::max(dot(edge, edge), least_divisor);
        const Vec3d q = here + edge * std::min(std::max(part, 0.0), 1.0);
        const double square = dot(q, q);
        if (k == 0 || square < nearest_square) nearest = q, nearest_square = square;
    }
    if (!is_inside) return nearest;
    return normal * (dot(normal, c[0]) / std::max(dot(normal, normal), least_divisor));
}

// A span of time in which a direction holds the corners apart from the origin. Their projections are linear in time:
// each ends it where it falls to 0, and must have risen above 0 before the span begins at `toi`.
struct Window {
    bool is_certain = true;
    double end = beyond;
};

template <std::size_t n>
Window find_window(const Vec3d& v, const Difference<n>& c, double toi, const ErrorBounds& bounds) {
    const double norm = sum_norm(v);
    const double error = bounds.direction * (norm * c.size) + bounds.tiny;
    Window window;
    for (std::size_t k = 0; k < n; ++k) {
        const double a = dot(v, c.start[k]) - error, b = dot(v, c.end[k]) - error; // at most the true ones
        if (toi == 0 && !(a > bounds.eta * norm)) return {.is_certain = false};
        if (a <= 0 && !(b > 0 && toi > a / (a - b) * bounds.grow)) return {.is_certain = false};
        if (b <= 0) window.end = std::min(window.end, a / (a - b) * bounds.shrink);
    }
    return window;
}

// From certain window to certain window, each along the way to what is nearest when it begins.
template <std::size_t n>
std::optional<double> advance(const Difference<n>& c, const ContinuousOptions& options, const ErrorBounds& bounds) {
    double toi = 0; // all before it is free
    for (int round = 0; round < options.rounds; ++round) {
        std::array<Vec3d, n> at;
        for (std::size_t k = 0; k < n; ++k) at[k] = c.start[k] + (c.end[k] - c.start[k]) * toi;
        const Vec3d v = find_nearest(at);
        if (!(dot(v, v) > bounds.eta * bounds.eta)) return toi;
        const Window window = find_window(v, c, toi, bounds);
        if (!window.is_certain || !(window.end > toi + least_progress)) return toi;
        if (window.end > 1) return {};
        toi = window.end;
    }
    return toi;
}

template <std::size_t n>
std::optional<double> find_impact(Difference<n>& c, const ContinuousOptions& options) {
    if (!measure(c)) return 0.0;
    const ErrorBounds bounds(options);
    if (has_separating_axis(c, bounds)) return {};
    const Vec3d normal0 = cross(c.start[1] - c.start[0], c.start[n - 1] - c.start[0]);
    const Vec3d normal1 = cross(c.end[1] - c.end[0], c.end[n - 1] - c.end[0]);
    if (separates(normal0, c, bounds) || separates(normal1, c, bounds)) return {};
    if (is_never_coplanar(c, normal0, normal1, bounds)) return {};
    return advance(c, options, bounds);
}

} // namespace

std::optional<double> find_vertex_face_impact(const Vec3d& p0, const Vec3d& p1, const std::array<Vec3d, 3>& f0,
                                              const std::array<Vec3d, 3>& f1, const ContinuousOptions& options) {
    Difference<3> c;
    for (std::size_t k = 0; k < 3; ++k) {
        c.start[k] = p0 - f0[k];
        c.end[k] = p1 - f1[k];
    }
    return find_impact(c, options);
}

std::optional<double> find_edge_edge_impact(const std::array<Vec3d, 2>& a0, const std::array<Vec3d, 2>& a1,
                                            const std::array<Vec3d, 2>& b0, const std::array<Vec3d, 2>& b1,
                                            const ContinuousOptions& options) {
    Difference<4> c = {.start = {a0[0] - b0[0], a0[1] - b0[0], a0[1] - b0[1], a0[0] - b0[1]},
                       .end = {a1[0] - b1[0], a1[1] - b1[0], a1[1] - b1[1], a1[0] - b1[1]}};
    return find_impact(c, options);
}

} // namespace taffeta
