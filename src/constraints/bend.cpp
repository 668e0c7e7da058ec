#include "constraints/bend.h"

#include <Eigen/Geometry>
#include <Eigen/LU>

#include <algorithm>
#include <cassert>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "constraints/bend.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include "core/particles-inl.h"
#include "core/solve-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

struct Curvatures {
    Points k1, k2, k3;
};

HWY_INLINE void add(const Points& x, const V weight, Points& sum) {
    sum = sum + x * weight;
}

// Weights sum to zero, so that places may be taken from any point: from the first particle they are short and exact.
HWY_INLINE void add_place(const BendPlace& place, std::size_t lane, const Points& from_first, Curvatures& k) {
    const Lanes d;
    add(from_first, hn::Load(d, &place.weight[0][lane]), k.k1);
    add(from_first, hn::Load(d, &place.weight[1][lane]), k.k2);
    add(from_first, hn::Load(d, &place.weight[2][lane]), k.k3);
}

HWY_INLINE Curvatures no_curvature() {
    const V zero = hn::Zero(Lanes());
    const Points none = {zero, zero, zero};
    return {none, none, none};
}

HWY_INLINE Points load_points(const std::array<std::array<float, BendPlace::lanes>, 3>& row, std::size_t lane) {
    const Lanes d;
    return {hn::Load(d, &row[0][lane]), hn::Load(d, &row[1][lane]), hn::Load(d, &row[2][lane])};
}

// Of the triangle whose corners are the first three particles; 0 where it has no area.
HWY_INLINE Points unit_normal(const Points& a, const Points& b) {
    const Lanes d;
    const auto minor = [](const V p, const V q, const V r, const V s)
                           HWY_ATTR { return hn::Sub(hn::Mul(p, q), hn::Mul(r, s)); };
    const Points normal = {minor(a.y, b.z, a.z, b.y), minor(a.z, b.x, a.x, b.z), minor(a.x, b.y, a.y, b.x)};
    const V least = hn::Set(d, 1e-30f); // m^4
    const V length = hn::Sqrt(hn::Max(squared_length(normal.x, normal.y, normal.z), least));
    return normal * hn::Div(hn::Set(d, 1.0f), length);
}

// Takes the curvature of the rest shape off, which turns with the triangle.
HWY_INLINE void take_rest_off(const BendBlock& block, std::size_t lane, const Points& normal, Curvatures& k) {
    const Lanes d;
    k.k1 = k.k1 + normal * hn::Neg(hn::Load(d, &block.rest[0][lane]));
    k.k2 = k.k2 + normal * hn::Neg(hn::Load(d, &block.rest[1][lane]));
    k.k3 = k.k3 + normal * hn::Neg(hn::Load(d, &block.rest[2][lane]));
}

HWY_INLINE void store_points(const Points& p, std::array<std::array<float, BendPlace::lanes>, 3>& row,
                             std::size_t lane) {
    const Lanes d;
    hn::Store(p.x, d, &row[0][lane]);
    hn::Store(p.y, d, &row[1][lane]);
    hn::Store(p.z, d, &row[2][lane]);
}

HWY_INLINE Points minus(const Points& p) {
    return {hn::Neg(p.x), hn::Neg(p.y), hn::Neg(p.z)};
}

