// Scenes of cloth that meets by its triangles, and what went through what.
#pragma once

#include "mesh/intersections.h"
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace taffeta::test {

// Crossing pairs of triangles among all cloths and bodies, those within one body left out.
inline std::size_t count_crossings(const Simulation& simulation) {
    std::vector<Vec3> positions = positions_of(simulation);
    std::vector<Triangle> triangles(simulation.triangles().begin(), simulation.triangles().end());
    const std::size_t cloth = triangles.size();
    for (const Collider& collider : simulation.world().colliders) {
        const auto first = static_cast<Index>(positions.size());
        positions.insert(positions.end(), collider.vertices.begin(), collider.vertices.end());
        for (const Triangle& t : collider.faces) triangles.push_back({first + t[0], first + t[1], first + t[2]});
    }
    const auto found = find_self_intersections(positions, triangles);
    return static_cast<std::size_t>(
        std::count_if(found.begin(), found.end(), [&](const auto& pair) { return pair[0] < cloth; }));
}

struct Watched {
    std::size_t crossings = 0; // of all frames
    StepReport all = {};       // impacts, zones, unresolved: of all frames
};

inline Watched watch(Simulation& simulation, double seconds) {
    Watched watched;
    const int frames = static_cast<int>(std::lround(seconds * 30));
    for (int k = 0; k < frames; ++k) {
        const StepReport report = simulation.step(frame);
        EXPECT_TRUE(report.finite) << "frame " << k;
        watched.crossings += count_crossings(simulation);
        watched.all.impacts += report.impacts;
        watched.all.zones += report.zones;
        watched.all.unresolved += report.unresolved;
        watched.all.self_contacts += report.self_contacts;
    }
    return watched;
}

inline SceneDesc scene_of(const std::string& method, const GridShape& shape) {
    SceneDesc scene = scene_with(shape);
    scene.solver.method = method;
    scene.cloths[0].self_collision = SelfCollision::triangles;
    return scene;
}

inline BodyMesh box_body(const Vec3& half) {
    Mesh mesh;
    for (const float x : {-half.x, half.x})
        for (const float y : {-half.y, half.y})
            for (const float z : {-half.z, half.z}) mesh.positions.push_back({x, y, z});
    mesh.triangles = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                      {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    BodyMesh body;
    body.mesh = mesh;
    return body;
}

inline BodyMesh body_of(Mesh mesh) {
    BodyMesh body;
    body.mesh = std::move(mesh);
    return body;
}

} // namespace taffeta::test
