#include "collision/broad_phase/bvh.h"

#include "collision/broad_phase/bvh_view.h"
#include "collision/broad_phase/kdop.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/broad_phase/bvh.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "collision/broad_phase/kdop_simd-inl.h"

#ifndef TAFFETA_COLLISION_TREE_ONCE
#define TAFFETA_COLLISION_TREE_ONCE
namespace taffeta {

// What a refit is to do.
struct TreeFit {
    const Vec4* x;
    const Vec4* x_end = nullptr; // if there is one
    float epsilon = 0;
    TreeRow* rows;
    VelocityCone* cones = nullptr; // oriented
    // Lazily: where corners were; blocks whose corners have not moved farther than the root of `most_moved` m^2 stay.
    std::array<std::array<TreeRow, 3>, 3>* fitted = nullptr;
    std::uint8_t* is_fitted = nullptr; // by block
    float most_moved = 0;
};

} // namespace taffeta
#endif

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

// The rows of the slots from `first` on, and their longest sides.
template <int k>
HWY_INLINE void store_volumes(const Volumes<k>& volumes, std::size_t count, std::size_t first,
                              TreeRow* HWY_RESTRICT rows) {
    const Lanes d;
    volumes.store(count, first, rows);
    V longest = hn::Zero(d);
    for (std::size_t i = 0; i < k / 2; ++i) {
        const V side = hn::Mul(hn::Sub(volumes.high[i], volumes.low[i]), hn::Set(d, 1 / normal_length<k>(i)));
        longest = hn::Max(longest, side);
    }
    hn::Store(longest, d, &rows[k].slot[first]);
}

// The volumes of all slots of a block, of triangles in them; those of empty slots are empty.
template <int k>
HWY_INLINE void fit_faces(const std::array<Tree::Slots, 3>& corners, std::size_t count, const Vec4* HWY_RESTRICT x,
                          const Vec4* HWY_RESTRICT x_end, const float (&inflations)[k / 2],
                          TreeRow* HWY_RESTRICT rows) {
    const Lanes d;
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        Volumes<k> volumes;
        for (const Tree::Slots& corner : corners) volumes.insert(load(x, corner.data() + first), inflations);
        if (x_end != nullptr)
            for (const Tree::Slots& corner : corners) volumes.insert(load(x_end, corner.data() + first), inflations);
        store_volumes<k>(volumes, count, first, rows);
    }
}

// The ways of all corners of a block.
HWY_INLINE VelocityCone fit_cone(const std::array<Tree::Slots, 3>& corners, const Vec4* HWY_RESTRICT x,
                                 const Vec4* HWY_RESTRICT x_end) {
    const Lanes d;
    std::array<std::array<TreeRow, 3>, 3> ways; // by corner and axis
    std::array<TreeRow, 3> sums;                // over the corners
    V longest = hn::Zero(d);
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        V sum[3] = {hn::Zero(d), hn::Zero(d), hn::Zero(d)};
        for (std::size_t corner = 0; corner < 3; ++corner) {
            const Particles from = load(x, &corners[corner][first]), to = load(x_end, &corners[corner][first]);
            const V way[3] = {hn::Sub(to.x, from.x), hn::Sub(to.y, from.y), hn::Sub(to.z, from.z)};
            longest = hn::Max(longest, squared_length(way[0], way[1], way[2]));
            for (std::size_t axis = 0; axis < 3; ++axis) {
                hn::Store(way[axis], d, &ways[corner][axis].slot[first]);
                sum[axis] = hn::Add(sum[axis], way[axis]);
            }
        }
        for (std::size_t axis = 0; axis < 3; ++axis) hn::Store(sum[axis], d, &sums[axis].slot[first]);
    }
    VelocityCone fitted;
    fitted.height = std::sqrt(hn::GetLane(hn::MaxOfLanes(d, longest))) * (1 + 0x1p-20f);
    Vec3 axis; // added up in one order, however many lanes there are
    for (std::size_t k = 0; k < slots; ++k) axis += {sums[0].slot[k], sums[1].slot[k], sums[2].slot[k]};
    const float axis_length = length(axis);
    if (!(axis_length > 1e-3f * fitted.height)) { // they cancel, or there are none
        fitted.cone.cosine = -1;
        return fitted;
    }
    fitted.cone.axis = axis * (1 / axis_length);
    V cosine = hn::Set(d, 1.0f);
    for (const auto& [ways_x, ways_y, ways_z] : ways) {
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            const V way_x = hn::Load(d, &ways_x.slot[first]), way_y = hn::Load(d, &ways_y.slot[first]);
            const V way_z = hn::Load(d, &ways_z.slot[first]);
            const V along = hn::Add(
                hn::Add(hn::Mul(way_x, hn::Set(d, fitted.cone.axis.x)), hn::Mul(way_y, hn::Set(d, fitted.cone.axis.y))),
                hn::Mul(way_z, hn::Set(d, fitted.cone.axis.z)));
            const V way = hn::Sqrt(squared_length(way_x, way_y, way_z));
            const auto moves = hn::Ge(way, hn::Set(d, VelocityCone::still));
            cosine = hn::Min(cosine, hn::IfThenElse(moves, hn::Div(along, way), hn::Set(d, 1.0f)));
        }
    }
    fitted.cone.cosine = std::max(hn::GetLane(hn::MinOfLanes(d, cosine)) - Cone::rounding, -1.0f);
    return fitted;
}