template <bool damped>
void project_blocks(const BendBlock* HWY_RESTRICT blocks, const BendPlace* HWY_RESTRICT all_places,
                    BendValues* HWY_RESTRICT lambdas, const BendValues* HWY_RESTRICT before, std::size_t count, float h,
                    Vec4* HWY_RESTRICT x) {
    const Lanes d;
    const V one = hn::Set(d, 1.0f), per_h = hn::Set(d, 1 / h), per_h2 = hn::Set(d, 1 / (h * h));
    for (std::size_t b = 0; b < count; ++b) {
        const BendBlock& block = blocks[b];
        const BendPlace* HWY_RESTRICT places = all_places + block.first;
        for (std::size_t lane = 0; lane < BendPlace::lanes; lane += hn::Lanes(d)) {
            Particles p[BendBlock::most_places];
            Curvatures k = no_curvature();
            Symmetric3 m = {k.k1.x, k.k1.x, k.k1.x, k.k1.x, k.k1.x, k.k1.x};
            for (std::size_t j = 0; j < block.places; ++j) {
                p[j] = load(x, &places[j].particle[lane]);
                if (j > 0) add_place(places[j], lane, difference(p[j], p[0]), k);
                const V w1 = hn::Load(d, &places[j].weight[0][lane]), w2 = hn::Load(d, &places[j].weight[1][lane]),
                        w3 = hn::Load(d, &places[j].weight[2][lane]);
                const V by1 = hn::Mul(p[j].w, w1), by2 = hn::Mul(p[j].w, w2), by3 = hn::Mul(p[j].w, w3);
                m.m11 = hn::Add(m.m11, hn::Mul(by1, w1));
                m.m12 = hn::Add(m.m12, hn::Mul(by1, w2));
                m.m22 = hn::Add(m.m22, hn::Mul(by2, w2));
                m.m13 = hn::Add(m.m13, hn::Mul(by1, w3));
                m.m23 = hn::Add(m.m23, hn::Mul(by2, w3));
                m.m33 = hn::Add(m.m33, hn::Mul(by3, w3));
            }

            if (block.is_curved)
                take_rest_off(block, lane, unit_normal(difference(p[1], p[0]), difference(p[2], p[0])), k);

            V soften = per_h2; // what compliances are multiplied by
            if constexpr (damped) {
                const V rate = hn::Mul(hn::Load(d, &block.damping[lane]), per_h), more = hn::Add(one, rate);
                const V memory = hn::Neg(hn::Div(rate, more));
                soften = hn::Div(soften, more);
                k.k1 = k.k1 + load_points(before[b].of[0], lane) * memory;
                k.k2 = k.k2 + load_points(before[b].of[1], lane) * memory;
                k.k3 = k.k3 + load_points(before[b].of[2], lane) * memory;
            }
            const V c11 = hn::Mul(soften, hn::Load(d, &block.compliance[0][lane]));
            const V c12 = hn::Mul(soften, hn::Load(d, &block.compliance[1][lane]));
            const V c22 = hn::Mul(soften, hn::Load(d, &block.compliance[2][lane]));
            const V c33 = hn::Mul(soften, hn::Load(d, &block.compliance[3][lane]));
            const Points l1 = load_points(lambdas[b].of[0], lane), l2 = load_points(lambdas[b].of[1], lane),
                         l3 = load_points(lambdas[b].of[2], lane);
            Points s1 = minus(k.k1 + (l1 * c11 + l2 * c12));
            Points s2 = minus(k.k2 + (l1 * c12 + l2 * c22));
            Points s3 = minus(k.k3 + l3 * c33);
            m.m11 = hn::Add(m.m11, c11);
            m.m12 = hn::Add(m.m12, c12);
            m.m22 = hn::Add(m.m22, c22);
            m.m33 = hn::Add(m.m33, c33);
            const Factors3 factors = factorise(m);
            solve(factors, s1.x, s2.x, s3.x);
            solve(factors, s1.y, s2.y, s3.y);
            solve(factors, s1.z, s2.z, s3.z);
            store_points(l1 + s1, lambdas[b].of[0], lane);
            store_points(l2 + s2, lambdas[b].of[1], lane);
            store_points(l3 + s3, lambdas[b].of[2], lane);

            for (std::size_t j = 0; j < block.places; ++j) {
                const Points way =
                    (s1 * hn::Load(d, &places[j].weight[0][lane]) + s2 * hn::Load(d, &places[j].weight[1][lane])) +
                    s3 * hn::Load(d, &places[j].weight[2][lane]);
                p[j].x = hn::Add(p[j].x, hn::Mul(p[j].w, way.x));
                p[j].y = hn::Add(p[j].y, hn::Mul(p[j].w, way.y));
                p[j].z = hn::Add(p[j].z, hn::Mul(p[j].w, way.z));
                store(p[j], x, &places[j].particle[lane]);
            }
        }
    }
}

void project_range(const BendBlock* blocks, const BendPlace* places, BendValues* lambdas, const BendValues* before,
                   std::size_t count, float h, Vec4* x) {
    if (before != nullptr)
        project_blocks<true>(blocks, places, lambdas, before, count, h, x);
    else
        project_blocks<false>(blocks, places, lambdas, before, count, h, x);
}

