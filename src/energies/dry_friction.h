// Dry friction as an energy, so that who minimises energies has friction too: within fabric that is bent, and of cloth
// on what it lies on.
//
// Something sticks to an anchor until it is `yield` away from it; from there it drags the anchor along and meets the
// same force whatever the distance. The anchor moves when a step is over, never within it.
//
//   force |      ________  limit
//         |     /
//         |    /             Below the limit nothing creeps: the anchor stays, and so does what it holds.
//         |___/____________ distance from the anchor
//             yield
#pragma once

#include <Eigen/Core>

namespace taffeta {

struct DryFriction {
    double limit = 0; // N, or what else the distance is not in m
    double yield = 0; // above 0

    double energy(double distance) const {
        return distance < yield ? limit * distance * distance / (2 * yield) : limit * (distance - yield / 2);
    }
    // `way` leads from the anchor to where it is.
    Eigen::Vector3d gradient(const Eigen::Vector3d& way) const {
        const double distance = way.norm();
        return distance < yield ? Eigen::Vector3d(way * (limit / yield)) : Eigen::Vector3d(way * (limit / distance));
    }
    // Positive or zero in all directions.
    Eigen::Matrix3d hessian(const Eigen::Vector3d& way) const {
        const double distance = way.norm();
        if (distance < yield) return Eigen::Matrix3d::Identity() * (limit / yield);
        const Eigen::Vector3d along = way / distance;
        return (Eigen::Matrix3d::Identity() - along * along.transpose()) * (limit / distance);
    }
    // How far the anchor has been dragged when the step is over.
    Eigen::Vector3d drag(const Eigen::Vector3d& way) const {
        const double distance = way.norm();
        return distance <= yield ? Eigen::Vector3d(Eigen::Vector3d::Zero())
                                 : Eigen::Vector3d(way * (1 - yield / distance));
    }
};

} // namespace taffeta
