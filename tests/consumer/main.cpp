// A cloth of one square metre falls onto a ball: the program of the README, which also looks at the result.
#include <taffeta/taffeta.h>

#include <algorithm>
#include <cstdio>
#include <vector>

int main() {
    taffeta::SceneDesc scene;
    scene.cloths.push_back({.shape = taffeta::GridShape{.cells = {31, 31}}, .position = {0, 0.5f, 0}});
    scene.colliders.push_back({.shape = taffeta::Sphere{.radius = 0.35f}});

    auto simulation = taffeta::Simulation::create(scene);
    if (!simulation) {
        for (const auto& error : simulation.errors()) std::fprintf(stderr, "%s\n", error.to_string().c_str());
        return 2;
    }
    for (int frame = 0; frame < 60; ++frame) simulation->step(1.0f / 30);

    std::vector<taffeta::Vec3> vertices(simulation->vertex_count());
    simulation->copy_positions(vertices);
    const auto lowest = std::min_element(vertices.begin(), vertices.end(), [](auto& a, auto& b) { return a.y < b.y; });
    std::printf("after %.1f s the lowest vertex is at %.3f m\n", simulation->time(), lowest->y);

    // The ball's top is at 0.35 m: the cloth hangs down from it.
    const bool all_finite = std::all_of(vertices.begin(), vertices.end(), taffeta::is_finite<float>);
    return all_finite && lowest->y < 0.35f ? 0 : 1;
}
