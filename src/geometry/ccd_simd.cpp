// Many pairs, as many at a time as a vector holds. The functions with the names of those in continuous.cpp do the same
// operations in the same order, with masks for branches. Read those first.
#include "geometry/ccd.h"

#include "geometry/ccd_bounds.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set and the rest
// once; the fastest one the machine has is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/ccd_simd.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include "core/particles-inl.h"

#ifndef TAFFETA_GEOMETRY_CONTINUOUS_LANES_ONCE
#define TAFFETA_GEOMETRY_CONTINUOUS_LANES_ONCE
namespace taffeta {

enum class Pairing { vertex_face, edge_edge };

constexpr std::size_t corners_of(Pairing pairing) {
    return pairing == Pairing::vertex_face ? 3 : 4;
}

struct ContinuousQuery {
    const Vec4 *x_prev, *x;
    const ContactCandidate* candidates;
    std::size_t count;
    ContinuousOptions options;
};

} // namespace taffeta
#endif

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

#if HWY_TARGET == HWY_SCALAR

// Without vectors, one candidate after the other.
void find_impacts_of(const ContinuousQuery& query, Pairing pairing, std::vector<Impact>& impacts) {
    for (std::size_t k = 0; k < query.count; ++k) {
        std::array<Vec3d, 4> p, q;
        for (std::size_t i = 0; i < 4; ++i) {
            p[i] = vector_cast<double>(query.x_prev[query.candidates[k][i]].xyz());
            q[i] = vector_cast<double>(query.x[query.candidates[k][i]].xyz());
        }
        const std::optional<double> toi =
            pairing == Pairing::vertex_face
                ? find_vertex_face_impact(p[0], q[0], {p[1], p[2], p[3]}, {q[1], q[2], q[3]}, query.options)
                : find_edge_edge_impact({p[0], p[1]}, {q[0], q[1]}, {p[2], p[3]}, {q[2], q[3]}, query.options);
        if (toi) impacts.push_back({static_cast<Index>(k), *toi});
    }
}

#else

using Reals = hn::CappedTag<double, 8>;
using R = hn::Vec<Reals>;
using RMask = hn::Mask<Reals>;

struct Point {
    R x, y, z;
};

