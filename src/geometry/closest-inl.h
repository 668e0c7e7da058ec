// Squared distances as in closest.h, for as many pairs as a vector has lanes, with the same bits. Included anew for
// every instruction set.
#if defined(TAFFETA_GEOMETRY_CLOSEST_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAFFETA_GEOMETRY_CLOSEST_INL_H
#undef TAFFETA_GEOMETRY_CLOSEST_INL_H
#else
#define TAFFETA_GEOMETRY_CLOSEST_INL_H
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using W = hn::Vec<Doubles>;

struct Points {
    W x, y, z;
};

HWY_INLINE Points subtract(const Points& a, const Points& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Points scale(const Points& a, const W s) {
    return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)};
}
HWY_INLINE W dot(const Points& a, const Points& b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Points cross(const Points& a, const Points& b) {
    return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
            hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}

// From a + r to the edge from a to a + u.
HWY_INLINE W squared_to_edge(const Points& r, const Points& u) {
    const Doubles d;
    const W squared = dot(u, u), zero = hn::Zero(d);
    const W along = hn::Min(hn::Max(hn::Div(dot(r, u), squared), zero), hn::Set(d, 1.0));
    const Points apart = subtract(r, scale(u, hn::IfThenElseZero(hn::Gt(squared, zero), along)));
    return dot(apart, apart);
}

// r - s u - t v is perpendicular to u and v, where n . n > 0.
struct PerpendicularFactors {
    W s, t, squared; // m^2, of what is left of r
    hn::Mask<Doubles> exists;
};
HWY_INLINE PerpendicularFactors find_perpendicular(const Points& r, const Points& u, const Points& v) {
    const Doubles d;
    const Points n = cross(u, v);
    const W squared = dot(n, n);
    W s = hn::Zero(d), t = s;
    Points rest = r;
    for (int round = 0; round < 2; ++round) {
        s = hn::Add(s, hn::Div(dot(cross(rest, v), n), squared));
        t = hn::Add(t, hn::Div(dot(cross(u, rest), n), squared));
        rest = subtract(subtract(r, scale(u, s)), scale(v, t));
    }
    return {s, t, dot(rest, rest), hn::Gt(squared, hn::Zero(d))};
}

HWY_INLINE W squared_to_triangle(const Points& p, const Points (&corners)[3]) {
    const Doubles d;
    const Points u = subtract(corners[1], corners[0]), v = subtract(corners[2], corners[0]);
    W best = squared_to_edge(subtract(p, corners[0]), u);
    best = hn::Min(best, squared_to_edge(subtract(p, corners[1]), subtract(corners[2], corners[1])));
    best = hn::Min(best, squared_to_edge(subtract(p, corners[2]), subtract(corners[0], corners[2])));
    const PerpendicularFactors inside = find_perpendicular(subtract(p, corners[0]), u, v);
    const auto is_positive = hn::And(hn::Ge(inside.s, hn::Zero(d)), hn::Ge(inside.t, hn::Zero(d)));
    const auto is_inside = hn::And(is_positive, hn::Le(hn::Add(inside.s, inside.t), hn::Set(d, 1.0)));
    return hn::IfThenElse(hn::And(is_inside, inside.exists), hn::Min(best, inside.squared), best);
}

HWY_INLINE W squared_of_edges(const Points& a0, const Points& a1, const Points& b0, const Points& b1) {
    const Doubles d;
    const W zero = hn::Zero(d), one = hn::Set(d, 1.0);
    const Points u = subtract(a1, a0), v = subtract(b1, b0), r = subtract(b0, a0);
    W best = squared_to_edge(subtract(a0, b0), v);
    best = hn::Min(best, squared_to_edge(subtract(a1, b0), v));
    best = hn::Min(best, squared_to_edge(r, u));
    best = hn::Min(best, squared_to_edge(subtract(b1, a0), u));
    const PerpendicularFactors inside = find_perpendicular(r, u, v);
    const W t = hn::Neg(inside.t);
    const auto is_on_a = hn::And(hn::Ge(inside.s, zero), hn::Le(inside.s, one));
    const auto is_on_b = hn::And(hn::Ge(t, zero), hn::Le(t, one));
    const auto is_inside = hn::And(hn::And(is_on_a, is_on_b), inside.exists);
    return hn::IfThenElse(is_inside, hn::Min(best, inside.squared), best);
}

} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
