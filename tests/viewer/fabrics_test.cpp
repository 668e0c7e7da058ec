// Fabrics put on in the panel: all of them but the name, and back again.
#include "viewer/parameter_sliders.h"

#include <taffeta/io.h>
#include <taffeta/simulation.h>

#include <gtest/gtest.h>

namespace taffeta::viewer {
namespace {

TEST(Fabrics, ABuiltinOneIsPutOnWithItsLookAndTakenOffAgain) {
    SceneDesc original;
    original.fabrics = {Fabric{.name = "own", .density = 0.3f, .colour = colour_of(0x123456)}};
    original.cloths.push_back({.fabric = "own", .shape = GridShape{.cells = {4, 4}}});
    SceneDesc scene = original;
    auto simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    for (const io::BuiltinFabric& builtin : io::builtin_fabrics()) {
        const auto file = io::open_fabric(std::string(builtin.name));
        ASSERT_TRUE(file) << builtin.name;
        put_on(file->fabric, scene.fabrics[0]);
        Fabric expected = file->fabric;
        expected.name = "own";
        EXPECT_TRUE(scene.fabrics[0] == expected) << builtin.name;
        EXPECT_TRUE(simulation->change(scene)) << builtin.name;
        EXPECT_TRUE(simulation->step(1.0f / 30).finite) << builtin.name;
    }
    copy_parameters(original, scene);
    EXPECT_TRUE(scene == original);
}

} // namespace
} // namespace taffeta::viewer