HWY_INLINE Point operator+(const Point& a, const Point& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE Point operator-(const Point& a, const Point& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}
HWY_INLINE Point operator*(const Point& a, const R s) {
    return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)};
}
HWY_INLINE R dot(const Point& a, const Point& b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Point cross(const Point& a, const Point& b) {
    return {hn::Sub(hn::Mul(a.y, b.z), hn::Mul(a.z, b.y)), hn::Sub(hn::Mul(a.z, b.x), hn::Mul(a.x, b.z)),
            hn::Sub(hn::Mul(a.x, b.y), hn::Mul(a.y, b.x))};
}
HWY_INLINE R sum_norm(const Point& a) {
    return hn::Add(hn::Add(hn::Abs(a.x), hn::Abs(a.y)), hn::Abs(a.z));
}
HWY_INLINE Point select(const RMask mask, const Point& a, const Point& b) {
    return {hn::IfThenElse(mask, a.x, b.x), hn::IfThenElse(mask, a.y, b.y), hn::IfThenElse(mask, a.z, b.z)};
}

template <std::size_t n>
struct Difference {
    Point start[n], end[n];
    R size;
};

template <std::size_t n>
HWY_INLINE RMask is_apart_along(const R (&start)[n], const R (&end)[n], const R limit_start, const R limit_end) {
    R low0 = start[0], high0 = start[0], low1 = end[0], high1 = end[0];
    for (std::size_t k = 1; k < n; ++k) {
        low0 = hn::Min(low0, start[k]);
        high0 = hn::Max(high0, start[k]);
        low1 = hn::Min(low1, end[k]);
        high1 = hn::Max(high1, end[k]);
    }
    return hn::Or(hn::And(hn::Gt(low0, limit_start), hn::Gt(low1, limit_end)),
                  hn::And(hn::Lt(high0, hn::Neg(limit_start)), hn::Lt(high1, hn::Neg(limit_end))));
}

template <std::size_t n>
HWY_INLINE RMask has_separating_axis(const Difference<n>& c, const ErrorBounds& bounds) {
    const Reals d;
    R start[3][n], end[3][n];
    for (std::size_t k = 0; k < n; ++k) {
        start[0][k] = c.start[k].x, start[1][k] = c.start[k].y, start[2][k] = c.start[k].z;
        end[0][k] = c.end[k].x, end[1][k] = c.end[k].y, end[2][k] = c.end[k].z;
    }
    const R eta = hn::Set(d, bounds.eta), zero = hn::Zero(d);
    return hn::Or(hn::Or(is_apart_along(start[0], end[0], eta, zero), is_apart_along(start[1], end[1], eta, zero)),
                  is_apart_along(start[2], end[2], eta, zero));
}

template <std::size_t n>
HWY_INLINE RMask separates(const Point& direction, const Difference<n>& c, const ErrorBounds& bounds) {
    const Reals d;
    const R norm = sum_norm(direction);
    const R error = hn::Add(hn::Mul(hn::Set(d, bounds.direction), hn::Mul(norm, c.size)), hn::Set(d, bounds.tiny));
    R start[n], end[n];
    for (std::size_t k = 0; k < n; ++k) {
        start[k] = dot(direction, c.start[k]);
        end[k] = dot(direction, c.end[k]);
    }
    return is_apart_along(start, end, hn::Add(error, hn::Mul(hn::Set(d, bounds.eta), norm)), error);
}

template <std::size_t n>
HWY_INLINE RMask is_never_coplanar(const Difference<n>& c, const Point& normal0, const Point& normal1,
                                   const ErrorBounds& bounds) {
    const Reals d;
    const Point e0 = c.start[1] - c.start[0], g0 = c.start[n - 1] - c.start[0];
    const Point e1 = c.end[1] - c.end[0], g1 = c.end[n - 1] - c.end[0];
    const Point middle = cross(e0, g1) + cross(e1, g0);
    const R b0 = dot(normal0, c.start[0]), b3 = dot(normal1, c.end[0]);
    const R b1 = hn::Add(dot(normal0, c.end[0]), dot(middle, c.start[0]));
    const R b2 = hn::Add(dot(normal1, c.start[0]), dot(middle, c.end[0]));
    const R cube = hn::Mul(hn::Mul(c.size, c.size), c.size);
    const R error = hn::Add(hn::Mul(hn::Set(d, bounds.cubic), cube), hn::Set(d, bounds.tiny));
    const R first = hn::Add(error, hn::Mul(hn::Set(d, bounds.eta), sum_norm(normal0)));
    const R low = hn::Min(hn::Min(b1, b2), b3), high = hn::Max(hn::Max(b1, b2), b3);
    return hn::Or(hn::And(hn::Gt(b0, first), hn::Gt(low, error)),
                  hn::And(hn::Lt(b0, hn::Neg(first)), hn::Lt(high, hn::Neg(error))));
}

template <std::size_t n>
HWY_INLINE Point find_nearest(const Point (&c)[n]) {
    const Reals d;
    const R zero = hn::Zero(d), one = hn::Set(d, 1.0), least = hn::Set(d, least_divisor);
    const Point normal = cross(c[1] - c[0], c[n - 1] - c[0]);
    const R height = dot(normal, c[0]);
    Point nearest = {};
    R nearest_square = zero;
    RMask is_inside = hn::MaskFromVec(zero);
    for (std::size_t k = 0; k < n; ++k) {
        const Point& next = c[(k + 1) % n];
        const RMask is_left = hn::Gt(dot(normal, cross(c[k], next)), zero);
        const Point edge = next - c[k];
        const R part = hn::Div(hn::Neg(dot(c[k], edge)), hn::Max(dot(edge, edge), least));
        const Point q = c[k] + edge * hn::Min(hn::Max(part, zero), one);
        const R square = dot(q, q);
        if (k == 0) {
            is_inside = is_left;
            nearest = q;
            nearest_square = square;
        } else {
            const RMask is_nearer = hn::Lt(square, nearest_square);
            is_inside = hn::And(is_inside, is_left);
            nearest = select(is_nearer, q, nearest);
            nearest_square = hn::IfThenElse(is_nearer, square, nearest_square);
        }
    }
    return select(is_inside, normal * hn::Div(height, hn::Max(dot(normal, normal), least)), nearest);
}

// Returns the lanes in which there may be contact; `toi` receives their times.
template <std::size_t n>
HWY_INLINE RMask advance(const Difference<n>& c, const ErrorBounds& bounds, int rounds, R& toi) {
    const Reals d;
    const R zero = hn::Zero(d), one = hn::Set(d, 1.0), eta = hn::Set(d, bounds.eta), least = hn::Set(d, least_progress);
    const R shrink = hn::Set(d, bounds.shrink), grow = hn::Set(d, bounds.grow);
    toi = zero;
    RMask may_touch = hn::Lt(zero, one), moves = may_touch;
    for (int round = 0; round < rounds; ++round) {
        Point at[n];
        for (std::size_t k = 0; k < n; ++k) at[k] = c.start[k] + (c.end[k] - c.start[k]) * toi;
        const Point v = find_nearest(at);

        const R norm = sum_norm(v);
        const R error = hn::Add(hn::Mul(hn::Set(d, bounds.direction), hn::Mul(norm, c.size)), hn::Set(d, bounds.tiny));
        R end = hn::Set(d, beyond), least_a = hn::Set(d, std::numeric_limits<double>::max());
        RMask is_certain = hn::Gt(dot(v, v), hn::Mul(eta, eta));
        for (std::size_t k = 0; k < n; ++k) {
            const R a = hn::Sub(dot(v, c.start[k]), error), b = hn::Sub(dot(v, c.end[k]), error);
            const R root = hn::Div(a, hn::Sub(a, b));
            const RMask starts = hn::Gt(a, zero), ends = hn::Gt(b, zero);
            const RMask is_later = hn::And(ends, hn::Gt(toi, hn::Mul(root, grow)));
            is_certain = hn::And(is_certain, hn::Or(starts, is_later));
            end = hn::IfThenElse(ends, end, hn::Min(end, hn::Mul(root, shrink)));
            least_a = hn::Min(least_a, a);
        }
        is_certain = hn::And(is_certain, hn::Or(hn::Gt(toi, zero), hn::Gt(least_a, hn::Mul(eta, norm))));

        const RMask goes_on = hn::And(is_certain, hn::Gt(end, hn::Add(toi, least)));
        const RMask is_free = hn::And(goes_on, hn::Gt(end, one));
        may_touch = hn::AndNot(hn::And(moves, is_free), may_touch);
        moves = hn::AndNot(is_free, hn::And(moves, goes_on));
        if (hn::AllFalse(d, moves)) break;
        toi = hn::IfThenElse(moves, end, toi);
    }
    return may_touch;
}

// Candidates whose particles stand side by side, as many as a vector of floats holds.
constexpr std::size_t group = 8;

struct Gathered {
    alignas(32) Index particle[4][group];

    HWY_INLINE void take(const ContinuousQuery& query, const Index* chosen, std::size_t count) {
        for (std::size_t lane = 0; lane < hn::Lanes(Lanes()); ++lane) {
            const ContactCandidate& candidate = query.candidates[chosen[std::min(lane, count - 1)]];
            for (std::size_t k = 0; k < 4; ++k) particle[k][lane] = candidate[k];
        }
    }
};

// Appends those of `chosen` whose bit is set.
template <class D>
HWY_INLINE std::size_t append(D d, hn::Mask<D> mask, const Index* chosen, std::size_t count, Index* kept,
                              std::size_t kept_count) {
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(d, mask, bits);
    const std::size_t lanes = std::min(count, hn::Lanes(d));
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        kept[kept_count] = chosen[lane];
        kept_count += (bits[0] >> lane) & 1u;
    }
    return kept_count;
}

