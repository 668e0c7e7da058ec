#include "energies/element_mesh.h"

#include <Eigen/Geometry>

#include <cmath>

namespace taffeta {

SheetLaw law_of(const Fabric& fabric) {
    const double warp = static_cast<double>(fabric.stretch[0]), weft = static_cast<double>(fabric.stretch[1]);
    const double bend_warp = static_cast<double>(fabric.bend[0]), bend_weft = static_cast<double>(fabric.bend[1]);
    return {
        .membrane = {.warp = warp,
                     .weft = weft,
                     .across = static_cast<double>(fabric.poisson) * std::sqrt(warp * weft),
                     .shear = static_cast<double>(fabric.shear)},
        .bending = {.warp = bend_warp, .weft = bend_weft, .across = 0, .twist = std::sqrt(bend_warp * bend_weft) / 2},
        .friction_moment = static_cast<double>(fabric.bend_hysteresis) / 2,
        .stretch_damping = static_cast<double>(fabric.stretch_damping),
        .bend_damping = static_cast<double>(fabric.bend_damping)};
}

void add_cloth(const SheetLaw& law, std::span<const Triangle> triangles, std::span<const Eigen::Vector3d> rest,
               std::span<const Eigen::Vector3d> warp, std::span<const std::uint8_t> is_pinned, Sheet& sheet) {
    const auto number = static_cast<Index>(sheet.laws.size());
    sheet.laws.push_back(law);
    std::vector<Triangle> with_area;
    std::vector<Eigen::Vector3d> ways;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
        const Triangle& corners = triangles[t];
        const Eigen::Vector3d a = rest[corners[1]] - rest[corners[0]], b = rest[corners[2]] - rest[corners[0]];
        const Eigen::Vector3d normal = a.cross(b);
        if (!(normal.norm() > 0)) continue;
        const Eigen::Vector3d weft = normal.normalized().cross(warp[t]);
        const auto flat = [&](const Eigen::Vector3d& way) { return Eigen::Vector2d(way.dot(warp[t]), way.dot(weft)); };
        sheet.cloth.push_back(number);
        sheet.membrane.push_back(make_membrane(corners, {Eigen::Vector2d::Zero(), flat(a), flat(b)}));
        with_area.push_back(corners);
        ways.push_back(warp[t]);
    }
    for (BendingElement& element : make_bending(with_area, rest, ways, is_pinned))
        sheet.bending.push_back(std::move(element));
    sheet.particle_count = static_cast<Index>(rest.size());
}

} // namespace taffeta
