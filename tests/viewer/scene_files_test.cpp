#include "viewer/scene_files.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace taffeta::viewer {
namespace {

namespace fs = std::filesystem;

class SceneFiles : public testing::Test {
protected:
    SceneFiles()
        : folder_(fs::path(testing::TempDir()) / testing::UnitTest::GetInstance()->current_test_info()->name()) {
        fs::remove_all(folder_);
        fs::create_directories(folder_);
    }
    ~SceneFiles() override { fs::remove_all(folder_); }

    std::string write(const std::string& name, const std::string& text) const {
        std::ofstream(folder_ / name) << text;
        return (folder_ / name).string();
    }

    fs::path folder_;
};

TEST(ForPlaying, SameSubstepsInMoreFrames) {
    SceneDesc scene;
    scene.frame_rate = 30;
    scene.solver.substeps = 4;
    const SceneDesc playing = for_playing(scene);
    EXPECT_EQ(playing.frame_rate, 60);
    EXPECT_EQ(playing.solver.substeps, 2);
}

TEST(ForPlaying, WhatCannotBeDividedOrIsFastEnoughStays) {
    SceneDesc scene;
    scene.solver.substeps = 3;
    EXPECT_EQ(for_playing(scene), scene);
    scene.frame_rate = 120;
    scene.solver.substeps = 4;
    EXPECT_EQ(for_playing(scene), scene);
}

TEST_F(SceneFiles, BuiltinScenesArePlayable) {
    for (const io::BuiltinScene& builtin : io::builtin_scenes()) {
        const auto playable = open_playable(std::string(builtin.name));
        ASSERT_TRUE(playable) << builtin.name;
        EXPECT_EQ(playable->scene.name, builtin.name);
        EXPECT_GE(playable->scene.frame_rate, 60) << builtin.name;
        EXPECT_FALSE(playable->scene.fabrics.empty()) << builtin.name;
    }
}

TEST_F(SceneFiles, AMeshInCentimetresFallsOnABallInMetres) {
    const std::string file = write("square.obj", "v 0 5 0\nv 100 5 0\nv 100 5 80\nv 0 5 80\nf 1 4 3 2\n");
    const auto playable = open_playable(file);
    ASSERT_TRUE(playable) << playable.errors()[0].to_string();
    const Sphere ball = std::get<Sphere>(playable->scene.colliders.at(0).shape);
    for (Index v = 0; v < 4; ++v) {
        const Vec3 p = playable->simulation->position(v);
        EXPECT_NEAR(std::abs(p.x), 0.5f, 1e-4f);
        EXPECT_NEAR(std::abs(p.z), 0.4f, 1e-4f);
        EXPECT_GT(p.y, 2 * ball.radius);
    }
    EXPECT_EQ(playable->scene.name, "square");
}

TEST_F(SceneFiles, BadFilesSayWhatIsWrong) {
    for (const auto& [name, text, word] : {std::array<std::string, 3>{"point.obj", "v 0 0 0\n", ""},
                                           {"nan.obj", "v nan 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n", ""},
                                           {"flat.obj", "v 1 1 1\nv 1 1 1\nv 1 1 1\nf 1 2 3\n", ""},
                                           {"picture.png", "\x89PNG", "neither a scene"},
                                           {"bytes.ply", "\x01\x02", ""},
                                           {"bytes.glb", "glTFglTF", ""},
                                           {"bad.toml", "[solver]\nsubsteps = 0\n[[cloth]]\n", "substeps"}}) {
        const auto playable = open_playable(write(name, text));
        ASSERT_FALSE(playable) << name;
        EXPECT_NE(playable.errors()[0].to_string().find(name), std::string::npos) << playable.errors()[0].to_string();
        EXPECT_NE(playable.errors()[0].to_string().find(word), std::string::npos) << playable.errors()[0].to_string();
    }
    EXPECT_FALSE(open_playable((folder_ / "missing.toml").string()));
    EXPECT_FALSE(open_playable((folder_ / "missing.obj").string()));
}

TEST_F(SceneFiles, NewFilesOverwriteNone) {
    EXPECT_EQ(new_file(folder_, "cloth", ".png"), folder_ / "cloth-001.png");
    write("cloth-001.png", "");
    EXPECT_EQ(new_file(folder_, "cloth", ".png"), folder_ / "cloth-002.png");
}

TEST_F(SceneFiles, AWrittenSceneIsTheSameWhenItIsRead) {
    const auto playable = open_playable(write("square.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 4 3 2\n"));
    ASSERT_TRUE(playable);
    const fs::path file = folder_ / "square-001.toml";
    ASSERT_TRUE(write_scene(file, playable->scene));
    const auto again = open_playable(file.string());
    ASSERT_TRUE(again) << again.errors()[0].to_string();
    EXPECT_EQ(again->simulation->hash(), playable->simulation->hash());
    EXPECT_EQ(again->scene.solver, playable->scene.solver);
    EXPECT_FALSE(write_scene(file / "x.toml", playable->scene)); // in a file instead of a folder
}

TEST_F(SceneFiles, AWrittenSceneBringsItsBodies) {
    write("body.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const auto playable =
        open_playable(write("scene.toml", "[[cloth]]\n[[collider]]\nshape = 'mesh'\nmesh = 'body.obj'\n"));
    ASSERT_TRUE(playable) << playable.errors()[0].to_string();
    const fs::path file = folder_ / "a#1.toml";
    ASSERT_TRUE(write_scene(file, playable->scene));
    EXPECT_TRUE(fs::exists(folder_ / "a_1-collider1.obj"));
    const auto again = open_playable(file.string());
    ASSERT_TRUE(again) << again.errors()[0].to_string();
    EXPECT_EQ(std::get<BodyMesh>(again->scene.colliders[0].shape).mesh,
              std::get<BodyMesh>(playable->scene.colliders[0].shape).mesh);
}

} // namespace
} // namespace taffeta::viewer
