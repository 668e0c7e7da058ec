#include "collision/proximity.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/proximity.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "collision/volumes-inl.h"
#include "geometry/closest-inl.h"

#ifndef TAFFETA_COLLISION_PROXIMITY_ONCE
#define TAFFETA_COLLISION_PROXIMITY_ONCE
namespace taffeta {

// What the kernel compares: the clusters and what they own.
struct Clusters {
    const Tree& tree;
    std::span<const OwnedBlock> owned;
    std::span<const Index> vertices_begin, edges_begin;
    std::span<const Slab> slabs;
    float epsilon; // m
    std::span<const std::uint8_t> is_chosen;

    bool are_passed_by(const TreePair& pair) const {
        return !is_chosen.empty() && (is_chosen[pair.a] | is_chosen[pair.b]) == 0;
    }
    std::span<const OwnedBlock> vertices(Index cluster) const {
        return owned.subspan(vertices_begin[cluster], edges_begin[cluster] - vertices_begin[cluster]);
    }
    std::span<const OwnedBlock> edges(Index cluster) const {
        return owned.subspan(edges_begin[cluster], vertices_begin[cluster + 1] - edges_begin[cluster]);
    }
};

// How far the planes of a slab are moved outwards: half of epsilon, and more than rounding can move the projections.
inline float slab_inflation(const Vec3& normal, float farthest, float epsilon) {
    const float largest = std::max({std::abs(normal.x), std::abs(normal.y), std::abs(normal.z)});
    return 0.5f * epsilon * length(normal) * (1 + 0x1p-20f) + 0x1p-20f * largest * farthest;
}

// By the bits of a mask: the lanes whose bits are set, in order.
struct SetLanes {
    std::array<std::array<std::uint8_t, Tree::slots>, 256> lanes = {};

    constexpr SetLanes() {
        for (unsigned bits = 0; bits < lanes.size(); ++bits) {
            std::size_t count = 0;
            for (unsigned lane = 0; lane < Tree::slots; ++lane)
                if ((bits >> lane & 1U) != 0) lanes[bits][count++] = static_cast<std::uint8_t>(lane);
        }
    }
};
inline constexpr SetLanes set_lanes;

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

// The least and the greatest of the corners along a direction.
HWY_INLINE void project_corners(const Slab::End& cluster, const Vec3& direction, float& low, float& high) {
    const Lanes d;
    const V x = hn::Set(d, direction.x), y = hn::Set(d, direction.y), z = hn::Set(d, direction.z);
    V least = hn::Set(d, Kdop<6>::infinity), most = hn::Set(d, -Kdop<6>::infinity);
    for (const auto& [at_x, at_y, at_z] : cluster.corners) {
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            const V across =
                hn::Add(hn::Mul(x, hn::Load(d, &at_x.slot[first])), hn::Mul(y, hn::Load(d, &at_y.slot[first])));
            const V along = hn::Add(across, hn::Mul(z, hn::Load(d, &at_z.slot[first])));
            least = hn::Min(least, along);
            most = hn::Max(most, along);
        }
    }
    low = hn::GetLane(hn::MinOfLanes(d, least));
    high = hn::GetLane(hn::MaxOfLanes(d, most));
}

// The corners of a cluster and the box around them. Returns the largest |x| + |y| + |z|.
HWY_INLINE float gather_corners(const std::array<Tree::Slots, 3>& corners, const Vec4* HWY_RESTRICT x, float epsilon,
                                Slab::End& out) {
    const Lanes d;
    Volumes<6> volumes;
    float inflations[3];
    for (std::size_t i = 0; i < 3; ++i) inflations[i] = inflation<6>(i, epsilon);
    V farthest = hn::Zero(d);
    for (std::size_t k = 0; k < 3; ++k) {
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            const Particles p = load(x, &corners[k][first]);
            hn::Store(p.x, d, &out.corners[k][0].slot[first]);
            hn::Store(p.y, d, &out.corners[k][1].slot[first]);
            hn::Store(p.z, d, &out.corners[k][2].slot[first]);
            farthest = hn::Max(farthest, hn::Add(hn::Add(hn::Abs(p.x), hn::Abs(p.y)), hn::Abs(p.z)));
            volumes.insert(p, inflations);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        out.box_low[axis] = hn::GetLane(hn::MinOfLanes(d, volumes.low[axis]));
        out.box_high[axis] = hn::GetLane(hn::MaxOfLanes(d, volumes.high[axis]));
    }
    return hn::GetLane(hn::MaxOfLanes(d, farthest));
}

