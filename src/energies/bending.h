// What cloth stores when it is bent.
//
// The curvature of a triangle is the mean of the second derivatives of the surface over it, by Gauss a sum over its
// edges
//
//     H = 1/A  sum  L n_out (grad w)^T        with  grad w = n dw/dn + t (w_b - w_a)/L   in the middle of the edge,
//
// and dw/dn there is a weighted sum of the corners around, exact for every quadratic surface. So bending costs the same
// on every mesh. The hinge that is automatic, an angle per edge, is 20 % too stiff on a regular mesh, however fine, and
// couples bending with twist where diagonals go one way.
//
// H is linear in the positions: three vectors, the curvatures along the warp, along the weft, and the twist. The energy
// is A/2 (D1 k1^2 + 2 D12 k1.k2 + D2 k2^2 + 4 D66 k3^2), and its second derivatives never change.
//
// What is not linear, the curvature of a rest shape, friction within the fabric and damping, goes by the curvatures
// along the normal: numbers that do not change when the cloth turns.
#pragma once

#include "mesh/topology.h"

#include <Eigen/Core>

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

// N m: moments per width of cloth and curvature.
struct BendingStiffness {
    double warp = 0, weft = 0; // D1, D2
    double across = 0;         // D12; for one stiffness D and Poisson's ratio nu in all directions nu D
    double twist = 0;          // D66; then D (1 - nu)/2

    Eigen::Matrix3d matrix() const;
};

struct BendingElement {
    std::vector<Index> particle = {}; // first the corners of the triangle, then those around
    Eigen::Matrix3Xd weights = {};    // 1/m^2, by curvature and particle: k_i is the sum of the particles so weighted
    double area = 0;                  // m^2
    Eigen::Vector3d rest = Eigen::Vector3d::Zero(); // 1/m: the normal curvatures of the rest shape
};

// One element per triangle; `rest` are the particles' places in the rest shape in m, `warp` the way of the warp in each
// triangle's plane. Triangles must have an area. What lies around a triangle is unfolded into its plane. Rest shapes
// that are flat but for rounding count as flat. Triangles whose corners are all pinned clamp what is beside them, half
// an edge before their border with it.
std::vector<BendingElement> make_bending(std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> rest,
                                         std::span<const Eigen::Vector3d> warp,
                                         std::span<const std::uint8_t> is_pinned = {});

// The curvatures k1, k2, k3 in 1/m as columns; `x` are the element's particles in m.
Eigen::Matrix3d curvatures(const BendingElement& element, const Eigen::Matrix3Xd& x);

// Of the part that is linear in the positions.
double bending_energy(const BendingElement& element, const BendingStiffness& law, const Eigen::Matrix3Xd& x); // J
// By particle, in N: the energy's derivative.
Eigen::Matrix3Xd bending_gradient(const BendingElement& element, const BendingStiffness& law,
                                  const Eigen::Matrix3Xd& x);
// N/m: how much the gradient of one particle grows with the place of another, the same in all three directions.
Eigen::MatrixXd bending_stiffness(const BendingElement& element, const BendingStiffness& law);

// The curvatures along the triangle's normal, in 1/m.
struct NormalCurvatures {
    Eigen::Vector3d value;
    std::array<Eigen::Matrix3Xd, 3> gradient; // of each, by particle
};
NormalCurvatures normal_curvatures(const BendingElement& element, const Eigen::Matrix3Xd& x);

} // namespace taffeta
