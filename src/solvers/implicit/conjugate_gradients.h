// Conjugate gradients for particles that may not go everywhere [BW98] 5.3, with the initial guess and the filtered
// preconditioner of [AB03].
//
// A particle in contact may not move along a normal, one in a groove along two, one that is held not at all. Its
// freedom is the matrix that takes those directions out of a motion; what it must do there is prescribed. The filter is
// applied to every vector of the method, so that each iterate keeps all constraints exactly, not only the last one.
#pragma once

#include "core/parallel.h"
#include "solvers/implicit/stiffness_matrix.h"

#include <Eigen/Core>

#include <span>

namespace taffeta {

// I minus what lies along the given directions, which need not be at right angles: for none, one, two or three of them
// the numerator of the inverse mass matrices of [BW98] Eq. 14, I, I - pp^T, I - pp^T - qq^T and 0.
Eigen::Matrix3d freedom_without(std::span<const Eigen::Vector3d> directions);

struct LinearSolution {
    int iterations = 0;
    double residual = 0; // relative to the right-hand side, in the norm of the preconditioner
};

struct ConjugateGradients {
    double tolerance = 1e-4; // of the residual
    int most_iterations = 1000;

    // Solves A dx = b for the free directions. `dx` comes with the prescribed motions and zero elsewhere. `seen`
    // is shown every iterate.
    LinearSolution solve(
        const Stiffness& a, const Eigen::Matrix3Xd& b, std::span<const Eigen::Matrix3d> freedom,
        const Parallel& parallel, Eigen::Matrix3Xd& dx,
        FunctionRef<void(const Eigen::Matrix3Xd&)> seen = [](const Eigen::Matrix3Xd&) {}) const;
};

} // namespace taffeta