HWY_INLINE Vec3 mean_normal(const Slab::End& cluster) {
    const Lanes d;
    TreeRow normal_x, normal_y, normal_z;
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        const auto side = [&](std::size_t corner, std::size_t axis) HWY_ATTR {
            const V from = hn::Load(d, &cluster.corners[0][axis].slot[first]);
            return hn::Sub(hn::Load(d, &cluster.corners[corner][axis].slot[first]), from);
        };
        const V ux = side(1, 0), uy = side(1, 1), uz = side(1, 2), vx = side(2, 0), vy = side(2, 1), vz = side(2, 2);
        hn::Store(hn::Sub(hn::Mul(uy, vz), hn::Mul(uz, vy)), d, &normal_x.slot[first]);
        hn::Store(hn::Sub(hn::Mul(uz, vx), hn::Mul(ux, vz)), d, &normal_y.slot[first]);
        hn::Store(hn::Sub(hn::Mul(ux, vy), hn::Mul(uy, vx)), d, &normal_z.slot[first]);
    }
    Vec3 sum; // in one order, however many lanes there are
    for (std::size_t k = 0; k < slots; ++k) sum += {normal_x.slot[k], normal_y.slot[k], normal_z.slot[k]};
    return normalized(sum);
}

void fit_slabs(const Tree& tree, const Vec4* x, const Vec4* x_end, float epsilon, std::size_t begin, std::size_t end,
               std::span<Slab> slabs) {
    for (std::size_t block = begin; block < end; ++block) {
        if (!tree.has_faces(static_cast<Index>(block))) continue;
        const std::array<Tree::Slots, 3>& corners = tree.corners(static_cast<Index>(block));
        Slab& slab = slabs[block];
        slab.ends = x_end == nullptr ? 1 : 2;
        slab.farthest = gather_corners(corners, x, epsilon, slab.at[0]);
        if (x_end != nullptr)
            slab.farthest = std::max(slab.farthest, gather_corners(corners, x_end, epsilon, slab.at[1]));
        slab.normal = mean_normal(slab.at[0]);
        const float reach = slab_inflation(slab.normal, slab.farthest, epsilon);
        for (std::size_t k = 0; k < slab.ends; ++k) {
            project_corners(slab.at[k], slab.normal, slab.at[k].low, slab.at[k].high);
            slab.at[k].low -= reach;
            slab.at[k].high += reach;
        }
    }
}

// Whether another cluster is beyond one of the planes of a slab, by more than epsilon, all the way.
HWY_INLINE bool is_beyond(const Slab& slab, const Slab& other, float epsilon) {
    const float reach = slab_inflation(slab.normal, other.farthest, epsilon);
    bool is_above = true, is_below = true;
    for (std::size_t k = 0; k < slab.ends; ++k) {
        float low = 0, high = 0;
        project_corners(other.at[k], slab.normal, low, high);
        is_above = is_above && low - reach > slab.at[k].high;
        is_below = is_below && high + reach < slab.at[k].low;
    }
    return is_above || is_below;
}

// Whether an axis holds two clusters apart, by more than epsilon, all the way.
HWY_INLINE bool are_apart(const Slab& a, const Slab& b) {
    for (int axis = 0; axis < 3; ++axis) {
        bool is_above = true, is_below = true;
        for (std::size_t k = 0; k < a.ends; ++k) {
            is_above = is_above && a.at[k].box_low[axis] > b.at[k].box_high[axis];
            is_below = is_below && a.at[k].box_high[axis] < b.at[k].box_low[axis];
        }
        if (is_above || is_below) return true;
    }
    return false;
}

