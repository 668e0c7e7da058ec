#include "mesh/intersections.h"

#include "mesh/topology.h"

#include <algorithm>
#include <utility>

namespace taffeta {
namespace {

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

// For each vertex the first that is at its place both now and at rest.
std::vector<Index> find_common(std::span<const Vec3> positions, std::span<const Vec3> rest) {
    std::vector<Index> place = find_coincident(rest.empty() ? positions : rest);
    for (Index v = 0; v < place.size(); ++v)
        if (!(positions[v] == positions[place[v]])) place[v] = v; // another cloth of this shape, or a seam that is open
    return place;
}

// How many corners two triangles have in common, and which is the last of them in each.
struct Common {
    int count = 0;
    std::size_t first = 0, second = 0;
};

Common common_corners(const Triangle& a, const Triangle& b) {
    Common common;
    for (std::size_t k = 0; k < 3; ++k)
        for (std::size_t l = 0; l < 3; ++l)
            if (a[k] == b[l]) common = {common.count + 1, k, l};
    return common;
}

std::array<Vec3, 2> other_corners(const Corners& t, std::size_t corner) {
    return {t[(corner + 1) % 3], t[(corner + 2) % 3]};
}

// Pairs that meet.
struct Found {
    std::vector<std::array<Index, 2>> pairs = {};
    bool has_touching = false;

    void add(const std::array<Index, 2>& pair, Meeting meeting) {
        if (meeting == Meeting::apart) return;
        pairs.push_back(pair);
        has_touching = has_touching || meeting == Meeting::touching;
    }
};

} // namespace

// Triangles need to be compared only while they overlap along an axis.
std::vector<std::array<Index, 2>> find_self_intersections(std::span<const Vec3> positions,
                                                          std::span<const Triangle> triangles,
                                                          std::span<const Vec3> rest) {
    const SurfaceView surface = {positions, triangles};
    const WeldedSurface welded(surface, find_common(positions, rest));
    Row row(surface);
    row.sort_along(longest_axis(row.items));
    Found found;
    std::vector<std::array<Index, 2>> at_corners;
    for (std::size_t k = 0; k < row.items.size(); ++k) {
        const Index s = row.items[k].triangle;
        row.sweep(row.items[k].box, k + 1, [&](Index t) {
            const std::array<Index, 2> pair = {std::min(s, t), std::max(s, t)};
            const Common common = common_corners(welded.triangles[s], welded.triangles[t]);
            const Corners a = corners_of(surface, s), b = corners_of(surface, t);
            if (common.count == 0)
                found.add(pair, meeting(a, b));
            else if (common.count == 1 && triangles_intersect_at(a[common.first], other_corners(a, common.first),
                                                                 other_corners(b, common.second)))
                at_corners.push_back(pair);
        });
    }
    std::vector<std::array<Index, 2>> all =
        found.has_touching ? find_passages(welded, found.pairs) : std::move(found.pairs);
    all.insert(all.end(), at_corners.begin(), at_corners.end());
    std::sort(all.begin(), all.end());
    return all;
}

std::vector<std::array<Index, 2>> find_intersections(const SurfaceView& a, const SurfaceView& b) {
    Row a_row(a), b_row(b);
    const int axis = longest_axis(a_row.items);
    a_row.sort_along(axis);
    b_row.sort_along(axis);
    Found found;
    const auto compare = [&](Index s, Index t) { found.add({s, t}, meeting(corners_of(a, s), corners_of(b, t))); };
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
    if (found.has_touching)
        return find_passages({a, find_coincident(a.positions)}, {b, find_coincident(b.positions)}, found.pairs);
    std::sort(found.pairs.begin(), found.pairs.end());
    return std::move(found.pairs);
}

Inspection inspect(const Mesh& mesh, std::span<const Vec3> positions) {
    const std::span<const Vec3> state = positions.empty() ? std::span<const Vec3>(mesh.positions) : positions;
    const std::vector<Index> place = find_common(state, mesh.positions);
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
