// A filter, and behind it sums without rounding, after [She97].
//
// Nothing here over- or underflows: finite floats are whole multiples of 2^-149 below 2^128, so that products of three
// of them, or of three differences, and all that is rounded from these to double, are multiples of 2^-447 below 2^390.
#include "geometry/orientation.h"

#include <bit>
#include <cassert>
#include <cmath>
#include <cstddef>

namespace taffeta {
namespace {

int sign_of(double value) {
    return value > 0 ? 1 : value < 0 ? -1 : 0;
}

// A sum as numbers whose bits do not overlap, the smallest first, none of them zero: its sign is that of the last.
// There is room for `capacity` of them, one for each number that is added.
template <std::size_t capacity>
class ExactSum {
public:
    // [She97] Fig. 7, GROW-EXPANSION, with the zeros left out.
    void add(double value) {
        std::size_t kept = 0;
        for (std::size_t k = 0; k < count_; ++k) {
            const double sum = value + part_[k]; // [She97] Fig. 5, TWO-SUM: sum + rest is the sum without error
            const double of_part = sum - value;
            const double rest = (value - (sum - of_part)) + (part_[k] - of_part);
            if (rest != 0) part_[kept++] = rest;
            value = sum;
        }
        if (value != 0) part_[kept++] = value;
        assert(kept <= part_.size());
        count_ = kept;
    }

    // The product of two floats has 48 bits and is exact, that with a third is two numbers.
    void add_product(double x, float y, float z) {
        const double xy = x * static_cast<double>(y);
        const double product = xy * static_cast<double>(z);
        add(std::fma(xy, static_cast<double>(z), -product));
        add(product);
    }

    int sign() const { return count_ == 0 ? 0 : sign_of(part_[count_ - 1]); }

private:
    std::array<double, capacity> part_ = {};
    std::size_t count_ = 0;
};

// Twelve numbers.
template <std::size_t capacity>
void add_determinant(double sign, const Vec3& p, const Vec3& q, const Vec3& r, ExactSum<capacity>& sum) {
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        sum.add_product(sign * static_cast<double>(p[i]), q[j], r[k]);
        sum.add_product(-sign * static_cast<double>(p[i]), q[k], r[j]);
    }
}

} // namespace

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    ExactSum<48> sum; // (b - a) x (c - a) . (d - a), multiplied out: what has a twice is zero
    add_determinant(1, b, c, d, sum);
    add_determinant(-1, a, c, d, sum);
    add_determinant(1, a, b, d, sum);
    add_determinant(-1, a, b, c, sum);
    return sum.sign();
}

int orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
    const auto from_a = [&](const Vec3& p) { return vector_cast<double>(p) - vector_cast<double>(a); };
    const Vec3d e = from_a(b), f = from_a(c), g = from_a(d);
    double volume = 0, size = 0; // of six products of three differences, and of their absolute values
    for (int i = 0; i < 3; ++i) {
        const int j = (i + 1) % 3, k = (i + 2) % 3;
        const double one = e[j] * f[k], other = e[k] * f[j];
        volume += (one - other) * g[i];
        size += (std::abs(one) + std::abs(other)) * std::abs(g[i]);
    }
    // A product of three differences is rounded at most nine times on its way into `volume`: thrice as differences,
    // twice as products, once as a difference of products, thrice in the sum. So with u = 2^-53 the error of `volume`
    // is at most ((1 + u)^9 - 1) of the true `size`, and the computed one is at least (1 - u)^9 of that: together less
    // than 10 u of the computed. The bound is a power of two, so that it is not rounded itself.
    constexpr double bound = 0x1p-49; // 16 u
    if (std::abs(volume) > bound * size) return sign_of(volume);
    return size == 0 ? 0 : exact_orientation(a, b, c, d);
}

// The volume is a polynomial in e, whose sign is that of its first coefficient that is not zero. That of e^n has a
// determinant like those above for each choice of n points of which the ways are taken instead of the places; a point
// whose place is left out of a determinant is none of these.
int orientation_after(const std::array<MovingPoint, 4>& points) {
    if (const int now = orientation(points[0].at, points[1].at, points[2].at, points[3].at); now != 0) return now;
    unsigned moved = 0; // a bit for each point
    for (unsigned i = 0; i < 4; ++i) moved |= points[i].way == Vec3{} ? 0u : 1u << i;
    for (int power = 1; power <= 3; ++power) {
        ExactSum<144> sum; // of at most twelve determinants
        for (unsigned chosen = 0; chosen < 16; ++chosen) {
            if (std::popcount(chosen) != power || (chosen & ~moved) != 0) continue;
            for (unsigned out = 0; out < 4; ++out) {
                if ((chosen >> out & 1u) != 0) continue;
                std::array<Vec3, 3> row = {};
                for (unsigned i = 0, k = 0; i < 4; ++i)
                    if (i != out) row[k++] = (chosen >> i & 1u) != 0 ? points[i].way : points[i].at;
                add_determinant(out % 2 == 0 ? 1 : -1, row[0], row[1], row[2], sum);
            }
        }
        if (sum.sign() != 0) return sum.sign();
    }
    return 0;
}

int plane_side(const Vec3& normal, const Vec3& point, const Vec3& x) {
    ExactSum<6> sum; // the product of two floats is exact
    for (int i = 0; i < 3; ++i) {
        sum.add(static_cast<double>(normal[i]) * static_cast<double>(x[i]));
        sum.add(-static_cast<double>(normal[i]) * static_cast<double>(point[i]));
    }
    return sum.sign();
}

} // namespace taffeta
