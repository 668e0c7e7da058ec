#include "solvers/implicit/elasticity.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <numeric>

namespace taffeta {
namespace {

constexpr std::size_t element_grain = 64;

// Where friction within bent fabric yields, as a share of the curvature at which it equals the elastic moment: the
// first resistance to bending is then ten times that of the fabric, which is about what KES curves show.
constexpr double yield_share = 0.1;
constexpr double least_yield = 1e-3; // 1/m

// Twist counts twice in the norm of a curvature, as both off-diagonal entries of the matrix it is.
const Eigen::Vector3d frobenius(1, 1, std::sqrt(2.0));

} // namespace

Elasticity::Elasticity(Sheet sheet) : sheet_(std::move(sheet)) {
    const std::size_t count = sheet_.membrane.size();
    std::vector<std::vector<Index>> triangles, stencils;
    for (std::size_t e = 0; e < count; ++e) {
        triangles.emplace_back(sheet_.membrane[e].particle.begin(), sheet_.membrane[e].particle.end());
        stencils.push_back(sheet_.bending[e].particle);
    }
    far_ = make_sparsity(sheet_.particle_count, stencils);
    in_triangle_ = memberships([&](std::size_t e) { return std::span<const Index>(triangles[e]); });
    in_stencil_ = memberships([&](std::size_t e) { return std::span<const Index>(stencils[e]); });
    membrane_.resize(count);
    strain_before_.assign(count, Eigen::Vector3d::Zero());
    curvature_before_.assign(count, Eigen::Vector3d::Zero());
    anchor_.resize(count);
    for (std::size_t e = 0; e < count; ++e) anchor_[e] = sheet_.bending[e].rest;
    change_laws(sheet_.laws);
}

template <class Particles>
Elasticity::Membership Elasticity::memberships(Particles&& particles_of) const {
    Membership membership;
    membership.begin.assign(sheet_.particle_count + 1, 0);
    const std::size_t count = sheet_.membrane.size();
    for (std::size_t e = 0; e < count; ++e)
        for (const Index p : particles_of(e)) ++membership.begin[p + 1];
    std::partial_sum(membership.begin.begin(), membership.begin.end(), membership.begin.begin());
    membership.at.resize(membership.begin.back());
    std::vector<Index> next(membership.begin.begin(), membership.begin.end() - 1);
    for (std::size_t e = 0; e < count; ++e) {
        Index corner = 0;
        for (const Index p : particles_of(e)) membership.at[next[p]++] = {static_cast<Index>(e), corner++};
    }
    return membership;
}

void Elasticity::change_laws(std::vector<SheetLaw> laws) {
    sheet_.laws = std::move(laws);
    has_bends_ = false;
    std::vector<std::vector<Index>> groups;
    for (std::size_t e = 0; e < sheet_.membrane.size(); ++e) {
        const bool is_bent = is_bent_by_law(e);
        has_bends_ = has_bends_ || is_bent;
        if (is_bent)
            groups.push_back(sheet_.bending[e].particle);
        else
            groups.emplace_back(sheet_.membrane[e].particle.begin(), sheet_.membrane[e].particle.end());
    }
    near_ = make_sparsity(sheet_.particle_count, groups);
    bend_.resize(has_bends_ ? sheet_.bending.size() : 0);
    assemble_numbers();
}

void Elasticity::assemble_numbers() {
    numbers_.assign(far_.column.size(), 0);
    for (std::size_t e = 0; e < sheet_.bending.size(); ++e) {
        const BendingElement& element = sheet_.bending[e];
        const Eigen::MatrixXd stiffness = bending_stiffness(element, sheet_.laws[sheet_.cloth[e]].bending);
        for (std::size_t i = 0; i < element.particle.size(); ++i)
            for (std::size_t j = 0; j < element.particle.size(); ++j)
                numbers_[far_.place(element.particle[i], element.particle[j])] +=
                    stiffness(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j));
    }
}

bool Elasticity::is_bent_by_law(std::size_t element) const {
    const SheetLaw& law = sheet_.laws[sheet_.cloth[element]];
    return law.friction_moment > 0 || law.bend_damping > 0 || !sheet_.bending[element].rest.isZero(0);
}

Eigen::Matrix3Xd Elasticity::places(std::size_t element, const Eigen::Matrix3Xd& x) const {
    const std::vector<Index>& particle = sheet_.bending[element].particle;
    Eigen::Matrix3Xd at(3, static_cast<Eigen::Index>(particle.size()));
    for (std::size_t p = 0; p < particle.size(); ++p) at.col(static_cast<Eigen::Index>(p)) = x.col(particle[p]);
    return at;
}

