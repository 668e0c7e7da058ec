#include "mesh/aggregation.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace taffeta {
namespace {

constexpr Index fewest = 12; // particles worth a level of their own
constexpr Index nobody = ~Index{0};

// Which particles are the better middles, from 0 for the best. On a border, for it is there that pins are and that
// cloth hangs from, and what lies outside all middles follows them less well. And not beside one that has far more
// neighbours: of the corners of a grid with alternating diagonals every second has eight, the others four, and taken
// together those would be half of all.
std::vector<int> rank_middles(const Neighbours& graph, Index count) {
    std::vector<int> rank(count);
    std::vector<Index> seen_from(count, nobody);
    for (Index v = 0; v < count; ++v) {
        const std::size_t valence = graph.of(v).size();
        std::size_t links = 0; // among the neighbours, each seen from both ends
        bool is_minor = true;
        for (const Index n : graph.of(v)) {
            seen_from[n] = v;
            is_minor = is_minor && 2 * graph.of(n).size() > 3 * valence;
        }
        for (const Index n : graph.of(v))
            for (const Index m : graph.of(n)) links += static_cast<std::size_t>(seen_from[m] == v);
        const bool is_border = links < 2 * valence; // elsewhere the neighbours are joined in a ring
        rank[v] = (is_border ? 0 : 2) + (is_minor ? 1 : 0);
    }
    return rank;
}

// The middles of the patches, in ascending order: as many particles as can be taken without two of them being
// neighbours, the best first. Breadth first from the first particle on, so that the patches grow side by side on any
// mesh.
std::vector<Index> choose_middles(const Neighbours& graph, std::span<const double> mass) {
    const auto count = static_cast<Index>(mass.size());
    const std::vector<int> rank = rank_middles(graph, count);
    std::vector<Index> middles, queue;
    std::vector<bool> is_covered(count, false);
    for (int allowed = 0; allowed < 4; ++allowed) {
        std::vector<bool> is_queued(count, false);
        const auto enqueue = [&](Index v) {
            if (is_queued[v] || mass[v] == 0 || rank[v] > allowed) return;
            is_queued[v] = true;
            queue.push_back(v);
        };
        for (Index start = 0; start < count; ++start) {
            queue.clear();
            enqueue(start);
            for (std::size_t next = 0; next < queue.size();) {
                const Index v = queue[next++];
                if (!is_covered[v]) {
                    middles.push_back(v);
                    is_covered[v] = true;
                    for (const Index n : graph.of(v)) is_covered[n] = true;
                }
                for (const Index n : graph.of(v)) enqueue(n);
            }
        }
    }
    std::sort(middles.begin(), middles.end()); // as near in memory as in the cloth
    return middles;
}

// The point of a triangle that is closest to p, in barycentric coordinates, and its squared distance; the triangle may
// be an edge or a point.
struct Closest {
    std::array<double, 3> weight = {1, 0, 0};
    double squared = std::numeric_limits<double>::infinity();
};
Closest closest_on_edge(const Vec3d& p, const Vec3d& a, const Vec3d& b) {
    const Vec3d ab = b - a;
    const double squared = dot(ab, ab);
    const double t = squared > 0 ? std::clamp(dot(p - a, ab) / squared, 0.0, 1.0) : 0.0;
    const Vec3d d = p - (a + ab * t);
    return {{1 - t, t, 0}, dot(d, d)};
}
Closest closest_on_triangle(const Vec3d& p, const Vec3d& a, const Vec3d& b, const Vec3d& c) {
    const Vec3d ab = b - a, ac = c - a, ap = p - a;
    const double d00 = dot(ab, ab), d01 = dot(ab, ac), d11 = dot(ac, ac), d20 = dot(ap, ab), d21 = dot(ap, ac);
    const double determinant = d00 * d11 - d01 * d01;
    if (determinant > 1e-9 * d00 * d11) {
        const double v = (d11 * d20 - d01 * d21) / determinant, w = (d00 * d21 - d01 * d20) / determinant;
        constexpr double rounding = 1e-9;
        if (v >= -rounding && w >= -rounding && v + w <= 1 + rounding) {
            const Vec3d d = ap - ab * v - ac * w;
            return {{1 - v - w, v, w}, dot(d, d)};
        }
    }
    Closest best = closest_on_edge(p, a, b);
    const Closest ca = closest_on_edge(p, c, a), bc = closest_on_edge(p, b, c);
    if (bc.squared < best.squared) best = {{0, bc.weight[0], bc.weight[1]}, bc.squared};
    if (ca.squared < best.squared) best = {{ca.weight[1], 0, ca.weight[0]}, ca.squared};
    return best;
}

// Of all triangles between the middles of patches nearby, the one in which the place lies; of several, the smallest.
Parents find_parents(const Vec3& place, std::span<const Vec3> rest, std::span<const Index> middles,
                     std::span<const Index> nearby) {
    const auto at = [&](std::size_t k) { return vector_cast<double>(rest[middles[nearby[k]]]); };
    const Vec3d p = vector_cast<double>(place);
    Parents parents;
    std::array<double, 3> weight = {};
    double best = std::numeric_limits<double>::infinity();
    const std::size_t count = nearby.size();
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = std::min(a + 1, count - 1); b < count; ++b)
            for (std::size_t c = std::min(b + 1, count - 1); c < count; ++c) { // with few patches corners repeat
                const Vec3d pa = at(a), pb = at(b), pc = at(c);
                const Closest closest = closest_on_triangle(p, pa, pb, pc);
                const double size = dot(pb - pa, pb - pa) + dot(pc - pb, pc - pb) + dot(pa - pc, pa - pc);
                const double cost = closest.squared + 1e-3 * size;
                if (cost >= best) continue;
                best = cost;
                parents.parent = {nearby[a], nearby[b], nearby[c]};
                weight = closest.weight;
            }
    for (double& w : weight) w = std::max(w, 0.0);
    const double sum = weight[0] + weight[1] + weight[2];
    // Rounded such that both together are not more than the whole.
    const long first = std::lround(Parents::whole * weight[0] / sum);
    const long both = std::lround(Parents::whole * (weight[0] + weight[1]) / sum);
    parents.parts = {static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(both - first)};
    return parents;
}

