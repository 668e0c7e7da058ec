// Points and systems of three equations in every lane, for the kernels. Included anew for every instruction set.
#if defined(TAFFETA_CORE_SOLVE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef TAFFETA_CORE_SOLVE_INL_H
#undef TAFFETA_CORE_SOLVE_INL_H
#else
#define TAFFETA_CORE_SOLVE_INL_H
#endif

#include "core/particles-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {

struct Points {
    V x, y, z;
};

HWY_INLINE Points operator+(const Points& a, const Points& b) {
    return {hn::Add(a.x, b.x), hn::Add(a.y, b.y), hn::Add(a.z, b.z)};
}
HWY_INLINE Points operator*(const Points& a, const V s) {
    return {hn::Mul(a.x, s), hn::Mul(a.y, s), hn::Mul(a.z, s)};
}
HWY_INLINE V dot(const Points& a, const Points& b) {
    return hn::Add(hn::Add(hn::Mul(a.x, b.x), hn::Mul(a.y, b.y)), hn::Mul(a.z, b.z));
}
HWY_INLINE Points difference(const Particles& a, const Particles& b) {
    return {hn::Sub(a.x, b.x), hn::Sub(a.y, b.y), hn::Sub(a.z, b.z)};
}

struct Symmetric3 {
    V m11, m12, m22, m13, m23, m33;
};

// L D L^T. With quotients only and no determinant: numbers of 1e14, as inverse masses times squared curvatures are,
// have products that a float cannot hold.
struct Factors3 {
    V l21, l31, l32, per_d1, per_d2, per_d3;
};

HWY_INLINE Factors3 factorise(const Symmetric3& m) {
    const V one = hn::Set(Lanes(), 1.0f);
    Factors3 f;
    f.per_d1 = hn::Div(one, m.m11);
    f.l21 = hn::Mul(m.m12, f.per_d1);
    f.l31 = hn::Mul(m.m13, f.per_d1);
    f.per_d2 = hn::Div(one, hn::Sub(m.m22, hn::Mul(f.l21, m.m12)));
    const V rest = hn::Sub(m.m23, hn::Mul(f.l31, m.m12));
    f.l32 = hn::Mul(rest, f.per_d2);
    f.per_d3 = hn::Div(one, hn::Sub(hn::Sub(m.m33, hn::Mul(f.l31, m.m13)), hn::Mul(f.l32, rest)));
    return f;
}

// Replaces the right side by the solution.
HWY_INLINE void solve(const Factors3& f, V& r1, V& r2, V& r3) {
    r2 = hn::Sub(r2, hn::Mul(f.l21, r1));
    r3 = hn::Sub(hn::Sub(r3, hn::Mul(f.l31, r1)), hn::Mul(f.l32, r2));
    r3 = hn::Mul(r3, f.per_d3);
    r2 = hn::Sub(hn::Mul(r2, f.per_d2), hn::Mul(f.l32, r3));
    r1 = hn::Sub(hn::Sub(hn::Mul(r1, f.per_d1), hn::Mul(f.l21, r2)), hn::Mul(f.l31, r3));
}

} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
