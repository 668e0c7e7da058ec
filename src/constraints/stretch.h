// The membrane of woven cloth (energies/membrane.h) as compliant constraints, one block of three per triangle [MMC16].
//
// With the strains C of a triangle, its area A and law S the compliance is alpha = (A S)^-1, and multipliers lambda
// that satisfy C + alpha/h^2 lambda = 0 are the forces of the energy at the end of the substep: implicit Euler. One
// projection solves the triangle's three equations together,
//
//     (J M^-1 J^T + alpha/h^2) d lambda = -(C + alpha/h^2 lambda),        d x = M^-1 J^T d lambda
//
// with J = dC/dx. A strain that grows by 1/s resists like one of `damping` more; so to the right comes
// damping/h (C - C_prev), and to the left as much of J. C_prev instead of J (x - x_prev) of [MMC16] Eq. 26: it is
// exactly zero for cloth that turns.
//
// Sweeps reach the law only for cloth that is soft enough for its mesh and step. A strain limit holds what they do not.
#pragma once

#include "constraints/schedule.h"
#include "core/state.h"
#include "energies/membrane.h"

#include <array>
#include <cstddef>
#include <limits>
#include <span>
#include <vector>

namespace taffeta {

struct StretchMaterial {
    MembraneStiffness law = {};
    double damping = 0;                                       // s
    double longest = std::numeric_limits<double>::infinity(); // of warp and weft, as a multiple of the rest length
};

// Eight triangles, by lane. Lanes without one have no weights and move nothing.
struct alignas(32) StretchBlock {
    static constexpr std::size_t lanes = Schedule::lanes;
    using Row = std::array<float, lanes>;
    std::array<std::array<Index, lanes>, 3> particle;
    std::array<Row, 2> warp, weft; // 1/m: weights of particles 1 and 2 in u and in v; that of 0 is minus their sum
    std::array<Row, 4> compliance; // m/N / m^2: 11, 12, 22, 33 of (A S)^-1
    Row damping;                   // s
    Row longest;
};
// Three numbers for each triangle of a block: strains, or multipliers (J s^2, strain being without unit).
struct alignas(32) StretchValues {
    std::array<std::array<float, StretchBlock::lanes>, 3> of;
};

// What the compliance of a lane is made of.
struct LaneMaterial {
    Index law = 0;   // into the list of laws
    double area = 0; // m^2; 0: a lane without an element
};

struct Stretch {
    std::vector<StretchBlock> blocks = {};
    std::vector<std::size_t> partition_begin = {0}; // as in Schedule
    std::vector<LaneMaterial> lane_materials = {};  // by block and lane
    std::vector<StretchValues> lambda = {};         // of this substep, by block
    std::vector<StretchValues> before = {};         // strains where the substep began, by block; empty without damping
};

// `material_of` by triangle, into `laws`. Triangles in the order of their particles.
Stretch make_stretch(std::span<const MembraneTriangle> triangles, std::span<const Index> material_of,
                     std::span<const StretchMaterial> laws, std::span<const Index> partition_begin, Index sentinel,
                     SweepOrder arrangement);

// Gives all triangles new laws, in the order of those they were made with.
void change_materials(Stretch& stretch, std::span<const StretchMaterial> laws);

struct BlockRange {
    std::size_t begin = 0, end = 0;
};

// At the begin of a substep: no multipliers, and if there is damping the strains at `x`.
void begin_stretch(Stretch& stretch, BlockRange range, std::span<const Vec4> x);

// Projects the blocks of a range once, and then the strain limits of each if it has any. Gives the same bits on every
// instruction set.
void project_stretch(Stretch& stretch, BlockRange range, float h, std::span<Vec4> x);

// Root mean square over the triangles of the equations' residual C + alpha/h^2 lambda: by how much the strain differs
// from the one that the multipliers, which are the forces, belong to.
double strain_error(const Stretch& stretch, float h, std::span<const Vec4> x);

// The same for a single triangle in double, by matrices: what the fast form is compared with.
struct StretchReference {
    MembraneTriangle triangle;
    StretchMaterial law;
    Eigen::Vector3d lambda = Eigen::Vector3d::Zero(), before = Eigen::Vector3d::Zero();

    // `x` are the corners in columns, `w` their inverse masses.
    void project(double h, const Eigen::Vector3d& w, Eigen::Matrix3d& x);
};

} // namespace taffeta
