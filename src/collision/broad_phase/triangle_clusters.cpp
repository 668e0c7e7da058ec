#include "collision/broad_phase/triangle_clusters.h"

#include "core/lane_table.h"

#include <algorithm>
#include <bit>
#include <cmath>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/broad_phase/triangle_clusters.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "collision/broad_phase/kdop_simd-inl.h"

#ifndef TAFFETA_COLLISION_CLUSTERS_ONCE
#define TAFFETA_COLLISION_CLUSTERS_ONCE
namespace taffeta {

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
void fit_range(const ClustersToFit& clusters, const Vec4* x, const Vec4* x_end, float epsilon, std::size_t begin,
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
            const auto lanes = hn::PromoteTo(numbers, hn::LoadU(bytes, lane_table.lanes[bits].data()));
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

void compare_pairs(const Clusters& clusters, std::span<const TreePair> pairs, CloseParts& out) {
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

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(fit_range);
HWY_EXPORT(compare_pairs);

void fit_clusters(const ClustersToFit& clusters, std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon,
                  std::size_t begin, std::size_t end) {
    const Vec4* ends = x_end.empty() ? nullptr : x_end.data();
    HWY_DYNAMIC_DISPATCH(fit_range)(clusters, x.data(), ends, epsilon, begin, end);
}

void compare_clusters(const Clusters& clusters, std::span<const TreePair> pairs, CloseParts& out) {
    HWY_DYNAMIC_DISPATCH(compare_pairs)(clusters, pairs, out);
}

} // namespace taffeta
#endif