// Eight faces or edges.
struct Others {
    const TreeRow* HWY_RESTRICT rows;
    std::span<const Tree::Slots> vertices;
    const Tree::Slots& number;
};

using Numbers = hn::RebindToUnsigned<Lanes>;

// Appends the pairs of one of our own and one of the others whose boxes overlap and that have no vertex in common.
// `ours` has a bit for each of our own that may have any. Pairs of edges have the lower number first. There is no
// branch for what is found: which pairs are cannot be foretold, and every wrong guess costs as much as a comparison.
template <bool edges>
HWY_INLINE void compare(const OwnedBlock& own, std::uint32_t ours, const Others& others, CandidateList& out) {
    constexpr std::size_t vertices = edges ? 2 : 3;
    const Lanes d;
    const Numbers numbers;
    out.make_room((slots + 1) * slots);
    Index *HWY_RESTRICT to_a = out.a.data(), *HWY_RESTRICT to_b = out.b.data();
    std::size_t count = out.count;
    const bool is_same = edges && others.rows == own.rows.data();
    for (; ours != 0; ours &= ours - 1) {
        const auto place = static_cast<std::uint32_t>(std::countr_zero(ours));
        const auto own_i = hn::Set(numbers, own.vertices[0][place]), own_j = hn::Set(numbers, own.vertices[1][place]);
        const auto own_number = hn::Set(numbers, own.number[place]);
        const std::uint32_t counted = is_same ? ~1U << place : ~0U; // each pair once
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            auto is_common = hn::FirstN(numbers, 0);
            for (std::size_t k = 0; k < vertices; ++k) {
                const auto theirs = hn::LoadU(numbers, &others.vertices[k][first]);
                is_common = hn::Or(is_common, hn::Eq(theirs, own_i));
                if constexpr (edges) is_common = hn::Or(is_common, hn::Eq(theirs, own_j));
            }
            const auto overlaps = overlapping_lanes<6>(own.rows.data(), place, others.rows, first);
            std::uint8_t of_lanes[8] = {};
            hn::StoreMaskBits(d, hn::AndNot(hn::RebindMask(d, is_common), overlaps), of_lanes);
            const std::uint32_t bits = of_lanes[0] & (counted >> first);

            const hn::Rebind<std::uint8_t, Lanes> bytes;
            const auto lanes = hn::PromoteTo(numbers, hn::LoadU(bytes, set_lanes.lanes[bits].data()));
            const auto all =
                hn::And(hn::LoadU(numbers, &others.number[first]), hn::Set(numbers, TreeItem::number_bits));
            const auto found = hn::TableLookupLanes(all, hn::IndicesFromVec(numbers, lanes));
            hn::StoreU(edges ? hn::Min(own_number, found) : own_number, numbers, to_a + count);
            hn::StoreU(edges ? hn::Max(own_number, found) : found, numbers, to_b + count);
            count += static_cast<std::size_t>(std::popcount(bits));
        }
    }
    out.count = count;
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
            compare<false>(own, near(own, cluster), faces, out.vertex_face_candidates);
    };
    out.vertex_face_candidates.count = out.edge_candidates.count = 0;
    for (const TreePair& pair : pairs) {
        if (clusters.are_passed_by(pair)) continue;
        const auto [a, b] = pair;
        const Slab &slab_a = clusters.slabs[a], &slab_b = clusters.slabs[b];
        if (a != b && (are_apart(slab_a, slab_b) || is_beyond(slab_a, slab_b, clusters.epsilon) ||
                       is_beyond(slab_b, slab_a, clusters.epsilon)))
            continue;
        compare_vertices(a, b);
        if (a != b) compare_vertices(b, a);
        for (const OwnedBlock& other : clusters.edges(b)) {
            if (near(other, a) == 0) continue;
            for (const OwnedBlock& own : clusters.edges(a)) {
                if (a == b && &other < &own) break;
                compare<true>(own, near(own, b), {other.rows.data(), other.vertices, other.number},
                              out.edge_candidates);
            }
        }
    }
}

