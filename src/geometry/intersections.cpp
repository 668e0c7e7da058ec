#include "geometry/intersections.h"

#include "mesh/topology.h"

#include <algorithm>
#include <numeric>

namespace taffeta {
namespace {

// Six times the signed volume of the tetrahedron a b c d; positive if d is on the side the normal of a b c points to.
double orient(const Vec3d& a, const Vec3d& b, const Vec3d& c, const Vec3d& d) {
    return dot(cross(b - a, c - a), d - a);
}

// Segment p q against triangle a b c: p and q on different sides of the plane, and the line through the inside.
bool segment_hits(const Vec3d& p, const Vec3d& q, const std::array<Vec3d, 3>& t) {
    const double side_p = orient(t[0], t[1], t[2], p), side_q = orient(t[0], t[1], t[2], q);
    if (!((side_p > 0 && side_q < 0) || (side_p < 0 && side_q > 0))) return false;
    const double u = orient(p, q, t[0], t[1]), v = orient(p, q, t[1], t[2]), w = orient(p, q, t[2], t[0]);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

struct Bounds {
    Vec3 low, high;
};

Bounds bounds_of(const Corners& c) {
    Bounds box = {c[0], c[0]};
    for (const Vec3& p : c) {
        for (int axis = 0; axis < 3; ++axis) {
            box.low[axis] = std::min(box.low[axis], p[axis]);
            box.high[axis] = std::max(box.high[axis], p[axis]);
        }
    }
    return box;
}

} // namespace

bool triangles_intersect(const Corners& a, const Corners& b) {
    std::array<Vec3d, 3> p, q;
    for (std::size_t k = 0; k < 3; ++k) {
        p[k] = vector_cast<double>(a[k]);
        q[k] = vector_cast<double>(b[k]);
    }
    for (std::size_t k = 0; k < 3; ++k) {
        if (segment_hits(p[k], p[(k + 1) % 3], q)) return true;
        if (segment_hits(q[k], q[(k + 1) % 3], p)) return true;
    }
    return false;
}

// Sorted by their lower ends along the longest side of the whole, triangles need to be compared only while they overlap
// along it.
std::vector<std::array<Index, 2>> find_self_intersections(std::span<const Vec3> positions,
                                                          std::span<const Triangle> triangles,
                                                          std::span<const Vec3> rest) {
    const std::vector<Index> place = find_coincident(rest.empty() ? positions : rest);
    const auto share_a_vertex = [&](const Triangle& a, const Triangle& b) {
        return std::any_of(a.begin(), a.end(), [&](Index v) {
            return std::any_of(b.begin(), b.end(), [&](Index w) { return place[v] == place[w]; });
        });
    };
    const auto corners = [&](Index t) {
        return Corners{positions[triangles[t][0]], positions[triangles[t][1]], positions[triangles[t][2]]};
    };

    const auto count = static_cast<Index>(triangles.size());
    std::vector<Bounds> boxes(count);
    Vec3 side;
    if (count > 0) {
        Bounds all = bounds_of(corners(0));
        for (Index t = 0; t < count; ++t) {
            boxes[t] = bounds_of(corners(t));
            all = {bounds_of({all.low, boxes[t].low, boxes[t].low}).low,
                   bounds_of({all.high, boxes[t].high, boxes[t].high}).high};
        }
        side = all.high - all.low;
    }
    const int axis = side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
    std::vector<Index> order(count);
    std::iota(order.begin(), order.end(), Index{0});
    std::sort(order.begin(), order.end(), [&](Index a, Index b) { return boxes[a].low[axis] < boxes[b].low[axis]; });

    std::vector<std::array<Index, 2>> found;
    for (std::size_t k = 0; k < order.size(); ++k) {
        const Bounds& a = boxes[order[k]];
        for (std::size_t l = k + 1; l < order.size() && boxes[order[l]].low[axis] <= a.high[axis]; ++l) {
            const Bounds& b = boxes[order[l]];
            const bool apart = a.low.x > b.high.x || b.low.x > a.high.x || a.low.y > b.high.y || b.low.y > a.high.y ||
                               a.low.z > b.high.z || b.low.z > a.high.z;
            if (apart || share_a_vertex(triangles[order[k]], triangles[order[l]])) continue;
            if (triangles_intersect(corners(order[k]), corners(order[l])))
                found.push_back({std::min(order[k], order[l]), std::max(order[k], order[l])});
        }
    }
    std::sort(found.begin(), found.end());
    return found;
}

Inspection inspect(const Mesh& mesh, std::span<const Vec3> positions) {
    const std::span<const Vec3> state = positions.empty() ? std::span<const Vec3>(mesh.positions) : positions;
    const std::vector<Index> place = find_coincident(mesh.positions);
    std::vector<Triangle> welded;
    Inspection inspection;
    for (const Triangle& t : mesh.triangles) {
        welded.push_back({place[t[0]], place[t[1]], place[t[2]]});
        if (triangle_area(state[t[0]], state[t[1]], state[t[2]]) == 0) ++inspection.degenerate_triangles;
    }
    inspection.non_manifold_edges = make_topology(welded).non_manifold_edges.size();
    inspection.intersections = find_self_intersections(state, mesh.triangles, mesh.positions);
    return inspection;
}

} // namespace taffeta