// fit_faces() around where corners are, and as far along the directions as their ways may lead.
template <int k>
HWY_INLINE void fit_oriented(const std::array<Tree::Slots, 3>& corners, std::size_t count, const Vec4* HWY_RESTRICT x,
                             const VelocityCone& cone, const float (&inflations)[k / 2], TreeRow* HWY_RESTRICT rows) {
    static constexpr std::array<Vec3, k / 2> normals = normals_of<k>();
    float below[k / 2], above[k / 2];
    for (std::size_t i = 0; i < k / 2; ++i) {
        above[i] = cone.reach(normals[i], normal_length<k>(i));
        below[i] = cone.reach(-normals[i], normal_length<k>(i));
    }
    const Lanes d;
    for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
        Volumes<k> volumes;
        for (const Tree::Slots& corner : corners) volumes.insert(load(x, corner.data() + first), inflations);
        volumes.widen(below, above);
        store_volumes<k>(volumes, count, first, rows);
    }
}

// Whether a corner of a block is farther than the root of `most` from where it was; if so it is there now.
HWY_INLINE bool has_moved(const std::array<Tree::Slots, 3>& corners, const Vec4* HWY_RESTRICT x, float most,
                          std::array<std::array<TreeRow, 3>, 3>& fitted) {
    const Lanes d;
    V farthest = hn::Zero(d);
    for (std::size_t corner = 0; corner < 3; ++corner) {
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            const Particles p = load(x, &corners[corner][first]);
            const V way_x = hn::Sub(p.x, hn::Load(d, &fitted[corner][0].slot[first]));
            const V way_y = hn::Sub(p.y, hn::Load(d, &fitted[corner][1].slot[first]));
            const V way_z = hn::Sub(p.z, hn::Load(d, &fitted[corner][2].slot[first]));
            farthest = hn::Max(farthest, squared_length(way_x, way_y, way_z));
        }
    }
    if (hn::GetLane(hn::MaxOfLanes(d, farthest)) <= most) return false;
    for (std::size_t corner = 0; corner < 3; ++corner) {
        for (std::size_t first = 0; first < slots; first += hn::Lanes(d)) {
            const Particles p = load(x, &corners[corner][first]);
            hn::Store(p.x, d, &fitted[corner][0].slot[first]);
            hn::Store(p.y, d, &fitted[corner][1].slot[first]);
            hn::Store(p.z, d, &fitted[corner][2].slot[first]);
        }
    }
    return true;
}

HWY_INLINE float least_of(const TreeRow& row) {
    const Lanes d;
    V least = hn::Load(d, row.slot.data());
    for (std::size_t first = hn::Lanes(d); first < slots; first += hn::Lanes(d))
        least = hn::Min(least, hn::Load(d, row.slot.data() + first));
    return hn::GetLane(hn::MinOfLanes(d, least));
}
HWY_INLINE float most_of(const TreeRow& row) {
    const Lanes d;
    V most = hn::Load(d, row.slot.data());
    for (std::size_t first = hn::Lanes(d); first < slots; first += hn::Lanes(d))
        most = hn::Max(most, hn::Load(d, row.slot.data() + first));
    return hn::GetLane(hn::MaxOfLanes(d, most));
}

// The volume of a slot around those of the block in it [MKE03] Eq. 2.
template <int k>
HWY_INLINE void fit_slot(const TreeRow* HWY_RESTRICT below, std::size_t place, TreeRow* HWY_RESTRICT rows) {
    float longest = 0;
    for (std::size_t i = 0; i < k / 2; ++i) {
        const float low = least_of(below[2 * i]), high = most_of(below[2 * i + 1]);
        rows[2 * i].slot[place] = low;
        rows[2 * i + 1].slot[place] = high;
        longest = std::max(longest, (high - low) * (1 / normal_length<k>(i)));
    }
    rows[k].slot[place] = longest;
}

