// Pairs of parts that may be close, vertices and faces or edges and edges: which of them are, and which stay apart.
//
// Distances between these do not see an edge that pierces a face deep inside: mesh/intersections.h does. They have
// the bits of geometry/closest.h on every instruction set.
#pragma once

#include "core/state.h"
#include "mesh/topology.h"

#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace taffeta {

// Numbers of what is close: of a vertex and a triangle, or of two edges.
struct ClosePart {
    Index a = 0, b = 0;
    double distance = 0; // m
};

// Numbers of what may be close: volumes overlap.
struct CandidateList {
    std::size_t count = 0; // in use; the vectors are longer and never shrink, so that a step does not allocate
    std::vector<Index> a = {}, b = {};
    // m, of drop_distant_candidates(): no less than `nearest` are they apart on their ways; and `clearance` is what it
    // is asked for.
    std::vector<float> nearest = {}, clearance = {};
    std::vector<std::array<Index, 4>> points = {}; // their vertices; likewise

    void make_room(std::size_t more) {
        if (a.size() < count + more) a.resize(2 * (count + more)), b.resize(2 * (count + more));
    }
};

// What has been found in one part of the search.
struct CloseParts {
    CandidateList vertex_face_candidates = {}, edge_candidates = {};
    std::vector<ClosePart> vertex_faces = {}, edges = {}; // closer than epsilon
};

// What the numbers stand for.
struct MeshParts {
    std::span<const Triangle> triangles = {};
    std::span<const Pair> edges = {};
};

// What contacts, which are made where parts are in a substep, not where they come close on their ways, want to know of
// pairs: how far they are apart, at least, until a share of their ways is over, less some of what they move against
// each other.
struct ClearanceAsked {
    float until = 0;    // share of the ways
    float approach = 0; // share of the way against each other
    float most = 0;     // m, of that
};

// Finds the candidates that are closer than epsilon, in their order; positions by vertex.
void measure_candidates(std::span<const Vec4> x, const MeshParts& mesh, float epsilon, CloseParts& parts);
// Drops most candidates that stay farther apart than `within` m while all vertices go straight from x to x_end, at one
// pace, and none that comes closer. Of the others it tells how near they come.
void drop_distant_candidates(std::span<const Vec4> x, std::span<const Vec4> x_end, const MeshParts& mesh, float within,
                             const ClearanceAsked& asked, CloseParts& parts);

} // namespace taffeta
