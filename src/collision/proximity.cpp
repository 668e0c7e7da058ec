#include "collision/proximity.h"

#include "geometry/closest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/proximity.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "collision/volumes-inl.h"

#ifndef TAFFETA_COLLISION_PROXIMITY_ONCE
#define TAFFETA_COLLISION_PROXIMITY_ONCE
namespace taffeta {

// What the kernel compares: the clusters and what they own.
struct Clusters {
    const Tree& tree;
    std::span<const OwnedBlock> owned;
    std::span<const Index> vertices_begin, edges_begin;

    std::span<const OwnedBlock> vertices(Index cluster) const {
        return owned.subspan(vertices_begin[cluster], edges_begin[cluster] - vertices_begin[cluster]);
    }
    std::span<const OwnedBlock> edges(Index cluster) const {
        return owned.subspan(edges_begin[cluster], vertices_begin[cluster + 1] - edges_begin[cluster]);
    }
};

} // namespace taffeta
#endif

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

void fit_owned(const Vec4* x, const Vec4* x_end, float epsilon, std::span<OwnedBlock> blocks) {
    const Lanes d;
    float inflations[3];
    for (std::size_t i = 0; i < 3; ++i) inflations[i] = inflation<6>(i, epsilon);
    for (OwnedBlock& block : blocks) {
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            Volumes<6> volumes;
            for (const Tree::Slots& vertex : block.vertices) volumes.insert(load(x, &vertex[first]), inflations);
            if (x_end != nullptr)
                for (const Tree::Slots& vertex : block.vertices)
                    volumes.insert(load(x_end, &vertex[first]), inflations);
            volumes.store(block.count, first, block.rows.data());
        }
    }
}

// Eight faces or edges.
struct Others {
    const TreeRow* rows;
    std::span<const Tree::Slots> vertices;
    const Tree::Slots& number;
};

// Which of the others have none of two vertices, a bit each.
HWY_INLINE std::uint32_t strangers(Index i, Index j, const Others& others) {
    const hn::RebindToUnsigned<Lanes> d;
    std::uint32_t bits = 0;
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        const auto own_i = hn::Set(d, i), own_j = hn::Set(d, j);
        auto is_common = hn::FirstN(d, 0);
        for (const Tree::Slots& vertex : others.vertices) {
            const auto theirs = hn::LoadU(d, &vertex[first]);
            is_common = hn::Or(is_common, hn::Or(hn::Eq(theirs, own_i), hn::Eq(theirs, own_j)));
        }
        std::uint8_t of_lanes[8] = {};
        hn::StoreMaskBits(d, hn::Not(is_common), of_lanes);
        bits |= static_cast<std::uint32_t>(of_lanes[0]) << first;
    }
    return bits;
}

// Appends the pairs of one of our own and one of the others whose boxes overlap and that have no vertex in common.
// `ours` has a bit for each of our own that may have any. Pairs of edges have the lower number first.
template <bool edges>
HWY_INLINE void compare(const OwnedBlock& own, std::uint32_t ours, const Others& others, std::vector<TreePair>& found,
                        std::size_t& count) {
    if (found.size() < count + slots * slots) found.resize(2 * (count + slots * slots));
    const bool is_same = others.rows == own.rows.data();
    for (; ours != 0; ours &= ours - 1) {
        const auto place = static_cast<std::uint32_t>(std::countr_zero(ours));
        std::uint32_t bits = overlapping<6>(own.rows.data(), place, others.rows);
        if (edges && is_same) bits &= ~1U << place; // each pair once
        if (bits == 0) continue;
        bits &= strangers(own.vertices[0][place], own.vertices[1][place], others);
        const Index a = own.number[place];
        for (; bits != 0; bits &= bits - 1) {
            const Index b = TreeItem::number(others.number[static_cast<std::size_t>(std::countr_zero(bits))]);
            found[count++] = edges && b < a ? TreePair{b, a} : TreePair{a, b};
        }
    }
}

