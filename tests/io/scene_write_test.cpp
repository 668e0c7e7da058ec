// A scene written and read again is the same scene.
#include "io/scene/scene_keys.h"
#include "io/scene_testing.h"

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace taffeta::io {
namespace {

// Every alternative of every variant, optionals with and without a value, and numbers that are no short decimals.
SceneDesc rich_scene() {
    constexpr float third = 1.0f / 3;
    SceneDesc scene;
    scene.name = "rich \"quoted\" \\ \t läuft";
    scene.description = "two\nlines\x01\x7f";
    scene.duration = third;
    scene.frame_rate = 59.94f;
    scene.gravity = {1e-20f, -9.81f, 3e5f};
    scene.solver = {"limits", 7, 9, 0.0f, 0.987654321f, true, 3};
    scene.fabrics = {
        {"silk", 0.05f, 1e-4f, third, 1.05f, 0.95f, 0.1f}, {"my silk.2", 0.1f, 2e-6f, 0, 1, 1, 0}, Fabric{}};

    ClothDesc grid{"a", "my silk.2", GridShape{{third, 2}, {5, 7}, Diagonals::cross}, {1, 2, third}, {90, -0.0f, 1}};
    grid.scale = 2 * third;
    grid.velocity = {-third, 0, 1};
    grid.pins = {VertexPin{{0, 5, 17}}, BoxPin{{-1, -third, 0}, {1, third, 2}}, CornerPin{"-x+z"}};
    grid.self_collision = SelfCollision::none;
    grid.self_distance = 0.0123f;
    grid.warp = Vec3{third, 0, -1};
    grid.weld = false;
    ClothDesc disk{"b", "silk", DiskShape{third, 321}};
    ClothDesc mesh{"c", "", MeshShape{{{{0, 0, 0}, {1, 0, 0}, {0, 1, third}}, {{0, 1, 2}}, {}}, "rest.obj"}};
    Pin carried = CornerPin{"+x"}, turned = VertexPin{{3}};
    carried.follow = 1;
    turned.motion = {{0, Vec3{0, 1, 0}, std::nullopt}, {third, std::nullopt, Vec3{0, 1800, 0}}};
    turned.centre = Vec3{third, 0, 0};
    disk.pins = {carried, turned};
    scene.cloths = {grid, disk, mesh, {"d", "silk", TrousersShape{900}}};

    ColliderDesc moving{Box{{1, third, 2}}, {0, -third, 0}, {0, 45, 0}, 0.25f, {}};
    moving.motion = {{0, Vec3{0, 1, 0}, std::nullopt}, {third, std::nullopt, Vec3{0, 90, 0}}, {2, Vec3{}, Vec3{}}};
    scene.colliders = {
        moving, {Sphere{third}}, {Plane{{0, 1, third}}}, {Capsule{0.1f, third}}, {Cylinder{third, 0.2f}}};
    scene.colliders.push_back({.shape = BodyMesh{std::get<MeshShape>(mesh.shape).mesh, "rest.obj"}});

    scene.grabs = {{"b", Vec3{third, 0, 0}, std::nullopt, 0.1f, {{0, {0, third, 0}}, {1.5f, {0, 2, 0}}}},
                   {"", std::nullopt, 3u, 0.0f, {{0.25f, {0, 1, 0}}, {third + 1, {1, 2, 3}}}}};
    scene.grabs[0].path.push_back({1.6000000000000001, {}}); // times have double precision
    scene.fabrics[0].stretch = {1000 * third, 7};
    scene.fabrics[0].poisson = -third;
    scene.fabrics[0].shear = 100 * third;
    scene.fabrics[0].bend = {1e-5f * third, 0};
    scene.fabrics[0].bend_hysteresis = 1e-3f * third;
    scene.fabrics[0].strain_limit = third;
    scene.fabrics[0].stretch_damping = 0.01f * third;
    scene.fabrics[0].bend_damping = 0.1f * third;
    scene.fabrics[0].drag = third;
    scene.fabrics[0].lift = 2 * third;
    scene.fabrics[0].colour = colour_of(0x12ab9f);
    scene.fabrics[0].second_colour = colour_of(0xfffffe);
    scene.fabrics[0].weave = Weave::satin;
    scene.fabrics[0].pattern = Pattern::check;
    scene.fabrics[0].sheen = third;
    scene.fabrics[1].weave = Weave::twill;
    scene.fabrics[1].pattern = Pattern::stripes;
    scene.colliders[1].colour = colour_of(0x000001);
    scene.view = {Camera{{1, third, 2}, {0, 0.25f, 0}, 41.5f}, colour_of(0x010203), {}, -third};
    scene.view.light = {{third, 1, 0}, 1 + third, colour_of(0xffeedd), third};
    scene.wind = {{third, 0, -2}, third, 77};
    return scene;
}

TEST(SceneWrite, WrittenScenesReadBackAsTheSame) {
    const Folder folder;
    folder.write("rest.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0.333333343\nf 1 2 3\n");
    const SceneDesc scene = rich_scene();
    const std::string text = scene_to_toml(scene);
    const auto again = read_scene_text(text, file_name, folder.path());
    ASSERT_TRUE(again) << all_messages(again.faults()) << text;
    EXPECT_TRUE(scene == *again) << text;
    EXPECT_EQ(scene_to_toml(*again), text);
}

TEST(SceneWrite, DampingIsWrittenWhereThereIsNoVelocityFactor) {
    SceneDesc damped = scene_of("[[cloth]]");
    damped.solver.damping = 0.5f;
    EXPECT_TRUE(damped == scene_of(scene_to_toml(damped)));
}

TEST(SceneWrite, EveryDefaultIsWritten) {
    const std::string text = scene_to_toml(scene_of("[fabric.silk]\n[[cloth]]\n[[collider]]\n[view]\ncamera = {}"));
    for (const std::string line :
         {"version     = 1", "duration    = 4.0", "units       = \"m\"", "[solver]", "damping      = 0.0",
          "acceleration = true", "[fabric.silk]", "density         = 0.15", "bend            = [1e-05, 1e-05]",
          "method       = \"xpbd\"              # xpbd | implicit | limits", "[[cloth]]", "cells = [31, 31]",
          "self_collision = true", "pins           = []", "weld           = true", "[[collider]]", "radius   = 0.35",
          "fov = 35.0"})
        EXPECT_NE(text.find(line), std::string::npos) << line << "\n" << text;
}

TEST(SceneWrite, EveryColourOfAFileIsWrittenAsItWasRead) {
    for (std::uint32_t level = 0; level < 256; ++level) {
        char text[10];
        std::snprintf(text, sizeof text, "\"#%06x\"", level * 0x010000 + (255 - level) * 0x100 + (level * 7) % 256);
        const SceneDesc scene = scene_of("[[cloth]]\n[view]\nbackground = " + std::string(text));
        EXPECT_EQ(toml_text(scene.view.background), text);
    }
    EXPECT_EQ(toml_text(scene_of("[[cloth]]\n[view]\nbackground = '#AbCDEF'").view.background), "\"#abcdef\"");
}

TEST(SceneWrite, WrittenFloatsReadBackBitForBit) {
    std::mt19937 random(7);
    for (int i = 0; i < 2000; ++i) {
        const float value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
        if (!std::isfinite(value)) continue;
        const std::string text = toml_text(value);
        EXPECT_EQ(static_cast<float>(std::stod(text)), value) << text;
        EXPECT_NE(text.find_first_of(".e"), std::string::npos) << "TOML would take this for an integer: " << text;
    }
    // Lies so near to the middle of two floats that rounding twice would miss it.
    for (const float value : {7.038531e-26f, -7.038531e-26f})
        EXPECT_EQ(static_cast<float>(std::stod(toml_text(value))), value);
    EXPECT_EQ(toml_text(0.0005f), "0.0005");
    EXPECT_EQ(toml_text(30.0f), "30.0");
    EXPECT_EQ(toml_text(1e20f), "1e+20");
}

} // namespace
} // namespace taffeta::io
