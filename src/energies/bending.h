// What flat cloth stores when it is bent.
//
// The curvature of a triangle is the mean of the second derivatives of the surface over it, by Gauss a sum over its
// edges
//
//     H = 1/A  sum  L n_out (grad w)^T        with  grad w = n dw/dn + t (w_b - w_a)/L   in the middle of the edge,
//
// and dw/dn there is a weighted sum of the corners around, exact for every quadratic surface. So bending costs the same
// on every mesh. The hinge that is usual, an angle per edge, is 20 % too stiff on a regular mesh, however fine, and
// couples bending with twist where diagonals go one way.
//
// H is linear in the positions: three vectors, the curvatures along the warp, along the weft, and the twist. The energy
// is A/2 (D1 k1^2 + 2 D12 k1.k2 + D2 k2^2 + 4 D66 k3^2), and its second derivatives never change.
#pragma once

#include "mesh/topology.h"

#include <Eigen/Core>

#include <span>
#include <vector>

namespace taffeta {

// N m: moments per width of cloth and curvature.
struct BendingLaw {
    double warp = 0, weft = 0; // D1, D2
    double across = 0;         // D12; for one stiffness D and Poisson's ratio nu in all directions nu D
    double twist = 0;          // D66; then D (1 - nu)/2

    Eigen::Matrix3d matrix() const;
};

struct BendingElement {
    std::vector<Index> particle = {};
    Eigen::Matrix3Xd weights = {}; // 1/m^2, by curvature and particle: k_i is the sum of the particles so weighted
    double area = 0;               // m^2
};

// One element per triangle; `material` are the particles' places on the cutting table in m, warp first. Triangles must
// have an area.
std::vector<BendingElement> make_bending(std::span<const Triangle> triangles,
                                         std::span<const Eigen::Vector2d> material);

// The curvatures k1, k2, k3 in 1/m as columns; `x` are the element's particles in m.
Eigen::Matrix3d curvatures(const BendingElement& element, const Eigen::Matrix3Xd& x);

double bending_energy(const BendingElement& element, const BendingLaw& law, const Eigen::Matrix3Xd& x); // J
// By particle, in N: the energy's derivative.
Eigen::Matrix3Xd bending_gradient(const BendingElement& element, const BendingLaw& law, const Eigen::Matrix3Xd& x);
// N/m: how much the gradient of one particle grows with the place of another, the same in all three directions.
Eigen::MatrixXd bending_stiffness(const BendingElement& element, const BendingLaw& law);

} // namespace taffeta
