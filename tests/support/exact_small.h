// The whole truth about motions in small whole numbers, without rounding and without doubt: also of what only touches,
// stays in a plane or on a line, or does not move at all.
#pragma once

#include "support/exact.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace taffeta::test {

// In time, of degree 3 at most, with whole coefficients.
struct Polynomial {
    std::array<Int128, 4> c = {}; // of 1, t, t^2, t^3

    int degree() const { // of 0: 0
        int n = 3;
        while (n > 0 && c[at(n)] == 0) --n;
        return n;
    }
    bool is_zero() const { return c == std::array<Int128, 4>{}; }
    Int128 leading() const { return c[at(degree())]; }

    Polynomial operator+(const Polynomial& o) const {
        return {{c[0] + o.c[0], c[1] + o.c[1], c[2] + o.c[2], c[3] + o.c[3]}};
    }
    Polynomial operator-(const Polynomial& o) const {
        return {{c[0] - o.c[0], c[1] - o.c[1], c[2] - o.c[2], c[3] - o.c[3]}};
    }
    Polynomial operator*(const Polynomial& o) const { // of degree 3 at most
        Polynomial product;
        for (int i = 0; i <= degree(); ++i)
            for (int j = 0; j <= o.degree() && i + j < 4; ++j) product.c[at(i + j)] += c[at(i)] * o.c[at(j)];
        return product;
    }
    Polynomial derivative() const { return {{c[1], 2 * c[2], 3 * c[3], 0}}; }

    // The same on half of the time, which then goes from 0 to 1 again, times a power of two.
    Polynomial half(bool is_second) const {
        Polynomial p;
        const int n = degree();
        for (int k = 0; k <= n; ++k) p.c[at(k)] = c[at(k)] * (Int128{1} << (n - k));
        if (!is_second) return p;
        for (int i = 0; i < n; ++i)
            for (int k = n - 1; k >= i; --k) p.c[at(k)] += p.c[at(k + 1)];
        return p;
    }

    // Within 0 < t < 1, by Descartes' rule on the coefficients of Bernstein: none is exact, one is exact, and an odd
    // number is odd.
    struct Inner {
        int roots = 0; // at most
        int sign = 0;  // of all, without roots
        int first = 0; // at 0
        int last = 0;  // at 1
    };
    Inner inner() const {
        static constexpr int choose[4][4] = {{1, 0, 0, 0}, {1, 1, 0, 0}, {1, 2, 1, 0}, {1, 3, 3, 1}};
        Inner found;
        const int n = degree();
        for (int j = 0; j <= n; ++j) {
            Int128 b = 0;
            for (int k = 0; k <= j; ++k) b += c[at(k)] * choose[n - k][j - k];
            const int sign = b > 0 ? 1 : b < 0 ? -1 : 0;
            if (j == 0) found.first = sign;
            if (j == n) found.last = sign;
            if (sign == 0) continue;
            if (found.sign == -sign) ++found.roots;
            found.sign = sign;
        }
        return found;
    }

    Polynomial primitive() const {
        Int128 divisor = 0;
        for (Int128 a : c)
            for (Int128 b = a; b != 0;) divisor = std::exchange(b, divisor % b);
        Polynomial p = *this;
        if (divisor != 0)
            for (Int128& a : p.c) a /= divisor;
        return p;
    }
    // Of a division, times a power of the divisor's leading coefficient.
    Polynomial remainder(const Polynomial& divisor) const {
        Polynomial rest = *this;
        const int m = divisor.degree();
        for (int n = rest.degree(); n >= m && !rest.is_zero(); n = rest.degree()) {
            const Int128 lead = rest.leading();
            for (Int128& a : rest.c) a *= divisor.leading();
            for (int k = 0; k <= m; ++k) rest.c[at(n - m + k)] -= lead * divisor.c[at(k)];
            if (n == 0) break;
        }
        return rest;
    }
    // Where the divisor is primitive and nothing remains.
    Polynomial quotient(const Polynomial& divisor) const {
        Polynomial rest = *this, result;
        const int m = divisor.degree();
        for (int n = degree(); n >= m; --n) {
            const Int128 times = rest.c[at(n)] / divisor.leading();
            result.c[at(n - m)] = times;
            for (int k = 0; k <= m; ++k) rest.c[at(n - m + k)] -= times * divisor.c[at(k)];
        }
        return result;
    }

private:
    static std::size_t at(int k) { return static_cast<std::size_t>(k); }
};