// Each particle belongs to the patch of its nearest middle: the number of the patch by particle, `nobody` for particles
// without mass.
std::vector<Index> make_patches(const Neighbours& graph, std::span<const Vec3> rest, std::span<const Index> middles) {
    std::vector<Index> patch(rest.size(), nobody);
    for (Index c = 0; c < middles.size(); ++c) patch[middles[c]] = c;
    const std::vector<Index> of_middle = patch;
    for (Index v = 0; v < rest.size(); ++v) {
        if (of_middle[v] != nobody) continue;
        float least = std::numeric_limits<float>::infinity();
        for (const Index n : graph.of(v)) {
            const Vec3 d = rest[n] - rest[v];
            if (of_middle[n] == nobody || dot(d, d) >= least) continue;
            least = dot(d, d);
            patch[v] = of_middle[n];
        }
    }
    return patch;
}

// Patches that an edge joins, each pair once.
std::vector<Pair> join_patches(std::span<const Pair> edges, std::span<const Index> patch) {
    std::vector<std::pair<Index, Index>> joined;
    for (const Pair& edge : edges)
        if (patch[edge.i] != patch[edge.j])
            joined.emplace_back(std::min(patch[edge.i], patch[edge.j]), std::max(patch[edge.i], patch[edge.j]));
    std::sort(joined.begin(), joined.end());
    joined.erase(std::unique(joined.begin(), joined.end()), joined.end());
    std::vector<Pair> pairs;
    for (const auto& pair : joined) pairs.push_back({pair.first, pair.second});
    return pairs;
}

// The pairs and, behind them, those of vertices with a common neighbour, each once. Edges alone do not bound a strip of
// triangles along its zigzag: it gives by 15 % while it grows narrower.
std::vector<Pair> reach_twice(std::span<const Pair> edges, const Neighbours& graph, Index count) {
    std::vector<Pair> spans(edges.begin(), edges.end());
    std::vector<Index> seen_from(count, nobody);
    for (Index v = 0; v < count; ++v) {
        for (const Index n : graph.of(v)) seen_from[n] = v;
        for (const Index n : graph.of(v))
            for (const Index m : graph.of(n))
                if (m > v && seen_from[m] != v) {
                    seen_from[m] = v;
                    spans.push_back({v, m});
                }
    }
    return spans;
}

