// From fabrics to the elements of their laws.
#include "sim/build/elements.h"

#include "mesh/partition.h"
#include "sim/build/element_mesh.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace taffeta {
namespace {

Eigen::Vector3d vector(const Vec3& p) {
    return {static_cast<double>(p.x), static_cast<double>(p.y), static_cast<double>(p.z)};
}

// Elements cost several times as much as limits, so that cloth of one part in mesh/partition.h is worth two threads
// from so many particles in each. The limits of their edges go along.
constexpr Index least_part = 1000;

std::vector<Index> parts_of(const World& world) {
    const std::vector<Index>& parts = world.part_begin;
    return parts.size() == 2 && parts[1] >= 2 * least_part ? halve_range(parts[1], parts[1] / 2 + 1) : parts;
}

struct Laws { // by cloth
    std::vector<StretchLaw> stretch = {};
    std::vector<BendLaw> bend = {};
};

Laws element_laws(const World& world) {
    Laws laws;
    for (const Cloth& cloth : world.cloths) {
        const SheetLaw law = law_of(cloth.fabric);
        const float limit = cloth.fabric.strain_limit;
        laws.stretch.push_back({law.membrane, law.stretch_damping});
        if (limit > 0) laws.stretch.back().longest = 1 + static_cast<double>(limit);
        laws.bend.push_back({law.bending, law.bend_damping});
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

// Elements in the order of their particles, so that sweeps go through memory from one end to the other.
std::vector<std::size_t> in_order_of_particles(const Sheet& sheet) {
    const auto sorted = [&](std::size_t e) {
        std::array<Index, 3> particle = sheet.membrane[e].particle;
        std::sort(particle.begin(), particle.end());
        return particle;
    };
    std::vector<std::size_t> order(sheet.membrane.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tuple(sheet.cloth[a], sorted(a)) < std::tuple(sheet.cloth[b], sorted(b));
    });
    return order;
}

void make_elements(World& world) {
    const Sheet sheet = make_sheet(world);
    std::vector<MembraneTriangle> membrane;
    std::vector<BendingElement> bending;
    std::vector<Index> membrane_law, bending_law; // the cloth of each
    for (const std::size_t e : in_order_of_particles(sheet)) {
        const Index cloth = sheet.cloth[e];
        const BendingElement& bend = sheet.bending[e];
        membrane.push_back(sheet.membrane[e]);
        membrane_law.push_back(cloth);
        if (bend.particle.size() > BendBlock::most_places) continue;
        bending.push_back(bend);
        bending_law.push_back(cloth);
    }
    const Index sentinel = world.state.sentinel();
    const std::vector<Index> parts = parts_of(world);
    const Laws laws = element_laws(world);
    world.elements = std::make_unique<Elements>();
    world.elements->stretch = make_stretch(membrane, membrane_law, laws.stretch, parts, sentinel, Arrangement::strands);
    world.elements->bend = make_bend(bending, bending_law, laws.bend, parts, sentinel, Arrangement::colours);
}

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

void weave(World& world) {
    world.elements.reset();
    world.pieces = {};
    if (world.settings.method == Method::limits) return;
    find_rates(world);
    world.pieces = connected_pieces(world.edges, world.mass);
    if (world.settings.method != Method::xpbd) return;
    make_elements(world);
    if (!world.settings.acceleration) return;
    const Cascade::Give give = give_of_fabrics(world);
    std::vector<Limit> limits;
    for (const Pair& edge : world.edges) limits.push_back(limit_of_fabric(world, give, edge));
    world.lengths = make_limits(limits, world.state.sentinel(),
                                {.arrangement = Arrangement::strands, .part_begin = parts_of(world)});
}

void renew_laws(World& world) {
    find_rates(world);
    const Laws laws = element_laws(world);
    change_laws(world.elements->stretch, laws.stretch);
    change_laws(world.elements->bend, laws.bend);
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
                         vector(cloth.desc.warp.value_or(Vec3{1, 0, 0})).normalized()});
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