inline Polynomial greatest_common_divisor(Polynomial a, Polynomial b) {
    a = a.primitive(), b = b.primitive();
    while (!b.is_zero()) a = std::exchange(b, a.remainder(b).primitive());
    return a;
}

// A time from 0 to 1: part / 2^depth, or the only root of a polynomial between that and (part + 1) / 2^depth.
class RootTime {
public:
    static constexpr int deepest = 32;

    static RootTime exactly(std::int64_t part, int depth) { return {{}, {}, part, depth}; }
    // All roots from 0 to 1 of a polynomial that is not zero.
    static std::vector<RootTime> roots_of(const Polynomial& p) {
        std::vector<RootTime> roots;
        if (p.inner().roots > 1) {
            const Polynomial whole = p.primitive();
            const Polynomial simple = whole.quotient(greatest_common_divisor(whole, whole.derivative()));
            collect(simple, simple, 0, 0, roots);
        } else {
            collect(p, p, 0, 0, roots);
        }
        return roots;
    }

    // Of another polynomial at this time; none where spans of time become too short to tell.
    std::optional<int> sign_of(const Polynomial& q) const {
        if (q.is_zero()) return 0;
        if (is_exact() && depth_ == 0) return part_ == 0 ? q.inner().first : q.inner().last;
        RootTime time = *this;
        Polynomial here = q;
        for (int k = depth_ - 1; k >= 0; --k) here = here.half(((part_ >> k) & 1) != 0);
        const int patience = depth_ + 6;
        for (;;) {
            const Polynomial::Inner inner = here.inner();
            if (time.is_exact()) return inner.first;
            if (inner.roots == 0) return inner.sign;
            // A common divisor has at most this one root here.
            if (time.depth_ == patience) {
                Polynomial common = greatest_common_divisor(p_, q);
                for (int k = time.depth_ - 1; k >= 0; --k) common = common.half(((time.part_ >> k) & 1) != 0);
                if (common.inner().roots % 2 == 1) return 0;
            }
            if (time.depth_ == deepest) return {};
            here = here.half(time.halve());
        }
    }

    // Not before it, and later by 2^-deepest at most.
    double latest() const {
        RootTime time = *this;
        while (!time.is_exact() && time.depth_ < deepest) time.halve();
        const double whole = static_cast<double>(std::int64_t{1} << time.depth_);
        return static_cast<double>(time.part_ + (time.is_exact() ? 0 : 1)) / whole;
    }

private:
    RootTime(const Polynomial& p, const Polynomial& here, std::int64_t part, int depth)
        : p_(p), here_(here), part_(part), depth_(depth) {}

    bool is_exact() const { return p_.is_zero(); }
    // Returns whether it is in the second half of the span.
    bool halve() {
        const Polynomial first = here_.half(false), second = here_.half(true);
        const bool is_second = first.inner().roots % 2 == 0;
        here_ = is_second ? second : first;
        part_ = 2 * part_ + (is_second ? 1 : 0);
        ++depth_;
        if (is_second && second.c[0] == 0) p_ = {};
        return is_second;
    }
    static void collect(const Polynomial& p, const Polynomial& here, std::int64_t part, int depth,
                        std::vector<RootTime>& roots) {
        const Polynomial::Inner inner = here.inner();
        if (inner.first == 0) roots.push_back(exactly(part, depth));
        if (inner.roots == 1) roots.push_back({p, here, part, depth});
        if (inner.roots > 1) {
            collect(p, here.half(false), 2 * part, depth + 1, roots);
            collect(p, here.half(true), 2 * part + 1, depth + 1, roots);
        }
        if (inner.last == 0 && part + 1 == std::int64_t{1} << depth) roots.push_back(exactly(1, 0));
    }

    Polynomial p_, here_; // in all time, and in the span; zero: exactly its beginning
    std::int64_t part_;
    int depth_;
};