// The vertices of eight candidates.
struct Gathered {
    Index vertices[4][slots];

    template <class VerticesOf>
    HWY_INLINE std::size_t take(const CandidateList& candidates, std::size_t begin, const VerticesOf& vertices_of) {
        const std::size_t count = std::min(candidates.count - begin, slots);
        for (std::size_t k = 0; k < slots; ++k) {
            const std::size_t candidate = begin + std::min(k, count - 1);
            const std::array<Index, 4> own = vertices_of(candidates.a[candidate], candidates.b[candidate]);
            for (std::size_t v = 0; v < 4; ++v) vertices[v][k] = own[v];
        }
        return count;
    }
};

// Distances of eight pairs at a time, each between things with four vertices together; `vertices_of` a pair are those.
template <class VerticesOf, class Squared>
HWY_INLINE void measure(const CandidateList& candidates, const Vec4* HWY_RESTRICT x, double most,
                        const VerticesOf& vertices_of, const Squared& squared_distance, std::vector<ClosePart>& close) {
    const Doubles wide;
    close.clear();
    for (std::size_t begin = 0; begin < candidates.count; begin += slots) {
        Gathered gathered;
        const std::size_t count = gathered.take(candidates, begin, vertices_of);
        const EightFours at(x, gathered.vertices);
        alignas(64) double squared[slots];
        for (std::size_t first = 0; first < slots; first += hn::Lanes(wide)) {
            Points p[4];
            at.get(first, p);
            hn::Store(squared_distance(p), wide, squared + first);
        }
        for (std::size_t k = 0; k < count; ++k)
            if (squared[k] < most)
                close.push_back({candidates.a[begin + k], candidates.b[begin + k], std::sqrt(squared[k])});
    }
}

