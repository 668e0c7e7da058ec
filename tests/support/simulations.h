// Scenes and what one measures on them.
#pragma once

#include "sim/world.h"

#include <taffeta/simulation.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace taffeta::test {

// A scene that must be good: its errors end the test.
inline Simulation make_simulation(const SceneDesc& scene) {
    Result<Simulation> simulation = Simulation::create(scene);
    if (simulation) return std::move(*simulation);
    std::string all;
    for (const Error& error : simulation.errors()) all += error.to_string() + "\n";
    throw std::runtime_error(all);
}

// For putting a simulation into a state that its interface does not lead to.
inline World& world_of(Simulation& simulation) {
    return const_cast<World&>(simulation.world());
}

// One cloth with the default fabric, held by length limits on one thread; no damping.
inline SceneDesc scene_with(const ClothShape& shape) {
    SceneDesc scene;
    scene.solver.method = "limits";
    scene.solver.threads = 1;
    scene.fabrics = {Fabric{}};
    scene.cloths.push_back({.fabric = scene.fabrics[0].name, .shape = shape});
    return scene;
}

inline SceneDesc scene_with(const Mesh& mesh) {
    return scene_with(MeshShape{.mesh = mesh});
}

inline constexpr float frame = 1.0f / 30;

// Steps through `seconds` at 30 frames per second. False if a step could not be completed.
inline bool run(Simulation& simulation, double seconds) {
    bool finite = true;
    const int frames = static_cast<int>(std::lround(seconds * 30));
    for (int k = 0; k < frames; ++k) finite = simulation.step(frame).finite && finite;
    return finite;
}

inline std::vector<Vec3> positions_of(const Simulation& simulation) {
    std::vector<Vec3> positions(simulation.vertex_count());
    simulation.copy_positions(positions);
    return positions;
}

inline bool all_finite(const Simulation& simulation) {
    const std::vector<Vec3> positions = positions_of(simulation);
    return std::all_of(positions.begin(), positions.end(), [](const Vec3& p) { return is_finite(p); });
}

struct Extent {
    Vec3d low, high;
};

inline Extent extent_of(std::span<const Vec3> positions) {
    Extent extent = {vector_cast<double>(positions[0]), vector_cast<double>(positions[0])};
    for (const Vec3& p : positions) {
        for (int axis = 0; axis < 3; ++axis) {
            extent.low[axis] = std::min(extent.low[axis], static_cast<double>(p[axis]));
            extent.high[axis] = std::max(extent.high[axis], static_cast<double>(p[axis]));
        }
    }
    return extent;
}

inline Vec3d centre_of_mass(const World& world) {
    Vec3d sum;
    double mass = 0;
    for (std::size_t p = 0; p < world.mass.size(); ++p) {
        sum += vector_cast<double>(world.state.x[p].xyz()) * world.mass[p];
        mass += world.mass[p];
    }
    return sum * (1 / mass);
}

// Area of the union of the triangles seen from above, in m^2: the cells of a fine raster whose middle is covered.
inline double shadow_area(std::span<const Vec3> positions, std::span<const Triangle> triangles, double cell = 0.002) {
    const Extent extent = extent_of(positions);
    const auto columns = static_cast<std::size_t>((extent.high.x - extent.low.x) / cell) + 2;
    const auto rows = static_cast<std::size_t>((extent.high.z - extent.low.z) / cell) + 2;
    std::vector<bool> covered(columns * rows, false);
    const auto to_cell = [&](double value, double low) { return (value - low) / cell - 0.5; };
    for (const Triangle& t : triangles) {
        std::array<double, 3> u = {}, v = {};
        for (std::size_t k = 0; k < 3; ++k) {
            u[k] = to_cell(positions[t[k]].x, extent.low.x);
            v[k] = to_cell(positions[t[k]].z, extent.low.z);
        }
        const auto [u_low, u_high] = std::minmax({u[0], u[1], u[2]});
        const auto [v_low, v_high] = std::minmax({v[0], v[1], v[2]});
        for (auto row = static_cast<std::size_t>(std::max(0.0, std::ceil(v_low))); static_cast<double>(row) <= v_high;
             ++row) {
            for (auto column = static_cast<std::size_t>(std::max(0.0, std::ceil(u_low)));
                 static_cast<double>(column) <= u_high; ++column) {
                const double x = static_cast<double>(column), y = static_cast<double>(row);
                const auto side = [&](std::size_t a, std::size_t b) {
                    return (u[b] - u[a]) * (y - v[a]) - (v[b] - v[a]) * (x - u[a]);
                };
                const double s0 = side(0, 1), s1 = side(1, 2), s2 = side(2, 0);
                if ((s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0))
                    covered[row * columns + column] = true;
            }
        }
    }
    return static_cast<double>(std::count(covered.begin(), covered.end(), true)) * cell * cell;
}

} // namespace taffeta::test
