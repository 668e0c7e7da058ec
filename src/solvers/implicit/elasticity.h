// The energies of all cloth together: energy, forces and stiffness of a state, in parallel, with the same bits for
// every number of threads. Every triangle is worked out on its own, then every particle gathers from its triangles.
//
// Damping and the friction within bent fabric depend on where the step began; within a step they are energies too
// (a potential of the change), and so go into the same sums.
#pragma once

#include "energies/dry_friction.h"
#include "energies/element_mesh.h"
#include "solvers/implicit/stiffness_matrix.h"

#include <Eigen/Core>

#include <vector>

namespace taffeta {

class Elasticity {
public:
    Elasticity() = default;
    explicit Elasticity(Sheet sheet);

    const Sheet& sheet() const { return sheet_; }
    // Other fabrics for the same cloth.
    void change_laws(std::vector<SheetLaw> laws);

    // The step begins at x and lasts h seconds: what damping and friction remember.
    void begin_step(const Eigen::Matrix3Xd& x, double h, const Parallel& parallel);
    // Friction keeps what it was dragged to.
    void end_step(const Eigen::Matrix3Xd& x, const Parallel& parallel);

    const std::vector<Eigen::Vector3d>& friction_anchors() const { return anchor_; }
    void anchor_friction(std::vector<Eigen::Vector3d> anchors) { anchor_ = std::move(anchors); }

    double energy(const Eigen::Matrix3Xd& x, const Parallel& parallel) const;                           // J
    void add_gradient(const Eigen::Matrix3Xd& x, const Parallel& parallel, Eigen::Matrix3Xd& gradient); // N
    // The blocks between neighbours; call add_gradient for this x and curvature first.
    void fill(const Parallel& parallel, Stiffness& stiffness) const;
    // A matrix of the right pattern, with the part that never changes; its inertia is zero.
    Stiffness make_stiffness() const;

    void prefer(Curvature curvature) { curvature_ = curvature; }

private:
    // What the curvatures of an element along its normal add: rest shape, damping, friction.
    struct Bend {
        double energy = 0;
        Eigen::Vector3d slope = Eigen::Vector3d::Zero();
        Eigen::Matrix3d curvature = Eigen::Matrix3d::Zero(); // positive or zero
    };
    Bend bend_of(std::size_t element, const Eigen::Vector3d& curvatures) const;
    bool is_bent_by_law(std::size_t element) const;
    double damping_of(double seconds) const { return h_ > 0 ? seconds / h_ : 0; }
    Eigen::Matrix3Xd places(std::size_t element, const Eigen::Matrix3Xd& x) const;
    void assemble_numbers();

    // Which elements a particle is in, and as which of their particles.
    struct Membership {
        struct At {
            Index element = 0, corner = 0;
        };
        std::vector<Index> begin = {};
        std::vector<At> at = {};
    };
    template <class Particles>
    Membership memberships(Particles&& particles_of) const;

    Sheet sheet_;
    bool has_bends_ = false; // some element has more than its linear bending
    Sparsity far_, near_;
    std::vector<double> numbers_; // by place in far_
    Membership in_triangle_, in_stencil_;
    Curvature curvature_ = Curvature::positive;

    // By element.
    std::vector<Eigen::Vector3d> strain_before_;    // for damping
    std::vector<Eigen::Vector3d> curvature_before_; // 1/m, the same
    std::vector<Eigen::Vector3d> anchor_;           // 1/m, of friction
    std::vector<ElementEnergy> membrane_;
    struct BendAt {
        NormalCurvatures curvatures;
        Bend bend;
    };
    std::vector<BendAt> bend_;
    double h_ = 0; // s; 0: no step, so no damping
};

} // namespace taffeta
