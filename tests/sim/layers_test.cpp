// Layers of cloth that meet by their triangles: they keep the thickness, and only what is close has contacts.
#include "geometry/closest.h"
#include "support/simulations.h"
#include "support/triangles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace taffeta {
namespace {

using test::frame;
using test::make_simulation;
using test::scene_of;
using test::watch;
using test::Watched;

// m: the least distance of two cloths, from triangle to triangle; `far` if it is more.
double gap_between(const Simulation& simulation, int lower, int upper, double far) {
    const std::vector<Vec3> x = test::positions_of(simulation);
    const auto belongs_to = [&](const Triangle& t, int cloth) {
        const bool is_last = cloth + 1 == static_cast<int>(simulation.world().cloths.size());
        return t[0] >= simulation.first_vertex(cloth) && (is_last || t[0] < simulation.first_vertex(cloth + 1));
    };
    double least = far;
    for (const Triangle& s : simulation.triangles()) {
        if (!belongs_to(s, lower)) continue;
        const Corners a = {x[s[0]], x[s[1]], x[s[2]]};
        for (const Triangle& t : simulation.triangles()) {
            if (!belongs_to(t, upper)) continue;
            const Corners b = {x[t[0]], x[t[1]], x[t[2]]};
            bool are_apart = false;
            for (int axis = 0; axis < 3; ++axis) {
                const auto [low_a, high_a] = std::minmax({a[0][axis], a[1][axis], a[2][axis]});
                const auto [low_b, high_b] = std::minmax({b[0][axis], b[1][axis], b[2][axis]});
                are_apart = are_apart || static_cast<double>(std::max(low_a - high_b, low_b - high_a)) > least;
            }
            if (!are_apart) least = std::min(least, triangle_distance(a, b));
        }
    }
    return least;
}

struct Stack {
    float thickness = 0; // m; an edge has 3 cm
    int substeps = 4;
    double least_gap = 0; // over the thickness
};

TEST(Layers, OnTheFloorKeepTheThicknessFromAFifthOfAnEdgeDown) {
    constexpr int layers = 3;
    constexpr float edge = 0.03f;
    // Of what is thinner than the way of a fall in one substep, 0.7 mm, sweeps leave the lowest layer less: it bears
    // all the others. Shorter substeps give it back.
    for (const auto& [thickness, substeps, least_gap] :
         {Stack{edge / 5, 4, 0.9}, Stack{edge / 15, 16, 0.9}, Stack{edge / 60, 16, 0.9}, Stack{edge / 60, 4, 0.3}}) {
        SCOPED_TRACE(std::to_string(thickness) + " m, substeps " + std::to_string(substeps));
        SceneDesc scene = scene_of("xpbd", {.size = {8 * edge, 8 * edge}, .cells = {8, 8}});
        scene.solver.substeps = substeps;
        scene.solver.damping = 2;
        scene.fabrics[0].thickness = thickness;
        scene.colliders = {{.shape = Plane{}}};
        for (int k = 0; k < layers; ++k) {
            if (k > 0) scene.cloths.push_back(scene.cloths[0]);
            const auto layer = static_cast<float>(k);
            scene.cloths.back().position = {0.004f * layer, 1.5f * thickness * (layer + 1), 0.002f * layer};
            scene.cloths.back().rotation = {0, 15 * layer, 0};
        }
        Simulation simulation = make_simulation(scene);
        const Watched watched = watch(simulation, 0.5);
        EXPECT_EQ(watched.crossings, 0);
        EXPECT_EQ(watched.all.unresolved, 0);
        const auto keep = static_cast<double>(thickness);
        for (int k = 0; k + 1 < layers; ++k) {
            const double gap = gap_between(simulation, k, k + 1, 1);
            EXPECT_GT(gap, least_gap * keep) << k;
            EXPECT_LT(gap, 1.01 * keep) << k;
        }
        const test::Extent extent = test::extent_of(test::positions_of(simulation));
        EXPECT_NEAR(extent.low.y, keep, 0.01 * keep);
        EXPECT_NEAR(extent.high.y, layers * keep, 0.15 * layers * keep);
    }
}

// A sheet of cells of 1 cm in which an arc of this radius joins two flat halves, one above the other.
Simulation make_fold(float thickness, double radius) {
    SceneDesc scene = scene_of("xpbd", {.size = {0.3f, 0.1f}, .cells = {30, 10}});
    scene.fabrics[0].thickness = thickness;
    scene.solver.substeps = 1;
    scene.gravity = {};
    Simulation simulation = make_simulation(scene);
    World& world = test::world_of(simulation);
    for (Index v = 0; v < simulation.vertex_count(); ++v) {
        const Vec3 rest = simulation.rest_positions()[v];
        const double along = static_cast<double>(rest.x), half = 0.5 * std::numbers::pi * radius;
        const double angle = std::clamp(along / radius, -0.5 * std::numbers::pi, 0.5 * std::numbers::pi);
        const double beyond = std::max(std::abs(along) - half, 0.0);
        Vec4& x = world.state.x[simulation.particle_of_vertex()[v]];
        x.set_xyz(vector_cast<float>(
            Vec3d{radius * std::cos(angle) - beyond, radius * std::sin(angle), static_cast<double>(rest.z)}));
    }
    return simulation;
}

// Contacts that have pushed in the last substep.
std::size_t count_pushes(const Simulation& simulation) {
    const ContactSet& contacts = simulation.world().contacts;
    std::size_t pushes = 0;
    for (std::size_t k = 0; k < contacts.count(); ++k) pushes += contacts.push(k) > 0 ? 1 : 0;
    return pushes;
}

TEST(Layers, OfAFoldTouchWhenTheyAreCloseAndNotBefore) {
    for (const float thickness : {0.0005f, 0.002f, 0.006f}) {
        SCOPED_TRACE(thickness);
        const auto keep = static_cast<double>(thickness);
        for (const double apart : {0.9 * keep, 1.2 * keep, 0.024}) {
            SCOPED_TRACE(apart);
            Simulation simulation = make_fold(thickness, 0.5 * apart);
            EXPECT_EQ(simulation.step(frame / 16).impacts, 0);
            EXPECT_EQ(count_pushes(simulation) > 0, apart < keep);
            if (apart < 2 * keep) continue;
            for (int k = 0; k < 5; ++k) { // it begins to open
                EXPECT_EQ(simulation.step(frame).impacts, 0);
                EXPECT_EQ(count_pushes(simulation), 0u);
            }
        }
    }
}

} // namespace
} // namespace taffeta