// As ExactMotion, of coordinates from -4 to 4: no number here has more than 126 bits then.
//
// There is contact when the origin lies in the hull of the corners c_k of the difference. They are in a plane with it
// when the cubic f = n . c_0 is 0. In the view along an axis in which n does not vanish, the quadratics c_k x c_k+1
// then have no sign other than that of n; where n does vanish, all is on a line: through the origin if all c_i x c_j
// are 0, and to both of its sides if some c_i . c_j is not positive. Whether this holds can only change at roots of
// these polynomials; what holds between two of them holds at both.
class ExactSmallMotion {
public:
    ExactSmallMotion(bool is_edges, const std::array<Whole3, 4>& start, const std::array<Whole3, 4>& end) {
        std::array<Vector, 4> x;
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t axis = 0; axis < 3; ++axis)
                x[k][axis].c = {start[k][axis], end[k][axis] - start[k][axis], 0, 0};
        if (is_edges)
            corners_ = {minus(x[0], x[2]), minus(x[1], x[2]), minus(x[1], x[3]), minus(x[0], x[3])};
        else
            corners_ = {minus(x[0], x[1]), minus(x[0], x[2]), minus(x[0], x[3])};
        normal_ = cross_of(minus(corners_[1], corners_[0]), minus(corners_.back(), corners_[0]));
        const Polynomial f = dot_of(normal_, corners_[0]);
        const Polynomial::Inner inner = f.inner();
        if (inner.roots == 0 && inner.first * inner.last != 0) return; // never in one plane
        add_pairs();
        is_always_flat_ = f.is_zero();
        for (const RootTime& time : is_always_flat_ ? all_changes() : RootTime::roots_of(f)) {
            if (!touches_at(time)) continue;
            latest_ = has_contact_ ? std::min(latest_, time.latest()) : time.latest();
            has_contact_ = true;
        }
    }

    bool is_decided() const { return is_decided_; }
    bool has_contact() const { return has_contact_; }
    double latest() const { return latest_; } // of contact: the first one is at this time, or before by 2^-32 at most
    bool is_always_flat() const { return is_always_flat_; }

private:
    using Vector = std::array<Polynomial, 3>;

    static Vector minus(const Vector& a, const Vector& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
    static Vector cross_of(const Vector& a, const Vector& b) {
        return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    }
    static Polynomial dot_of(const Vector& a, const Vector& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

    void add_pairs() {
        const std::size_t n = corners_.size();
        for (std::size_t k = 0; k < n; ++k) around_.push_back(cross_of(corners_[k], corners_[(k + 1) % n]));
        if (n == 4) across_ = {cross_of(corners_[0], corners_[2]), cross_of(corners_[1], corners_[3])};
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = i; j < n; ++j) dots_.push_back(dot_of(corners_[i], corners_[j]));
    }

    std::vector<RootTime> all_changes() const {
        std::vector<Polynomial> all(dots_);
        all.insert(all.end(), normal_.begin(), normal_.end());
        for (const std::vector<Vector>* vectors : {&around_, &across_})
            for (const Vector& v : *vectors) all.insert(all.end(), v.begin(), v.end());
        std::vector<RootTime> times = {RootTime::exactly(0, 0), RootTime::exactly(1, 0)};
        for (const Polynomial& p : all) {
            if (p.is_zero()) continue;
            const std::vector<RootTime> roots = RootTime::roots_of(p);
            times.insert(times.end(), roots.begin(), roots.end());
        }
        return times;
    }

    bool touches_at(const RootTime& time) {
        const auto sign_of = [&](const Polynomial& p) {
            const std::optional<int> sign = time.sign_of(p);
            is_decided_ = is_decided_ && sign;
            return sign.value_or(0);
        };
        for (std::size_t axis = 0; axis < 3; ++axis) {
            const int side = sign_of(normal_[axis]);
            if (side == 0) continue;
            return std::all_of(around_.begin(), around_.end(),
                               [&](const Vector& w) { return sign_of(w[axis]) * side >= 0; });
        }
        for (const std::vector<Vector>* vectors : {&around_, &across_})
            for (const Vector& v : *vectors)
                for (const Polynomial& p : v)
                    if (sign_of(p) != 0) return false;
        return std::any_of(dots_.begin(), dots_.end(), [&](const Polynomial& p) { return sign_of(p) <= 0; });
    }

    std::vector<Vector> corners_ = {}, around_ = {}, across_ = {};
    std::vector<Polynomial> dots_ = {};
    Vector normal_ = {};
    bool is_decided_ = true, has_contact_ = false, is_always_flat_ = false;
    double latest_ = 0;
};

} // namespace taffeta::test
