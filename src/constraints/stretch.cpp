#include "constraints/stretch.h"

#include <Eigen/LU>

#include <algorithm>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "constraints/stretch.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include "core/particles-inl.h"
#include "core/solve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

constexpr float shortest = 1e-6f; // as in energies/membrane.cpp: threads shorter than this have no direction

// A metre of warp or weft: weights of the corners, where it points, how long it is.
struct Thread {
    Points along;
    V length, per_length;
};

HWY_INLINE Thread thread(const Points& sum) {
    const Lanes d;
    const V length = hn::Max(hn::Sqrt(dot(sum, sum)), hn::Set(d, shortest));
    const V per_length = hn::Div(hn::Set(d, 1.0f), length);
    return {sum * per_length, length, per_length};
}

// The weights of corners 0, 1 and 2.
struct Weights {
    V of0, of1, of2;
};

HWY_INLINE Weights weights(const std::array<StretchBlock::Row, 2>& row, std::size_t lane) {
    const Lanes d;
    const V of1 = hn::Load(d, &row[0][lane]), of2 = hn::Load(d, &row[1][lane]);
    return {hn::Neg(hn::Add(of1, of2)), of1, of2};
}

HWY_INLINE void move(Particles& p, const Points& way, const V weight) {
    p.x = hn::Add(p.x, hn::Mul(weight, way.x));
    p.y = hn::Add(p.y, hn::Mul(weight, way.y));
    p.z = hn::Add(p.z, hn::Mul(weight, way.z));
}

HWY_INLINE Points sum_of(const Weights& weight, const Points& e1, const Points& e2) {
    return e1 * weight.of1 + e2 * weight.of2;
}

// sum w a b
HWY_INLINE V mobility(const Weights& a, const Weights& b, const V w0, const V w1, const V w2) {
    return hn::Add(hn::Add(hn::Mul(w0, hn::Mul(a.of0, b.of0)), hn::Mul(w1, hn::Mul(a.of1, b.of1))),
                   hn::Mul(w2, hn::Mul(a.of2, b.of2)));
}

// Draws a thread that is too long back to its limit.
HWY_INLINE void limit_thread(const Weights& weight, const V longest, Particles& p0, Particles& p1, Particles& p2) {
    const Lanes d;
    const Thread u = thread(sum_of(weight, difference(p1, p0), difference(p2, p0)));
    const auto is_over = hn::Gt(u.length, longest);
    if (hn::AllFalse(d, is_over)) return;
    const V give = mobility(weight, weight, p0.w, p1.w, p2.w);
    const auto can_move = hn::And(is_over, hn::Gt(give, hn::Zero(d)));
    const V lambda = hn::IfThenElseZero(can_move, hn::Div(hn::Sub(longest, u.length), give));
    const Points way = u.along * lambda;
    move(p0, way, hn::Mul(p0.w, weight.of0));
    move(p1, way, hn::Mul(p1.w, weight.of1));
    move(p2, way, hn::Mul(p2.w, weight.of2));
}