struct Extent {
    V low[3], high[3];
};

HWY_INLINE Extent extent_of(const Particles* p, std::size_t count) {
    Extent extent = {{p[0].x, p[0].y, p[0].z}, {p[0].x, p[0].y, p[0].z}};
    for (std::size_t k = 1; k < count; ++k) {
        const V at[3] = {p[k].x, p[k].y, p[k].z};
        for (std::size_t axis = 0; axis < 3; ++axis) {
            extent.low[axis] = hn::Min(extent.low[axis], at[axis]);
            extent.high[axis] = hn::Max(extent.high[axis], at[axis]);
        }
    }
    return extent;
}

// The axes first in floats, on twice as many lanes and without corners: what they hold apart, has_separating_axis holds
// apart as well. Keeps all that is not finite.
template <Pairing pairing>
std::size_t keep_near(const ContinuousQuery& query, const Index* chosen, std::size_t count, float eta, Index* kept) {
    const Lanes d;
    const V zero = hn::Zero(d), near = hn::Set(d, eta);
    constexpr std::size_t first = pairing == Pairing::vertex_face ? 1 : 2; // particles of the first primitive
    std::size_t kept_count = 0;
    for (std::size_t begin = 0; begin < count; begin += hn::Lanes(d)) {
        Gathered gathered;
        gathered.take(query, chosen + begin, count - begin);
        Particles p[2][4];
        V nothing = zero; // not a number if anything is not finite
        Extent one[2], other[2];
        for (std::size_t end = 0; end < 2; ++end) {
            for (std::size_t k = 0; k < 4; ++k) {
                p[end][k] = load(end == 0 ? query.x_prev : query.x, gathered.particle[k]);
                nothing = hn::Add(nothing, hn::Mul(zero, p[end][k].x));
                nothing = hn::Add(nothing, hn::Mul(zero, p[end][k].y));
                nothing = hn::Add(nothing, hn::Mul(zero, p[end][k].z));
            }
            one[end] = extent_of(p[end], first);
            other[end] = extent_of(p[end] + first, 4 - first);
        }
        auto is_apart = hn::MaskFromVec(zero);
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const V above0 = hn::Sub(one[0].low[axis], other[0].high[axis]);
            const V above1 = hn::Sub(one[1].low[axis], other[1].high[axis]);
            const V below0 = hn::Sub(other[0].low[axis], one[0].high[axis]);
            const V below1 = hn::Sub(other[1].low[axis], one[1].high[axis]);
            is_apart = hn::Or(is_apart, hn::And(hn::Gt(above0, near), hn::Gt(above1, zero)));
            is_apart = hn::Or(is_apart, hn::And(hn::Gt(below0, near), hn::Gt(below1, zero)));
        }
        is_apart = hn::And(is_apart, hn::Eq(nothing, zero));
        kept_count = append(d, hn::Not(is_apart), chosen + begin, count - begin, kept, kept_count);
    }
    return kept_count;
}