// Drops most of the pairs that stay farther apart than `within`, by single precision: those that a direction holds
// apart where the ways begin and where they end, and so in between. Of two directions, across a face or both edges and
// from the middle of one part to that of the other: however they are rounded, what counts is what they hold apart, less
// the rounding of that.
template <std::size_t owned, class VerticesOf>
HWY_INLINE void drop_apart(CandidateList& candidates, const Vec4* HWY_RESTRICT x, const Vec4* HWY_RESTRICT x_end,
                           float within, const VerticesOf& vertices_of) {
    constexpr std::size_t others = 4 - owned;
    const Lanes d;
    struct Differences {
        V x[4], y[4], z[4]; // of each vertex of one part and each of the other
        std::size_t count = 0;
    };
    const auto differences = [&](const Vec4* at, const Gathered& gathered, std::size_t first) HWY_ATTR {
        Particles p[4];
        for (std::size_t v = 0; v < 4; ++v) p[v] = load(at, &gathered.vertices[v][first]);
        Differences c;
        for (std::size_t v = 0; v < owned; ++v) {
            for (std::size_t other = owned; other < 4; ++other, ++c.count) {
                c.x[c.count] = hn::Sub(p[v].x, p[other].x);
                c.y[c.count] = hn::Sub(p[v].y, p[other].y);
                c.z[c.count] = hn::Sub(p[v].z, p[other].z);
            }
        }
        return c;
    };
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < candidates.count; begin += slots) {
        Gathered gathered;
        const std::size_t count = gathered.take(candidates, begin, vertices_of);
        std::uint32_t are_apart = 0;
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            const Differences start = differences(x, gathered, first), end = differences(x_end, gathered, first);
            V largest = hn::Zero(d);
            for (std::size_t k = 0; k < owned * others; ++k)
                for (const Differences* c : {&start, &end})
                    largest = hn::Max(largest, hn::Max(hn::Max(hn::Abs(c->x[k]), hn::Abs(c->y[k])), hn::Abs(c->z[k])));
            const auto holds_apart = [&](const V nx, const V ny, const V nz) HWY_ATTR {
                V low = hn::Set(d, Kdop<6>::infinity), high = hn::Set(d, -Kdop<6>::infinity);
                for (std::size_t k = 0; k < owned * others; ++k) {
                    for (const Differences* c : {&start, &end}) {
                        const V along =
                            hn::Add(hn::Add(hn::Mul(nx, c->x[k]), hn::Mul(ny, c->y[k])), hn::Mul(nz, c->z[k]));
                        low = hn::Min(low, along);
                        high = hn::Max(high, along);
                    }
                }
                const V sum = hn::Add(hn::Add(hn::Abs(nx), hn::Abs(ny)), hn::Abs(nz));
                const V length = hn::Sqrt(squared_length(nx, ny, nz));
                const V rounding = hn::Mul(hn::Mul(hn::Set(d, 0x1p-20f), sum), largest);
                const V most = hn::Add(hn::Mul(hn::Set(d, within * (1 + 0x1p-20f)), length), rounding);
                return hn::Or(hn::Gt(low, most), hn::Lt(high, hn::Neg(most)));
            };
            // Of a vertex and a face: c0, c1, c2 to its corners. Of edges a and b: a0b0, a0b1, a1b0, a1b1.
            constexpr std::size_t along_a = owned == 1 ? 1 : 2;
            const V ux = hn::Sub(start.x[along_a], start.x[0]), uy = hn::Sub(start.y[along_a], start.y[0]),
                    uz = hn::Sub(start.z[along_a], start.z[0]);
            constexpr std::size_t along_b = owned == 1 ? 2 : 1;
            const V vx = hn::Sub(start.x[along_b], start.x[0]), vy = hn::Sub(start.y[along_b], start.y[0]),
                    vz = hn::Sub(start.z[along_b], start.z[0]);
            const auto across =
                holds_apart(hn::Sub(hn::Mul(uy, vz), hn::Mul(uz, vy)), hn::Sub(hn::Mul(uz, vx), hn::Mul(ux, vz)),
                            hn::Sub(hn::Mul(ux, vy), hn::Mul(uy, vx)));
            V mx = hn::Zero(d), my = mx, mz = mx;
            for (std::size_t k = 0; k < owned * others; ++k)
                mx = hn::Add(mx, start.x[k]), my = hn::Add(my, start.y[k]), mz = hn::Add(mz, start.z[k]);
            std::uint8_t bits[8] = {};
            hn::StoreMaskBits(d, hn::Or(across, holds_apart(mx, my, mz)), bits);
            are_apart |= static_cast<std::uint32_t>(bits[0]) << first;
        }
        for (std::size_t k = 0; k < count; ++k) { // without a branch that cannot be foretold
            candidates.a[kept] = candidates.a[begin + k];
            candidates.b[kept] = candidates.b[begin + k];
            kept += ~(are_apart >> k) & 1U;
        }
    }
    candidates.count = kept;
}

