#include "integrators/momentum.h"

#include <Eigen/Eigenvalues>

namespace taffeta {
namespace {

struct Centre {
    Vec3d position;
    double mass = 0; // kg, of all
};

Centre centre_of(std::span<const Index> particles, std::span<const Vec4> x, std::span<const double> mass) {
    Centre centre;
    for (const Index p : particles) {
        centre.position += vector_cast<double>(x[p].xyz()) * mass[p];
        centre.mass += mass[p];
    }
    if (centre.mass > 0) centre.position = centre.position * (1 / centre.mass);
    return centre;
}

// The turn in rad/s with this angular momentum.
Vec3d turn(const Eigen::Matrix3d& inertia, const Vec3d& angular) {
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> axes(inertia);
    const double least = 1e-9 * axes.eigenvalues()[2];
    Eigen::Vector3d along = axes.eigenvectors().transpose() * Eigen::Vector3d(angular.x, angular.y, angular.z);
    for (int k = 0; k < 3; ++k) along[k] = axes.eigenvalues()[k] > least ? along[k] / axes.eigenvalues()[k] : 0.0;
    const Eigen::Vector3d omega = axes.eigenvectors() * along;
    return {omega.x(), omega.y(), omega.z()};
}

} // namespace

Momentum momentum_of(std::span<const Index> particles, std::span<const Vec4> x, std::span<const Vec4> v,
                     std::span<const double> mass) {
    const Centre centre = centre_of(particles, x, mass);
    Momentum momentum;
    for (const Index p : particles) {
        const Vec3d part = vector_cast<double>(v[p].xyz()) * mass[p];
        momentum.linear += part;
        momentum.angular += cross(vector_cast<double>(x[p].xyz()) - centre.position, part);
    }
    return momentum;
}

void restore_momentum(const Momentum& momentum, std::span<const Index> particles, std::span<const Vec4> x,
                      std::span<const double> mass, std::span<Vec4> v) {
    const Centre centre = centre_of(particles, x, mass);
    if (!(centre.mass > 0)) return;
    const Momentum now = momentum_of(particles, x, v, mass);
    const Vec3d push = (momentum.linear - now.linear) * (1 / centre.mass);
    Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();
    for (const Index p : particles) {
        const Vec3d r = vector_cast<double>(x[p].xyz()) - centre.position;
        const Eigen::Vector3d arm(r.x, r.y, r.z);
        inertia += mass[p] * (arm.squaredNorm() * Eigen::Matrix3d::Identity() - arm * arm.transpose());
    }
    const Vec3d omega = turn(inertia, momentum.angular - now.angular);
    for (const Index p : particles) {
        const Vec3d r = vector_cast<double>(x[p].xyz()) - centre.position;
        v[p].set_xyz(vector_cast<float>(vector_cast<double>(v[p].xyz()) + push + cross(omega, r)));
    }
}

} // namespace taffeta
