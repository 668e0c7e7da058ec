// Implicit steps after Baraff and Witkin [BW98]: the end of a step is where inertia, the forces there, and all that
// cloth may not do agree. In double precision.
//
// With y where the cloth would fly without forces of its own, the end of the step is the least of
//
//     1/(2 h^2) (x - y)^T M (x - y) + E(x)              among all x that keep the constraints,
//
// found by Newton's method with a line search. Its first iteration alone is the linearised step of the paper, Eq. 6,
// where the velocities come out of one linear system. Without the first term it is an equilibrium.
//
// Constraints are directions in which a particle moves as prescribed: all three of those that are held, the normal of
// those in contact. Contacts come and go within Newton's method: one begins where a particle is found inside a body and
// ends when it would have to pull. Friction is an energy around an anchor that sticks to the body (dry_friction.h), as
// strong as the contact's force allows.
#pragma once

#include "collision/colliders/bodies.h"
#include "core/parallel.h"
#include "solvers/implicit/elasticity.h"

#include <Eigen/Core>

#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

// What cloth may rest on.
struct Obstacles {
    std::vector<Body> bodies = {};
    std::vector<Skin> skins = {};         // by cloth and body: skins[cloth * bodies.size() + body]; Coulomb's friction
    std::span<const Index> cloth_of = {}; // by particle
};

// Particles of cloth that keep a distance.
struct NearPair {
    Index i = 0, j = 0;
    double distance = 0; // m
};

struct ImplicitStep {
    double h = 0;                                      // s
    Eigen::Vector3d gravity = Eigen::Vector3d::Zero(); // m/s^2
    double keep = 1;                                   // the share of velocities that outlives the step
    int iterations = 4;                                // of Newton's method at most; 1: the linearised step
    std::span<const std::uint8_t> is_held = {};        // by particle
    std::span<const NearPair> near = {};
};

struct Equilibrium {
    bool found = false;
    int iterations = 0;
    double residual = 0; // of the forces, over the weights and the forces of constraints
};

class ImplicitSolver {
public:
    ImplicitSolver() = default;
    // Particles without mass take no part.
    ImplicitSolver(Sheet sheet, std::span<const double> mass);

    Eigen::Matrix3Xd x = {}; // m, by particle
    Eigen::Matrix3Xd v = {}; // m/s

    void change(std::vector<SheetLaw> laws, std::span<const double> mass);

    // Advances x and v. Held particles go to `target`.
    void step(const ImplicitStep& step, const Eigen::Matrix3Xd& target, const Obstacles& obstacles,
              const Parallel& parallel);
    // Goes to a rest in equilibrium; velocities are zero then.
    Equilibrium settle(const ImplicitStep& step, const Eigen::Matrix3Xd& target, const Obstacles& obstacles,
                       const Parallel& parallel);

    // What friction remembers, besides x and v: kept now, and taken up again when a step could not be completed.
    void remember();
    void forget_since();

    struct Contact {
        Index particle = 0;
        std::size_t body = 0;
        Eigen::Vector3d normal = Eigen::Vector3d::Zero();
        double gap = 0;                                   // m, negative inside
        double force = 0;                                 // N, along the normal
        double friction = 0;                              // Coulomb's coefficient
        Eigen::Vector3d anchor = Eigen::Vector3d::Zero(); // m
    };
    std::span<const Contact> contacts() const { return contacts_; } // in the order of particles
    const Elasticity& elasticity() const { return elasticity_; }
    int linear_iterations() const { return linear_iterations_; } // of all systems so far

private:
    struct Problem; // one minimisation
    void find_contacts(const Obstacles& obstacles, const Parallel& parallel);
    void carry_anchors(const Obstacles& obstacles);
    void drag_anchors();

    Eigen::Matrix3Xd x_start_; // m, where the step began: what comes into contact slides from there
    Elasticity elasticity_;
    std::vector<double> mass_;     // kg
    std::vector<double> firmness_; // N/m, by particle: what its cloth resists stretch with
    void find_firmness();
    Stiffness stiffness_;
    std::vector<Contact> contacts_;
    struct {
        std::vector<Contact> contacts = {};
        std::vector<Eigen::Vector3d> bends = {};
    } remembered_;
    int linear_iterations_ = 0;
};

} // namespace taffeta