void compare_clusters(const Clusters& clusters, std::span<const TreePair> pairs, CloseParts& out) {
    const Tree& tree = clusters.tree;
    // Those of a block that overlap a whole cluster.
    const auto near = [&](const OwnedBlock& own, Index cluster) HWY_ATTR {
        const Index slot = tree.slot_of(cluster);
        return overlapping<6>(tree.rows(slot / slots), slot % slots, own.rows.data());
    };
    const auto compare_vertices = [&](Index owner, Index cluster) HWY_ATTR {
        const Others faces = {tree.rows(cluster), tree.corners(cluster), tree.items(cluster)};
        for (const OwnedBlock& own : clusters.vertices(owner))
            compare<false>(own, near(own, cluster), faces, out.vertex_face_candidates, out.vertex_face_count);
    };
    out.vertex_face_count = out.edge_count = 0;
    for (const auto& [a, b] : pairs) {
        compare_vertices(a, b);
        if (a != b) compare_vertices(b, a);
        for (const OwnedBlock& own : clusters.edges(a)) {
            const std::uint32_t ours = near(own, b);
            if (ours == 0) continue;
            for (const OwnedBlock& other : clusters.edges(b)) {
                if (a == b && &other < &own) continue;
                compare<true>(own, ours, {other.rows.data(), other.vertices, other.number}, out.edge_candidates,
                              out.edge_count);
            }
        }
    }
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(fit_owned);
HWY_EXPORT(compare_clusters);

namespace {

constexpr std::size_t owned_grain = 256; // some 10 us of fitting

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

Proximity::Proximity(std::span<const Triangle> triangles, std::span<const Vec3> rest)
    : triangles_(triangles.begin(), triangles.end()), edges_(make_topology(triangles).edges), tree_(triangles, rest) {
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
}

void Proximity::refit(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon, const Parallel& parallel) {
    if (x_end.empty())
        tree_.refit(x, epsilon, parallel);
    else
        tree_.refit_swept(x, x_end, epsilon, parallel);
    const auto fit = HWY_DYNAMIC_DISPATCH(fit_owned);
    parallel.for_pieces(owned_.size(), owned_grain, [&](std::size_t begin, std::size_t end) {
        fit(x.data(), x_end.empty() ? nullptr : x_end.data(), epsilon, std::span(owned_).subspan(begin, end - begin));
    });
}

void Proximity::find_candidates(const Parallel& parallel) {
    traversal_.find_self(tree_, parallel);
    list_count_ = traversal_.lists().size();
    if (lists_.size() < list_count_) lists_.resize(list_count_);
    const Clusters clusters = {tree_, owned_, vertices_begin_, edges_begin_};
    const auto compare = HWY_DYNAMIC_DISPATCH(compare_clusters);
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) compare(clusters, traversal_.lists()[k].pairs(), lists_[k]);
    });
}

void Proximity::measure(std::span<const Vec4> x, float epsilon, const Parallel& parallel) {
    const double most = static_cast<double>(epsilon) * static_cast<double>(epsilon);
    const auto at = [&](Index vertex) { return vector_cast<double>(x[vertex].xyz()); };
    const auto measure_list = [&](CloseParts& list) {
        list.vertex_faces.clear();
        list.edges.clear();
        for (const auto& [v, f] : std::span(list.vertex_face_candidates).first(list.vertex_face_count)) {
            const Triangle& t = triangles_[f];
            const double squared = closest_on_triangle(at(v), {at(t[0]), at(t[1]), at(t[2])}).squared;
            if (squared < most) list.vertex_faces.push_back({v, f, std::sqrt(squared)});
        }
        for (const auto& [a, b] : std::span(list.edge_candidates).first(list.edge_count)) {
            const Pair &p = edges_[a], &q = edges_[b];
            const double squared = closest_of_edges(at(p.i), at(p.j), at(q.i), at(q.j)).squared;
            if (squared < most) list.edges.push_back({a, b, std::sqrt(squared)});
        }
    };
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) measure_list(lists_[k]);
    });
}

void Proximity::find(std::span<const Vec4> x, float epsilon, const Parallel& parallel) {
    refit(x, {}, epsilon, parallel);
    find_candidates(parallel);
    measure(x, epsilon, parallel);
}

} // namespace taffeta
#endif
