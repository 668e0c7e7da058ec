// All that cloth stores: the membrane and the bending of every triangle, each by the law of its fabric.
#pragma once

#include "energies/bending.h"
#include "energies/membrane.h"

#include <taffeta/fabric.h>

#include <span>
#include <vector>

namespace taffeta {

struct SheetLaw {
    MembraneLaw membrane = {};
    BendingLaw bending = {};
    double friction_moment = 0; // N: what bending either way has to overcome, half of the KES 2HB
    double stretch_damping = 0; // s
    double bend_damping = 0;    // s
};

// Poisson's ratio of bending is zero, as woven cloth has it, and the twist is that of one stiffness in all directions,
// with the geometric mean where warp and weft differ.
SheetLaw law_of(const Fabric& fabric);

// The elements of one cloth after the other, by triangle; triangles without area have none.
struct Sheet {
    std::vector<SheetLaw> laws = {};             // by cloth
    std::vector<Index> cloth = {};               // by element
    std::vector<MembraneTriangle> membrane = {}; // by element
    std::vector<BendingElement> bending = {};    // by element
    Index particle_count = 0;
};

// Adds a cloth: its triangles of particles, the places of all particles at rest in m, the way of the warp in each
// triangle, and which particles are pinned.
void add_cloth(const SheetLaw& law, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> rest,
               std::span<const Eigen::Vector3d> warp, std::span<const std::uint8_t> is_pinned, Sheet& sheet);

} // namespace taffeta
