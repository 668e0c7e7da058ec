#include "collision/proximity.h"

#include <algorithm>
#include <bit>
#include <cassert>
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
    std::span<const Index> group_of; // those of different groups have no vertex in common
    float epsilon;                   // m

    std::span<const OwnedBlock> vertices(Index cluster) const {
        return owned.subspan(vertices_begin[cluster], edges_begin[cluster] - vertices_begin[cluster]);
    }
    std::span<const OwnedBlock> edges(Index cluster) const {
        return owned.subspan(edges_begin[cluster], vertices_begin[cluster + 1] - edges_begin[cluster]);
    }
};

// What it fits.
struct ClustersToFit {
    const Tree& tree;
    std::span<const std::uint8_t> meets; // by block
    std::span<const Index> owned_begin;
    std::span<OwnedBlock> owned;
    std::span<Slab> slabs;
    std::span<const std::uint8_t> only; // by vertex: whether it is searched for; empty: all are
};

// A bit for each of eight that has a vertex which is searched for.
template <std::size_t n>
std::uint8_t sought_of(const std::array<Tree::Slots, n>& vertices, std::span<const std::uint8_t> only) {
    if (only.empty()) return 0xff;
    unsigned bits = 0;
    for (std::size_t place = 0; place < Tree::slots; ++place)
        for (const Tree::Slots& vertex : vertices) bits |= only[vertex[place]] != 0 ? 1U << place : 0U;
    return static_cast<std::uint8_t>(bits);
}

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

// As seen from what goes `way`.
HWY_INLINE Particles moved_back(const Particles& p, const Vec3& way) {
    const Lanes d;
    return {hn::Sub(p.x, hn::Set(d, way.x)), hn::Sub(p.y, hn::Set(d, way.y)), hn::Sub(p.z, hn::Set(d, way.z)), p.w};
}