template <bool damped>
void project_blocks(const StretchBlock* HWY_RESTRICT blocks, StretchValues* HWY_RESTRICT lambdas,
                    const StretchValues* HWY_RESTRICT before, std::size_t count, float h, Vec4* HWY_RESTRICT x) {
    const Lanes d;
    const V one = hn::Set(d, 1.0f), per_h = hn::Set(d, 1 / h), per_h2 = hn::Set(d, 1 / (h * h));
    for (std::size_t k = 0; k < count; ++k) {
        const StretchBlock& block = blocks[k];
        for (std::size_t lane = 0; lane < StretchBlock::lanes; lane += hn::Lanes(d)) {
            Particles p0 = load(x, &block.particle[0][lane]), p1 = load(x, &block.particle[1][lane]),
                      p2 = load(x, &block.particle[2][lane]);
            const Weights a = weights(block.warp, lane), b = weights(block.weft, lane);
            const Points e1 = difference(p1, p0), e2 = difference(p2, p0);
            const Thread u = thread(sum_of(a, e1, e2)), v = thread(sum_of(b, e1, e2));
            const V c = dot(u.along, v.along);

            V soften = per_h2; // what compliances are multiplied by
            V r1 = hn::Sub(u.length, one), r2 = hn::Sub(v.length, one), r3 = c;
            if constexpr (damped) {
                const V rate = hn::Mul(hn::Load(d, &block.damping[lane]), per_h), more = hn::Add(one, rate);
                const V memory = hn::Div(rate, more);
                soften = hn::Div(soften, more);
                r1 = hn::Sub(r1, hn::Mul(memory, hn::Load(d, &before[k].of[0][lane])));
                r2 = hn::Sub(r2, hn::Mul(memory, hn::Load(d, &before[k].of[1][lane])));
                r3 = hn::Sub(r3, hn::Mul(memory, hn::Load(d, &before[k].of[2][lane])));
            }
            const V c11 = hn::Mul(soften, hn::Load(d, &block.compliance[0][lane]));
            const V c12 = hn::Mul(soften, hn::Load(d, &block.compliance[1][lane]));
            const V c22 = hn::Mul(soften, hn::Load(d, &block.compliance[2][lane]));
            const V c33 = hn::Mul(soften, hn::Load(d, &block.compliance[3][lane]));
            const V l1 = hn::Load(d, &lambdas[k].of[0][lane]), l2 = hn::Load(d, &lambdas[k].of[1][lane]),
                    l3 = hn::Load(d, &lambdas[k].of[2][lane]);
            r1 = hn::Add(r1, hn::Add(hn::Mul(c11, l1), hn::Mul(c12, l2)));
            r2 = hn::Add(r2, hn::Add(hn::Mul(c12, l1), hn::Mul(c22, l2)));
            r3 = hn::Add(r3, hn::Mul(c33, l3));

            // dC/du and dC/dv are unit vectors for the first two strains; for the third p = (v - c u)/|u| and
            // q = (u - c v)/|v| with unit u, v. So J M^-1 J^T has only a few different products.
            const V aa = mobility(a, a, p0.w, p1.w, p2.w), ab = mobility(a, b, p0.w, p1.w, p2.w),
                    bb = mobility(b, b, p0.w, p1.w, p2.w);
            const V square = hn::Max(hn::Sub(one, hn::Mul(c, c)), hn::Zero(d)); // sine of the angle, squared
            Symmetric3 m;
            m.m11 = hn::Add(aa, c11);
            m.m12 = hn::Add(hn::Mul(ab, c), c12);
            m.m22 = hn::Add(bb, c22);
            m.m13 = hn::Mul(hn::Mul(ab, square), v.per_length);
            m.m23 = hn::Mul(hn::Mul(ab, square), u.per_length);
            const V shear_aa = hn::Mul(aa, hn::Mul(u.per_length, u.per_length));
            const V shear_bb = hn::Mul(bb, hn::Mul(v.per_length, v.per_length));
            const V shear_ab = hn::Mul(hn::Mul(ab, c), hn::Mul(u.per_length, v.per_length));
            m.m33 = hn::Add(hn::Mul(square, hn::Sub(hn::Add(shear_aa, shear_bb), hn::Add(shear_ab, shear_ab))), c33);
            const Factors3 factors = factorise(m);
            V s1 = hn::Neg(r1), s2 = hn::Neg(r2), s3 = hn::Neg(r3);
            solve(factors, s1, s2, s3);

            hn::Store(hn::Add(l1, s1), d, &lambdas[k].of[0][lane]);
            hn::Store(hn::Add(l2, s2), d, &lambdas[k].of[1][lane]);
            hn::Store(hn::Add(l3, s3), d, &lambdas[k].of[2][lane]);
            const V turn_u = hn::Mul(s3, u.per_length), turn_v = hn::Mul(s3, v.per_length);
            const Points by_u = u.along * hn::Sub(s1, hn::Mul(c, turn_u)) + v.along * turn_u;
            const Points by_v = v.along * hn::Sub(s2, hn::Mul(c, turn_v)) + u.along * turn_v;
            move(p0, by_u * a.of0 + by_v * b.of0, p0.w);
            move(p1, by_u * a.of1 + by_v * b.of1, p1.w);
            move(p2, by_u * a.of2 + by_v * b.of2, p2.w);

            const V longest = hn::Load(d, &block.longest[lane]);
            limit_thread(a, longest, p0, p1, p2);
            limit_thread(b, longest, p0, p1, p2);
            store(p0, x, &block.particle[0][lane]);
            store(p1, x, &block.particle[1][lane]);
            store(p2, x, &block.particle[2][lane]);
        }
    }
}

void project_range(const StretchBlock* blocks, StretchValues* lambdas, const StretchValues* before, std::size_t count,
                   float h, Vec4* x) {
    if (before != nullptr)
        project_blocks<true>(blocks, lambdas, before, count, h, x);
    else
        project_blocks<false>(blocks, lambdas, before, count, h, x);
}