// Drops the pairs that stay farther apart than `within`: by the farthest way of a vertex of one against one of the
// other. `owned` vertices are of the first.
template <class VerticesOf, class Squared>
HWY_INLINE void drop_far(CandidateList& candidates, const Vec4* HWY_RESTRICT x, const Vec4* HWY_RESTRICT x_end,
                         double within, std::size_t owned, const VerticesOf& vertices_of,
                         const Squared& squared_distance) {
    constexpr double rounding = 1 + 1e-12;
    const Doubles wide;
    candidates.nearest.resize(candidates.a.size());
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < candidates.count; begin += slots) {
        Gathered gathered;
        const std::size_t count = gathered.take(candidates, begin, vertices_of);
        const EightFours from(x, gathered.vertices), to(x_end, gathered.vertices);
        alignas(64) double left[slots]; // m, of the distance
        for (std::size_t first = 0; first < slots; first += hn::Lanes(wide)) {
            Points p[4], way[4];
            from.get(first, p);
            to.get(first, way);
            for (std::size_t v = 0; v < 4; ++v) way[v] = subtract(way[v], p[v]);
            W farthest = hn::Zero(wide);
            for (std::size_t v = 0; v < owned; ++v) {
                for (std::size_t other = owned; other < 4; ++other) {
                    const Points against = subtract(way[v], way[other]);
                    farthest = hn::Max(farthest, dot(against, against));
                }
            }
            const W nearest =
                hn::Sub(hn::Sqrt(squared_distance(p)), hn::Mul(hn::Sqrt(farthest), hn::Set(wide, rounding)));
            hn::Store(nearest, wide, left + first);
        }
        for (std::size_t k = 0; k < count; ++k) {
            if (!(left[k] < within)) continue;
            candidates.a[kept] = candidates.a[begin + k];
            candidates.b[kept] = candidates.b[begin + k];
            candidates.nearest[kept++] = static_cast<float>(left[k] - std::abs(left[k]) * 0x1p-23); // rounded down
        }
    }
    candidates.count = kept;
}

// What a vertex and a face are, and two edges: their vertices, and their distance.
struct VertexAndFace {
    std::span<const Triangle> triangles;
    HWY_INLINE std::array<Index, 4> operator()(Index vertex, Index face) const {
        const Triangle& t = triangles[face];
        return {vertex, t[0], t[1], t[2]};
    }
    static HWY_INLINE W squared(const Points (&p)[4]) {
        return find_closest_on_triangle(p[0], p[1], p[2], p[3]).squared;
    }
};
struct TwoEdges {
    std::span<const Pair> edges;
    HWY_INLINE std::array<Index, 4> operator()(Index a, Index b) const {
        return {edges[a].i, edges[a].j, edges[b].i, edges[b].j};
    }
    static HWY_INLINE W squared(const Points (&p)[4]) { return find_closest_of_edges(p[0], p[1], p[2], p[3]).squared; }
};

void measure_list(const Vec4* x, std::span<const Triangle> triangles, std::span<const Pair> edges, float epsilon,
                  CloseParts& list) {
    const double most = static_cast<double>(epsilon) * static_cast<double>(epsilon);
    measure(list.vertex_face_candidates, x, most, VertexAndFace{triangles}, VertexAndFace::squared, list.vertex_faces);
    measure(list.edge_candidates, x, most, TwoEdges{edges}, TwoEdges::squared, list.edges);
}

void drop_far_of_list(const Vec4* x, const Vec4* x_end, std::span<const Triangle> triangles,
                      std::span<const Pair> edges, float within, CloseParts& list) {
    const auto most = static_cast<double>(within);
    drop_apart<1>(list.vertex_face_candidates, x, x_end, within, VertexAndFace{triangles});
    drop_apart<2>(list.edge_candidates, x, x_end, within, TwoEdges{edges});
    drop_far(list.vertex_face_candidates, x, x_end, most, 1, VertexAndFace{triangles}, VertexAndFace::squared);
    drop_far(list.edge_candidates, x, x_end, most, 2, TwoEdges{edges}, TwoEdges::squared);
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(fit_owned);
HWY_EXPORT(fit_slabs);
HWY_EXPORT(compare_clusters);
HWY_EXPORT(measure_list);
HWY_EXPORT(drop_far_of_list);

namespace {

constexpr std::size_t owned_grain = 256; // some 10 us of fitting; of slabs too

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
}

void Proximity::refit(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon, const Parallel& parallel) {
    if (x_end.empty())
        tree_.refit(x, epsilon, parallel);
    else
        tree_.refit_swept(x, x_end, epsilon, parallel);
    const Vec4* ends = x_end.empty() ? nullptr : x_end.data();
    const auto fit_parts = HWY_DYNAMIC_DISPATCH(fit_owned);
    parallel.for_pieces(owned_.size(), owned_grain, [&](std::size_t begin, std::size_t end) {
        fit_parts(x.data(), ends, epsilon, std::span(owned_).subspan(begin, end - begin));
    });
    const auto fit_planes = HWY_DYNAMIC_DISPATCH(fit_slabs);
    parallel.for_pieces(slabs_.size(), owned_grain, [&](std::size_t begin, std::size_t end) {
        fit_planes(tree_, x.data(), ends, epsilon, begin, end, slabs_);
    });
    epsilon_ = epsilon;
}

void Proximity::find_candidates(const Parallel& parallel) {
    is_on_ways_ = false;
    traversal_.find_self(tree_, parallel);
    list_count_ = traversal_.lists().size();
    if (lists_.size() < list_count_) lists_.resize(list_count_);
    const Clusters clusters = {tree_, owned_, vertices_begin_, edges_begin_, slabs_, epsilon_, is_chosen_};
    const auto compare = HWY_DYNAMIC_DISPATCH(compare_clusters);
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) compare(clusters, traversal_.lists()[k].pairs(), lists_[k]);
    });
}