template <int k>
void fit_blocks(const TreeView& tree, const TreeFit& fit, std::size_t begin, std::size_t end) {
    float inflations[k / 2];
    for (std::size_t i = 0; i < k / 2; ++i) inflations[i] = inflation<k>(i, fit.epsilon);
    for (std::size_t block = begin; block < end; ++block) {
        TreeRow* rows = fit.rows + block * (k + 1);
        const std::size_t count = tree.count[block];
        const Index faces = tree.corners_of[block];
        bool is_fitted =
            false; // of lazy ones; fitting faces writes all slots, so that blocks in others are merged anew
        if (faces != TreeItem::none && fit.fitted != nullptr) {
            is_fitted = has_moved(tree.corners[faces], fit.x, fit.most_moved, fit.fitted[faces]);
            if (is_fitted) fit_faces<k>(tree.corners[faces], count, fit.x, nullptr, inflations, rows);
        } else if (faces != TreeItem::none && fit.cones != nullptr) {
            fit.cones[faces] = fit_cone(tree.corners[faces], fit.x, fit.x_end);
            fit_oriented<k>(tree.corners[faces], count, fit.x, fit.cones[faces], inflations, rows);
        } else if (faces != TreeItem::none) {
            fit_faces<k>(tree.corners[faces], count, fit.x, fit.x_end, inflations, rows);
        }
        for (std::size_t place = 0; place < count; ++place) {
            const Index item = tree.items[block][place], below = TreeItem::number(item);
            if ((item & TreeItem::face_bit) != 0) continue;
            if (fit.fitted != nullptr && fit.is_fitted[below] == 0 && !is_fitted) continue;
            fit_slot<k>(fit.rows + below * (k + 1), place, rows);
            is_fitted = true;
        }
        if (fit.fitted != nullptr) fit.is_fitted[block] = is_fitted ? 1 : 0;
    }
}

void fit_tree_blocks(const TreeView& tree, const TreeFit& fit, std::size_t begin, std::size_t end) {
    with_k(tree.k, [&]<int k>() { fit_blocks<k>(tree, fit, begin, end); });
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(fit_tree_blocks);

namespace {

constexpr std::size_t block_grain = 128; // some 10 us of fitting

using Faces = std::span<Index>;

// Orders faces for the tree, in which slots have ranges of them.
class Splitter {
public:
    Splitter(std::span<const Triangle> triangles, std::span<const Vec3> rest, const TreeShape& shape,
             const TreeGroups& groups)
        : triangles_(triangles), rest_(rest), shape_(shape), groups_(groups) {}

    bool stay_together(Faces faces) const {
        return faces.size() <= (shape_.clusters ? Tree::slots : 1) && passive_ones(faces) % faces.size() == 0;
    }
    bool are_passive(Faces faces) const { return passive_ones(faces) == faces.size(); }

    // Two parts of faces that are to be in different slots, the first of so many; all, where they stay together.
    std::size_t split(Faces faces) const {
        if (stay_together(faces)) return faces.size();
        if (const std::size_t passive = passive_ones(faces); passive % faces.size() != 0) return faces.size() - passive;
        std::size_t first = first_groups(faces);
        if (first < faces.size()) return first;
        if (shape_.clusters)
            first = halve<6>(faces, (faces.size() / 2 + Tree::slots - 1) / Tree::slots * Tree::slots);
        else
            with_k(shape_.k, [&]<int k>() { first = split_longest_side<k>(faces); });
        return first;
    }

private:
    // While faces of several groups are together they are in the order of their numbers.
    std::size_t passive_ones(Faces faces) const {
        return static_cast<std::size_t>(
            std::count_if(faces.begin(), faces.end(), [&](Index face) { return face >= groups_.first_passive; }));
    }
    // How many faces are in the groups of about the first half; all, if there is one group.
    std::size_t first_groups(Faces faces) const {
        std::size_t best = faces.size();
        const auto off_middle = [&](std::size_t first) {
            return first > faces.size() / 2 ? first - faces.size() / 2 : faces.size() / 2 - first;
        };
        const auto [lowest, highest] = std::minmax_element(faces.begin(), faces.end());
        for (const Index begin : groups_.begin) {
            if (begin <= *lowest || begin > *highest) continue;
            const auto first =
                static_cast<std::size_t>(std::lower_bound(faces.begin(), faces.end(), begin) - faces.begin());
            if (best == faces.size() || off_middle(first) < off_middle(best)) best = first;
        }
        return best;
    }

    template <int k>
    Kdop<k> volume_of(Faces faces) const {
        Kdop<k> volume;
        for (const Index f : faces)
            for (const Index v : triangles_[f]) volume.insert(rest_[v], 0);
        return volume;
    }
    template <int k>
    std::array<float, 3> along(Index face, std::size_t direction) const {
        const auto& [a, b, c] = triangles_[face];
        return {project<k>(rest_[a])[direction], project<k>(rest_[b])[direction], project<k>(rest_[c])[direction]};
    }

    // Puts the faces with the lowest middles along the longest side first.
    template <int k>
    std::size_t halve(Faces faces, std::size_t first) const {
        const std::size_t direction = volume_of<k>(faces).longest_side();
        const auto middle = [&](Index face) {
            const auto [a, b, c] = along<k>(face, direction);
            return static_cast<double>(a) + static_cast<double>(b) + static_cast<double>(c);
        };
        std::vector<std::pair<double, Index>> sorted;
        for (const Index f : faces) sorted.emplace_back(middle(f), f);
        std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(first), sorted.end());
        std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(first));
        std::sort(sorted.begin() + static_cast<std::ptrdiff_t>(first), sorted.end());
        std::transform(sorted.begin(), sorted.end(), faces.begin(), [](const auto& entry) { return entry.second; });
        return first;
    }

    // [MKE03] 4.2: through the middle of the longest side. Faces that are cut go to the part with fewer. Where a part
    // would have none, halves: the paper gives each face a slot of its own, which may be more than a block has.
    template <int k>
    std::size_t split_longest_side(Faces faces) const {
        const Kdop<k> volume = volume_of<k>(faces);
        const std::size_t direction = volume.longest_side();
        const float middle = 0.5f * volume.low[direction] + 0.5f * volume.high[direction];
        std::vector<Index> below, above, cut;
        for (const Index f : faces) {
            const auto places = along<k>(f, direction);
            const auto [low, high] = std::minmax_element(places.begin(), places.end());
            (*high <= middle ? below : *low >= middle ? above : cut).push_back(f);
        }
        std::vector<Index>& fewer = below.size() <= above.size() ? below : above;
        fewer.insert(fewer.end(), cut.begin(), cut.end());
        if (below.empty() || above.empty()) return halve<k>(faces, faces.size() / 2);
        std::copy(above.begin(), above.end(), std::copy(below.begin(), below.end(), faces.begin()));
        return below.size();
    }

    std::span<const Triangle> triangles_;
    std::span<const Vec3> rest_;
    TreeShape shape_;
    const TreeGroups& groups_;
};

} // namespace

