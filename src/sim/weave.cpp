// From fabrics to the elements of their laws.
#include "sim/weave.h"

#include "mesh/partition.h"

#include <Eigen/Geometry>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace taffeta {
namespace {

Eigen::Vector3d vector(const Vec3& p) {
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

// Where warp and weft go in a plane with this normal.
struct Axes {
    Eigen::Vector3d warp, weft;
    Eigen::Vector2d operator()(const Eigen::Vector3d& p) const { return {warp.dot(p), weft.dot(p)}; }
};

Axes axes_in_plane(const Vec3& warp, const Eigen::Vector3d& normal) {
    Eigen::Vector3d along = vector(warp) - normal * normal.dot(vector(warp));
    if (along.norm() < 1e-3 * length(warp)) along = normal.unitOrthogonal(); // across it: any will do
    along.normalize();
    return {along, normal.cross(along)};
}

// To be replaced by warp_directions() of mesh/warp.h: the way of the warp in the rest shape at a triangle.
Vec3 warp_at(const Cloth& cloth, Index) {
    return cloth.desc.warp.value_or(Vec3{1, 0, 0});
}

// Elements cost several times as much as limits, so that cloth of one part in mesh/partition.h is worth two threads
// from so many particles in each.
constexpr Index least_part = 1000;

struct Face {
    Triangle particle = {};
    Eigen::Vector3d normal = {}; // twice the area long
};

struct Laws { // by cloth
    std::vector<StretchLaw> stretch = {};
    std::vector<BendLaw> bend = {};
};

Laws laws_of(const World& world) {
    Laws laws;
    for (const Cloth& cloth : world.cloths) {
        const Fabric& fabric = cloth.fabric;
        laws.stretch.push_back({membrane_law(fabric), static_cast<double>(fabric.stretch_damping)});
        if (fabric.strain_limit > 0) laws.stretch.back().longest = 1 + static_cast<double>(fabric.strain_limit);
        laws.bend.push_back({bending_law(fabric), static_cast<double>(fabric.bend_damping)});
    }
    return laws;
}

// One sweep moves cells of the side l as if they were no stiffer than sigma l^2/h^2 and sigma l^4/h^2.
void find_rates(World& world) {
    world.sweep_rate = world.bend_rate = 0;
    for (const Cloth& cloth : world.cloths) {
        double mass = 0;
        for (Index p = 0; p < cloth.particle_count; ++p) mass += world.mass[cloth.first_particle + p];
        if (!(mass > 0)) continue;
        const auto density = static_cast<double>(cloth.fabric.density);
        const double cell = 2 * mass / density / cloth.face_count;
        const auto stretch = static_cast<double>(std::max(cloth.fabric.stretch[0], cloth.fabric.stretch[1]));
        const auto bend = static_cast<double>(std::max(cloth.fabric.bend[0], cloth.fabric.bend[1]));
        world.sweep_rate = std::max(world.sweep_rate, stretch / (density * cell));
        world.bend_rate = std::max(world.bend_rate, bend / (density * cell * cell));
    }
}

// Edges may be longer by what the fabric gives, and as much shorter.
Limit limit_of_fabric(const World& world, const Cascade::Give& give, const Pair& edge) {
    const float rest = world.rest_length(edge);
    const float longest = rest * give(edge.i, world.rest_of(edge.j) - world.rest_of(edge.i));
    return {edge.i, edge.j, std::max(2 * rest - longest, 0.0f), longest};
}

class Weaver {
public:
    explicit Weaver(World& world) : world_(world) {}

    void weave() {
        for (std::size_t k = 0; k < world_.cloths.size(); ++k) add_cloth(static_cast<Index>(k));
        const Index sentinel = world_.state.sentinel();
        std::vector<Index> parts = world_.part_begin;
        if (parts.size() == 2 && parts[1] >= 2 * least_part) parts = halve_range(parts[1], parts[1] / 2 + 1);
        const Laws laws = laws_of(world_);
        world_.stretch = make_stretch(membrane_, membrane_law_, laws.stretch, parts, sentinel, Arrangement::strands);
        world_.bend = make_bend(bending_, bending_law_, laws.bend, parts, sentinel, Arrangement::colours);
    }

private:
    void add_cloth(Index number) {
        const Cloth& cloth = world_.cloths[number];
        std::vector<Face> faces;
        Eigen::Vector3d normal = Eigen::Vector3d::Zero();
        for (const Triangle& t : world_.triangles_of(cloth)) {
            Face face;
            for (std::size_t k = 0; k < 3; ++k) face.particle[k] = world_.particle_of_vertex[t[k]];
            const Eigen::Vector3d a = rest(face.particle[0]), b = rest(face.particle[1]), c = rest(face.particle[2]);
            face.normal = (b - a).cross(c - a);
            const double longest = std::max({(b - a).squaredNorm(), (c - a).squaredNorm(), (c - b).squaredNorm()});
            if (face.normal.norm() <= 1e-6 * longest) continue; // nothing that could be drawn out
            normal += face.normal;
            faces.push_back(face);
        }
        std::sort(faces.begin(), faces.end(),
                  [](const Face& a, const Face& b) { return sorted(a.particle) < sorted(b.particle); });
        for (Index k = 0; k < faces.size(); ++k) {
            const Axes axes = axes_in_plane(warp_at(cloth, k), faces[k].normal.normalized());
            std::array<Eigen::Vector2d, 3> corners;
            for (std::size_t i = 0; i < 3; ++i) corners[i] = axes(rest(faces[k].particle[i]));
            membrane_.push_back(make_membrane(faces[k].particle, corners));
            membrane_law_.push_back(number);
        }
        add_bending(cloth, number, faces, normal.normalized());
    }

    void add_bending(const Cloth& cloth, Index number, const std::vector<Face>& faces, const Eigen::Vector3d& normal) {
        const bool is_flat = std::all_of(faces.begin(), faces.end(), [&](const Face& face) {
            return face.normal.dot(normal) > (1 - 1e-6) * face.normal.norm();
        });
        if (!is_flat) {
            const std::string warning = "cloth \"" + cloth.name + "\": bending of a curved rest shape is left out";
            if (std::find(world_.warnings.begin(), world_.warnings.end(), warning) == world_.warnings.end())
                world_.warnings.push_back(warning);
            return;
        }
        const Axes axes = axes_in_plane(warp_at(cloth, 0), normal);
        std::vector<Triangle> triangles;
        std::vector<Eigen::Vector2d> material;
        for (Index p = 0; p < cloth.particle_count; ++p) material.push_back(axes(rest(cloth.first_particle + p)));
        for (const Face& face : faces)
            triangles.push_back({face.particle[0] - cloth.first_particle, face.particle[1] - cloth.first_particle,
                                 face.particle[2] - cloth.first_particle});
        for (BendingElement& element : make_bending(triangles, material)) {
            if (element.particle.size() > BendBlock::most_places) continue;
            for (Index& p : element.particle) p += cloth.first_particle;
            bending_.push_back(std::move(element));
            bending_law_.push_back(number);
        }
    }

    static Triangle sorted(Triangle t) {
        std::sort(t.begin(), t.end());
        return t;
    }
    Eigen::Vector3d rest(Index particle) const { return vector(world_.rest_of(particle)); }

    World& world_;
    std::vector<MembraneTriangle> membrane_;
    std::vector<BendingElement> bending_;
    std::vector<Index> membrane_law_, bending_law_; // the cloth of each
};

std::vector<ConnectedPiece> connected_pieces(std::span<const Pair> edges, std::span<const double> mass) {
    std::vector<Index> root(mass.size()); // of the tree that a particle is in, after `find`
    std::iota(root.begin(), root.end(), Index{0});
    const auto find = [&](Index p) {
        while (root[p] != p) p = root[p] = root[root[p]];
        return p;
    };
    for (const Pair& edge : edges) {
        const Index i = find(edge.i), j = find(edge.j);
        root[std::max(i, j)] = std::min(i, j);
    }
    std::vector<ConnectedPiece> pieces;
    std::vector<std::size_t> piece_of(mass.size());
    for (Index p = 0; p < mass.size(); ++p) {
        if (mass[p] == 0) continue; // belongs to no triangle
        if (find(p) == p) {
            piece_of[p] = pieces.size();
            pieces.emplace_back();
        }
        pieces[piece_of[find(p)]].particles.push_back(p);
    }
    return pieces;
}

} // namespace

MembraneLaw membrane_law(const Fabric& fabric) {
    const auto warp = static_cast<double>(fabric.stretch[0]), weft = static_cast<double>(fabric.stretch[1]);
    return {warp, weft, static_cast<double>(fabric.poisson) * std::sqrt(warp * weft),
            static_cast<double>(fabric.shear)};
}

BendingLaw bending_law(const Fabric& fabric) {
    const auto warp = static_cast<double>(fabric.bend[0]), weft = static_cast<double>(fabric.bend[1]);
    return {warp, weft, 0, std::sqrt(warp * weft) / 2};
}

void weave(World& world) {
    world.stretch = {};
    world.bend = {};
    world.pieces = {};
    if (world.settings.method == Method::limits) return;
    find_rates(world);
    world.pieces = connected_pieces(world.edges, world.mass);
    Weaver(world).weave();
    if (!world.settings.acceleration) return;
    const Cascade::Give give = give_of_fabrics(world);
    std::vector<Limit> limits;
    for (const Pair& edge : world.edges) limits.push_back(limit_of_fabric(world, give, edge));
    world.lengths = make_limits(limits, world.state.sentinel(),
                                {.arrangement = Arrangement::strands, .part_begin = world.part_begin});
}

void renew_laws(World& world) {
    find_rates(world);
    const Laws laws = laws_of(world);
    change_laws(world.stretch, laws.stretch);
    change_laws(world.bend, laws.bend);
    const Cascade::Give give = give_of_fabrics(world);
    world.lengths.change_all([&](const Limit& limit) { return limit_of_fabric(world, give, {limit.i, limit.j}); });
}

double share_of_sweeps(const World& world, double h) {
    return world.sweep_rate > 0 ? world.settings.iterations / (2 * world.sweep_rate * h * h) : 1;
}

Cascade::Give give_of_fabrics(const World& world) {
    // Uniaxial tension T along a direction at the angle a to the warp draws woven cloth out by
    //   T (cos^4 a / K1 + sin^4 a / K2 + cos^2 a sin^2 a / G).
    // T is what a square of the cloth's area weighs per width. Of that a third where sweeps hold next to nothing, for
    // then cloth is drawn out farther everywhere than it is held; more the more of it they hold
    // (docs/decisions/0010-xpbd.md).
    constexpr double least_share = 0.3;
    static constexpr double least = 1e-4;
    const double h = 1 / (static_cast<double>(world.settings.frame_rate) * world.settings.substeps);
    const double share = least_share / (1 - std::min(share_of_sweeps(world, h), 0.9));
    struct Gives {
        double warp, weft, bias, most;
        Eigen::Vector3d along_warp;
    };
    std::vector<Gives> gives; // by cloth
    for (const Cloth& cloth : world.cloths) {
        const Fabric& fabric = cloth.fabric;
        double mass = 0;
        for (Index p = 0; p < cloth.particle_count; ++p) mass += world.mass[cloth.first_particle + p];
        const auto density = static_cast<double>(fabric.density);
        const double tension =
            share * density * static_cast<double>(length(world.settings.gravity)) * std::sqrt(mass / density);
        const auto strain = [&](float stiffness) { return tension / std::max(static_cast<double>(stiffness), 1e-6); };
        gives.push_back({strain(fabric.stretch[0]), strain(fabric.stretch[1]), strain(fabric.shear),
                         fabric.strain_limit > 0 ? static_cast<double>(fabric.strain_limit) : 1.0,
                         vector(warp_at(cloth, 0)).normalized()});
    }
    return [gives, cloth_of = world.cloth_of_particles()](Index p, const Vec3& along) {
        const Gives& give = gives[cloth_of[p]];
        const double cosine = length(along) > 0 ? vector(along).normalized().dot(give.along_warp) : 0;
        const double c2 = cosine * cosine, s2 = 1 - c2;
        const double strain = give.warp * c2 * c2 + give.weft * s2 * s2 + give.bias * c2 * s2;
        return static_cast<float>(1 + std::clamp(strain, least, std::max(least, give.most)));
    };
}

} // namespace taffeta
