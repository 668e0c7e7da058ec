#include "fcl_triangles.h"

#ifdef TAFFETA_BENCH_FCL

#include <fcl/fcl.h>
#include <fcl/narrowphase/detail/primitive_shape_algorithm/triangle_distance.h>
#include <fcl/narrowphase/detail/traversal/collision/mesh_collision_traversal_node.h>
#include <fcl/narrowphase/detail/traversal/collision_node.h>

#include <vector>

namespace taffeta::bench {
namespace {

using Model = fcl::BVHModel<fcl::AABB<double>>;
using Points = std::vector<fcl::Vector3<double>>;

Points points_of(std::span<const Vec4> x) {
    Points points;
    points.reserve(x.size());
    for (const Vec4& p : x)
        points.emplace_back(static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z));
    return points;
}

void build(std::span<const Triangle> triangles, const Points& points, Model& model) {
    std::vector<fcl::Triangle> numbers;
    for (const Triangle& t : triangles) numbers.emplace_back(t[0], t[1], t[2]);
    model.beginModel();
    model.addSubModel(points, numbers);
    model.endModel();
}

void update(const Points& points, Model& model) {
    model.beginUpdateModel();
    model.updateSubModel(points);
    model.endUpdateModel(true, true);
}

} // namespace

struct FclTriangles::Models {
    Model first = {}, second = {}; // each has all vertices
};

bool FclTriangles::is_available() {
    return true;
}
FclTriangles::FclTriangles(std::span<const Triangle> triangles, std::size_t split, std::span<const Vec4> x)
    : models_(std::make_unique<Models>()) {
    const Points points = points_of(x);
    build(triangles.first(split), points, models_->first);
    build(triangles.subspan(split), points, models_->second);
}
FclTriangles::~FclTriangles() = default;

void FclTriangles::refit(std::span<const Vec4> x) {
    const Points points = points_of(x);
    update(points, models_->first);
    update(points, models_->second);
}

// Without fcl::collide(), which copies both models first.
std::size_t FclTriangles::collide() {
    fcl::detail::MeshCollisionTraversalNode<fcl::AABB<double>> node;
    fcl::Transform3<double> first = fcl::Transform3<double>::Identity(), second = first;
    const fcl::CollisionRequest<double> request(1'000'000, false);
    fcl::CollisionResult<double> result;
    fcl::detail::initialize(node, models_->first, first, models_->second, second, request, result, false, false);
    fcl::detail::collide(&node);
    return result.numContacts();
}

std::size_t count_close(std::span<const Triangle> triangles, std::span<const Vec4> x,
                        std::span<const std::array<Index, 2>> pairs, double epsilon) {
    const auto at = [&](Index v) {
        return fcl::Vector3<double>(static_cast<double>(x[v].x), static_cast<double>(x[v].y),
                                    static_cast<double>(x[v].z));
    };
    std::size_t close = 0;
    for (const auto& [a, b] : pairs) {
        const fcl::Vector3<double> first[3] = {at(triangles[a][0]), at(triangles[a][1]), at(triangles[a][2])};
        const fcl::Vector3<double> second[3] = {at(triangles[b][0]), at(triangles[b][1]), at(triangles[b][2])};
        fcl::Vector3<double> p, q;
        if (fcl::detail::TriangleDistance<double>::triDistance(first, second, p, q) < epsilon) ++close;
    }
    return close;
}

} // namespace taffeta::bench

#else

namespace taffeta::bench {

struct FclTriangles::Models {};
bool FclTriangles::is_available() {
    return false;
}
FclTriangles::FclTriangles(std::span<const Triangle>, std::size_t, std::span<const Vec4>) {}
FclTriangles::~FclTriangles() = default;
void FclTriangles::refit(std::span<const Vec4>) {}
std::size_t FclTriangles::collide() {
    return 0;
}
std::size_t count_close(std::span<const Triangle>, std::span<const Vec4>, std::span<const std::array<Index, 2>>,
                        double) {
    return 0;
}

} // namespace taffeta::bench

#endif