// Particles of up to `group` candidates in floats, by end of the step, place and coordinate.
struct Places {
    alignas(64) float at[2][4][3][group];

    HWY_INLINE void take(const ContinuousQuery& query, const Index* chosen, std::size_t count) {
        const Lanes d;
        Gathered gathered;
        gathered.take(query, chosen, count);
        for (std::size_t end = 0; end < 2; ++end) {
            for (std::size_t k = 0; k < 4; ++k) {
                const Particles p = load(end == 0 ? query.x_prev : query.x, gathered.particle[k]);
                hn::Store(p.x, d, at[end][k][0]);
                hn::Store(p.y, d, at[end][k][1]);
                hn::Store(p.z, d, at[end][k][2]);
            }
        }
    }

    HWY_INLINE Point point(std::size_t end, std::size_t k, std::size_t lane) const {
        const Reals d;
        const hn::Rebind<float, Reals> f;
        return {hn::PromoteTo(d, hn::LoadU(f, at[end][k][0] + lane)),
                hn::PromoteTo(d, hn::LoadU(f, at[end][k][1] + lane)),
                hn::PromoteTo(d, hn::LoadU(f, at[end][k][2] + lane))};
    }

    // Lanes that are not finite get corners of no size, which are in contact at once.
    template <Pairing pairing>
    HWY_INLINE Difference<corners_of(pairing)> difference(std::size_t lane) const {
        const Reals d;
        constexpr std::size_t n = corners_of(pairing);
        Difference<n> c;
        R nothing = hn::Zero(d);
        for (std::size_t end = 0; end < 2; ++end) {
            Point p[4];
            for (std::size_t k = 0; k < 4; ++k) {
                p[k] = point(end, k, lane);
                nothing = hn::Add(nothing, hn::Mul(hn::Zero(d), hn::Add(hn::Add(p[k].x, p[k].y), p[k].z)));
            }
            Point* corner = end == 0 ? c.start : c.end;
            if constexpr (pairing == Pairing::vertex_face) {
                for (std::size_t k = 0; k < 3; ++k) corner[k] = p[0] - p[k + 1];
            } else {
                corner[0] = p[0] - p[2], corner[1] = p[1] - p[2];
                corner[2] = p[1] - p[3], corner[3] = p[0] - p[3];
            }
        }
        const RMask is_good = hn::Eq(nothing, hn::Zero(d));
        const Point origin = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
        c.size = hn::Zero(d);
        for (std::size_t k = 0; k < n; ++k) {
            for (Point* corner : {&c.start[k], &c.end[k]}) {
                *corner = select(is_good, *corner, origin);
                c.size = hn::Max(c.size, hn::Max(hn::Max(hn::Abs(corner->x), hn::Abs(corner->y)), hn::Abs(corner->z)));
            }
        }
        return c;
    }
};