void find_strains(const StretchBlock* HWY_RESTRICT blocks, std::size_t count, const Vec4* HWY_RESTRICT x,
                  StretchValues* HWY_RESTRICT strains) {
    const Lanes d;
    const V one = hn::Set(d, 1.0f);
    for (std::size_t k = 0; k < count; ++k) {
        const StretchBlock& block = blocks[k];
        for (std::size_t lane = 0; lane < StretchBlock::lanes; lane += hn::Lanes(d)) {
            const Particles p0 = load(x, &block.particle[0][lane]), p1 = load(x, &block.particle[1][lane]),
                            p2 = load(x, &block.particle[2][lane]);
            const Points e1 = difference(p1, p0), e2 = difference(p2, p0);
            const Thread u = thread(sum_of(weights(block.warp, lane), e1, e2)),
                         v = thread(sum_of(weights(block.weft, lane), e1, e2));
            hn::Store(hn::Sub(u.length, one), d, &strains[k].of[0][lane]);
            hn::Store(hn::Sub(v.length, one), d, &strains[k].of[1][lane]);
            hn::Store(dot(u.along, v.along), d, &strains[k].of[2][lane]);
        }
    }
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(project_range);
HWY_EXPORT(find_strains);

namespace {

// Of the largest stiffness: what a direction without any has, so that the law has an inverse.
constexpr double least_stiffness = 1e-6;

// (A S)^-1
Eigen::Matrix3d compliance(const MembraneStiffness& law, double area) {
    const Eigen::Matrix3d s = law.matrix();
    const double most = std::max(s.maxCoeff(), 1e-3);
    return (area * (s + most * least_stiffness * Eigen::Matrix3d::Identity())).inverse();
}

} // namespace

Stretch make_stretch(std::span<const MembraneTriangle> triangles, std::span<const Index> material_of,
                     std::span<const StretchMaterial> laws, std::span<const Index> partition_begin, Index sentinel,
                     SweepOrder arrangement) {
    VertexSets particles;
    for (const MembraneTriangle& triangle : triangles) particles.add(triangle.particle);
    const Schedule schedule = make_schedule(particles, partition_begin, sentinel, arrangement);
    Stretch stretch;
    stretch.partition_begin = schedule.partition_begin;
    stretch.blocks.resize(schedule.blocks.size());
    stretch.lane_materials.resize(schedule.blocks.size() * StretchBlock::lanes);
    for (std::size_t k = 0; k < schedule.blocks.size(); ++k) {
        StretchBlock& block = stretch.blocks[k];
        block = {};
        for (std::size_t lane = 0; lane < StretchBlock::lanes; ++lane) {
            const Index t = schedule.blocks[k].element[lane];
            for (std::size_t i = 0; i < 3; ++i) block.particle[i][lane] = schedule.blocks[k].filling;
            for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{3}})
                block.compliance[i][lane] = 1; // a system that can be solved
            block.longest[lane] = std::numeric_limits<float>::infinity();
            if (t == Schedule::none) continue;
            const MembraneTriangle& triangle = triangles[t];
            stretch.lane_materials[k * StretchBlock::lanes + lane] = {material_of[t], triangle.area};
            for (std::size_t i = 0; i < 3; ++i) block.particle[i][lane] = triangle.particle[i];
            for (std::size_t i = 0; i < 2; ++i) {
                block.warp[i][lane] = static_cast<float>(triangle.weights(static_cast<int>(i) + 1, 0));
                block.weft[i][lane] = static_cast<float>(triangle.weights(static_cast<int>(i) + 1, 1));
            }
        }
    }
    stretch.lambda.resize(stretch.blocks.size());
    change_materials(stretch, laws);
    return stretch;
}

void change_materials(Stretch& stretch, std::span<const StretchMaterial> laws) {
    for (std::size_t k = 0; k < stretch.lane_materials.size(); ++k) {
        const LaneMaterial& own = stretch.lane_materials[k];
        if (own.area == 0) continue;
        StretchBlock& block = stretch.blocks[k / StretchBlock::lanes];
        const std::size_t lane = k % StretchBlock::lanes;
        const StretchMaterial& law = laws[own.law];
        const Eigen::Matrix3d alpha = compliance(law.law, own.area);
        block.compliance[0][lane] = static_cast<float>(alpha(0, 0));
        block.compliance[1][lane] = static_cast<float>(alpha(0, 1));
        block.compliance[2][lane] = static_cast<float>(alpha(1, 1));
        block.compliance[3][lane] = static_cast<float>(alpha(2, 2));
        block.damping[lane] = static_cast<float>(law.damping);
        block.longest[lane] = static_cast<float>(law.longest);
    }
    const bool is_damped =
        std::any_of(laws.begin(), laws.end(), [](const StretchMaterial& law) { return law.damping > 0; });
    stretch.before.resize(is_damped ? stretch.blocks.size() : 0);
}

void begin_stretch(Stretch& stretch, BlockRange range, std::span<const Vec4> x) {
    std::fill(stretch.lambda.begin() + static_cast<std::ptrdiff_t>(range.begin),
              stretch.lambda.begin() + static_cast<std::ptrdiff_t>(range.end), StretchValues{});
    if (!stretch.before.empty()) HWY_DYNAMIC_DISPATCH(find_strains)
    (stretch.blocks.data() + range.begin, range.end - range.begin, x.data(), stretch.before.data() + range.begin);
}

