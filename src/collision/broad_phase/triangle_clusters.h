// Clusters of eight faces, the ends of a tree (collision/broad_phase/bvh.h), and which of their parts may be close.
//
// Every vertex and every edge is owned by one of the clusters that have it, so a pair belongs to one pair of clusters,
// however many of their faces share its parts:
//
//     clusters A, B that overlap    vertices of A and faces of B    edges of A and edges of B
//                                   vertices of B and faces of A
//
// What is fitted and found depends on the positions alone, not on the instruction set.
#pragma once

#include "collision/broad_phase/bvh.h"
#include "collision/broad_phase/bvh_traversal.h"
#include "collision/narrow_phase/feature_pairs.h"
#include "core/state.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace taffeta {

// Eight vertices or edges that a cluster owns. Empty places overlap nothing.
struct OwnedBlock {
    std::array<TreeRow, 6> rows = {};         // m, low and high by axis; seen from the cluster, as Slab::faces
    std::array<Tree::Slots, 2> vertices = {}; // both ends of an edge; twice the vertex
    Tree::Slots number = {};                  // of the edge or vertex
    Index count = 0;
    std::uint8_t sought = 0; // a bit for each with a vertex that is searched for
};

// A cluster between two planes across its mean normal, and its corners, for telling it from clusters beside it whose
// volumes overlap: layers of a folded cloth that does not lie along an axis, and what moves together. For volumes in
// the tree are around whole ways, while what is apart along one direction where they begin and where they end is so in
// between.
struct Slab {
    // m; where the ways begin, or where they end.
    struct End {
        std::array<std::array<TreeRow, 3>, 3> corners = {}; // by corner and axis
        float low = 0, high = 0;                            // along the normal
        Vec3 box_low = {}, box_high = {};                   // along the axes; all four with their inflation
    };
    std::array<End, 2> at = {};
    std::size_t ends = 1;
    Vec3 normal = {};   // about 1 long
    float farthest = 0; // m, the largest |x| + |y| + |z| of the corners
    // m, about the way of all of the cluster; and boxes around the ways as seen from there: of its faces, low and high
    // by axis, and of all of it. What moves together has small ones, however fast it goes.
    Vec3 way = {};
    std::array<TreeRow, 6> faces = {};
    Vec3 box_low = {}, box_high = {};
    std::uint8_t faces_sought = 0; // as OwnedBlock::sought
};

// Clusters to be fitted.
struct ClustersToFit {
    const Tree& tree;
    std::span<const std::uint8_t> meets; // by block
    std::span<const Index> owned_begin;  // by block: where what it owns begins; one more, the end of the last
    std::span<OwnedBlock> owned;
    std::span<Slab> slabs;
    std::span<const std::uint8_t> only; // by vertex: whether it is searched for; empty: all are
};

// Fitted ones to be compared.
struct Clusters {
    const Tree& tree;
    std::span<const OwnedBlock> owned;
    std::span<const Index> vertices_begin, edges_begin; // of what a block owns; edges follow vertices
    std::span<const Slab> slabs;
    std::span<const Index> group_of; // those of different groups have no vertex in common
    float epsilon;                   // m

    std::span<const OwnedBlock> vertices(Index cluster) const {
        return owned.subspan(vertices_begin[cluster], edges_begin[cluster] - vertices_begin[cluster]);
    }
    std::span<const OwnedBlock> edges(Index cluster) const {
        return owned.subspan(edges_begin[cluster], vertices_begin[cluster + 1] - edges_begin[cluster]);
    }
};

// Fits those of the blocks [begin, end) that meet others, and what they own, to positions by vertex, or around the ways
// from `x` to `x_end` if there is one: what is not farther apart than `epsilon` m overlaps.
void fit_clusters(const ClustersToFit& clusters, std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon,
                  std::size_t begin, std::size_t end);
// Finds the candidates of pairs of clusters, in the order of these.
void compare_clusters(const Clusters& clusters, std::span<const TreePair> pairs, CloseParts& out);

} // namespace taffeta
