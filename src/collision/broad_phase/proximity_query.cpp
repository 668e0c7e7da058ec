#include "collision/broad_phase/proximity_query.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <tuple>

namespace taffeta {
namespace {

constexpr std::size_t cluster_grain = 64; // some 10 us of fitting
constexpr std::size_t vertex_grain = 4096;

void append_owned(std::span<const Pair> vertices, std::span<const Index> numbers, std::vector<OwnedBlock>& owned) {
    for (std::size_t begin = 0; begin < numbers.size(); begin += Tree::slots) {
        OwnedBlock& block = owned.emplace_back();
        block.count = static_cast<Index>(std::min(numbers.size() - begin, Tree::slots));
        for (std::size_t place = 0; place < Tree::slots; ++place) {
            const std::size_t k = begin + std::min<std::size_t>(place, block.count - 1); // empty ones repeat the last
            block.vertices[0][place] = vertices[k].i;
            block.vertices[1][place] = vertices[k].j;
            block.number[place] = numbers[k];
        }
    }
}

} // namespace

Proximity::Proximity(std::span<const Triangle> triangles, std::span<const Vec3> rest, const TreeGroups& groups)
    : triangles_(triangles.begin(), triangles.end()), edges_(make_topology(triangles).edges),
      tree_(triangles, rest, {}, groups) {
    const auto is_before = [](const Pair& a, const Pair& b) { return std::tie(a.i, a.j) < std::tie(b.i, b.j); };
    std::vector<bool> is_vertex_owned(rest.size()), is_edge_owned(edges_.size());
    for (Index block = 0; block < tree_.block_count(); ++block) {
        std::vector<Pair> vertices, edges;
        std::vector<Index> vertex_numbers, edge_numbers;
        for (std::size_t place = 0; tree_.has_faces(block) && place < tree_.count(block); ++place) {
            const Triangle& t = triangles[TreeItem::number(tree_.items(block)[place])];
            for (std::size_t k = 0; k < 3; ++k) {
                if (!is_vertex_owned[t[k]]) {
                    is_vertex_owned[t[k]] = true;
                    vertices.push_back({t[k], t[k]});
                    vertex_numbers.push_back(t[k]);
                }
                const auto [i, j] = std::minmax(t[k], t[(k + 1) % 3]);
                const auto edge = std::lower_bound(edges_.begin(), edges_.end(), Pair{i, j}, is_before);
                if (edge == edges_.end() || *edge != Pair{i, j}) continue; // of a triangle that names a vertex twice
                const auto number = static_cast<Index>(edge - edges_.begin());
                if (is_edge_owned[number]) continue;
                is_edge_owned[number] = true;
                edges.push_back(*edge);
                edge_numbers.push_back(number);
            }
        }
        vertices_begin_.push_back(static_cast<Index>(owned_.size()));
        append_owned(vertices, vertex_numbers, owned_);
        edges_begin_.push_back(static_cast<Index>(owned_.size()));
        append_owned(edges, edge_numbers, owned_);
    }
    vertices_begin_.push_back(static_cast<Index>(owned_.size()));
    slabs_.resize(tree_.block_count());
    group_of_.resize(tree_.block_count(), 0);
    for (Index block = 0; block < tree_.block_count(); ++block) {
        if (!tree_.has_faces(block)) continue;
        const Index face = TreeItem::number(tree_.items(block)[0]);
        const auto next = std::upper_bound(groups.begin.begin(), groups.begin.end(), face);
        group_of_[block] = static_cast<Index>(next - groups.begin.begin());
    }
}

void Proximity::refit(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon, const Parallel& parallel) {
    if (x_end.empty())
        tree_.refit(x, epsilon, parallel);
    else
        tree_.refit_swept(x, x_end, epsilon, parallel);
    fit_x_ = x, fit_x_end_ = x_end;
    epsilon_ = epsilon;
}

// Most of a body is far from all cloth, and most of all where few vertices are searched for.
void Proximity::fit_what_meets(std::span<const std::uint8_t> only, const Parallel& parallel) {
    meets_.assign(tree_.block_count(), 0);
    for (const TreePairs& list : traversal_.lists())
        for (const auto& [a, b] : list.pairs()) meets_[a] = meets_[b] = 1;
    const ClustersToFit clusters = {tree_, meets_, vertices_begin_, owned_, slabs_, only};
    parallel.for_pieces(meets_.size(), cluster_grain, [&](std::size_t begin, std::size_t end) {
        fit_clusters(clusters, fit_x_, fit_x_end_, epsilon_, begin, end);
    });
}

void Proximity::find_candidates(const Parallel& parallel) {
    find_candidates({}, parallel);
}

void Proximity::find_candidates(std::span<const std::uint8_t> only, const Parallel& parallel) {
    is_on_ways_ = false;
    choose(only);
    if (only.empty())
        traversal_.find_self(tree_, parallel);
    else
        traversal_.find_self(tree_, chosen_, parallel);
    fit_what_meets(only, parallel);
    list_count_ = traversal_.lists().size();
    if (lists_.size() < list_count_) lists_.resize(list_count_);
    const Clusters clusters = {tree_, owned_, vertices_begin_, edges_begin_, slabs_, group_of_, epsilon_};
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) compare_clusters(clusters, traversal_.lists()[k].pairs(), lists_[k]);
    });
}