// Masses, children and rest places of the coarse particles: the transpose of the parents, weighted by mass. `spread` of
// the finer ones; single particles have none.
void take_means(std::span<const Vec3> rest, std::span<const double> mass, std::span<const float> spread, Index count,
                Level& level) {
    level.mass.resize(count);
    level.child_begin.resize(count + 1);
    const auto for_each_parent = [&](const auto& visit) {
        for (Index v = 0; v < rest.size(); ++v)
            for (std::size_t k = 0; k < 3; ++k)
                if (const double part = mass[v] * static_cast<double>(level.parents[v].weights()[k]); part > 0)
                    visit(v, level.parents[v].parent[k], part);
    };
    for_each_parent([&](Index, Index c, double part) {
        level.mass[c] += part;
        ++level.child_begin[c + 1];
    });
    for (Index c = 0; c < count; ++c) level.child_begin[c + 1] += level.child_begin[c];
    level.children.resize(level.child_begin.back());
    std::vector<Index> next(level.child_begin.begin(), level.child_begin.end() - 1);
    std::vector<Vec3d> mean(count);
    for_each_parent([&](Index v, Index c, double part) {
        const double share = part / level.mass[c];
        level.children[next[c]++] = {v, static_cast<float>(share)};
        mean[c] += vector_cast<double>(rest[v]) * share;
    });
    for (const Vec3d& p : mean) level.rest.push_back(vector_cast<float>(p));
    level.spread.reserve(count);
    for (Index c = 0; c < count; ++c) {
        float sum = 0;
        for (const auto& [child, share] : level.children_of(c)) {
            const Vec3 off = rest[child] - level.rest[c];
            sum += share * (dot(off, off) + (spread.empty() ? 0 : spread[child]));
        }
        level.spread.push_back(sum);
    }
}

Level coarsen(std::span<const Vec3> rest, std::span<const Pair> edges, std::span<const double> mass,
              std::span<const float> spread) {
    const auto count = static_cast<Index>(rest.size());
    const Neighbours graph(edges, count);
    const std::vector<Index> middles = choose_middles(graph, mass);
    const std::vector<Index> patch = make_patches(graph, rest, middles);
    Level level;
    level.edges = join_patches(edges, patch);

    // Parents are sought among the middles of the patch and of those beside it.
    const Neighbours coarse(level.edges, static_cast<Index>(middles.size()));
    level.parents.resize(count);
    std::vector<Index> nearby;
    for (Index v = 0; v < count; ++v) {
        if (patch[v] == nobody) continue;
        nearby.assign(1, patch[v]);
        if (middles[patch[v]] != v) nearby.insert(nearby.end(), coarse.of(patch[v]).begin(), coarse.of(patch[v]).end());
        level.parents[v] = find_parents(rest[v], rest, middles, nearby);
    }
    take_means(rest, mass, spread, static_cast<Index>(middles.size()), level);

    level.spans = reach_twice(level.edges, coarse, level.count());
    for (const Pair& span : level.spans) level.span_length.push_back(length(level.rest[span.j] - level.rest[span.i]));
    double sum = 0;
    for (std::size_t e = 0; e < level.edges.size(); ++e) sum += static_cast<double>(level.span_length[e]);
    level.spacing = level.edges.empty() ? 0 : static_cast<float>(sum / static_cast<double>(level.edges.size()));
    return level;
}

} // namespace

Neighbours::Neighbours(std::span<const Pair> edges, Index count) : begin_(count + 1), neighbours_(2 * edges.size()) {
    for (const Pair& edge : edges) ++begin_[edge.i + 1], ++begin_[edge.j + 1];
    for (Index v = 0; v < count; ++v) begin_[v + 1] += begin_[v];
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    for (const Pair& edge : edges) {
        neighbours_[next[edge.i]++] = edge.j;
        neighbours_[next[edge.j]++] = edge.i;
    }
}

std::vector<Level> make_levels(std::span<const Vec3> rest, std::span<const Pair> edges, std::span<const double> mass) {
    std::vector<Level> levels;
    std::span<const float> spread;
    while (rest.size() > 4 * fewest && !edges.empty()) {
        Level level = coarsen(rest, edges, mass, spread);
        if (level.count() < fewest || level.count() == rest.size()) break;
        levels.push_back(std::move(level));
        rest = levels.back().rest;
        edges = levels.back().edges;
        mass = levels.back().mass;
        spread = levels.back().spread;
    }
    return levels;
}

} // namespace taffeta
