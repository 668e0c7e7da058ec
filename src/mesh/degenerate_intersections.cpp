#include "mesh/degenerate_intersections.h"

#include "geometry/triangle_intersection.h"

#include <algorithm>
#include <numeric>
#include <tuple>

namespace taffeta {
namespace {

using Pair = std::array<Index, 2>;

Corners corners_of(const WeldedSurface& surface, Index triangle) {
    const Triangle& t = surface.triangles[triangle];
    return {surface.positions[t[0]], surface.positions[t[1]], surface.positions[t[2]]};
}

// A little aside in a direction of its own, so that no four points stay in one plane: what slides along the other
// surface is decided too.
Vec3 little_aside(Index vertex) {
    const auto part = [&](std::uint32_t factor) { // of 2^-6, either way
        const std::uint32_t mixed = (vertex + 1) * factor;
        return (static_cast<float>(mixed >> 16) - 0x1p15f) * 0x1p-21f;
    };
    return {part(0x9e3779b1u), part(0x85ebca77u), part(0xc2b2ae3du)};
}

// The way of each vertex when the surface sets out to the side from which it is seen counter-clockwise. Vertices at
// one place have one way.
std::vector<Vec3> ways_of(const WeldedSurface& surface) {
    std::vector<Vec3d> normal(surface.positions.size());
    for (const Triangle& t : surface.triangles) {
        const auto [a, b, c] =
            std::array{vector_cast<double>(surface.positions[t[0]]), vector_cast<double>(surface.positions[t[1]]),
                       vector_cast<double>(surface.positions[t[2]])};
        const Vec3d across = cross(b - a, c - a);
        if (!is_finite(across)) continue;
        for (const Index v : t) normal[v] += across;
    }
    std::vector<Vec3> ways;
    ways.reserve(normal.size());
    for (Index v = 0; v < normal.size(); ++v) {
        const Vec3 way = vector_cast<float>(normalized(normal[v]));
        ways.push_back((is_finite(way) ? way : Vec3{}) + little_aside(v));
    }
    return ways;
}

// Numbers for the places: pairs with one number are beside each other, or others lie between them.
std::vector<std::size_t> number_places(const WeldedSurface& a, const WeldedSurface& b, std::span<const Pair> pairs) {
    std::vector<std::size_t> parent(pairs.size());
    std::iota(parent.begin(), parent.end(), std::size_t{0});
    const auto root = [&](std::size_t k) {
        while (parent[k] != k) k = parent[k] = parent[parent[k]];
        return k;
    };
    using Key =
        std::tuple<int, Index, Index, std::size_t>; // of which surface the triangle; a vertex of the other; pair
    std::vector<Key> keys;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        for (const Index v : b.triangles[pairs[k][1]]) keys.emplace_back(0, pairs[k][0], v, k);
        for (const Index v : a.triangles[pairs[k][0]]) keys.emplace_back(1, pairs[k][1], v, k);
    }
    std::sort(keys.begin(), keys.end());
    for (std::size_t k = 1; k < keys.size(); ++k) {
        const auto [side, triangle, vertex, pair] = keys[k];
        const auto [side0, triangle0, vertex0, pair0] = keys[k - 1];
        if (std::tie(side, triangle, vertex) != std::tie(side0, triangle0, vertex0)) continue;
        const auto [low, high] = std::minmax({root(pair), root(pair0)});
        parent[high] = low;
    }
    std::vector<std::size_t> place(pairs.size());
    for (std::size_t k = 0; k < pairs.size(); ++k) place[k] = root(k);
    return place;
}

// One surface on its way, the other at rest.
class Departure {
public:
    Departure(const WeldedSurface& a, const WeldedSurface& b)
        : a_(a), b_(b), a_ways_(ways_of(a)), b_ways_(ways_of(b)) {}

    static constexpr int count = 4; // of surfaces and sides: a to its front, a to its back, b, b

