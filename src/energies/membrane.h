// What a triangle of woven cloth stores when it is drawn out or sheared in its own plane.
//
// Warp and weft are two directions of the material. The deformation gradient says what has become of them: u of a metre
// of warp, v of a metre of weft. The strains are
//
//     C = ( |u| - 1,  |v| - 1,  u.v / (|u| |v|) )          along the warp, along the weft, and the sine of the shear
//
// and the energy is A/2 C^T S C. Lengths themselves instead of their squares: Green's strain is 8 % too stiff at 5 %.
// The law is linear in the strain at any length, so that cloth drawn out by a fifth pulls back twice as hard as by a
// tenth.
#pragma once

#include "core/state.h"

#include <Eigen/Core>

#include <array>

namespace taffeta {

// N/m: forces per width of cloth.
struct MembraneStiffness {
    double warp = 0, weft = 0; // for a strain of one in that direction alone
    double across = 0;         // what a strain of one in one direction costs in the other; less than both
    double shear = 0;          // for threads that meet at right angles turned by one radian, for small angles

    Eigen::Matrix3d matrix() const; // S
};

// A triangle on the cutting table.
struct MembraneTriangle {
    std::array<Index, 3> particle = {};
    Eigen::Matrix<double, 3, 2> weights = {}; // 1/m: u and v are the sums of the corners, weighted by its columns
    double area = 0;                          // m^2
};

// From the corners in material coordinates in m, warp first. The area must not be zero; whether corners go round to the
// left or to the right does not matter.
MembraneTriangle make_membrane(const std::array<Index, 3>& particle, const std::array<Eigen::Vector2d, 3>& corners);

// The energy in J, and its derivatives by the coordinates of the three corners, one after the other.
struct ElementEnergy {
    double energy = 0;
    Eigen::Matrix<double, 9, 1> gradient = Eigen::Matrix<double, 9, 1>::Zero();
    Eigen::Matrix<double, 9, 9> hessian = Eigen::Matrix<double, 9, 9>::Zero();
};

// Exact is for who wants the truth; positive, with what would let the triangle buckle left out, is for solvers that
// divide by it: the nearest matrix without negative eigenvalues.
enum class Hessian { exact, positive };

// `x` are the corners in m. `rest` are strains without stress: zero, or what damping takes them for.
ElementEnergy membrane_energy(const MembraneTriangle& triangle, const MembraneStiffness& law, const Eigen::Matrix3d& x,
                              Hessian curvature = Hessian::exact,
                              const Eigen::Vector3d& rest = Eigen::Vector3d::Zero());

// C of a triangle with these corners.
Eigen::Vector3d membrane_strain(const MembraneTriangle& triangle, const Eigen::Matrix3d& x);

} // namespace taffeta
