// Bending (energies/bending.h) as compliant constraints, one block per triangle [MMC16].
//
// The curvatures k_i = sum_j W_ij x_j of a triangle are linear in the positions, so that their equations are the same
// in all three directions of space,
//
//     (W M^-1 W^T + alpha/h^2) d lambda = -(k + alpha/h^2 lambda),        d x_j = w_j sum_i W_ij d lambda_i
//
// with alpha = (A S)^-1, and solved together. Damping as in constraints/stretch.h. Of rest shapes that are curved, k is
// the difference to the rest curvatures along the triangle's normal, where the projection finds it.
#pragma once

#include "constraints/stretch.h"
#include "energies/bending.h"

namespace taffeta {

struct BendMaterial {
    BendingStiffness law = {};
    double damping = 0; // s
};

// One particle of each of eight elements, with its weights in their curvatures. Places without one have no weights.
struct alignas(32) BendPlace {
    static constexpr std::size_t lanes = Schedule::lanes;
    std::array<Index, lanes> particle;
    std::array<std::array<float, lanes>, 3> weight; // 1/m^2
};

struct alignas(32) BendBlock {
    static constexpr std::size_t most_places = 64; // some 12 within a cloth, up to twice that at borders
    using Row = std::array<float, BendPlace::lanes>;
    std::array<Row, 4> compliance; // 11, 12, 22, 33 of (A S)^-1
    Row damping;                   // s
    std::array<Row, 3> rest;       // 1/m, curvatures along the normal
    bool is_curved = false;        // any of them is
    std::size_t first = 0, places = 0;
};
// Curvatures less those of the rest shape (1/m) or multipliers of a block, by curvature and direction.
struct alignas(32) BendValues {
    std::array<std::array<std::array<float, BendPlace::lanes>, 3>, 3> of;
};

struct Bend {
    std::vector<BendPlace> places = {};
    std::vector<BendBlock> blocks = {};
    std::vector<std::size_t> partition_begin = {0}; // as in Schedule
    std::vector<LaneMaterial> lane_materials = {};  // by block and lane
    std::vector<BendValues> lambda = {};            // of this substep, by block
    std::vector<BendValues> before = {}; // curvatures where the substep began, by block; empty without damping
};

// `material_of` by element, into `laws`. Elements in the order of their particles.
Bend make_bend(std::span<const BendingElement> elements, std::span<const Index> material_of,
               std::span<const BendMaterial> laws, std::span<const Index> partition_begin, Index sentinel,
               SweepOrder arrangement);

// Gives all elements new laws, in the order of those they were made with.
void change_materials(Bend& bend, std::span<const BendMaterial> laws);

void begin_bend(Bend& bend, BlockRange range, std::span<const Vec4> x);
void project_bend(Bend& bend, BlockRange range, float h, std::span<Vec4> x);

// Root mean square over the elements of the residual k + alpha/h^2 lambda, over that of k; 0 for flat cloth.
double bend_error(const Bend& bend, float h, std::span<const Vec4> x);

// For a single element in double, by matrices: what the fast form is compared with.
struct BendReference {
    BendingElement element;
    BendMaterial law;
    Eigen::Matrix3d lambda = Eigen::Matrix3d::Zero(), before = Eigen::Matrix3d::Zero(); // curvatures in columns

    Eigen::Matrix3d bends(const Eigen::Matrix3Xd& x) const; // curvatures less those of the rest shape
    void project(double h, const Eigen::VectorXd& w, Eigen::Matrix3Xd& x);
};

} // namespace taffeta
