#include "geometry/continuous.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

// Highway compiles the part between HWY_BEFORE_NAMESPACE and HWY_AFTER_NAMESPACE once per instruction set and the rest
// once; the fastest one the machine has is chosen when the program runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "geometry/continuous.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include "core/particles-inl.h"

#ifndef TAFFETA_GEOMETRY_CONTINUOUS_ONCE
#define TAFFETA_GEOMETRY_CONTINUOUS_ONCE
namespace taffeta {

enum class Meeting { vertex_face, edge_edge };

constexpr std::size_t corners_of(Meeting meeting) {
    return meeting == Meeting::vertex_face ? 3 : 4;
}

// The bounds that docs/continuous.md proves, in its words.
struct ErrorBounds {
    static constexpr double u = 0x1p-53; // the unit roundoff

    double eta, direction, cubic, tiny, shrink, grow;

    explicit ErrorBounds(const ContinuousOptions& options)
        : eta(options.eta), direction(options.error_bounds * 16 * u), cubic(options.error_bounds * 1024 * u),
          tiny(options.error_bounds * 1e-300), shrink(1 - options.error_bounds * 4 * u),
          grow(1 + options.error_bounds * 4 * u) {}
};

constexpr double least_divisor = 1e-300;   // so that there are quotients for edges and faces without size
constexpr double least_progress = 0x1p-30; // of the step; below it, pairs at metres per step are well within eta
constexpr double beyond = 2;               // a time behind the end of the step

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
void find_impacts_of(const ContinuousQuery& query, Meeting meeting, std::vector<Impact>& impacts) {
    for (std::size_t k = 0; k < query.count; ++k) {
        std::array<Vec3d, 4> p, q;
        for (std::size_t i = 0; i < 4; ++i) {
            p[i] = vector_cast<double>(query.x_prev[query.candidates[k][i]].xyz());
            q[i] = vector_cast<double>(query.x[query.candidates[k][i]].xyz());
        }
        const std::optional<double> toi =
            meeting == Meeting::vertex_face
                ? find_vertex_face_impact(p[0], q[0], {p[1], p[2], p[3]}, {q[1], q[2], q[3]}, query.options)
                : find_edge_edge_impact({p[0], p[1]}, {q[0], q[1]}, {p[2], p[3]}, {q[2], q[3]}, query.options);
        if (toi) impacts.push_back({static_cast<Index>(k), *toi});
    }
}

#else

// The vector form of the functions at the end of this file: the same operations in the same order, with masks for
// branches. Read those first.

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
template <Meeting meeting>
std::size_t keep_near(const ContinuousQuery& query, const Index* chosen, std::size_t count, float eta, Index* kept) {
    const Lanes d;
    const V zero = hn::Zero(d), near = hn::Set(d, eta);
    constexpr std::size_t first = meeting == Meeting::vertex_face ? 1 : 2; // particles of the first primitive
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
    template <Meeting meeting>
    HWY_INLINE Difference<corners_of(meeting)> difference(std::size_t lane) const {
        const Reals d;
        constexpr std::size_t n = corners_of(meeting);
        Difference<n> c;
        R nothing = hn::Zero(d);
        for (std::size_t end = 0; end < 2; ++end) {
            Point p[4];
            for (std::size_t k = 0; k < 4; ++k) {
                p[k] = point(end, k, lane);
                nothing = hn::Add(nothing, hn::Mul(hn::Zero(d), hn::Add(hn::Add(p[k].x, p[k].y), p[k].z)));
            }
            Point* corner = end == 0 ? c.start : c.end;
            if constexpr (meeting == Meeting::vertex_face) {
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

template <Meeting meeting>
std::size_t keep_coplanar(const ContinuousQuery& query, const ErrorBounds& bounds, const Index* chosen,
                          std::size_t count, Index* kept) {
    const Reals d;
    constexpr std::size_t n = corners_of(meeting);
    std::size_t kept_count = 0;
    for (std::size_t begin = 0; begin < count; begin += hn::Lanes(Lanes())) {
        Places places;
        places.take(query, chosen + begin, count - begin);
        const std::size_t end = std::min(count, begin + hn::Lanes(Lanes()));
        for (std::size_t first = begin; first < end; first += hn::Lanes(d)) {
            const Difference<n> c = places.difference<meeting>(first - begin);
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

template <Meeting meeting>
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
                advance(places.difference<meeting>(first - begin), bounds, query.options.rounds, toi);
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
template <Meeting meeting>
void find_impacts(const ContinuousQuery& query, std::vector<Impact>& impacts) {
    constexpr std::size_t block = 1024; // three lists of them are far from filling the nearest cache
    const ErrorBounds bounds(query.options);
    auto eta = static_cast<float>(bounds.eta);
    if (eta < bounds.eta) eta = std::nextafter(eta, std::numeric_limits<float>::infinity());
    Index all[block], near[block], left[block];
    for (std::size_t begin = 0; begin < query.count; begin += block) {
        const std::size_t count = std::min(block, query.count - begin);
        for (std::size_t k = 0; k < count; ++k) all[k] = static_cast<Index>(begin + k);
        const std::size_t near_count = keep_near<meeting>(query, all, count, eta, near);
        const std::size_t left_count = keep_coplanar<meeting>(query, bounds, near, near_count, left);
        append_impacts<meeting>(query, bounds, left, left_count, impacts);
    }
}

void find_impacts_of(const ContinuousQuery& query, Meeting meeting, std::vector<Impact>& impacts) {
    if (meeting == Meeting::vertex_face) find_impacts<Meeting::vertex_face>(query, impacts);
    if (meeting == Meeting::edge_edge) find_impacts<Meeting::edge_edge>(query, impacts);
}

#endif

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(find_impacts_of);

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

void find_impacts(Meeting meeting, std::span<const Vec4> x_prev, std::span<const Vec4> x,
                  std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                  const ContinuousOptions& options) {
    assert(x.size() == x_prev.size() && options.eta >= 0);
    HWY_DYNAMIC_DISPATCH(find_impacts_of)
    ({x_prev.data(), x.data(), candidates.data(), candidates.size(), options}, meeting, impacts);
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

void find_vertex_face_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x,
                              std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                              const ContinuousOptions& options) {
    find_impacts(Meeting::vertex_face, x_prev, x, candidates, impacts, options);
}

void find_edge_edge_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x,
                            std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                            const ContinuousOptions& options) {
    find_impacts(Meeting::edge_edge, x_prev, x, candidates, impacts, options);
}

} // namespace taffeta
#endif
