#include "walker.h"

#include "collision/colliders/body_mesh.h"
#include "content/figure.h"

namespace taffeta::bench {
namespace {

constexpr int garment_particles = 833; // as in the paper

} // namespace

Walker make_walker(int steps) {
    Walker walker;
    const Mesh trousers = make_trousers(garment_particles);
    walker.triangles = trousers.triangles;
    walker.standing = trousers.positions;
    walker.garment_triangles = trousers.triangles.size();
    walker.garment_vertices = trousers.positions.size();
    for (const Vec3& p : trousers.positions) walker.influences.push_back(figure_influences(vector_cast<double>(p)));

    walker.body = make_figure({.steps = steps});
    const auto first = static_cast<Index>(walker.garment_vertices);
    for (const auto& [a, b, c] : walker.body.mesh->triangles)
        walker.triangles.push_back({first + a, first + b, first + c});
    const std::vector<Vec3>& skin = walker.body.mesh->positions;
    walker.standing.insert(walker.standing.end(), skin.begin(), skin.end());
    return walker;
}

std::vector<Vec4> Walker::at(double seconds) const {
    std::vector<Vec3> positions(standing.size());
    const std::vector<Affine> joints = joint_transforms(*std::get<BodySkin>(body.deformation).skeleton, seconds);
    for (std::size_t v = 0; v < garment_vertices; ++v) {
        Vec3d p;
        for (const auto& [joint, weight] : influences[v])
            p += joints[joint] * vector_cast<double>(standing[v]) * static_cast<double>(weight);
        positions[v] = vector_cast<float>(p);
    }
    place_body_mesh(body, {}, seconds, std::span(positions).subspan(garment_vertices));
    std::vector<Vec4> x;
    for (const Vec3& p : positions) x.push_back({p.x, p.y, p.z, 0});
    return x;
}

} // namespace taffeta::bench
