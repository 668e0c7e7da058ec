#include "collision/colliders/inside_test.h"

#include "geometry/closest.h"
#include "mesh/topology.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <set>
#include <utility>

namespace taffeta {
namespace {

constexpr Index leaf_faces = 4;
// Closer than that (m) directions between places are rounding.
constexpr double touching = 1e-7;

Vec3d area_of(const std::array<Vec3d, 3>& c) {
    return cross(c[1] - c[0], c[2] - c[0]) * 0.5;
}

// Of a triangle as seen from a place, in parts of the whole sphere [OS83].
double solid_angle(const std::array<Vec3d, 3>& corners, const Vec3d& place) {
    const Vec3d a = corners[0] - place, b = corners[1] - place, c = corners[2] - place;
    const double la = length(a), lb = length(b), lc = length(c);
    const double volume = dot(a, cross(b, c));
    const double base = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    return volume == 0 ? 0 : std::atan2(volume, base) / (2 * std::numbers::pi);
}

double squared_distance(const Vec3d& low, const Vec3d& high, const Vec3d& place) {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
        const double beyond = std::max({low[axis] - place[axis], place[axis] - high[axis], 0.0});
        sum += beyond * beyond;
    }
    return sum;
}

// The triangles of vertices joined by place, each once; those that name one twice are left out.
std::vector<Triangle> joined(std::span<const Vec3> vertices, std::span<const Triangle> faces) {
    const std::vector<Index> first = find_coincident(vertices);
    std::set<Triangle> seen;
    std::vector<Triangle> kept;
    for (const Triangle& face : faces) {
        Triangle t = {first[face[0]], first[face[1]], first[face[2]]};
        if (names_a_vertex_twice(t)) continue;
        std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end()); // one of the three ways to name it
        if (seen.insert(t).second) kept.push_back(t);
    }
    return kept;
}

bool has_no_border(std::span<const Triangle> faces) {
    std::map<std::pair<Index, Index>, int> turns;
    for (const Triangle& t : faces) {
        for (std::size_t k = 0; k < 3; ++k) {
            const Index from = t[k], to = t[(k + 1) % 3];
            turns[std::pair(std::min(from, to), std::max(from, to))] += from < to ? 1 : -1;
        }
    }
    return !turns.empty() && std::all_of(turns.begin(), turns.end(), [](const auto& edge) { return edge.second == 0; });
}

} // namespace

Solid::Solid(std::span<const Vec3> vertices, std::span<const Triangle> faces) {
    const std::vector<Triangle> kept = joined(vertices, faces);
    is_closed_ = has_no_border(kept);
    double volume = 0;
    for (const Triangle& t : kept) {
        faces_.push_back({vector_cast<double>(vertices[t[0]]), vector_cast<double>(vertices[t[1]]),
                          vector_cast<double>(vertices[t[2]])});
        volume += dot(faces_.back()[0] - faces_[0][0], area_of(faces_.back()));
    }
    turn_ = volume < 0 ? -1.0f : 1.0f;
    if (faces_.empty()) return;
    nodes_.emplace_back();
    split(0, 0, static_cast<Index>(faces_.size()));
}

void Solid::fit(Node& node, Index begin, Index end) const {
    node.low = node.high = faces_[begin][0];
    double weight = 0;
    for (Index f = begin; f < end; ++f) {
        const Vec3d area = area_of(faces_[f]);
        const double size = length(area);
        node.area += area;
        node.centre += (faces_[f][0] + faces_[f][1] + faces_[f][2]) * (size / 3);
        weight += size;
        for (const Vec3d& corner : faces_[f]) {
            for (int axis = 0; axis < 3; ++axis) {
                node.low[axis] = std::min(node.low[axis], corner[axis]);
                node.high[axis] = std::max(node.high[axis], corner[axis]);
            }
        }
    }
    node.centre = weight > 0 ? node.centre * (1 / weight) : (node.low + node.high) * 0.5;
    for (Index f = begin; f < end; ++f)
        for (const Vec3d& corner : faces_[f]) node.radius = std::max(node.radius, length(corner - node.centre));
}

