#include "sim/build/element_mesh.h"

#include "mesh/warp.h"
#include "sim/build/build.h"

namespace taffeta {
namespace {

Eigen::Vector3d to_eigen(const Vec3& p) {
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

} // namespace

Sheet make_sheet(const World& world) {
    const Index count = world.state.count();
    std::vector<Eigen::Vector3d> rest;
    std::vector<std::uint8_t> is_pinned;
    for (Index p = 0; p < count; ++p) {
        rest.push_back(to_eigen(world.rest_of(p)));
        is_pinned.push_back(world.mass[p] > 0 && world.state.w[p] == 0 ? 1 : 0);
    }
    Sheet sheet;
    for (const Cloth& cloth : world.cloths) {
        std::vector<Triangle> triangles(world.triangles_of(cloth).begin(), world.triangles_of(cloth).end());
        for (Triangle& t : triangles)
            for (Index& v : t) v = world.particle_of_vertex[v];
        std::vector<Eigen::Vector3d> warp;
        for (const Vec3& way : warp_directions(make_mesh(cloth.desc), cloth.desc.warp)) warp.push_back(to_eigen(way));
        add_cloth(law_of(cloth.fabric), triangles, rest, warp, is_pinned, sheet);
    }
    return sheet;
}

std::vector<SheetLaw> laws_of(const World& world) {
    std::vector<SheetLaw> laws;
    for (const Cloth& cloth : world.cloths) laws.push_back(law_of(cloth.fabric));
    return laws;
}

} // namespace taffeta