void Proximity::measure(std::span<const Vec4> x, float epsilon, const Parallel& parallel) {
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) measure_candidates(x, {triangles_, edges_}, epsilon, lists_[k]);
    });
}

// Of the tree, what holds a cluster with such a vertex.
void Proximity::choose(std::span<const std::uint8_t> only) {
    chosen_.assign(only.empty() ? 0 : tree_.block_count(), 0);
    for (auto block = static_cast<Index>(chosen_.size()); block-- > 1;) { // those below come after those above
        if (tree_.has_faces(block)) {
            std::uint8_t has_any = 0;
            for (const Tree::Slots& corner : tree_.corners(block))
                for (const Index vertex : corner) has_any |= only[vertex];
            if (has_any != 0) chosen_[block] = 0xff;
        }
        const Index slot = tree_.slot_of(block);
        if (chosen_[block] != 0) chosen_[slot / Tree::slots] |= static_cast<std::uint8_t>(1U << slot % Tree::slots);
    }
}

void Proximity::find_on_ways(std::span<const Vec4> x, std::span<const Vec4> x_end, float within,
                             std::span<const std::uint8_t> only, const Parallel& parallel,
                             const ClearanceAsked& asked) {
    refit(x, x_end, within, parallel);
    find_candidates(only, parallel);
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            drop_distant_candidates(x, x_end, {triangles_, edges_}, within, asked, lists_[k]);
    });
    way_begin_.assign(x.begin(), x.end());
    way_end_.assign(x_end.begin(), x_end.end());
    is_on_ways_ = true;
}

void Proximity::measure_off(std::span<const Vec4> x, double share, const Parallel& parallel,
                            std::span<float> off) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    assert(off.size() == x.size());
    if (!is_on_ways_ || x.size() != way_begin_.size()) return std::fill(off.begin(), off.end(), infinity);
    parallel.for_pieces(x.size(), vertex_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const Vec3d from = vector_cast<double>(way_begin_[v].xyz()), to = vector_cast<double>(way_end_[v].xyz());
            const Vec3d beside = vector_cast<double>(x[v].xyz()) - (from + (to - from) * share);
            const auto here = static_cast<float>(length(beside) * (1 + 0x1p-22)); // rounded up
            off[v] = here <= infinity ? here : infinity;
        }
    });
}

void Proximity::find(std::span<const Vec4> x, float epsilon, const Parallel& parallel) {
    refit(x, {}, epsilon, parallel);
    find_candidates(parallel);
    measure(x, epsilon, parallel);
}

} // namespace taffeta
