// Which parts of a cloth are close: vertices and faces, edges and edges.
//
// Guarantee: find() gives every vertex and face that it is no corner of, and every two edges without a common vertex,
// whose distance is below epsilon; each once; brute force is the oracle in the tests. What it finds, and in which
// order, depends on the positions alone, not on the number of threads nor on the instruction set.
//
// The search goes down a tree to pairs of clusters of eight faces (collision/broad_phase/triangle_clusters.h), and on
// to pairs of their parts (collision/narrow_phase/feature_pairs.h).
#pragma once

#include "collision/broad_phase/bvh.h"
#include "collision/broad_phase/bvh_traversal.h"
#include "collision/broad_phase/triangle_clusters.h"
#include "collision/narrow_phase/feature_pairs.h"
#include "core/parallel.h"
#include "core/state.h"
#include "mesh/topology.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace taffeta {

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
    // m, by vertex: how far those at x are, at most, from where they would be after a share of these ways; infinite if
    // there are none, or if it is not a number. Parts a and b that are closer than within - off_a - off_b are among the
    // candidates, where off_a is that of the farthest vertex of a.
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
