// The truth about moving vertices, faces and edges whose coordinates are whole numbers, without any rounding.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta::test {

__extension__ using Int128 = __int128;
__extension__ using Unsigned128 = unsigned __int128;

// A whole number of 256 bits, in two's complement. Nothing here comes near its ends.
struct Int256 {
    std::array<std::uint64_t, 4> limb = {}; // the lowest first

    int sign() const {
        if ((limb[3] >> 63) != 0) return -1;
        return limb == std::array<std::uint64_t, 4>{} ? 0 : 1;
    }
    Int256 operator+(const Int256& o) const {
        Int256 sum;
        Unsigned128 carry = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            carry += static_cast<Unsigned128>(limb[k]) + o.limb[k];
            sum.limb[k] = static_cast<std::uint64_t>(carry);
            carry >>= 64;
        }
        return sum;
    }
    Int256 operator-() const {
        Int256 flipped;
        for (std::size_t k = 0; k < 4; ++k) flipped.limb[k] = ~limb[k];
        return flipped + Int256{{1, 0, 0, 0}};
    }
};

inline Int256 multiply(Int128 a, Int128 b) {
    const auto high = [](Unsigned128 x) { return static_cast<std::uint64_t>(x >> 64); };
    const auto low = [](Unsigned128 x) { return static_cast<std::uint64_t>(x); };
    const auto size = [](Int128 x) { return x < 0 ? -static_cast<Unsigned128>(x) : static_cast<Unsigned128>(x); };
    const auto times = [](std::uint64_t x, std::uint64_t y) { return static_cast<Unsigned128>(x) * y; };
    const Unsigned128 p = size(a), q = size(b);
    const Unsigned128 ll = times(low(p), low(q)), lh = times(low(p), high(q));
    const Unsigned128 hl = times(high(p), low(q)), hh = times(high(p), high(q));
    const Unsigned128 middle = static_cast<Unsigned128>(high(ll)) + low(lh) + low(hl);
    const Unsigned128 upper = hh + high(lh) + high(hl) + high(middle);
    const Int256 product = {{low(ll), low(middle), low(upper), high(upper)}};
    return (a < 0) != (b < 0) ? -product : product;
}

using Whole3 = std::array<std::int64_t, 3>;
using Wide3 = std::array<Int128, 3>;

inline Wide3 cross(const Whole3& a, const Whole3& b) {
    const auto minor = [&](std::size_t i, std::size_t j) {
        return static_cast<Int128>(a[i]) * b[j] - static_cast<Int128>(a[j]) * b[i];
    };
    return {minor(1, 2), minor(2, 0), minor(0, 1)};
}
template <class A, class B>
A add(const A& a, const B& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Whole3 subtract(const Whole3& a, const Whole3& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class B>
Int256 dot(const Wide3& a, const B& b) {
    return multiply(a[0], b[0]) + multiply(a[1], b[1]) + multiply(a[2], b[2]);
}

// ContactConstraint of a vertex p with a face f (four points p f0 f1 f2), or of edges (a0 a1 b0 b1), that move straight
// within time 0 .. 1. Coordinates below 2^22.
//
// With the corners c_k of the difference, edges e and g of theirs and n = e x g, the origin is in their plane when the
// cubic f = n . c_0 is 0, and within them when in addition the quartics h_k = n . (c_k x c_k+1) are positive. Time is
// halved until the signs of the coefficients of Bernstein decide: no contact where f, or where an h_k < 0, has one
// sign; contact where f changes its sign and all h_k > 0. What only touches a border, or has no plane, stays unknown.
class ExactMotion {
public:
    enum class ContactConstraint { none, certain, unknown };

    ExactMotion(bool is_edges, const std::array<Whole3, 4>& start, const std::array<Whole3, 4>& end) {
        const auto corners = [&](const std::array<Whole3, 4>& p) -> std::vector<Whole3> {
            if (!is_edges) return {subtract(p[0], p[1]), subtract(p[0], p[2]), subtract(p[0], p[3])};
            return {subtract(p[0], p[2]), subtract(p[1], p[2]), subtract(p[1], p[3]), subtract(p[0], p[3])};
        };
        start_ = corners(start);
        end_ = corners(end);
        contact_ = decide(0, 0);
    }

    ContactConstraint contact() const { return contact_; }
    double latest() const { return latest_; } // of certain contact: the first one is at this time or before

private:
    static constexpr int deepest = 30;
    static constexpr int most_spans = 2000;

    // Of the span from part to part + 1 of 2^depth.
    ContactConstraint decide(std::int64_t part, int depth) {
        if (++spans_ > most_spans) return ContactConstraint::unknown;
        const std::size_t n = start_.size();
        std::vector<Whole3> c(n), d(n); // at the ends of the span, times 2^depth
        for (std::size_t k = 0; k < n; ++k) {
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const std::int64_t change = end_[k][axis] - start_[k][axis];
                c[k][axis] = (start_[k][axis] << depth) + part * change;
                d[k][axis] = c[k][axis] + change;
            }
        }
        const Whole3 e0 = subtract(c[1], c[0]), g0 = subtract(c[n - 1], c[0]);
        const Whole3 e1 = subtract(d[1], d[0]), g1 = subtract(d[n - 1], d[0]);
        const Wide3 n0 = cross(e0, g0), n1 = cross(e1, g1), middle = add(cross(e0, g1), cross(e1, g0));
        const int f[4] = {dot(n0, c[0]).sign(), (dot(n0, d[0]) + dot(middle, c[0])).sign(),
                          (dot(n1, c[0]) + dot(middle, d[0])).sign(), dot(n1, d[0]).sign()};
        if (all(f, 1) || all(f, -1)) return ContactConstraint::none;

        bool is_inside = true;
        for (std::size_t k = 0; k < n; ++k) {
            const std::size_t next = (k + 1) % n;
            const Wide3 w0 = cross(c[k], c[next]), w1 = cross(d[k], d[next]);
            const Wide3 w = add(cross(c[k], d[next]), cross(d[k], c[next]));
            const int h[5] = {dot(n0, w0).sign(), (dot(n0, w) + dot(middle, w0)).sign(),
                              (dot(n0, w1) + dot(middle, w) + dot(n1, w0)).sign(),
                              (dot(middle, w1) + dot(n1, w)).sign(), dot(n1, w1).sign()};
            if (all(h, -1)) return ContactConstraint::none;
            is_inside = is_inside && all(h, 1);
        }
        if (is_inside && depth == deepest && (f[0] * f[3] <= 0)) {
            latest_ = static_cast<double>(part + 1) / static_cast<double>(std::int64_t{1} << deepest);
            return ContactConstraint::certain;
        }
        if (depth == deepest) return ContactConstraint::unknown;
        const ContactConstraint first = decide(2 * part, depth + 1);
        if (first == ContactConstraint::certain) return first;
        const ContactConstraint second = decide(2 * part + 1, depth + 1);
        return second == ContactConstraint::none ? first : second;
    }

    static bool all(std::span<const int> signs, int sign) {
        return std::all_of(signs.begin(), signs.end(), [&](int s) { return s == sign; });
    }

    std::vector<Whole3> start_, end_;
    int spans_ = 0;
    double latest_ = 0;
    ContactConstraint contact_ = ContactConstraint::unknown;
};

} // namespace taffeta::test