void fit_owned(const Vec4* x, const Vec4* x_end, const Vec3& way, float epsilon, std::span<OwnedBlock> blocks) {
    const Lanes d;
    float inflations[3];
    for (std::size_t i = 0; i < 3; ++i) inflations[i] = inflation<6>(i, epsilon);
    for (OwnedBlock& block : blocks) {
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            Volumes<6> volumes;
            for (const Tree::Slots& vertex : block.vertices) volumes.insert(load(x, &vertex[first]), inflations);
            if (x_end != nullptr)
                for (const Tree::Slots& vertex : block.vertices)
                    volumes.insert(moved_back(load(x_end, &vertex[first]), way), inflations);
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

// The boxes of the faces and of the cluster, seen from it.
HWY_INLINE void fit_boxes(std::size_t count, float epsilon, Slab& slab) {
    const Lanes d;
    const Slab::End &begin = slab.at[0], &end = slab.at[1];
    slab.way = {};
    if (slab.ends == 2)
        slab.way = ((end.box_low - begin.box_low) + (end.box_high - begin.box_high)) * 0.5f; // of the middle
    float inflations[3];
    for (std::size_t i = 0; i < 3; ++i) inflations[i] = inflation<6>(i, epsilon);
    Volumes<6> all;
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        Volumes<6> volumes;
        const auto corner = [&](const Slab::End& at, std::size_t k) HWY_ATTR {
            return Particles{hn::Load(d, &at.corners[k][0].slot[first]), hn::Load(d, &at.corners[k][1].slot[first]),
                             hn::Load(d, &at.corners[k][2].slot[first]), hn::Zero(d)};
        };
        for (std::size_t k = 0; k < 3; ++k) volumes.insert(corner(begin, k), inflations);
        if (slab.ends == 2)
            for (std::size_t k = 0; k < 3; ++k) volumes.insert(moved_back(corner(end, k), slab.way), inflations);
        volumes.store(count, first, slab.faces.data());
        for (std::size_t i = 0; i < 3; ++i) { // slots without a face repeat one
            all.low[i] = hn::Min(all.low[i], volumes.low[i]);
            all.high[i] = hn::Max(all.high[i], volumes.high[i]);
        }
    }
    for (int axis = 0; axis < 3; ++axis) {
        slab.box_low[axis] = hn::GetLane(hn::MinOfLanes(d, all.low[axis]));
        slab.box_high[axis] = hn::GetLane(hn::MaxOfLanes(d, all.high[axis]));
    }
}

void fit_slab(const std::array<Tree::Slots, 3>& corners, const Vec4* x, const Vec4* x_end, float epsilon, Slab& slab) {
    slab.ends = x_end == nullptr ? 1 : 2;
    slab.farthest = gather_corners(corners, x, epsilon, slab.at[0]);
    if (x_end != nullptr) slab.farthest = std::max(slab.farthest, gather_corners(corners, x_end, epsilon, slab.at[1]));
    slab.normal = mean_normal(slab.at[0]);
    const float reach = slab_inflation(slab.normal, slab.farthest, epsilon);
    for (std::size_t k = 0; k < slab.ends; ++k) {
        project_corners(slab.at[k], slab.normal, slab.at[k].low, slab.at[k].high);
        slab.at[k].low -= reach;
        slab.at[k].high += reach;
    }
}

// The slabs and what they own, of those clusters that meet others.
void fit_clusters(const ClustersToFit& clusters, const Vec4* x, const Vec4* x_end, float epsilon, std::size_t begin,
                  std::size_t end) {
    for (std::size_t block = begin; block < end; ++block) {
        if (clusters.meets[block] == 0) continue;
        Slab& slab = clusters.slabs[block];
        fit_slab(clusters.tree.corners(static_cast<Index>(block)), x, x_end, epsilon, slab);
        fit_boxes(clusters.tree.count(static_cast<Index>(block)), epsilon, slab);
        const std::size_t first = clusters.owned_begin[block], last = clusters.owned_begin[block + 1];
        fit_owned(x, x_end, slab.way, epsilon, clusters.owned.subspan(first, last - first));
        slab.faces_sought = sought_of(clusters.tree.corners(static_cast<Index>(block)), clusters.only);
        for (OwnedBlock& own : clusters.owned.subspan(first, last - first))
            own.sought = sought_of(own.vertices, clusters.only);
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
    std::uint8_t sought;
};

// How far the boxes of another cluster, seen from there, reach beyond what they are seen from here: as far as it moves
// against this one.
struct Shift {
    float below[3], above[3]; // m, at most 0 and at least 0

    Shift(const Slab& own, const Slab& other) {
        for (int axis = 0; axis < 3; ++axis) {
            const float way = other.way[axis] - own.way[axis], rounding = 0x1p-21f * std::abs(way);
            below[axis] = std::min(way, 0.0f) - rounding;
            above[axis] = std::max(way, 0.0f) + rounding;
        }
    }
};

// Which of eight boxes, from `first` on, overlap one. Empty places have their ends the wrong way round, or a box
// without end, of points that are not finite, would overlap them too.
HWY_INLINE hn::Mask<Lanes> lanes_at(const float (&low)[3], const float (&high)[3], const TreeRow* HWY_RESTRICT rows,
                                    std::size_t first) {
    const Lanes d;
    auto overlaps = hn::Le(hn::Load(d, &rows[0].slot[first]), hn::Load(d, &rows[1].slot[first]));
    for (std::size_t i = 0; i < 3; ++i)
        overlaps = hn::And(overlaps, hn::And(hn::Le(hn::Set(d, low[i]), hn::Load(d, &rows[2 * i + 1].slot[first])),
                                             hn::Le(hn::Load(d, &rows[2 * i].slot[first]), hn::Set(d, high[i]))));
    return overlaps;
}

using Numbers = hn::RebindToUnsigned<Lanes>;

// Appends the pairs of one of our own and one of the others whose boxes overlap, that have no vertex in common (where
// they may have one), and of which one is sought; there is room for them. `ours` has a bit for each of our own that may
// have any. Pairs of edges have the lower number first. There is no branch for what is found: which pairs are cannot be
// foretold, and every wrong guess costs as much as a comparison.
template <bool edges, bool may_share>
HWY_INLINE void compare(const OwnedBlock& own, std::uint32_t ours, const Others& others, const Shift& shift,
                        CandidateList& out) {
    constexpr std::size_t vertices = edges ? 2 : 3;
    const Lanes d;
    const Numbers numbers;
    if (others.sought == 0) ours &= own.sought;
    if (ours == 0) return;
    Index *HWY_RESTRICT to_a = out.a.data(), *HWY_RESTRICT to_b = out.b.data();
    std::size_t count = out.count;
    const bool is_same = edges && others.rows == own.rows.data();
    for (; ours != 0; ours &= ours - 1) {
        const auto place = static_cast<std::uint32_t>(std::countr_zero(ours));
        [[maybe_unused]] const auto own_i = hn::Set(numbers, own.vertices[0][place]);
        [[maybe_unused]] const auto own_j = hn::Set(numbers, own.vertices[1][place]);
        const auto own_number = hn::Set(numbers, own.number[place]);
        const std::uint32_t counted = (is_same ? ~1U << place : ~0U) & // each pair once
                                      ((own.sought >> place & 1U) != 0 ? ~0U : others.sought);
        float low[3], high[3];
        for (std::size_t i = 0; i < 3; ++i) {
            low[i] = own.rows[2 * i].slot[place] - shift.above[i];
            high[i] = own.rows[2 * i + 1].slot[place] - shift.below[i];
        }
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            auto overlaps = lanes_at(low, high, others.rows, first);
            if constexpr (may_share) {
                auto is_common = hn::FirstN(numbers, 0);
                for (std::size_t k = 0; k < vertices; ++k) {
                    const auto theirs = hn::LoadU(numbers, &others.vertices[k][first]);
                    is_common = hn::Or(is_common, hn::Eq(theirs, own_i));
                    if constexpr (edges) is_common = hn::Or(is_common, hn::Eq(theirs, own_j));
                }
                overlaps = hn::AndNot(hn::RebindMask(d, is_common), overlaps);
            }
            std::uint8_t of_lanes[8] = {};
            hn::StoreMaskBits(d, overlaps, of_lanes);
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

// Those of a block that overlap a whole cluster.
HWY_INLINE std::uint32_t near_of(const OwnedBlock& own, const Slab& other, const Shift& shift) {
    const Lanes d;
    float low[3], high[3];
    for (int axis = 0; axis < 3; ++axis) {
        low[axis] = other.box_low[axis] + shift.below[axis];
        high[axis] = other.box_high[axis] + shift.above[axis];
    }
    std::uint32_t bits = 0;
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        std::uint8_t of_lanes[8] = {};
        hn::StoreMaskBits(d, lanes_at(low, high, own.rows.data(), first), of_lanes);
        bits |= static_cast<std::uint32_t>(of_lanes[0]) << first;
    }
    return bits;
}

template <bool may_share>
HWY_INLINE void compare_two(const Clusters& clusters, Index a, Index b, CloseParts& out) {
    const Tree& tree = clusters.tree;
    const auto compare_vertices = [&](Index owner, Index cluster, const Shift& shift) HWY_ATTR {
        const Slab& slab = clusters.slabs[cluster];
        const Others faces = {slab.faces.data(), tree.corners(cluster), tree.items(cluster), slab.faces_sought};
        for (const OwnedBlock& own : clusters.vertices(owner))
            compare<false, may_share>(own, near_of(own, slab, shift), faces, shift, out.vertex_face_candidates);
    };
    const Slab &slab_a = clusters.slabs[a], &slab_b = clusters.slabs[b];
    const Shift to_b(slab_a, slab_b), to_a(slab_b, slab_a);
    constexpr std::size_t most = slots * slots; // that two blocks have; and a vector is written behind the last
    out.vertex_face_candidates.make_room((clusters.vertices(a).size() + clusters.vertices(b).size()) * most + slots);
    out.edge_candidates.make_room(clusters.edges(a).size() * clusters.edges(b).size() * most + slots);
    compare_vertices(a, b, to_b);
    if (a != b) compare_vertices(b, a, to_a);
    for (const OwnedBlock& other : clusters.edges(b)) {
        if (near_of(other, slab_a, to_a) == 0) continue;
        const Others edges = {other.rows.data(), other.vertices, other.number, other.sought};
        for (const OwnedBlock& own : clusters.edges(a)) {
            if (a == b && &other < &own) break;
            compare<true, may_share>(own, near_of(own, slab_b, to_b), edges, to_b, out.edge_candidates);
        }
    }
}

void compare_clusters(const Clusters& clusters, std::span<const TreePair> pairs, CloseParts& out) {
    out.vertex_face_candidates.count = out.edge_candidates.count = 0;
    for (const auto& [a, b] : pairs) {
        const Slab &slab_a = clusters.slabs[a], &slab_b = clusters.slabs[b];
        if (a != b && (are_apart(slab_a, slab_b) || is_beyond(slab_a, slab_b, clusters.epsilon) ||
                       is_beyond(slab_b, slab_a, clusters.epsilon)))
            continue;
        if (clusters.group_of[a] == clusters.group_of[b])
            compare_two<true>(clusters, a, b, out);
        else
            compare_two<false>(clusters, a, b, out);
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

// Of parts with vertices: the differences of each vertex of one part and each of the other, around the triangle or
// parallelogram that they are the corners of. The parts touch where the origin lies in it.
template <std::size_t n>
struct Differences {
    V x[n], y[n], z[n];

    HWY_INLINE V along(const V nx, const V ny, const V nz, std::size_t k) const {
        return hn::Add(hn::Add(hn::Mul(nx, x[k]), hn::Mul(ny, y[k])), hn::Mul(nz, z[k]));
    }
};

// `owned` vertices are of the first part.
template <std::size_t owned>
HWY_INLINE Differences<owned == 1 ? 3 : 4> differences(const Vec4* HWY_RESTRICT x, const Gathered& gathered,
                                                       std::size_t first) {
    Particles p[4];
    for (std::size_t v = 0; v < 4; ++v) p[v] = load(x, &gathered.vertices[v][first]);
    Differences<owned == 1 ? 3 : 4> c;
    constexpr std::size_t of_edges[4][2] = {{0, 2}, {1, 2}, {1, 3}, {0, 3}};
    for (std::size_t k = 0; k < (owned == 1 ? 3 : 4); ++k) {
        const std::size_t own = owned == 1 ? 0 : of_edges[k][0], other = owned == 1 ? k + 1 : of_edges[k][1];
        c.x[k] = hn::Sub(p[own].x, p[other].x);
        c.y[k] = hn::Sub(p[own].y, p[other].y);
        c.z[k] = hn::Sub(p[own].z, p[other].z);
    }
    return c;
}

// About the point of the triangle or parallelogram that is nearest to the origin.
template <std::size_t n>
HWY_INLINE void find_nearest(const Differences<n>& c, const V (&normal)[3], V (&nearest)[3]) {
    const Lanes d;
    const V zero = hn::Zero(d), one = hn::Set(d, 1.0f), least = hn::Set(d, 1e-30f);
    V least_square = hn::Set(d, Kdop<6>::infinity);
    nearest[0] = nearest[1] = nearest[2] = zero;
    auto is_inside = hn::FirstN(d, slots);
    for (std::size_t k = 0; k < n; ++k) {
        const std::size_t next = (k + 1) % n;
        const V ex = hn::Sub(c.x[next], c.x[k]), ey = hn::Sub(c.y[next], c.y[k]), ez = hn::Sub(c.z[next], c.z[k]);
        // The edge and its normal in the plane: which side of it the origin is on.
        const V ox = hn::Sub(hn::Mul(normal[1], ez), hn::Mul(normal[2], ey));
        const V oy = hn::Sub(hn::Mul(normal[2], ex), hn::Mul(normal[0], ez));
        const V oz = hn::Sub(hn::Mul(normal[0], ey), hn::Mul(normal[1], ex));
        is_inside = hn::And(is_inside, hn::Lt(c.along(ox, oy, oz, k), zero));
        const V part = hn::Div(hn::Neg(c.along(ex, ey, ez, k)), hn::Max(squared_length(ex, ey, ez), least));
        const V share = hn::Min(hn::Max(part, zero), one);
        const V qx = hn::Add(c.x[k], hn::Mul(ex, share)), qy = hn::Add(c.y[k], hn::Mul(ey, share));
        const V qz = hn::Add(c.z[k], hn::Mul(ez, share)), square = squared_length(qx, qy, qz);
        const auto is_nearer = hn::Lt(square, least_square);
        least_square = hn::IfThenElse(is_nearer, square, least_square);
        nearest[0] = hn::IfThenElse(is_nearer, qx, nearest[0]);
        nearest[1] = hn::IfThenElse(is_nearer, qy, nearest[1]);
        nearest[2] = hn::IfThenElse(is_nearer, qz, nearest[2]);
    }
    for (std::size_t axis = 0; axis < 3; ++axis) // above its inside; of what length does not matter
        nearest[axis] = hn::IfThenElse(is_inside, normal[axis], nearest[axis]);
}

// Drops the pairs that stay farther apart than `within`: those that a direction holds apart where the ways begin and
// where they end, and so in between; and those that do not move as far against each other as a direction holds them
// apart where they begin. Directions are that across a face or both edges, and the shortest way between the parts where
// they begin. In single precision, for however a direction is rounded, what counts is what it holds apart, less the
// rounding of that.
template <std::size_t owned, class VerticesOf>
HWY_INLINE void drop_apart(CandidateList& candidates, const Vec4* HWY_RESTRICT x, const Vec4* HWY_RESTRICT x_end,
                           float within, const ClearanceAsked& asked, const VerticesOf& vertices_of) {
    constexpr std::size_t n = owned == 1 ? 3 : 4;
    const Lanes d;
    candidates.nearest.resize(candidates.a.size()), candidates.clearance.resize(candidates.a.size());
    candidates.points.resize(candidates.a.size());
    std::size_t kept = 0;
    for (std::size_t begin = 0; begin < candidates.count; begin += slots) {
        Gathered gathered;
        const std::size_t count = gathered.take(candidates, begin, vertices_of);
        alignas(32) float nearest[slots], clearance[slots];
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            const Differences<n> start = differences<owned>(x, gathered, first);
            const Differences<n> end = differences<owned>(x_end, gathered, first);
            V largest = hn::Zero(d), farthest = hn::Zero(d);
            for (std::size_t k = 0; k < n; ++k) {
                for (const Differences<n>* c : {&start, &end})
                    largest = hn::Max(largest, hn::Max(hn::Max(hn::Abs(c->x[k]), hn::Abs(c->y[k])), hn::Abs(c->z[k])));
                farthest =
                    hn::Max(farthest, squared_length(hn::Sub(end.x[k], start.x[k]), hn::Sub(end.y[k], start.y[k]),
                                                     hn::Sub(end.z[k], start.z[k])));
            }
            const V way =
                hn::Add(hn::Mul(hn::Sqrt(farthest), hn::Set(d, 1 + 0x1p-20f)), hn::Mul(largest, hn::Set(d, 0x1p-20f)));
            V apart = hn::Set(d, -Kdop<6>::infinity), at_start = apart;
            const auto try_direction = [&](const V(&v)[3]) HWY_ATTR {
                V low[2], high[2];
                for (std::size_t e = 0; e < 2; ++e) {
                    const Differences<n>& c = e == 0 ? start : end;
                    low[e] = high[e] = c.along(v[0], v[1], v[2], 0);
                    for (std::size_t k = 1; k < n; ++k) {
                        const V along = c.along(v[0], v[1], v[2], k);
                        low[e] = hn::Min(low[e], along), high[e] = hn::Max(high[e], along);
                    }
                }
                const V sum = hn::Add(hn::Add(hn::Abs(v[0]), hn::Abs(v[1])), hn::Abs(v[2]));
                const V length = hn::Max(hn::Sqrt(squared_length(v[0], v[1], v[2])), hn::Set(d, 1e-30f));
                const V rounding = hn::Mul(hn::Mul(hn::Set(d, 0x1p-20f), sum), largest);
                const auto metres = [&](const V at_least) HWY_ATTR {
                    const V shorter = hn::Div(hn::Sub(at_least, rounding), length);
                    return hn::Sub(shorter, hn::Mul(hn::Abs(shorter), hn::Set(d, 0x1p-20f)));
                };
                const V both = hn::Max(hn::Min(low[0], low[1]), hn::Neg(hn::Max(high[0], high[1])));
                apart = hn::Max(apart, metres(both));
                at_start = hn::Max(at_start, metres(hn::Max(low[0], hn::Neg(high[0]))));
            };
            const V ux = hn::Sub(start.x[1], start.x[0]), uy = hn::Sub(start.y[1], start.y[0]),
                    uz = hn::Sub(start.z[1], start.z[0]);
            const V vx = hn::Sub(start.x[n - 1], start.x[0]), vy = hn::Sub(start.y[n - 1], start.y[0]),
                    vz = hn::Sub(start.z[n - 1], start.z[0]);
            const V across[3] = {hn::Sub(hn::Mul(uy, vz), hn::Mul(uz, vy)), hn::Sub(hn::Mul(uz, vx), hn::Mul(ux, vz)),
                                 hn::Sub(hn::Mul(ux, vy), hn::Mul(uy, vx))};
            try_direction(across);
            if (!hn::AllTrue(d, hn::Gt(apart, hn::Set(d, within)))) {
                V shortest[3];
                find_nearest(start, across, shortest);
                try_direction(shortest);
            }
            const auto known = [&](const V at_least) HWY_ATTR { // of what is not finite, nothing
                return hn::IfThenElse(hn::Eq(at_least, at_least), at_least, hn::Set(d, -Kdop<6>::infinity));
            };
            const auto less = [&](const V moved) HWY_ATTR { // rounded down
                const V left = hn::Sub(at_start, moved);
                return known(hn::Sub(left, hn::Mul(hn::Abs(left), hn::Set(d, 0x1p-20f))));
            };
            const V approach = hn::Min(hn::Mul(way, hn::Set(d, asked.approach)), hn::Set(d, asked.most));
            hn::Store(hn::Max(known(apart), less(way)), d, nearest + first);
            hn::Store(less(hn::Add(hn::Mul(way, hn::Set(d, asked.until)), approach)), d, clearance + first);
        }
        for (std::size_t k = 0; k < count; ++k) { // without a branch that cannot be foretold
            candidates.a[kept] = candidates.a[begin + k];
            candidates.b[kept] = candidates.b[begin + k];
            candidates.nearest[kept] = nearest[k];
            candidates.clearance[kept] = clearance[k];
            for (std::size_t v = 0; v < 4; ++v) candidates.points[kept][v] = gathered.vertices[v][k];
            kept += nearest[k] > within ? 0 : 1;
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

void drop_apart_of_list(const Vec4* x, const Vec4* x_end, std::span<const Triangle> triangles,
                        std::span<const Pair> edges, float within, const ClearanceAsked& asked, CloseParts& list) {
    drop_apart<1>(list.vertex_face_candidates, x, x_end, within, asked, VertexAndFace{triangles});
    drop_apart<2>(list.edge_candidates, x, x_end, within, asked, TwoEdges{edges});
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(fit_clusters);
HWY_EXPORT(compare_clusters);
HWY_EXPORT(measure_list);
HWY_EXPORT(drop_apart_of_list);

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
    const Vec4* ends = fit_x_end_.empty() ? nullptr : fit_x_end_.data();
    const auto fit = HWY_DYNAMIC_DISPATCH(fit_clusters);
    parallel.for_pieces(meets_.size(), cluster_grain, [&](std::size_t begin, std::size_t end) {
        fit(clusters, fit_x_.data(), ends, epsilon_, begin, end);
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
    const auto drop_apart = HWY_DYNAMIC_DISPATCH(drop_apart_of_list);
    parallel.for_uneven_pieces(list_count_, 1, [&](std::size_t begin, std::size_t end) {
        for (std::size_t k = begin; k < end; ++k)
            drop_apart(x.data(), x_end.data(), triangles_, edges_, within, asked, lists_[k]);
    });
    way_begin_.assign(x.begin(), x.end());
    way_end_.assign(x_end.begin(), x_end.end());
    is_on_ways_ = true;
}

double Proximity::off_ways(std::span<const Vec4> x, double share) const {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (!is_on_ways_ || x.size() != way_begin_.size()) return infinity;
    double farthest = 0; // squared
    for (std::size_t v = 0; v < x.size(); ++v) {
        const double squared = squared_off(v, x[v], share);
        if (!(squared <= farthest)) farthest = std::isnan(squared) ? infinity : squared;
    }
    return std::sqrt(farthest) * (1 + 1e-12);
}

void Proximity::measure_off(std::span<const Vec4> x, double share, const Parallel& parallel,
                            std::span<float> off) const {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    assert(off.size() == x.size());
    if (!is_on_ways_ || x.size() != way_begin_.size()) return std::fill(off.begin(), off.end(), infinity);
    parallel.for_pieces(x.size(), vertex_grain, [&](std::size_t begin, std::size_t end) {
        for (std::size_t v = begin; v < end; ++v) {
            const auto here = static_cast<float>(std::sqrt(squared_off(v, x[v], share)) * (1 + 0x1p-22)); // rounded up
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
#endif