void Solid::split(Index number, Index begin, Index end) {
    Node node;
    fit(node, begin, end);
    const Vec3d size = node.high - node.low;
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    if (end - begin <= leaf_faces) {
        node.first = begin;
        node.count = end - begin;
        nodes_[number] = node;
        return;
    }
    const Index middle = begin + (end - begin) / 2;
    const auto at = [&](Index f) { return faces_.begin() + static_cast<std::ptrdiff_t>(f); };
    std::stable_sort(at(begin), at(end), [&](const Corners& a, const Corners& b) {
        return a[0][axis] + a[1][axis] + a[2][axis] < b[0][axis] + b[1][axis] + b[2][axis];
    });
    node.first = static_cast<Index>(nodes_.size());
    nodes_[number] = node;
    nodes_.resize(nodes_.size() + 2);
    split(node.first, begin, middle);
    split(node.first + 1, middle, end);
}

double Solid::winding(const Node& node, const Vec3d& place) const {
    constexpr double far_off = 3; // radii [BDS18]
    const Vec3d way = node.centre - place;
    const double distance = length(way);
    if (distance > far_off * node.radius)
        return dot(node.area, way) / (4 * std::numbers::pi * distance * distance * distance);
    if (node.count == 0) return winding(nodes_[node.first], place) + winding(nodes_[node.first + 1], place);
    double sum = 0;
    for (Index f = node.first; f < node.first + node.count; ++f) sum += solid_angle(faces_[f], place);
    return sum;
}

double Solid::winding(const Vec3d& place) const {
    return nodes_.empty() ? 0 : winding(nodes_[0], place);
}

bool Solid::contains(const Vec3d& place) const {
    if (!is_closed_ || squared_distance(nodes_[0].low, nodes_[0].high, place) > 0) return false;
    return std::abs(winding(place)) > 0.5;
}

struct Solid::Search {
    Vec3d place;
    bool is_inside = false;
    double squared = 0; // m^2, of the nearest so far
    std::optional<Exit> exit = {};
};

void Solid::search(const Node& node, Search& search) const {
    const Vec3d& place = search.place;
    if (node.count == 0) {
        const Node &a = nodes_[node.first], &b = nodes_[node.first + 1];
        const double to_a = squared_distance(a.low, a.high, place), to_b = squared_distance(b.low, b.high, place);
        const auto visit = [&](const Node& child, double squared) {
            if (squared < search.squared) this->search(child, search);
        };
        if (to_a <= to_b) visit(a, to_a);
        visit(b, to_b);
        if (to_a > to_b) visit(a, to_a);
        return;
    }
    constexpr double behind = 1e-5; // m: there it must be outside
    for (Index f = node.first; f < node.first + node.count; ++f) {
        const ClosestOnTriangle closest = closest_on_triangle(place, faces_[f]);
        if (!(closest.squared < search.squared)) continue;
        const Vec3d at = closest.at(faces_[f]);
        const double distance = std::sqrt(closest.squared);
        Vec3d normal = (at - place) * (search.is_inside ? 1 : -1);
        if (distance < touching) normal = area_of(faces_[f]) * static_cast<double>(turn_);
        normal = normalized(normal);
        if (normal == Vec3d{}) continue; // has no area and is touched: one of its neighbours is as near
        if (search.is_inside && contains(at + normal * behind)) continue;
        search.squared = closest.squared;
        search.exit = {at, distance, normal};
    }
}

std::optional<Solid::Exit> Solid::nearest_exit(const Vec3d& place, double within) const {
    if (nodes_.empty()) return {};
    Search search = {.place = place, .is_inside = contains(place), .squared = within * within};
    this->search(nodes_[0], search);
    return search.exit;
}

} // namespace taffeta
