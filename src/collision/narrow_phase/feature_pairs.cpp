#include "collision/narrow_phase/feature_pairs.h"

#include <algorithm>
#include <cmath>
#include <limits>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "collision/narrow_phase/feature_pairs.cpp"
#include <hwy/foreach_target.h> // IWYU pragma: keep

#include <hwy/highway.h>

#include "geometry/closest-inl.h"

HWY_BEFORE_NAMESPACE();
namespace taffeta::HWY_NAMESPACE {
namespace {

constexpr std::size_t pairs = EightFours::pairs; // at a time
constexpr float infinity = std::numeric_limits<float>::infinity();

// The vertices of eight candidates.
struct Gathered {
    Index vertices[4][pairs];

    template <class VerticesOf>
    HWY_INLINE std::size_t take(const CandidateList& candidates, std::size_t begin, const VerticesOf& vertices_of) {
        const std::size_t count = std::min(candidates.count - begin, pairs);
        for (std::size_t k = 0; k < pairs; ++k) {
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
    for (std::size_t begin = 0; begin < candidates.count; begin += pairs) {
        Gathered gathered;
        const std::size_t count = gathered.take(candidates, begin, vertices_of);
        const EightFours at(x, gathered.vertices);
        alignas(64) double squared[pairs];
        for (std::size_t first = 0; first < pairs; first += hn::Lanes(wide)) {
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
    V least_square = hn::Set(d, infinity);
    nearest[0] = nearest[1] = nearest[2] = zero;
    auto is_inside = hn::FirstN(d, pairs);
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
    for (std::size_t begin = 0; begin < candidates.count; begin += pairs) {
        Gathered gathered;
        const std::size_t count = gathered.take(candidates, begin, vertices_of);
        alignas(32) float nearest[pairs], clearance[pairs];
        for (std::size_t first = 0; first < pairs; first += hn::Lanes(d)) {
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
            V apart = hn::Set(d, -infinity), at_start = apart;
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
                return hn::IfThenElse(hn::Eq(at_least, at_least), at_least, hn::Set(d, -infinity));
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

void measure_list(const Vec4* x, const MeshParts& mesh, float epsilon, CloseParts& list) {
    const double most = static_cast<double>(epsilon) * static_cast<double>(epsilon);
    measure(list.vertex_face_candidates, x, most, VertexAndFace{mesh.triangles}, VertexAndFace::squared,
            list.vertex_faces);
    measure(list.edge_candidates, x, most, TwoEdges{mesh.edges}, TwoEdges::squared, list.edges);
}

void drop_apart_of_list(const Vec4* x, const Vec4* x_end, const MeshParts& mesh, float within,
                        const ClearanceAsked& asked, CloseParts& list) {
    drop_apart<1>(list.vertex_face_candidates, x, x_end, within, asked, VertexAndFace{mesh.triangles});
    drop_apart<2>(list.edge_candidates, x, x_end, within, asked, TwoEdges{mesh.edges});
}

} // namespace
} // namespace taffeta::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace taffeta {

HWY_EXPORT(measure_list);
HWY_EXPORT(drop_apart_of_list);

void measure_candidates(std::span<const Vec4> x, const MeshParts& mesh, float epsilon, CloseParts& parts) {
    HWY_DYNAMIC_DISPATCH(measure_list)(x.data(), mesh, epsilon, parts);
}

void drop_distant_candidates(std::span<const Vec4> x, std::span<const Vec4> x_end, const MeshParts& mesh, float within,
                             const ClearanceAsked& asked, CloseParts& parts) {
    HWY_DYNAMIC_DISPATCH(drop_apart_of_list)(x.data(), x_end.data(), mesh, within, asked, parts);
}

} // namespace taffeta
#endif
