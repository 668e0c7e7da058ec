// The oracle: [FGL03] as it is printed, serial, in double, one constraint after the other. Slow and short on purpose;
// the fast solver is compared with it in the tests and in the benchmark. Where the paper leaves something open the
// choice is named here.
#pragma once

#include "mesh/topology.h"

#include <vector>

namespace taffeta {

struct ReferenceLimit {
    Index i = 0, j = 0;
    double shortest = 0, longest = 0; // m
};

struct ReferenceSphere {
    Vec3d centre;
    double radius = 0; // m
};
struct ReferenceBox { // axis-aligned
    Vec3d low, high;
};

struct ReferenceCloth {
    std::vector<Vec3d> x, x_prev;       // m
    std::vector<double> inverse_mass;   // 1/kg, 0 is infinite mass
    std::vector<ReferenceLimit> limits; // edges and bending pairs, in the order in which they are projected
    Vec3d gravity = {0, -9.81, 0};      // m/s^2
    double velocity_factor = 1;         // the paper's examples: 0.99
    int iterations = 4;

    // Pairs of `rest` farther apart than their distance keep self_radius[i] + self_radius[j]; empty: no self-collision.
    std::vector<double> self_radius; // m
    std::vector<Vec3d> rest;         // m

    std::vector<ReferenceSphere> spheres;
    std::vector<ReferenceBox> boxes;
    double thickness = 0; // m, the threshold t
    double friction = 0;  // c_f

    void step(double dt);
};

// Eq. 5-9 for one pair; with Eq. 11's treatment of infinite masses.
void project_reference_limit(const ReferenceLimit& limit, std::vector<Vec3d>& x,
                             const std::vector<double>& inverse_mass);

} // namespace taffeta
