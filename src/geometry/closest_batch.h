// Which of many pairs are close, and where: vertices and faces, edges and edges.
//
// With the bits of closest.h on every instruction set, several pairs at a time.
#pragma once

#include "geometry/ccd.h"

#include <array>
#include <span>
#include <vector>

namespace taffeta {

struct MeasuredPair {
    Index candidate = 0;               // its place in the list
    double distance = 0;               // m
    std::array<double, 4> weight = {}; // of its points x, for which sum w x is the shortest way between its parts
};

// Appends those closer than epsilon, in the order of the candidates; allocates only if these need room.
void find_close_vertex_faces(std::span<const Vec4> x, std::span<const ContactCandidate> candidates, double epsilon,
                             std::vector<MeasuredPair>& close);
void find_close_edges(std::span<const Vec4> x, std::span<const ContactCandidate> candidates, double epsilon,
                      std::vector<MeasuredPair>& close);

} // namespace taffeta