template <Pairing pairing>
std::size_t keep_coplanar(const ContinuousQuery& query, const ErrorBounds& bounds, const Index* chosen,
                          std::size_t count, Index* kept) {
    const Reals d;
    constexpr std::size_t n = corners_of(pairing);
    std::size_t kept_count = 0;
    for (std::size_t begin = 0; begin < count; begin += hn::Lanes(Lanes())) {
        Places places;
        places.take(query, chosen + begin, count - begin);
        const std::size_t end = std::min(count, begin + hn::Lanes(Lanes()));
        for (std::size_t first = begin; first < end; first += hn::Lanes(d)) {
            const Difference<n> c = places.difference<pairing>(first - begin);
            const Point normal0 = cross(c.start[1] - c.start[0], c.start[n - 1] - c.start[0]);
            const Point normal1 = cross(c.end[1] - c.end[0], c.end[n - 1] - c.end[0]);
            RMask is_free = has_separating_axis(c, bounds);
            is_free = hn::Or(is_free, separates(normal0, c, bounds));
            is_free = hn::Or(is_free, separates(normal1, c, bounds));
            is_free = hn::Or(is_free, is_never_coplanar(c, normal0, normal1, bounds));
            kept_count = append(d, hn::Not(is_free), chosen + first, count - first, kept, kept_count);
        }
    }
    return kept_count;
}

template <Pairing pairing>
void append_impacts(const ContinuousQuery& query, const ErrorBounds& bounds, const Index* chosen, std::size_t count,
                    std::vector<Impact>& impacts) {
    const Reals d;
    for (std::size_t begin = 0; begin < count; begin += hn::Lanes(Lanes())) {
        Places places;
        places.take(query, chosen + begin, count - begin);
        const std::size_t end = std::min(count, begin + hn::Lanes(Lanes()));
        for (std::size_t first = begin; first < end; first += hn::Lanes(d)) {
            R toi;
            const RMask may_touch =
                advance(places.difference<pairing>(first - begin), bounds, query.options.rounds, toi);
            std::uint8_t bits[8] = {};
            hn::StoreMaskBits(d, may_touch, bits);
            alignas(64) double times[8];
            hn::Store(toi, d, times);
            for (std::size_t lane = 0; lane < std::min(hn::Lanes(d), count - first); ++lane)
                if (((bits[0] >> lane) & 1u) != 0) impacts.push_back({chosen[first + lane], times[lane]});
        }
    }
}

// Stage after stage, what is left packed anew before each.
template <Pairing pairing>
void find_impacts(const ContinuousQuery& query, std::vector<Impact>& impacts) {
    constexpr std::size_t block = 1024; // three lists of them are far from filling the nearest cache
    const ErrorBounds bounds(query.options);
    auto eta = static_cast<float>(bounds.eta);
    if (eta < bounds.eta) eta = std::nextafter(eta, std::numeric_limits<float>::infinity());
    Index all[block], near[block], left[block];
    for (std::size_t begin = 0; begin < query.count; begin += block) {
        const std::size_t count = std::min(block, query.count - begin);
        for (std::size_t k = 0; k < count; ++k) all[k] = static_cast<Index>(begin + k);
        const std::size_t near_count = keep_near<pairing>(query, all, count, eta, near);
        const std::size_t left_count = keep_coplanar<pairing>(query, bounds, near, near_count, left);
        append_impacts<pairing>(query, bounds, left, left_count, impacts);
    }
}

void find_impacts_of(const ContinuousQuery& query, Pairing pairing, std::vector<Impact>& impacts) {
    if (pairing == Pairing::vertex_face) find_impacts<Pairing::vertex_face>(query, impacts);
    if (pairing == Pairing::edge_edge) find_impacts<Pairing::edge_edge>(query, impacts);
}

#endif

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(find_impacts_of);

namespace {

void find_impacts(Pairing pairing, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                  std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                  const ContinuousOptions& options) {
    assert(x.size() == x_prev.size() && options.eta >= 0);
    HWY_DYNAMIC_DISPATCH(find_impacts_of)
    ({x_prev.data(), x.data(), candidates.data(), candidates.size(), options}, pairing, impacts);
}

} // namespace

void find_vertex_face_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x,
                              std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                              const ContinuousOptions& options) {
    find_impacts(Pairing::vertex_face, x_prev, x, candidates, impacts, options);
}

void find_edge_edge_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x,
                            std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                            const ContinuousOptions& options) {
    find_impacts(Pairing::edge_edge, x_prev, x, candidates, impacts, options);
}

} // namespace taffeta
#endif