void find_curvatures(const BendBlock* HWY_RESTRICT blocks, const BendPlace* HWY_RESTRICT all_places, std::size_t count,
                     const Vec4* HWY_RESTRICT x, BendValues* HWY_RESTRICT curvatures) {
    const Lanes d;
    for (std::size_t b = 0; b < count; ++b) {
        const BendPlace* HWY_RESTRICT places = all_places + blocks[b].first;
        for (std::size_t lane = 0; lane < BendPlace::lanes; lane += hn::Lanes(d)) {
            Curvatures k = no_curvature();
            const Particles first = load(x, &places[0].particle[lane]);
            for (std::size_t j = 1; j < blocks[b].places; ++j)
                add_place(places[j], lane, difference(load(x, &places[j].particle[lane]), first), k);
            if (blocks[b].is_curved)
                take_rest_off(blocks[b], lane,
                              unit_normal(difference(load(x, &places[1].particle[lane]), first),
                                          difference(load(x, &places[2].particle[lane]), first)),
                              k);
            store_points(k.k1, curvatures[b].of[0], lane);
            store_points(k.k2, curvatures[b].of[1], lane);
            store_points(k.k3, curvatures[b].of[2], lane);
        }
    }
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(project_range);
HWY_EXPORT(find_curvatures);

namespace {

// (A S)^-1; a direction without stiffness has a millionth of the greatest, so that the law has an inverse.
Eigen::Matrix3d compliance(const BendingStiffness& law, double area) {
    constexpr double least_stiffness = 1e-6;
    const Eigen::Matrix3d s = law.matrix();
    const double most = std::max(s.maxCoeff(), 1e-12);
    return (area * (s + most * least_stiffness * Eigen::Matrix3d::Identity())).inverse();
}

// On regular meshes many weights are zero but for rounding.
bool matters(const BendingElement& element, Eigen::Index column) {
    return element.weights.col(column).cwiseAbs().maxCoeff() > 1e-9 * element.weights.cwiseAbs().maxCoeff();
}

} // namespace

Bend make_bend(std::span<const BendingElement> elements, std::span<const Index> material_of,
               std::span<const BendMaterial> laws, std::span<const Index> partition_begin, Index sentinel,
               SweepOrder arrangement) {
    VertexSets particles;
    std::vector<std::vector<Eigen::Index>> kept(elements.size()); // columns, by element
    for (std::size_t e = 0; e < elements.size(); ++e) {
        std::vector<Index> mine;
        for (Eigen::Index j = 0; j < elements[e].weights.cols(); ++j)
            if (j < 3 || matters(elements[e], j)) { // the corners tell the normal
                kept[e].push_back(j);
                mine.push_back(elements[e].particle[static_cast<std::size_t>(j)]);
            }
        particles.add(mine);
    }
    const Schedule schedule = make_schedule(particles, partition_begin, sentinel, arrangement);
    Bend bend;
    bend.partition_begin = schedule.partition_begin;
    for (const Schedule::Block& planned : schedule.blocks) {
        BendBlock block = {};
        block.first = bend.places.size();
        for (const Index e : planned.element)
            if (e != Schedule::none) block.places = std::max(block.places, kept[e].size());
        assert(block.places <= BendBlock::most_places);
        BendPlace empty = {};
        empty.particle.fill(planned.filling);
        bend.places.resize(block.first + block.places, empty);
        for (std::size_t lane = 0; lane < BendPlace::lanes; ++lane) {
            const Index e = planned.element[lane];
            bend.lane_materials.emplace_back();
            for (const std::size_t i : {std::size_t{0}, std::size_t{2}, std::size_t{3}})
                block.compliance[i][lane] = 1; // a system that can be solved
            if (e == Schedule::none) continue;
            for (std::size_t j = 0; j < block.places; ++j) {
                BendPlace& place = bend.places[block.first + j];
                // Places behind the last name the first particle's like: a particle of the element would be stored
                // twice.
                if (j >= kept[e].size()) continue;
                place.particle[lane] = particles[e][j];
                for (std::size_t i = 0; i < 3; ++i)
                    place.weight[i][lane] =
                        static_cast<float>(elements[e].weights(static_cast<Eigen::Index>(i), kept[e][j]));
            }
            bend.lane_materials.back() = {material_of[e], elements[e].area};
            for (std::size_t i = 0; i < 3; ++i)
                block.rest[i][lane] = static_cast<float>(elements[e].rest[static_cast<Eigen::Index>(i)]);
            block.is_curved = block.is_curved || !elements[e].rest.isZero(0);
        }
        bend.blocks.push_back(block);
    }
    bend.lambda.resize(bend.blocks.size());
    change_materials(bend, laws);
    return bend;
}

void change_materials(Bend& bend, std::span<const BendMaterial> laws) {
    for (std::size_t k = 0; k < bend.lane_materials.size(); ++k) {
        const LaneMaterial& own = bend.lane_materials[k];
        if (own.area == 0) continue;
        BendBlock& block = bend.blocks[k / BendPlace::lanes];
        const std::size_t lane = k % BendPlace::lanes;
        const Eigen::Matrix3d alpha = compliance(laws[own.law].law, own.area);
        block.compliance[0][lane] = static_cast<float>(alpha(0, 0));
        block.compliance[1][lane] = static_cast<float>(alpha(0, 1));
        block.compliance[2][lane] = static_cast<float>(alpha(1, 1));
        block.compliance[3][lane] = static_cast<float>(alpha(2, 2));
        block.damping[lane] = static_cast<float>(laws[own.law].damping);
    }
    const bool is_damped =
        std::any_of(laws.begin(), laws.end(), [](const BendMaterial& law) { return law.damping > 0; });
    bend.before.resize(is_damped ? bend.blocks.size() : 0);
}

void begin_bend(Bend& bend, BlockRange range, std::span<const Vec4> x) {
    std::fill(bend.lambda.begin() + static_cast<std::ptrdiff_t>(range.begin),
              bend.lambda.begin() + static_cast<std::ptrdiff_t>(range.end), BendValues{});
    if (!bend.before.empty()) HWY_DYNAMIC_DISPATCH(find_curvatures)
    (bend.blocks.data() + range.begin, bend.places.data(), range.end - range.begin, x.data(),
     bend.before.data() + range.begin);
}

void project_bend(Bend& bend, BlockRange range, float h, std::span<Vec4> x) {
    HWY_DYNAMIC_DISPATCH(project_range)
    (bend.blocks.data() + range.begin, bend.places.data(), bend.lambda.data() + range.begin,
     bend.before.empty() ? nullptr : bend.before.data() + range.begin, range.end - range.begin, h, x.data());
}

double bend_error(const Bend& bend, float h, std::span<const Vec4> x) {
    constexpr double flat = 1e-3; // 1/m: what rounding of positions looks like
    std::vector<BendValues> curvatures(bend.blocks.size());
    HWY_DYNAMIC_DISPATCH(find_curvatures)
    (bend.blocks.data(), bend.places.data(), bend.blocks.size(), x.data(), curvatures.data());
    const double per_h2 = 1 / (static_cast<double>(h) * static_cast<double>(h));
    double sum = 0, of_all = 0;
    std::size_t count = 0;
    for (std::size_t b = 0; b < bend.blocks.size(); ++b) {
        const BendBlock& block = bend.blocks[b];
        for (std::size_t lane = 0; lane < BendPlace::lanes; ++lane) {
            const BendPlace& place = bend.places[block.first];
            if (place.particle[lane] == bend.places[block.first + 1].particle[lane]) continue; // without an element
            ++count;
            for (std::size_t axis = 0; axis < 3; ++axis) {
                const auto alpha = [&](std::size_t i) {
                    return per_h2 * static_cast<double>(block.compliance[i][lane]);
                };
                const auto lambda = [&](std::size_t i) {
                    return static_cast<double>(bend.lambda[b].of[i][axis][lane]);
                };
                const auto curvature = [&](std::size_t i) {
                    const auto now = static_cast<double>(curvatures[b].of[i][axis][lane]);
                    of_all += now * now;
                    if (bend.before.empty()) return now;
                    const double rate = static_cast<double>(block.damping[lane]) / static_cast<double>(h);
                    return now + rate * (now - static_cast<double>(bend.before[b].of[i][axis][lane]));
                };
                const double r0 = curvature(0) + alpha(0) * lambda(0) + alpha(1) * lambda(1);
                const double r1 = curvature(1) + alpha(1) * lambda(0) + alpha(2) * lambda(1);
                const double r2 = curvature(2) + alpha(3) * lambda(2);
                sum += r0 * r0 + r1 * r1 + r2 * r2;
            }
        }
    }
    return of_all > static_cast<double>(count) * flat * flat ? std::sqrt(sum / of_all) : 0.0;
}

Eigen::Matrix3d BendReference::bends(const Eigen::Matrix3Xd& x) const {
    const Eigen::Vector3d a = x.col(1) - x.col(0), b = x.col(2) - x.col(0);
    return curvatures(element, x) - a.cross(b).normalized() * element.rest.transpose();
}

void BendReference::project(double h, const Eigen::VectorXd& w, Eigen::Matrix3Xd& x) {
    const Eigen::Matrix3d alpha = compliance(law.law, element.area) / (h * h);
    const double rate = law.damping / h;
    const Eigen::Matrix3d k = bends(x);
    const Eigen::Matrix3d m = (1 + rate) * (element.weights * w.asDiagonal() * element.weights.transpose()) + alpha;
    const Eigen::Matrix3d d_lambda = -(k + lambda * alpha + rate * (k - before)) * m.inverse();
    lambda += d_lambda;
    x += d_lambda * element.weights * w.asDiagonal();
}

} // namespace taffeta
#endif
