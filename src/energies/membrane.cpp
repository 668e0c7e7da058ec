#include "energies/membrane.h"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>

namespace taffeta {
namespace {

using Vector6 = Eigen::Matrix<double, 6, 1>;
using Matrix6 = Eigen::Matrix<double, 6, 6>;

// Threads shorter than this share of their length have no direction that could be told; they keep this one's.
constexpr double shortest = 1e-6;

// A thread of the cloth: how long a metre of it is, and where it points.
struct Thread {
    explicit Thread(const Eigen::Vector3d& v)
        : length(std::max(v.norm(), shortest)), along(v / length),
          across(Eigen::Matrix3d::Identity() - along * along.transpose()) {}
    double length;
    Eigen::Vector3d along;
    Eigen::Matrix3d across; // takes off what lies along it
};

void leave_out_negative(Matrix6& matrix) {
    const Eigen::SelfAdjointEigenSolver<Matrix6> solver(matrix);
    const Vector6 kept = solver.eigenvalues().cwiseMax(0.0);
    matrix = solver.eigenvectors() * kept.asDiagonal() * solver.eigenvectors().transpose();
}

} // namespace

Eigen::Matrix3d MembraneStiffness::matrix() const {
    Eigen::Matrix3d s;
    s << warp, across, 0, across, weft, 0, 0, 0, shear;
    return s;
}

MembraneTriangle make_membrane(const std::array<Index, 3>& particle, const std::array<Eigen::Vector2d, 3>& corners) {
    Eigen::Matrix2d sides;
    sides << corners[1] - corners[0], corners[2] - corners[0];
    const Eigen::Matrix2d inverse = sides.inverse();
    MembraneTriangle triangle = {particle, {}, std::abs(sides.determinant()) / 2};
    triangle.weights.row(1) = inverse.row(0);
    triangle.weights.row(2) = inverse.row(1);
    triangle.weights.row(0) = -inverse.row(0) - inverse.row(1);
    return triangle;
}

Eigen::Vector3d membrane_strain(const MembraneTriangle& triangle, const Eigen::Matrix3d& x) {
    const Eigen::Matrix<double, 3, 2> f = x * triangle.weights;
    const Thread u(f.col(0)), v(f.col(1));
    return {u.length - 1, v.length - 1, u.along.dot(v.along)};
}

ElementEnergy membrane_energy(const MembraneTriangle& triangle, const MembraneStiffness& law, const Eigen::Matrix3d& x,
                              Hessian curvature, const Eigen::Vector3d& rest) {
    const Eigen::Matrix<double, 3, 2> f = x * triangle.weights;
    const Thread u(f.col(0)), v(f.col(1));
    const double c = u.along.dot(v.along);
    const Eigen::Vector3d strain = Eigen::Vector3d(u.length - 1, v.length - 1, c) - rest;
    const Eigen::Vector3d stress = law.matrix() * strain;

    // By u and v: dC/d(u, v), a column for each strain.
    const Eigen::Vector3d a = v.along - c * u.along, b = u.along - c * v.along;
    Eigen::Matrix<double, 6, 3> slopes = Eigen::Matrix<double, 6, 3>::Zero();
    slopes.block<3, 1>(0, 0) = u.along;
    slopes.block<3, 1>(3, 1) = v.along;
    slopes.block<3, 1>(0, 2) = a / u.length;
    slopes.block<3, 1>(3, 2) = b / v.length;
    const Vector6 gradient = slopes * stress;

    Matrix6 hessian = slopes * law.matrix() * slopes.transpose();
    const auto bend = [](const Thread& thread, const Eigen::Vector3d& other, double cosine) -> Eigen::Matrix3d {
        return -(thread.along * other.transpose() + other * thread.along.transpose() + cosine * thread.across) /
               (thread.length * thread.length);
    };
    hessian.block<3, 3>(0, 0) += stress[0] * u.across / u.length + stress[2] * bend(u, a, c);
    hessian.block<3, 3>(3, 3) += stress[1] * v.across / v.length + stress[2] * bend(v, b, c);
    const Eigen::Matrix3d mixed = (v.across - u.along * b.transpose()) / (u.length * v.length);
    hessian.block<3, 3>(0, 3) += stress[2] * mixed;
    hessian.block<3, 3>(3, 0) += stress[2] * mixed.transpose();
    if (curvature == Hessian::positive) leave_out_negative(hessian);

    // u and v are weighted sums of the corners.
    ElementEnergy result;
    result.energy = triangle.area / 2 * strain.dot(stress);
    for (int i = 0; i < 3; ++i) {
        for (int p = 0; p < 2; ++p) {
            result.gradient.segment<3>(3 * i) += triangle.area * triangle.weights(i, p) * gradient.segment<3>(3 * p);
            for (int j = 0; j < 3; ++j)
                for (int q = 0; q < 2; ++q)
                    result.hessian.block<3, 3>(3 * i, 3 * j) += triangle.area * triangle.weights(i, p) *
                                                                triangle.weights(j, q) *
                                                                hessian.block<3, 3>(3 * p, 3 * q);
        }
    }
    return result;
}

} // namespace taffeta