namespace {

Eigen::Matrix3d corners(const MembraneTriangle& triangle, const Eigen::Matrix3Xd& x) {
    Eigen::Matrix3d at;
    for (int k = 0; k < 3; ++k) at.col(k) = x.col(triangle.particle[static_cast<std::size_t>(k)]);
    return at;
}

// With a share r of damping: A/2 C^T S C + r A/2 (C - C_before)^T S (C - C_before), up to a number.
struct DampedLaw {
    DampedLaw(const MembraneLaw& law, double r, const Eigen::Vector3d& before)
        : stiff({law.warp * (1 + r), law.weft * (1 + r), law.across * (1 + r), law.shear * (1 + r)}),
          rest(before * (r / (1 + r))) {}
    MembraneLaw stiff;
    Eigen::Vector3d rest;
};

DryFriction friction_of(const SheetLaw& law) {
    const double stiffness = std::sqrt(law.bending.warp * law.bending.weft);
    const double equal = stiffness > 0 ? law.friction_moment / stiffness : 0;
    return {law.friction_moment, std::max(yield_share * equal, least_yield)};
}

} // namespace

Elasticity::Bend Elasticity::bend_of(std::size_t element, const Eigen::Vector3d& curvatures) const {
    const SheetLaw& law = sheet_.laws[sheet_.cloth[element]];
    const BendingElement& bending = sheet_.bending[element];
    const Eigen::Matrix3d s = bending.area * law.bending.matrix();
    // |k - rest n|^2 is |k|^2, which the linear part has, less twice the product, and a number.
    Bend bend = {.energy = -bending.rest.dot(s * curvatures), .slope = -(s * bending.rest)};
    if (law.bend_damping > 0 && h_ > 0) {
        const double r = damping_of(law.bend_damping);
        const Eigen::Vector3d change = curvatures - curvature_before_[element];
        bend.energy += r / 2 * change.dot(s * change);
        bend.slope += r * (s * change);
        bend.curvature += r * s;
    }
    if (law.friction_moment > 0) {
        const DryFriction friction = friction_of(law);
        const Eigen::Vector3d way = frobenius.cwiseProduct(curvatures - anchor_[element]);
        bend.energy += bending.area * friction.energy(way.norm());
        bend.slope += bending.area * frobenius.cwiseProduct(friction.gradient(way));
        bend.curvature += bending.area * (frobenius.asDiagonal() * friction.hessian(way) * frobenius.asDiagonal());
    }
    return bend;
}

void Elasticity::begin_step(const Eigen::Matrix3Xd& x, double h, const Parallel& parallel) {
    h_ = h;
    parallel.for_pieces(sheet_.membrane.size(), element_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) {
            const SheetLaw& law = sheet_.laws[sheet_.cloth[e]];
            if (law.stretch_damping > 0)
                strain_before_[e] = membrane_strain(sheet_.membrane[e], corners(sheet_.membrane[e], x));
            if (law.bend_damping > 0) curvature_before_[e] = normal_curvatures(sheet_.bending[e], places(e, x)).value;
        }
    });
}

void Elasticity::end_step(const Eigen::Matrix3Xd& x, const Parallel& parallel) {
    h_ = 0;
    if (!has_bends_) return;
    parallel.for_pieces(sheet_.bending.size(), element_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) {
            const SheetLaw& law = sheet_.laws[sheet_.cloth[e]];
            if (!(law.friction_moment > 0)) continue;
            const Eigen::Vector3d now = normal_curvatures(sheet_.bending[e], places(e, x)).value;
            const Eigen::Vector3d way = frobenius.cwiseProduct(now - anchor_[e]);
            anchor_[e] += friction_of(law).drag(way).cwiseQuotient(frobenius);
        }
    });
}

double Elasticity::energy(const Eigen::Matrix3Xd& x, const Parallel& parallel) const {
    const auto rows = static_cast<std::size_t>(sheet_.particle_count);
    std::vector<double> sums((rows + rows_at_once - 1) / rows_at_once + sheet_.membrane.size());
    const std::span<double> by_rows = std::span(sums).subspan(sheet_.membrane.size());
    for_row_pieces(parallel, rows, [&](std::size_t piece, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) { // bending: x^T K x / 2
            Eigen::Vector3d sum = Eigen::Vector3d::Zero();
            for (Index k = far_.begin[row]; k < far_.begin[row + 1]; ++k) sum += numbers_[k] * x.col(far_.column[k]);
            by_rows[piece] += sum.dot(x.col(static_cast<Eigen::Index>(row))) / 2;
        }
    });
    parallel.for_pieces(sheet_.membrane.size(), element_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) {
            const MembraneTriangle& triangle = sheet_.membrane[e];
            const SheetLaw& law = sheet_.laws[sheet_.cloth[e]];
            const DampedLaw damped(law.membrane, damping_of(law.stretch_damping), strain_before_[e]);
            const Eigen::Vector3d strain = membrane_strain(triangle, corners(triangle, x)) - damped.rest;
            sums[e] = triangle.area / 2 * strain.dot(damped.stiff.matrix() * strain);
            if (has_bends_ && is_bent_by_law(e))
                sums[e] += bend_of(e, normal_curvatures(sheet_.bending[e], places(e, x)).value).energy;
        }
    });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
}

