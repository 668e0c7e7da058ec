// Ever coarser versions of a cloth, made from its mesh alone: what the accelerated solver moves as a whole.
//
//   level 0    o-o-o-o-o-o-o-o-o     the particles
//   level 1    O---O---O---O---O     each an average of those around it
//   level 2    O-------O-------O
//
// A coarse particle is no particle of the cloth but the mean of a patch of it, weighted by mass: averages settle where
// picked particles would jitter.
#pragma once

#include "mesh/topology.h"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

// Who is joined to whom by an edge, by particle in one row.
class Neighbours {
public:
    Neighbours() = default;
    Neighbours(std::span<const Pair> edges, Index count);
    std::span<const Index> of(Index v) const {
        return std::span(neighbours_).subspan(begin_[v], begin_[v + 1] - begin_[v]);
    }

private:
    std::vector<Index> begin_, neighbours_;
};

// Where a particle lies between particles of the next coarser level: at most three, weights that are not negative and
// sum to one, such that a particle within a flat cloth lies where its parents say.
struct Parents { // of a particle without mass, which nothing moves, they mean nothing
    static constexpr int whole = 65535;
    std::array<Index, 3> parent = {};
    std::array<std::uint16_t, 2> parts = {}; // of the whole, by parent; what is left is the third one's

    std::array<float, 3> weights() const {
        constexpr float part = 1.0f / whole;
        return {part * static_cast<float>(parts[0]), part * static_cast<float>(parts[1]),
                part * static_cast<float>(whole - parts[0] - parts[1])};
    }
};

// The children of a coarse particle with their share of its mean.
struct Child {
    Index child = 0;
    float share = 0; // sums to one over a particle's children
};

struct Level {
    std::vector<Parents> parents;   // by particle of the next finer level
    std::vector<Child> children;    // by particle, one after the other
    std::vector<Index> child_begin; // one more than there are particles
    std::vector<double> mass;       // kg, by particle
    std::vector<Vec3> rest;         // m, the mean of the rest shape
    std::vector<float> spread;      // m^2, mean square of the distances of all that it is made of from it, at rest
    std::vector<Pair> edges;        // between neighbouring patches
    std::vector<Pair> spans;        // the edges, and between patches that have a neighbour in common
    std::vector<float> span_length; // m, by span: how far the means may be apart
    float spacing = 0;              // m, mean length of an edge

    Index count() const { return static_cast<Index>(rest.size()); }
    std::span<const Child> children_of(Index c) const {
        return std::span(children).subspan(child_begin[c], child_begin[c + 1] - child_begin[c]);
    }
};

// From the finest of the coarse levels to the coarsest, which has about a dozen particles per piece of cloth; none for
// a mesh that is coarse already. `mass` in kg; particles without mass take no part.
std::vector<Level> make_levels(std::span<const Vec3> rest, std::span<const Pair> edges, std::span<const double> mass);

} // namespace taffeta
