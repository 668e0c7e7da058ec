#include "sim/build/depenetration.h"

#include "collision/colliders/inside_test.h"
#include "mesh/intersections.h"
#include "sim/step/implicit_step.h"

#include <algorithm>
#include <atomic>
#include <string>

namespace taffeta {
namespace {

constexpr float rounding = 1.001f; // what is set on a surface is farther off than it has to be

void put(World& world, Index particle, const Vec3& at) {
    world.state.x[particle].set_xyz(at);
    world.state.x_prev[particle].set_xyz(at);
}

void bring_out_of_simple_bodies(World& world, const Cloth& cloth) {
    for (Index p = cloth.first_particle; p < cloth.first_particle + cloth.particle_count; ++p) {
        for (const Collider& collider : world.colliders) {
            const Vec4& x = world.state.x[p];
            const SurfacePoint surface = nearest_surface(collider.body, x.xyz());
            if (x.w == 0 || !(surface.distance < cloth.fabric.thickness)) continue;
            put(world, p, x.xyz() + surface.normal * (rounding * cloth.fabric.thickness - surface.distance));
        }
    }
}

// A body of triangles.
struct Obstacle {
    explicit Obstacle(const Collider& collider)
        : vertices(collider.vertices), faces(collider.faces), solid(vertices, faces) {}

    Vec3 outwards(Index face) const {
        const auto& [a, b, c] = faces[face];
        return normalized(cross(vertices[b] - vertices[a], vertices[c] - vertices[a])) * solid.turn();
    }

    std::span<const Vec3> vertices;
    std::span<const Triangle> faces;
    Solid solid;
};

// A cloth on its way out of bodies of triangles.
class WayOut {
public:
    WayOut(World& world, const Cloth& cloth) : world_(world), cloth_(cloth) {
        for (const Triangle& t : world.triangles_of(cloth)) {
            triangles_.push_back(
                {world.particle_of_vertex[t[0]], world.particle_of_vertex[t[1]], world.particle_of_vertex[t[2]]});
            for (std::size_t k = 0; k < 3; ++k)
                mean_edge_ +=
                    length(world.rest_of(triangles_.back()[(k + 1) % 3]) - world.rest_of(triangles_.back()[k])) /
                    static_cast<float>(3 * cloth.face_count);
        }
    }

    // Sets particles that are inside, or closer than the cloth is thick, on the surface. Returns how many these are.
    std::size_t set_on(const Solid& solid) {
        std::atomic<std::size_t> count = 0; // a sum of whole numbers: the same in every order
        const auto thickness = static_cast<double>(cloth_.fabric.thickness);
        world_.parallel.for_uneven_pieces(cloth_.particle_count, 64, [&](std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const auto p = static_cast<Index>(cloth_.first_particle + k);
                if (world_.state.x[p].w == 0) continue;
                const Vec3d at = vector_cast<double>(world_.state.x[p].xyz());
                const auto exit = solid.contains(at) ? solid.nearest_exit(at) : solid.nearest_exit(at, thickness);
                if (!exit) continue;
                const double distance = thickness * static_cast<double>(rounding);
                put(world_, p, vector_cast<float>(exit->place + exit->normal * distance));
                ++count;
            }
        });
        return count;
    }

    // Moves triangles that cut a body outwards, to where the faces that they cut look. Returns how many these are.
    std::size_t move_where_cut(std::span<const Obstacle> obstacles) {
        std::vector<Vec3> x;
        for (Index p = 0; p < world_.state.count(); ++p) x.push_back(world_.state.x[p].xyz());
        std::vector<Vec3> outwards(triangles_.size());
        std::vector<bool> is_cutting(triangles_.size(), false);
        for (const Obstacle& obstacle : obstacles) {
            for (const auto& [own, face] : find_intersections({x, triangles_}, {obstacle.vertices, obstacle.faces})) {
                is_cutting[own] = true;
                if (obstacle.solid.is_closed()) outwards[own] += obstacle.outwards(face);
            }
        }
        std::vector<Vec3> way(x.size());
        for (std::size_t t = 0; t < triangles_.size(); ++t)
            for (const Index p : triangles_[t]) way[p] += normalized(outwards[t]);
        for (Index p = 0; p < x.size(); ++p)
            if (world_.state.x[p].w != 0 && !(way[p] == Vec3{}))
                put(world_, p, x[p] + normalized(way[p]) * (mean_edge_ / rounds));
        return static_cast<std::size_t>(std::count(is_cutting.begin(), is_cutting.end(), true));
    }

    static constexpr int rounds = 20; // in all, what cuts moves by the length of an edge

private:
    World& world_;
    const Cloth& cloth_;
    std::vector<Triangle> triangles_ = {}; // of particles
    float mean_edge_ = 0;                  // m
};

} // namespace

void bring_out(World& world) {
    std::vector<Obstacle> obstacles;
    for (const Collider& collider : world.colliders)
        if (!collider.vertices.empty()) obstacles.emplace_back(collider);
    for (const Cloth& cloth : world.cloths) {
        bring_out_of_simple_bodies(world, cloth);
        WayOut way(world, cloth);
        std::size_t inside = 0, cutting = 0;
        for (int round = 0; round < WayOut::rounds; ++round) {
            inside = 0; // what is set on one body may be in another
            for (const Obstacle& obstacle : obstacles) inside += way.set_on(obstacle.solid);
            cutting = way.move_where_cut(obstacles);
            if (inside + cutting == 0) break;
        }
        if (inside + cutting > 0)
            world.warnings.push_back("cloth \"" + cloth.name +
                                     "\" starts in a body and could not be brought out: " + std::to_string(inside) +
                                     " vertices are inside or too close, " + std::to_string(cutting) +
                                     " triangles cut it; start it outside, or farther from where bodies overlap");
    }
    put_back_implicit(world);
}

} // namespace taffeta