    bool has_crossing(int which, const Pair& pair) const {
        const float side = which % 2 == 0 ? 1.0f : -1.0f;
        return triangles_intersect_after(moving(a_, a_ways_, which < 2 ? side : 0, pair[0]),
                                         moving(b_, b_ways_, which < 2 ? 0 : side, pair[1]));
    }

private:
    static MovingCorners moving(const WeldedSurface& surface, std::span<const Vec3> ways, float side, Index triangle) {
        MovingCorners corners = {};
        for (std::size_t k = 0; k < 3; ++k) {
            const Index v = surface.triangles[triangle][k];
            corners[k] = {surface.positions[v], ways[v] * side};
        }
        return corners;
    }

    const WeldedSurface &a_, &b_;
    std::vector<Vec3> a_ways_, b_ways_;
};

// Surfaces that have nothing but a part of one plane in common lie on each other, in no order that could be told.
bool is_flat(const WeldedSurface& a, const WeldedSurface& b, std::span<const Pair> place) {
    return std::all_of(place.begin(), place.end(), [&](const Pair& pair) {
        const Corners s = corners_of(a, pair[0]), t = corners_of(b, pair[1]);
        return std::all_of(t.begin(), t.end(), [&](const Vec3& p) { return orientation(s[0], s[1], s[2], p) == 0; });
    });
}

// The pairs of one place that cross on the departure that leaves the fewest.
std::vector<Pair> fewest_crossings(const Departure& departure, std::span<const Pair> place) {
    std::vector<Pair> fewest(place.begin(), place.end());
    for (int which = 0; which < Departure::count && !fewest.empty(); ++which) {
        std::vector<Pair> found;
        for (const Pair& pair : place)
            if (departure.has_crossing(which, pair)) found.push_back(pair);
        if (found.size() < fewest.size() || which == 0) fewest = std::move(found);
    }
    return fewest;
}

// Calls visit(pairs) for each place that is not flat.
template <class Visit>
void for_each_place(const WeldedSurface& a, const WeldedSurface& b, std::span<const Pair> pairs, const Visit& visit) {
    const std::vector<std::size_t> place = number_places(a, b, pairs);
    std::vector<std::size_t> order(pairs.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t k, std::size_t l) { return place[k] < place[l]; });
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        std::vector<Pair> here;
        while (end < order.size() && place[order[end]] == place[order[begin]]) here.push_back(pairs[order[end++]]);
        if (!is_flat(a, b, here)) visit(here);
    }
}

} // namespace

WeldedSurface::WeldedSurface(const SurfaceView& surface, std::span<const Index> place) : positions(surface.positions) {
    triangles.reserve(surface.triangles.size());
    for (const Triangle& t : surface.triangles) triangles.push_back({place[t[0]], place[t[1]], place[t[2]]});
}

std::vector<Pair> find_passages(const WeldedSurface& a, const WeldedSurface& b, std::span<const Pair> touching) {
    const Departure departure(a, b);
    std::vector<Pair> found;
    for_each_place(a, b, touching, [&](std::span<const Pair> place) {
        const std::vector<Pair> crossing = fewest_crossings(departure, place);
        found.insert(found.end(), crossing.begin(), crossing.end());
    });
    std::sort(found.begin(), found.end());
    return found;
}

// The surface sets out from itself as it stands: each pair is looked at with one of the two moving and with the other,
// and so is each place, unless the two are one.
std::vector<Pair> find_passages(const WeldedSurface& surface, std::span<const Pair> touching) {
    std::vector<Pair> both(touching.begin(), touching.end());
    for (const Pair& pair : touching) both.push_back({pair[1], pair[0]});
    const Departure departure(surface, surface);
    std::vector<Pair> found;
    const auto ordered = [](const Pair& pair) { return Pair{std::min(pair[0], pair[1]), std::max(pair[0], pair[1])}; };
    for_each_place(surface, surface, both, [&](std::span<const Pair> place) {
        Pair first = ordered(place[0]);
        for (const Pair& pair : place) first = std::min(first, ordered(pair));
        if (std::find(place.begin(), place.end(), first) == place.end()) return; // the other of the two
        for (const Pair& pair : fewest_crossings(departure, place)) found.push_back(ordered(pair));
    });
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

} // namespace taffeta
