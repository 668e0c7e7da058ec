#include "geometry/intersections.h"

#include "geometry/orientation.h"
#include "mesh/topology.h"

#include <algorithm>
#include <utility>

namespace taffeta {
namespace {

// On which side of the plane of `t` the corners of another triangle are.
std::array<int, 3> sides_of(const Corners& corners, const Corners& t) {
    std::array<int, 3> sides = {};
    for (std::size_t k = 0; k < 3; ++k) sides[k] = orientation(t[0], t[1], t[2], corners[k]);
    return sides;
}

bool are_on_both(const std::array<int, 3>& sides) {
    return std::find(sides.begin(), sides.end(), 1) != sides.end() &&
           std::find(sides.begin(), sides.end(), -1) != sides.end();
}

// The corner that is alone on its side, of three on both.
std::size_t lone_corner(const std::array<int, 3>& sides) {
    const int sum = sides[0] + sides[1] + sides[2]; // of two corners on one side the sign, if none is in the plane
    const int lone = sum > 0 ? -1 : 1;
    return static_cast<std::size_t>(std::find(sides.begin(), sides.end(), lone) - sides.begin());
}

Corners turned(const Corners& t, std::size_t first) {
    return {t[first], t[(first + 1) % 3], t[(first + 2) % 3]};
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

Corners corners_of(const SurfaceView& surface, Index triangle) {
    const Triangle& t = surface.triangles[triangle];
    return {surface.positions[t[0]], surface.positions[t[1]], surface.positions[t[2]]};
}

// The boxes of finite triangles, sorted by their lower ends along an axis.
struct Row {
    struct Item {
        Bounds box;
        Index triangle;
    };
    std::vector<Item> items = {};
    int axis = 0;

    explicit Row(const SurfaceView& surface) {
        items.reserve(surface.triangles.size());
        for (Index t = 0; t < surface.triangles.size(); ++t) {
            const Corners corners = corners_of(surface, t);
            if (std::all_of(corners.begin(), corners.end(), [](const Vec3& p) { return is_finite(p); }))
                items.push_back({bounds_of(corners), t});
        }
    }
    float start(std::size_t k) const { return items[k].box.low[axis]; }
    void sort_along(int which) {
        axis = which;
        std::sort(items.begin(), items.end(), [&](const Item& a, const Item& b) {
            return std::pair{a.box.low[axis], a.triangle} < std::pair{b.box.low[axis], b.triangle};
        });
    }
    // Calls meet(triangle) for those from `first` on whose boxes overlap this one, which starts no later.
    template <class Meet>
    void sweep(const Bounds& a, std::size_t first, const Meet& meet) const {
        for (std::size_t k = first; k < items.size() && start(k) <= a.high[axis]; ++k) {
            const Bounds& b = items[k].box;
            const bool apart = a.low.x > b.high.x || b.low.x > a.high.x || a.low.y > b.high.y || b.low.y > a.high.y ||
                               a.low.z > b.high.z || b.low.z > a.high.z;
            if (!apart) meet(items[k].triangle);
        }
    }
};

// The axis along which the whole is longest, where the fewest overlap.
int longest_axis(std::span<const Row::Item> items) {
    if (items.empty()) return 0;
    Bounds all = items[0].box;
    for (const Row::Item& item : items)
        all = {bounds_of({all.low, item.box.low, item.box.low}).low,
               bounds_of({all.high, item.box.high, item.box.high}).high};
    const Vec3 side = all.high - all.low;
    return side.x >= side.y && side.x >= side.z ? 0 : side.y >= side.z ? 1 : 2;
}

} // namespace

// [GD03]: where each triangle has corners on both sides of the other's plane, the line that the planes share cuts an
// interval out of each, between the two edges at the corner that is alone on its side. Turned such that p[0] is above
// q and q[0] above p, the intervals overlap if q[0] q[1] ends after p[0] p[1] begins, and q[0] q[2] begins before
// p[0] p[2] ends; two signs tell which of two such edges meets the line first. They are zero where the edges meet.
bool triangles_intersect(const Corners& a, const Corners& b) {
    const std::array<int, 3> a_sides = sides_of(a, b);
    if (!are_on_both(a_sides)) return false;
    const std::array<int, 3> b_sides = sides_of(b, a);
    if (!are_on_both(b_sides)) return false;
    const std::size_t a_lone = lone_corner(a_sides), b_lone = lone_corner(b_sides);
    Corners p = turned(a, a_lone), q = turned(b, b_lone);
    if (a_sides[a_lone] < 0) std::swap(q[1], q[2]); // turns the other's plane over
    if (b_sides[b_lone] < 0) std::swap(p[1], p[2]);
    return orientation(p[0], p[1], q[0], q[1]) < 0 && orientation(p[0], p[2], q[2], q[0]) < 0;
}

// Triangles need to be compared only while they overlap along an axis.
std::vector<std::array<Index, 2>> find_self_intersections(std::span<const Vec3> positions,
                                                          std::span<const Triangle> triangles,
                                                          std::span<const Vec3> rest) {
    const std::vector<Index> place = find_coincident(rest.empty() ? positions : rest);
    const auto share_a_vertex = [&](const Triangle& a, const Triangle& b) {
        return std::any_of(a.begin(), a.end(), [&](Index v) {
            return std::any_of(b.begin(), b.end(), [&](Index w) { return place[v] == place[w]; });
        });
    };
    const SurfaceView surface = {positions, triangles};
    Row row(surface);
    row.sort_along(longest_axis(row.items));
    std::vector<std::array<Index, 2>> found;
    for (std::size_t k = 0; k < row.items.size(); ++k) {
        const Index s = row.items[k].triangle;
        row.sweep(row.items[k].box, k + 1, [&](Index t) {
            if (share_a_vertex(triangles[s], triangles[t])) return;
            if (triangles_intersect(corners_of(surface, s), corners_of(surface, t)))
                found.push_back({std::min(s, t), std::max(s, t)});
        });
    }
    std::sort(found.begin(), found.end());
    return found;
}

std::vector<std::array<Index, 2>> find_intersections(const SurfaceView& a, const SurfaceView& b) {
    Row a_row(a), b_row(b);
    const int axis = longest_axis(a_row.items);
    a_row.sort_along(axis);
    b_row.sort_along(axis);
    std::vector<std::array<Index, 2>> found;
    const auto compare = [&](Index s, Index t) {
        if (triangles_intersect(corners_of(a, s), corners_of(b, t))) found.push_back({s, t});
    };
    // Always the one that starts first meets those of the other surface that start within it.
    for (std::size_t i = 0, j = 0; i < a_row.items.size() && j < b_row.items.size();) {
        if (a_row.start(i) <= b_row.start(j)) {
            const Row::Item& item = a_row.items[i++];
            b_row.sweep(item.box, j, [&](Index t) { compare(item.triangle, t); });
        } else {
            const Row::Item& item = b_row.items[j++];
            a_row.sweep(item.box, i, [&](Index s) { compare(s, item.triangle); });
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
