// Which parts of a cloth are close: vertices and faces, edges and edges.
//
// Guarantee: find() gives every vertex and face that it is no corner of, and every two edges without a common vertex,
// whose distance is below epsilon; each once; brute force is the oracle in the tests. What it finds, and in which
// order, depends on the positions alone, not on the number of threads nor on the instruction set.
//
// Faces are in clusters of eight, the ends of a tree (collision/tree.h). Every vertex and every edge is owned by one of
// the clusters that have it, so a pair belongs to one pair of clusters, however many of their faces share its parts:
//
//     clusters A, B that overlap    vertices of A and faces of B    edges of A and edges of B
//                                   vertices of B and faces of A
//
// Distances between these do not see an edge that pierces a face deep inside: geometry/intersections.h does.
#pragma once

#include "collision/traversal.h"
#include "collision/tree.h"
#include "core/parallel.h"
#include "core/state.h"
#include "mesh/topology.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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

// Numbers of what is close: of a vertex and a triangle, or of two edges.
struct ClosePart {
    Index a = 0, b = 0;
    double distance = 0; // m
};

// Numbers of what may be close: volumes overlap.
struct CandidateList {
    std::size_t count = 0; // in use; the vectors are longer and never shrink, so that a step does not allocate
    std::vector<Index> a = {}, b = {};
    // m, of find_on_ways(): no less than `nearest` are they apart on their ways; and `clearance` is what it is asked
    // for.
    std::vector<float> nearest = {}, clearance = {};
    std::vector<std::array<Index, 4>> points = {}; // their vertices; likewise

    void make_room(std::size_t more) {
        if (a.size() < count + more) a.resize(2 * (count + more)), b.resize(2 * (count + more));
    }
};

// What contacts, which are made where parts are in a substep, not where they come close on their ways, want to know of
// pairs: how far they are apart, at least, until a share of their ways is over, less some of what they move against
// each other.
struct ClearanceAsked {
    float until = 0;    // share of the ways
    float approach = 0; // share of the way against each other
    float most = 0;     // m, of that
};

// What has been found in one part of the search.
struct CloseParts {
    CandidateList vertex_face_candidates = {}, edge_candidates = {};
    std::vector<ClosePart> vertex_faces = {}, edges = {}; // closer than epsilon
};

class Proximity {
public:
    Proximity() = default;
    // `rest` are the vertices' places on the cutting table. Edges are numbered as in make_topology().
    Proximity(std::span<const Triangle> triangles, std::span<const Vec3> rest, const TreeGroups& groups = {});

    // Positions by vertex; epsilon > 0 in m.
    void find(std::span<const Vec4> x, float epsilon, const Parallel& parallel);
    // The parts of find(), one after the other: fits the volumes, finds pairs whose volumes overlap (around the ways
    // from `x` to `x_end` if there is one), and of these the ones closer than epsilon. Positions have to stay between
    // the first two: what clusters own is fitted only where clusters meet.
    void refit(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon, const Parallel& parallel);
    void find_candidates(const Parallel& parallel);
    void measure(std::span<const Vec4> x, float epsilon, const Parallel& parallel);

    // For a series of small steps [MKE03] 4.3: candidates are what may come closer than `within` while all vertices go
    // straight from x to x_end, at one pace. Each pair counts by how its own vertices move against each other: what
    // moves together does not come together, however fast it goes.
    // Where `only` is given, by vertex, candidates are pairs that have such a vertex, and nothing else is looked at:
    // what few vertices may meet costs little.
    void find_on_ways(std::span<const Vec4> x, std::span<const Vec4> x_end, float within,
                      std::span<const std::uint8_t> only, const Parallel& parallel, const ClearanceAsked& asked = {});
    // m: how far vertices at x are, at most, from where they would be after a share of these ways; infinite if there
    // are none. Parts that are closer than within - 2 off are among the candidates.
    double off_ways(std::span<const Vec4> x, double share) const;
    // The same by vertex, rounded up; not a number is infinite. Parts a and b that are closer than within - off_a -
    // off_b are among the candidates, where off_a is that of the farthest vertex of a.
    void measure_off(std::span<const Vec4> x, double share, const Parallel& parallel, std::span<float> off) const;

    // What was found last, list after list.
    std::span<const CloseParts> lists() const { return std::span(lists_).first(list_count_); }
    std::span<const Pair> edges() const { return edges_; }
    std::span<const Triangle> triangles() const { return triangles_; }
    const Tree& tree() const { return tree_; }

private:
    void choose(std::span<const std::uint8_t> only);
    void fit_what_meets(std::span<const std::uint8_t> only, const Parallel& parallel);
    void find_candidates(std::span<const std::uint8_t> only, const Parallel& parallel);
    double squared_off(std::size_t vertex, const Vec4& x, double share) const {
        const Vec3d begin = vector_cast<double>(way_begin_[vertex].xyz());
        const Vec3d end = vector_cast<double>(way_end_[vertex].xyz());
        const Vec3d off = vector_cast<double>(x.xyz()) - (begin + (end - begin) * share);
        return dot(off, off);
    }

    std::vector<Triangle> triangles_ = {};
    std::vector<Pair> edges_ = {};
    Tree tree_;
    std::vector<OwnedBlock> owned_ = {};
    std::vector<Index> vertices_begin_ = {}; // by block of the tree: its first block of vertices, and after these
    std::vector<Index> edges_begin_ = {};    // that of edges; one more, the end of the last
    std::vector<Slab> slabs_ = {};           // by block of the tree; of clusters
    std::vector<Index> group_of_ = {};       // by block of the tree
    float epsilon_ = 0;                      // m, of the last fit
    std::span<const Vec4> fit_x_ = {}, fit_x_end_ = {}; // m, of the last fit
    std::vector<std::uint8_t> chosen_ = {};             // by block of the tree, a bit for each slot; empty: all are
    std::vector<std::uint8_t> meets_ = {}; // by block of the tree: whether it is among the pairs that were found
    Traversal traversal_;
    std::vector<CloseParts> lists_ = {};
    std::size_t list_count_ = 0;
    std::vector<Vec4> way_begin_ = {}, way_end_ = {}; // m, of find_on_ways()
    bool is_on_ways_ = false;                         // not after another search
};

} // namespace taffeta
