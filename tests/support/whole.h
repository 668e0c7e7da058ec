// Whole numbers of any size: the truth about signs, the slow way.
#pragma once

#include <taffeta/math.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

namespace taffeta::test {

class Whole {
public:
    Whole() = default;
    // value * 2^149, which is whole for every finite float.
    explicit Whole(float value) : is_negative_(value < 0) {
        int exponent = 0;
        const float part = std::frexp(std::abs(value), &exponent); // value = part * 2^exponent, part in [1/2, 1)
        auto bits = static_cast<std::uint64_t>(std::ldexp(part, 24));
        int shift = exponent - 24 + 149;
        if (shift < 0) bits >>= -shift, shift = 0; // only zeros go: it is a multiple of 2^-149
        limb_.assign(static_cast<std::size_t>(shift / 32), 0);
        bits <<= shift % 32;
        for (; bits != 0; bits >>= 32) limb_.push_back(static_cast<std::uint32_t>(bits));
        trim();
    }

    int sign() const { return limb_.empty() ? 0 : is_negative_ ? -1 : 1; }
    Whole operator-() const {
        Whole flipped = *this;
        flipped.is_negative_ = !is_negative_;
        return flipped;
    }
    Whole operator+(const Whole& o) const {
        if (is_negative_ != o.is_negative_) return is_smaller(o) ? o.less(*this) : less(o);
        Whole sum;
        sum.is_negative_ = is_negative_;
        std::uint64_t carry = 0;
        for (std::size_t k = 0; k < std::max(limb_.size(), o.limb_.size()) || carry != 0; ++k) {
            carry += std::uint64_t{limb(k)} + o.limb(k);
            sum.limb_.push_back(static_cast<std::uint32_t>(carry));
            carry >>= 32;
        }
        return sum;
    }
    Whole operator-(const Whole& o) const { return *this + -o; }
    Whole operator*(const Whole& o) const {
        Whole product;
        product.is_negative_ = is_negative_ != o.is_negative_;
        product.limb_.assign(limb_.size() + o.limb_.size(), 0);
        for (std::size_t i = 0; i < limb_.size(); ++i) {
            std::uint64_t carry = 0;
            for (std::size_t j = 0; j < o.limb_.size() || carry != 0; ++j) {
                carry += product.limb_[i + j] + std::uint64_t{limb_[i]} * o.limb(j);
                product.limb_[i + j] = static_cast<std::uint32_t>(carry);
                carry >>= 32;
            }
        }
        product.trim();
        return product;
    }

private:
    std::uint32_t limb(std::size_t k) const { return k < limb_.size() ? limb_[k] : 0; }
    void trim() {
        while (!limb_.empty() && limb_.back() == 0) limb_.pop_back();
    }
    bool is_smaller(const Whole& o) const { // by size
        if (limb_.size() != o.limb_.size()) return limb_.size() < o.limb_.size();
        return std::lexicographical_compare(limb_.rbegin(), limb_.rend(), o.limb_.rbegin(), o.limb_.rend());
    }
    Whole less(const Whole& o) const { // nearer to zero by the size of `o`, which is no larger
        Whole rest = *this;
        std::int64_t borrow = 0;
        for (std::size_t k = 0; k < limb_.size(); ++k) {
            borrow += std::int64_t{limb_[k]} - o.limb(k);
            rest.limb_[k] = static_cast<std::uint32_t>(borrow);
            borrow >>= 32;
        }
        rest.trim();
        return rest;
    }

    bool is_negative_ = false;
    std::vector<std::uint32_t> limb_ = {}; // the lowest first, the highest not zero
};

using WholeVector = std::array<Whole, 3>;

inline WholeVector to_whole(const Vec3& p) {
    return {Whole(p.x), Whole(p.y), Whole(p.z)};
}
inline WholeVector operator-(const WholeVector& a, const WholeVector& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline WholeVector cross(const WholeVector& a, const WholeVector& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Whole dot(const WholeVector& a, const WholeVector& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

} // namespace taffeta::test