void Elasticity::add_gradient(const Eigen::Matrix3Xd& x, const Parallel& parallel, Eigen::Matrix3Xd& gradient) {
    parallel.for_pieces(sheet_.membrane.size(), element_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t e = begin; e < end; ++e) {
            const MembraneTriangle& triangle = sheet_.membrane[e];
            const SheetLaw& law = sheet_.laws[sheet_.cloth[e]];
            const DampedLaw damped(law.membrane, damping_of(law.stretch_damping), strain_before_[e]);
            membrane_[e] = membrane_energy(triangle, damped.stiff, corners(triangle, x), curvature_, damped.rest);
            if (has_bends_ && is_bent_by_law(e)) {
                bend_[e].curvatures = normal_curvatures(sheet_.bending[e], places(e, x));
                bend_[e].bend = bend_of(e, bend_[e].curvatures.value);
            }
        }
    });
    for_row_pieces(parallel, sheet_.particle_count, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            Eigen::Vector3d sum = Eigen::Vector3d::Zero();
            for (Index k = far_.begin[row]; k < far_.begin[row + 1]; ++k) sum += numbers_[k] * x.col(far_.column[k]);
            for (Index k = in_triangle_.begin[row]; k < in_triangle_.begin[row + 1]; ++k) {
                const auto& [element, corner] = in_triangle_.at[k];
                sum += membrane_[element].gradient.segment<3>(3 * static_cast<Eigen::Index>(corner));
            }
            if (has_bends_) {
                for (Index k = in_stencil_.begin[row]; k < in_stencil_.begin[row + 1]; ++k) {
                    const auto& [element, corner] = in_stencil_.at[k];
                    if (!is_bent_by_law(element)) continue;
                    const BendAt& at = bend_[element];
                    for (int i = 0; i < 3; ++i)
                        sum += at.bend.slope[i] * at.curvatures.gradient[static_cast<std::size_t>(i)].col(corner);
                }
            }
            gradient.col(static_cast<Eigen::Index>(row)) += sum;
        }
    });
}

void Elasticity::fill(const Parallel& parallel, Stiffness& stiffness) const {
    for_row_pieces(parallel, sheet_.particle_count, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t row = begin; row < end; ++row) {
            const auto r = static_cast<Index>(row);
            for (Index k = near_.begin[r]; k < near_.begin[r + 1]; ++k) stiffness.blocks[k].setZero();
            for (Index k = in_triangle_.begin[r]; k < in_triangle_.begin[r + 1]; ++k) {
                const auto& [element, corner] = in_triangle_.at[k];
                const std::array<Index, 3>& particle = sheet_.membrane[element].particle;
                for (std::size_t j = 0; j < 3; ++j)
                    stiffness.blocks[near_.place(r, particle[j])] += membrane_[element].hessian.block<3, 3>(
                        3 * static_cast<Eigen::Index>(corner), 3 * static_cast<Eigen::Index>(j));
            }
            if (!has_bends_) continue;
            for (Index k = in_stencil_.begin[r]; k < in_stencil_.begin[r + 1]; ++k) {
                const auto& [element, corner] = in_stencil_.at[k];
                if (!is_bent_by_law(element) || bend_[element].bend.curvature.isZero(0)) continue;
                const BendAt& at = bend_[element];
                const std::vector<Index>& particle = sheet_.bending[element].particle;
                Eigen::Matrix3d own, others; // gradients of the three curvatures, as columns
                for (int i = 0; i < 3; ++i)
                    own.col(i) = at.curvatures.gradient[static_cast<std::size_t>(i)].col(corner);
                const Eigen::Matrix3d weighted = own * at.bend.curvature;
                for (std::size_t j = 0; j < particle.size(); ++j) {
                    for (int i = 0; i < 3; ++i)
                        others.col(i) =
                            at.curvatures.gradient[static_cast<std::size_t>(i)].col(static_cast<Eigen::Index>(j));
                    stiffness.blocks[near_.place(r, particle[j])] += weighted * others.transpose();
                }
            }
        }
    });
}

Stiffness Elasticity::make_stiffness() const {
    return {.far = far_,
            .numbers = numbers_,
            .near = near_,
            .blocks = std::vector<Eigen::Matrix3d>(near_.column.size(), Eigen::Matrix3d::Zero()),
            .touching = {.begin = std::vector<Index>(sheet_.particle_count + 1, 0), .column = {}},
            .touching_blocks = {},
            .inertia = std::vector<double>(sheet_.particle_count, 0.0)};
}

} // namespace taffeta
