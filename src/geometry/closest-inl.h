// The closest points of closest.h, for as many pairs as a vector has lanes, with the same bits. Included anew for every
// instruction set.
#if defined(TAFFETA_GEOMETRY_CLOSEST_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAFFETA_GEOMETRY_CLOSEST_INL_H
#undef TAFFETA_GEOMETRY_CLOSEST_INL_H
#else
#define TAFFETA_GEOMETRY_CLOSEST_INL_H
#endif

#include "core/particles-inl.h"

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {

using Doubles = hn::CappedTag<double, 8>;
using W = hn::Vec<Doubles>;

struct Points {
    W x, y, z;
};

// The four vertices of eight pairs, such as vertices and faces.
class EightFours {
public:
    static constexpr std::size_t pairs = 8;

    HWY_INLINE EightFours(const Vec4* HWY_RESTRICT x, const Index (&vertices)[4][pairs]) {
        const Lanes d;
        for (std::size_t v = 0; v < 4; ++v) {
            for (std::size_t first = 0; first < pairs; first += hn::Lanes(d)) {
                const Particles p = load(x, &vertices[v][first]);
                hn::Store(p.x, d, &at_[v][0][first]);
                hn::Store(p.y, d, &at_[v][1][first]);
                hn::Store(p.z, d, &at_[v][2][first]);
            }
        }
    }
    // Of pairs from `first` on.
    HWY_INLINE void get(std::size_t first, Points (&p)[4]) const {
        const Doubles wide;
        const hn::Rebind<float, Doubles> narrow;
        for (std::size_t v = 0; v < 4; ++v)
            p[v] = {hn::PromoteTo(wide, hn::LoadU(narrow, &at_[v][0][first])),
                    hn::PromoteTo(wide, hn::LoadU(narrow, &at_[v][1][first])),
                    hn::PromoteTo(wide, hn::LoadU(narrow, &at_[v][2][first]))};
    }

private:
    alignas(64) float at_[4][3][pairs];
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

// On the edge from a to a + u, to a + r.
struct ClosestOnEdges {
    W squared; // m^2, the distance
    W along;   // 0 .. 1
};
HWY_INLINE ClosestOnEdges find_closest_on_edge(const Points& r, const Points& u) {
    const Doubles d;
    const W squared = dot(u, u), zero = hn::Zero(d);
    const W clamped = hn::Min(hn::Max(hn::Div(dot(r, u), squared), zero), hn::Set(d, 1.0));
    const W along = hn::IfThenElseZero(hn::Gt(squared, zero), clamped);
    const Points apart = subtract(r, scale(u, along));
    return {dot(apart, apart), along};
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

struct ClosestOnTriangles {
    W squared;
    W weight[3];
};
HWY_INLINE ClosestOnTriangles find_closest_on_triangle(const Points& p, const Points& a, const Points& b,
                                                       const Points& c) {
    const Doubles d;
    const W zero = hn::Zero(d), one = hn::Set(d, 1.0);
    const Points u = subtract(b, a), v = subtract(c, a);
    ClosestOnTriangles best;
    const auto take_if = [&](hn::Mask<Doubles> is_closer, W squared, W at_a, W at_b, W at_c) HWY_ATTR {
        best.squared = hn::IfThenElse(is_closer, squared, best.squared);
        best.weight[0] = hn::IfThenElse(is_closer, at_a, best.weight[0]);
        best.weight[1] = hn::IfThenElse(is_closer, at_b, best.weight[1]);
        best.weight[2] = hn::IfThenElse(is_closer, at_c, best.weight[2]);
    };
    const ClosestOnEdges on_ab = find_closest_on_edge(subtract(p, a), u);
    best = {on_ab.squared, {hn::Sub(one, on_ab.along), on_ab.along, zero}};
    const ClosestOnEdges on_bc = find_closest_on_edge(subtract(p, b), subtract(c, b));
    take_if(hn::Lt(on_bc.squared, best.squared), on_bc.squared, zero, hn::Sub(one, on_bc.along), on_bc.along);
    const ClosestOnEdges on_ca = find_closest_on_edge(subtract(p, c), subtract(a, c));
    take_if(hn::Lt(on_ca.squared, best.squared), on_ca.squared, on_ca.along, zero, hn::Sub(one, on_ca.along));

    const PerpendicularFactors inside = find_perpendicular(subtract(p, a), u, v);
    const auto is_positive = hn::And(hn::Ge(inside.s, zero), hn::Ge(inside.t, zero));
    const auto is_inside = hn::And(is_positive, hn::Le(hn::Add(inside.s, inside.t), one));
    const auto is_closer = hn::And(hn::And(is_inside, inside.exists), hn::Lt(inside.squared, best.squared));
    const W at_a = hn::Max(hn::Sub(hn::Sub(one, inside.s), inside.t), zero);
    take_if(is_closer, inside.squared, at_a, inside.s, inside.t);
    return best;
}

struct ClosestOfTwoEdges {
    W squared, s, t;
};
HWY_INLINE ClosestOfTwoEdges find_closest_of_edges(const Points& a0, const Points& a1, const Points& b0,
                                                   const Points& b1) {
    const Doubles d;
    const W zero = hn::Zero(d), one = hn::Set(d, 1.0);
    const Points u = subtract(a1, a0), v = subtract(b1, b0), r = subtract(b0, a0);
    ClosestOfTwoEdges best;
    const auto take_if = [&](hn::Mask<Doubles> is_closer, W squared, W s, W t) HWY_ATTR {
        best.squared = hn::IfThenElse(is_closer, squared, best.squared);
        best.s = hn::IfThenElse(is_closer, s, best.s);
        best.t = hn::IfThenElse(is_closer, t, best.t);
    };
    const ClosestOnEdges of_a0 = find_closest_on_edge(subtract(a0, b0), v);
    best = {of_a0.squared, zero, of_a0.along};
    const ClosestOnEdges of_a1 = find_closest_on_edge(subtract(a1, b0), v);
    take_if(hn::Lt(of_a1.squared, best.squared), of_a1.squared, one, of_a1.along);
    const ClosestOnEdges of_b0 = find_closest_on_edge(r, u);
    take_if(hn::Lt(of_b0.squared, best.squared), of_b0.squared, of_b0.along, zero);
    const ClosestOnEdges of_b1 = find_closest_on_edge(subtract(b1, a0), u);
    take_if(hn::Lt(of_b1.squared, best.squared), of_b1.squared, of_b1.along, one);

    const PerpendicularFactors inside = find_perpendicular(r, u, v); // r - s u - (-t) v
    const W t = hn::Neg(inside.t);
    const auto is_on_a = hn::And(hn::Ge(inside.s, zero), hn::Le(inside.s, one));
    const auto is_on_b = hn::And(hn::Ge(t, zero), hn::Le(t, one));
    const auto is_inside = hn::And(hn::And(is_on_a, is_on_b), inside.exists);
    take_if(hn::And(is_inside, hn::Lt(inside.squared, best.squared)), inside.squared, inside.s, t);
    return best;
}

} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
