// A body of triangles as a solid: which places are in it, and the nearest way out.
//
// Inside is where the surface goes around a place, by the generalized winding number [JKS13]: 1 or more in a closed
// body, 0 outside, whichever way its triangles turn, and however its parts overlap. A body is closed if each of its
// edges is run through as often in one direction as in the other, where vertices at one place count as one; triangles
// that are there twice count once. Bodies that are not closed have no inside.
#pragma once

#include <taffeta/mesh.h>

#include <array>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace taffeta {

class Solid {
public:
    Solid(std::span<const Vec3> vertices, std::span<const Triangle> faces);

    bool is_closed() const { return is_closed_; }
    float turn() const { return turn_; } // 1 if the triangles' normals point out of a closed body, else -1

    // How often the surface goes around a place, to a few hundredths; the sign is that of the triangles' turn. Parts
    // far off are taken as dipoles [BDS18].
    double winding(const Vec3d& place) const;
    bool contains(const Vec3d& place) const;

    // The nearest point of the surface.
    struct Exit {
        Vec3d place = {};
        double distance = 0; // m, from the place asked for; not negative
        Vec3d normal = {};   // unit, the way to go on
    };
    // From a place inside: the nearest point behind which is outside, so none that other parts of the body hide. From
    // elsewhere: the nearest point, with the normal towards the place asked for. Nothing beyond `within` m, nor of
    // bodies without triangles.
    std::optional<Exit> nearest_exit(const Vec3d& place, double within = std::numeric_limits<double>::infinity()) const;

private:
    using Corners = std::array<Vec3d, 3>;
    // A box of a binary tree; its children follow each other. Faces of a leaf are `count` from `first`.
    struct Node {
        Vec3d low = {}, high = {};
        Vec3d centre = {}; // m, of the area
        Vec3d area = {};   // m^2, the sum of the area vectors
        double radius = 0; // m, around the centre
        Index first = 0;   // face, or the first child
        Index count = 0;   // of faces; 0: has children
    };
    void split(Index node, Index begin, Index end);
    void fit(Node& node, Index begin, Index end) const;
    double winding(const Node& node, const Vec3d& place) const;
    struct Search;
    void search(const Node& node, Search& search) const;

    bool is_closed_ = false;
    float turn_ = 1;
    std::vector<Corners> faces_ = {};
    std::vector<Node> nodes_ = {};
};

} // namespace taffeta
