// Continuous collision: whether a vertex meets a face, or an edge an edge, while all corners move straight from where
// a step begins to where it ends. Never misses: docs/ccd.md has the method and the proof.
//
//         p                  a0
//         |  f2               \   b1         There is contact when the origin lies within the corners of the
//         | / |                \ /           difference: p - f_k, a triangle, or a_i - b_j, a parallelogram.
//         v/  |                 x
//        f0---f1               / a1
//                            b0
//
// Space is in metres, time in steps, 0 .. 1. Primitives that share a vertex are in contact all the time; the caller
// leaves such pairs out.
#pragma once

#include "core/state.h"

#include <array>
#include <optional>
#include <span>
#include <vector>

namespace taffeta {

struct ContinuousOptions {
    double eta = 1e-7;       // m, at least 0. Pairs that come so close count as touching.
    int rounds = 16;         // of advancement, at most; then a pair counts as touching at the time that it has reached
    double error_bounds = 1; // times the proven ones. Only tests ask for 0, to see that they would notice.
};

// Nothing if the pair is certainly free of contact all the step, both ends included. Otherwise the time of impact: it
// is never later than the first contact, for all before it is certainly free. 0 if the pair is within eta at the start
// (possibly if within 2 eta), and if a position is not finite or beyond 2^199: then nothing is known.
// Of impacts on folding cloth, the time is early by a millionth of the step, by 1e-4 in one of a hundred, and rarely by
// much more: where rounds run out (those who use the time itself ask again with 64) or primitives slide along each
// other within eta.
std::optional<double> find_vertex_face_impact(const Vec3d& p0, const Vec3d& p1, const std::array<Vec3d, 3>& f0,
                                              const std::array<Vec3d, 3>& f1, const ContinuousOptions& options = {});
std::optional<double> find_edge_edge_impact(const std::array<Vec3d, 2>& a0, const std::array<Vec3d, 2>& a1,
                                            const std::array<Vec3d, 2>& b0, const std::array<Vec3d, 2>& b1,
                                            const ContinuousOptions& options = {});

// Vertex p and face f0 f1 f2, or edges a0 a1 and b0 b1.
using ContactCandidate = std::array<Index, 4>;

struct Impact {
    Index candidate = 0; // its place in the list
    double toi = 0;

    bool operator==(const Impact&) const = default;
};

// The same verdicts and times, bit for bit and on every instruction set, for many pairs. Particles move from x_prev
// to x; their w does not matter. Appends the impacts in the order of the candidates; allocates only if these need room.
void find_vertex_face_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x,
                              std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                              const ContinuousOptions& options = {});
void find_edge_edge_impacts(std::span<const Vec4> x_prev, std::span<const Vec4> x,
                            std::span<const ContactCandidate> candidates, std::vector<Impact>& impacts,
                            const ContinuousOptions& options = {});

} // namespace taffeta