void project_stretch(Stretch& stretch, BlockRange range, float h, std::span<Vec4> x) {
    HWY_DYNAMIC_DISPATCH(project_range)
    (stretch.blocks.data() + range.begin, stretch.lambda.data() + range.begin,
     stretch.before.empty() ? nullptr : stretch.before.data() + range.begin, range.end - range.begin, h, x.data());
}

double strain_error(const Stretch& stretch, float h, std::span<const Vec4> x) {
    std::vector<StretchValues> strains(stretch.blocks.size());
    HWY_DYNAMIC_DISPATCH(find_strains)(stretch.blocks.data(), stretch.blocks.size(), x.data(), strains.data());
    const double per_h2 = 1 / (static_cast<double>(h) * static_cast<double>(h));
    double sum = 0;
    std::size_t count = 0;
    for (std::size_t k = 0; k < stretch.blocks.size(); ++k) {
        const StretchBlock& block = stretch.blocks[k];
        for (std::size_t lane = 0; lane < StretchBlock::lanes; ++lane) {
            if (block.particle[0][lane] == block.particle[1][lane]) continue; // without a triangle
            const auto alpha = [&](std::size_t i) { return per_h2 * static_cast<double>(block.compliance[i][lane]); };
            const auto lambda = [&](std::size_t i) { return static_cast<double>(stretch.lambda[k].of[i][lane]); };
            const auto strain = [&](std::size_t i) {
                const auto now = static_cast<double>(strains[k].of[i][lane]);
                if (stretch.before.empty()) return now;
                const double rate = static_cast<double>(block.damping[lane]) / static_cast<double>(h);
                return now + rate * (now - static_cast<double>(stretch.before[k].of[i][lane]));
            };
            const double r0 = strain(0) + alpha(0) * lambda(0) + alpha(1) * lambda(1);
            const double r1 = strain(1) + alpha(1) * lambda(0) + alpha(2) * lambda(1);
            const double r2 = strain(2) + alpha(3) * lambda(2);
            sum += r0 * r0 + r1 * r1 + r2 * r2;
            ++count;
        }
    }
    return count > 0 ? std::sqrt(sum / static_cast<double>(count)) : 0.0;
}

void StretchReference::project(double h, const Eigen::Vector3d& w, Eigen::Matrix3d& x) {
    // dC/dx by u and v, as in energies/membrane.cpp.
    const auto threads = [&]() -> Eigen::Matrix<double, 3, 2> { return x * triangle.weights; };
    const auto slopes = [&](const Eigen::Vector3d& u, const Eigen::Vector3d& v) -> Eigen::Matrix<double, 9, 3> {
        const Eigen::Vector3d along_u = u.normalized(), along_v = v.normalized();
        const double c = along_u.dot(along_v);
        Eigen::Matrix<double, 9, 3> j;
        for (int i = 0; i < 3; ++i) {
            const double a = triangle.weights(i, 0), b = triangle.weights(i, 1);
            j.block<3, 1>(3 * i, 0) = a * along_u;
            j.block<3, 1>(3 * i, 1) = b * along_v;
            j.block<3, 1>(3 * i, 2) = a * (along_v - c * along_u) / u.norm() + b * (along_u - c * along_v) / v.norm();
        }
        return j;
    };
    Eigen::Matrix<double, 9, 1> inverse_mass;
    for (int i = 0; i < 3; ++i) inverse_mass.segment<3>(3 * i).setConstant(w[i]);
    const auto move = [&](const Eigen::Matrix<double, 9, 1>& force) {
        for (int i = 0; i < 3; ++i) x.col(i) += w[i] * force.segment<3>(3 * i);
    };

    const Eigen::Matrix3d alpha = compliance(law.law, triangle.area) / (h * h);
    const double rate = law.damping / h;
    const Eigen::Vector3d strain = membrane_strain(triangle, x);
    const Eigen::Matrix<double, 9, 3> j = slopes(threads().col(0), threads().col(1));
    const Eigen::Matrix3d m = (1 + rate) * (j.transpose() * inverse_mass.asDiagonal() * j) + alpha;
    const Eigen::Vector3d d_lambda = -m.inverse() * (strain + alpha * lambda + rate * (strain - before));
    lambda += d_lambda;
    move(j * d_lambda);

    for (int k = 0; k < 2; ++k) { // warp, then weft
        const Eigen::Matrix<double, 3, 2> f = threads();
        const double over = f.col(k).norm() - law.longest;
        if (over <= 0) continue;
        const Eigen::Matrix<double, 9, 1> along = slopes(f.col(0), f.col(1)).col(k);
        move(-over / along.dot(inverse_mass.asDiagonal() * along) * along);
    }
}

} // namespace taffeta
#endif