void Proximity::measure(std::span<const Vec4> x, float epsilon, const Parallel& parallel) {
    const auto measure = HWY_DYNAMIC_DISPATCH(measure_list);
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k) measure(x.data(), triangles_, edges_, epsilon, lists_[k]);
    });
}

void Proximity::find_on_ways(std::span<const Vec4> x, std::span<const Vec4> x_end, float within,
                             std::span<const std::uint8_t> only, const Parallel& parallel) {
    refit(x, x_end, within, parallel);
    is_chosen_.assign(only.empty() ? 0 : tree_.block_count(), 0);
    for (Index block = 0; block < is_chosen_.size(); ++block)
        for (std::size_t k = 0; tree_.has_faces(block) && k < 3 * Tree::slots; ++k)
            is_chosen_[block] |= only[tree_.corners(block)[k / Tree::slots][k % Tree::slots]];
    find_candidates(parallel);
    is_chosen_.clear();
    const auto drop_far = HWY_DYNAMIC_DISPATCH(drop_far_of_list);
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            drop_far(x.data(), x_end.data(), triangles_, edges_, within, lists_[k]);
    });
    way_begin_.assign(x.begin(), x.end());
    way_end_.assign(x_end.begin(), x_end.end());
    is_on_ways_ = true;
}

double Proximity::off_ways(std::span<const Vec4> x, double share) const {
    return mark_strays(x, share, std::numeric_limits<double>::infinity(), {});
}

double Proximity::mark_strays(std::span<const Vec4> x, double share, double most,
                              std::span<std::uint8_t> is_stray) const {
    if (!is_on_ways_ || x.size() != way_begin_.size()) return std::numeric_limits<double>::infinity();
    double farthest = 0; // squared
    for (std::size_t v = 0; v < x.size(); ++v) {
        const Vec3d begin = vector_cast<double>(way_begin_[v].xyz()), end = vector_cast<double>(way_end_[v].xyz());
        const Vec3d off = vector_cast<double>(x[v].xyz()) - (begin + (end - begin) * share);
        const double squared = dot(off, off);
        if (squared <= farthest) continue;
        const bool is_too_far = !(squared <= most * most); // what is not a number, too
        if (is_stray.empty())
            farthest = is_too_far ? std::numeric_limits<double>::infinity() : squared;
        else if (is_too_far)
            is_stray[v] = 1;
        else if (is_stray[v] == 0)
            farthest = squared;
    }
    return std::sqrt(farthest) * (1 + 1e-12);
}

void Proximity::find(std::span<const Vec4> x, float epsilon, const Parallel& parallel) {
    refit(x, {}, epsilon, parallel);
    find_candidates(parallel);
    measure(x, epsilon, parallel);
}

} // namespace taffeta
#endif
