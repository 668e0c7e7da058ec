// Regions of a cloth that are too flat to meet themselves, so that a search can leave them out [MKE03] 5.1, [Pro97].
//
// Every slot of a tree has the cone of the normals below it. If all of these lie within 45 degrees of an axis, and the
// shadow of the region along the axis does not cover itself, then parts of it are at least 0.7 times as far from each
// other as the cloth between them is long: what comes close is next to each other. Nobody checks the shadow:
//
//        .-----.          a strip in the shape of a C, as flat as can be, whose ends come to lie on each other, is one
//        |     '==        of those that cones alone miss
//        '-----'==
//
// So the faces are in groups, slots of one level of the tree, which are compact, and cones judge one group and adjacent
// ones alone. Guarantee: what is separated by at least one group is found. What is not: parts of adjacent groups whose
// shadow covers itself. Searches of the library do without, for they miss nothing.
#pragma once

#include "collision/broad_phase/bvh.h"
#include "geometry/cone.h"

#include <cstdint>
#include <numbers>
#include <span>
#include <vector>

namespace taffeta {

struct NormalConeOptions {
    // The angle between normals, at least, of parts that may meet: epsilon_closeAngle of the paper; at most pi.
    float close_angle = std::numbers::pi_v<float> / 2;
    std::size_t groups = 64; // at least, where there are so many slots; 1: none, cones judge all
};

struct NormalConesView; // of the traversal

class NormalCones {
public:
    NormalCones() = default;
    NormalCones(const Tree& tree, std::span<const Triangle> triangles, std::size_t vertex_count,
                const NormalConeOptions& options = {});

    // Fits the cones to positions by vertex. A face without area has no normal: all directions are in its cone.
    void refit(const Tree& tree, std::span<const Vec4> x, const Parallel& parallel);

    // By slot, block * 8 + place: the cone, and the group that all below it is in, none above the groups.
    const Cone& cone(Index slot) const { return cones_[slot]; }
    Index group(Index slot) const { return groups_[slot]; }
    std::size_t group_count() const { return group_count_; }
    bool are_adjacent(Index group_a, Index group_b) const { // have a vertex in common, or are the same
        return adjacent_[group_a * group_count_ + group_b] != 0;
    }

    NormalConesView view() const;

private:
    void make_groups(const Tree& tree, std::size_t least);
    void make_adjacency(const Tree& tree, std::span<const Triangle> triangles, std::size_t vertex_count);

    std::vector<Triangle> triangles_ = {};
    float least_cosine_ = 0; // of half the close angle
    std::vector<Cone> cones_ = {};
    std::vector<Index> groups_ = {};
    std::size_t group_count_ = 0;
    std::vector<std::uint8_t> adjacent_ = {}; // a matrix
};

// What the traversal asks of it.
struct NormalConesView {
    const Cone* cones;
    const Index* groups;
    const std::uint8_t* adjacent;
    std::size_t group_count;
    float least_cosine;

    bool is_flat(Index slot) const { return groups[slot] != TreeItem::none && cones[slot].cosine > least_cosine; }
    bool are_near(Index a, Index b) const { // in one group or in adjacent ones
        return groups[a] != TreeItem::none && groups[b] != TreeItem::none &&
               adjacent[groups[a] * group_count + groups[b]] != 0;
    }
    bool are_flat(Index a, Index b) const { return merged_cosine(cones[a], cones[b]) > least_cosine; }
};

} // namespace taffeta