Tree::Tree(std::span<const Triangle> triangles, std::span<const Vec3> rest, const TreeShape& shape,
           const TreeGroups& groups)
    : shape_(shape), triangle_count_(triangles.size()) {
    assert(shape.k == 6 || shape.k == 8 || shape.k == 14 || shape.k == 18);
    assert(shape.arity == 8 || (!shape.clusters && (shape.arity == 2 || shape.arity == 4)));
    assert(triangles.size() <= TreeItem::number_bits / slots);
    if (!triangles.empty()) build(triangles, rest, groups);
    rows_.resize(block_count() * row_count());
    for (std::size_t block = 0; block < block_count(); ++block) // empty
        for (std::size_t row = 0; row < static_cast<std::size_t>(shape_.k); ++row)
            rows_[block * row_count() + row].slot.fill(row % 2 == 0 ? Kdop<6>::infinity : -Kdop<6>::infinity);
}

void Tree::build(std::span<const Triangle> triangles, std::span<const Vec3> rest, const TreeGroups& groups) {
    const Splitter splitter(triangles, rest, shape_, groups);
    std::vector<Index> order(triangles.size());
    std::iota(order.begin(), order.end(), Index{0});

    // Blocks that are to be made, of these faces, from above: those of a level follow each other.
    struct Plan {
        Faces faces;
        Index slot;
    };
    std::vector<Plan> plans = {{order, 0}}; // the root, in no slot
    std::size_t level_end = 0;
    for (Index block = 0; block < plans.size(); ++block) {
        if (block == level_end) {
            level_begin_.push_back(block);
            level_end = plans.size();
        }
        const auto [faces, slot] = plans[block];
        std::vector<Faces> parts = {faces};
        if (block > 0) {
            for (int ways = 1; ways < shape_.arity; ways *= 2) {
                std::vector<Faces> halves;
                for (const Faces part : parts) {
                    const std::size_t first = splitter.split(part);
                    halves.push_back(part.first(first));
                    if (first < part.size()) halves.push_back(part.subspan(first));
                }
                parts = halves;
            }
        }
        const bool is_cluster = shape_.clusters && block > 0 && splitter.stay_together(faces);
        if (is_cluster) {
            parts.clear();
            for (std::size_t k = 0; k < faces.size(); ++k) parts.push_back(faces.subspan(k, 1));
        }

        Slots& items = items_.emplace_back();
        items.fill(TreeItem::none);
        count_.push_back(static_cast<std::uint8_t>(parts.size()));
        slot_of_.push_back(slot);
        corners_of_.push_back(TreeItem::none);
        passive_.push_back(0);
        for (std::size_t place = 0; place < parts.size(); ++place)
            if (splitter.are_passive(parts[place])) passive_.back() |= static_cast<std::uint8_t>(1U << place);
        const auto add_face = [&](std::size_t place, Index face) {
            if (!has_faces(block)) {
                corners_of_.back() = static_cast<Index>(corners_.size());
                std::array<Slots, 3>& corners = corners_.emplace_back();
                for (std::size_t k = 0; k < 3; ++k) corners[k].fill(triangles[face][k]);
            }
            for (std::size_t k = 0; k < 3; ++k) corners_.back()[k][place] = triangles[face][k];
            items[place] = TreeItem::face_bit | face;
        };
        for (std::size_t place = 0; place < parts.size(); ++place) {
            if (parts[place].size() == 1 && (is_cluster || !shape_.clusters)) {
                add_face(place, parts[place].front());
                continue;
            }
            const bool holds_cluster = shape_.clusters && splitter.stay_together(parts[place]);
            items[place] = static_cast<Index>(plans.size()) | (holds_cluster ? TreeItem::cluster_bit : 0);
            plans.push_back({parts[place], block * static_cast<Index>(slots) + static_cast<Index>(place)});
        }
    }
}

