// The scenes of the paper's figures do what the figures show.
#include "support/simulations.h"

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace taffeta {
namespace {

SceneDesc open(const std::string& name) {
    Result<SceneDesc> scene = io::open_scene(name);
    if (!scene) throw std::runtime_error(scene.errors()[0].to_string());
    scene->solver.threads = 1;
    return *scene;
}

TEST(PaperScenes, ThereIsOneForEveryFigure) {
    std::set<std::string_view> names;
    for (const io::BuiltinScene& scene : io::builtin_scenes()) names.insert(scene.name);
    for (const char* name :
         {"tabletop_held", "tabletop_held_no_self", "sphere_soft", "sphere_stiff", "tabletop_dragged"})
        EXPECT_TRUE(names.count(name) == 1) << name;
}

TEST(PaperScenes, Figure1sTwoScenesDifferInSelfCollisionAlone) { // F20
    const SceneDesc on = open("tabletop_held"), off = open("tabletop_held_no_self");
    EXPECT_EQ(cloth_self_collision(on, 0), SelfCollision::particles);
    EXPECT_EQ(off.cloths.at(0).self_collision, SelfCollision::none);
    EXPECT_EQ(on.solver.iterations, off.solver.iterations);
    EXPECT_EQ(on.duration, off.duration);
    EXPECT_EQ(test::make_simulation(on).hash(), test::make_simulation(off).hash()); // they start alike
}

TEST(PaperScenes, Figure2sTwoScenesDifferInBendingAlone) { // F10, F21; sim/drape_test.cpp compares the shadows
    const SceneDesc soft = open("sphere_soft"), stiff = open("sphere_stiff");
    EXPECT_EQ(soft.fabrics.at(0).bend_limit, 0.89f);
    EXPECT_EQ(stiff.fabrics.at(0).bend_limit, 0.99f);
    EXPECT_EQ(soft.fabrics[0].friction, stiff.fabrics[0].friction);
    EXPECT_EQ(soft.solver.iterations, stiff.solver.iterations);
    EXPECT_EQ(soft.duration, stiff.duration);
    EXPECT_EQ(static_cast<float>(soft.solver.substeps) * soft.frame_rate, 120);
    EXPECT_EQ(test::make_simulation(soft).vertex_count(), 1600u);
    EXPECT_EQ(test::make_simulation(soft).hash(), test::make_simulation(stiff).hash()); // they start alike
}

TEST(PaperScenes, Figure3sTabletopFollowsItsHand) { // F13, F22
    const SceneDesc scene = open("tabletop_dragged");
    EXPECT_EQ(cloth_self_collision(scene, 0), SelfCollision::particles);
    ASSERT_EQ(scene.grabs.size(), 1u);
    Simulation simulation = test::make_simulation(scene);
    simulation.step(test::frame);
    ASSERT_EQ(simulation.world().hands.size(), 1u);
    ASSERT_EQ(simulation.world().hands[0].held.size(), 1u);
    const Index held = simulation.world().hands[0].held[0].particle;
    const std::vector<GrabDesc::Key>& path = scene.grabs[0].path;
    for (int number = 2; number < static_cast<int>(path.back().t * 30); ++number) {
        ASSERT_TRUE(simulation.step(test::frame).finite);
        const double t = number / 30.0;
        std::size_t k = 1;
        while (path[k].t < t) ++k;
        const double part = (t - path[k - 1].t) / (path[k].t - path[k - 1].t);
        const Vec3d a = vector_cast<double>(path[k - 1].position), b = vector_cast<double>(path[k].position);
        const Vec3d now = vector_cast<double>(simulation.world().state.x[held].xyz());
        ASSERT_NEAR(length(now - (a + (b - a) * part)), 0, 1e-6) << t << " s";
    }
}

} // namespace
} // namespace taffeta