TreeView Tree::view() const {
    return {rows_.data(), items_.data(), count_.data(), passive_.data(), corners_of_.data(), corners_.data(), shape_.k};
}

void Tree::refit(std::span<const Vec4> x, float epsilon, const Parallel& parallel) {
    refit({.x = x.data(), .epsilon = epsilon, .rows = rows_.data()}, parallel);
}
void Tree::refit_swept(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon, const Parallel& parallel) {
    refit({.x = x.data(), .x_end = x_end.data(), .epsilon = epsilon, .rows = rows_.data()}, parallel);
}
void Tree::refit_oriented(std::span<const Vec4> x, std::span<const Vec4> x_end, float epsilon,
                          const Parallel& parallel) {
    velocity_cones_.resize(corners_.size());
    refit({.x = x.data(),
           .x_end = x_end.data(),
           .epsilon = epsilon,
           .rows = rows_.data(),
           .cones = velocity_cones_.data()},
          parallel);
}

std::size_t Tree::refit_lazily(std::span<const Vec4> x, float epsilon, float tolerance, const Parallel& parallel) {
    if (!are_lazy_ || lazy_epsilon_ != epsilon || lazy_tolerance_ != tolerance) { // nothing is where it was
        std::array<std::array<TreeRow, 3>, 3> nowhere;
        for (auto& corner : nowhere)
            for (TreeRow& row : corner) row.slot.fill(Kdop<6>::infinity);
        fitted_.assign(corners_.size(), nowhere);
    }
    is_fitted_.resize(block_count());
    const float moved = tolerance * (1 - 0x1p-20f); // rounding
    refit({.x = x.data(),
           .epsilon = epsilon + 2 * tolerance,
           .rows = rows_.data(),
           .fitted = fitted_.data(),
           .is_fitted = is_fitted_.data(),
           .most_moved = moved * moved},
          parallel);
    are_lazy_ = true;
    lazy_epsilon_ = epsilon;
    lazy_tolerance_ = tolerance;
    return static_cast<std::size_t>(std::count(is_fitted_.begin(), is_fitted_.end(), std::uint8_t{1}));
}

// Blocks of a level are independent of each other, and need the level below.
void Tree::refit(const TreeFit& fit, const Parallel& parallel) {
    are_lazy_ = false;
    const TreeView tree = view();
    const auto fit_blocks = HWY_DYNAMIC_DISPATCH(fit_tree_blocks);
    parallel.enter([&] {
        for (std::size_t level = level_begin_.size(); level-- > 0;) {
            const std::size_t first = level_begin_[level];
            const std::size_t last = level + 1 < level_begin_.size() ? level_begin_[level + 1] : block_count();
            parallel.for_pieces(last - first, block_grain, [&](std::size_t begin, std::size_t end) {
                fit_blocks(tree, fit, first + begin, first + end);
            });
        }
    });
}

} // namespace taffeta
#endif
