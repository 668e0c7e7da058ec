// The built-in scenes: each runs, says what it is, and gives the bits it gave before.
#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <numeric>

namespace taffeta::io {

void PrintTo(const BuiltinScene& scene, std::ostream* out) { // NOLINT(readability-identifier-naming): GoogleTest's name
    *out << scene.name;
}

} // namespace taffeta::io

namespace {

using namespace taffeta;

const std::string golden_file = TAFFETA_SOURCE_DIR "/tests/scenes/golden.txt";

std::map<std::string, std::string> read_golden() {
    std::ifstream in(golden_file);
    std::map<std::string, std::string> golden;
    for (std::string name, hash; in >> name >> hash;) golden[name] = hash;
    return golden;
}

// s: those of collisions run until something has met; docs/collisions.md has them to their end.
float longest_run(const std::string& name) {
    if (name == "twist") return 0.9f;
    if (name == "ring") return 1.8f;
    if (name == "pressed_stack") return 1.2f;
    constexpr float of_collisions = 0.3f, of_all_others = 6;
    for (const char* other : {"fast_sheets", "mezger_tablecloth", "tape", "walking_trousers"})
        if (name == other) return of_collisions;
    return of_all_others;
}

class BuiltinScenes : public ::testing::TestWithParam<io::BuiltinScene> {};

TEST_P(BuiltinScenes, RunsWithFiniteResultsAndItsGoldenHash) {
    const std::string name(GetParam().name);
    auto scene = io::open_scene(name);
    ASSERT_TRUE(scene) << scene.errors().front().to_string();
    EXPECT_EQ(scene->name, name);
    scene->duration = std::min(scene->duration, longest_run(name));
    EXPECT_TRUE(scene->description.ends_with(".")) << "a description is a sentence";
    EXPECT_TRUE(scene->view.camera) << "a scene says where to look at it from";

    const auto run = io::run(*scene, {});
    ASSERT_TRUE(run);
    EXPECT_TRUE(run->report.finite);
    EXPECT_TRUE(run->report.warnings.empty());
    EXPECT_EQ(std::accumulate(run->report.unresolved.begin(), run->report.unresolved.end(), 0), 0);
    EXPECT_EQ(run->report.frames, 1 + std::lround(scene->duration * scene->frame_rate));

    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(run->report.hash));
    auto golden = read_golden();
    if (std::getenv("TAFFETA_UPDATE_GOLDEN") != nullptr) { // after a change that is meant to change the motion
        golden[name] = hash;
        std::ofstream out(golden_file);
        for (const auto& [scene_name, value] : golden) out << scene_name << ' ' << value << '\n';
    }
    EXPECT_EQ(golden[name], hash) << "if the motion was meant to change: TAFFETA_UPDATE_GOLDEN=1";
}

INSTANTIATE_TEST_SUITE_P(All, BuiltinScenes,
                         ::testing::ValuesIn(io::builtin_scenes().begin(), io::builtin_scenes().end()),
                         [](const auto& scene) { return std::string(scene.param.name); });

// [FGL03] Fig. 1: pairs of crossing triangles in the final second.
std::size_t crossings_in_the_final_second(const std::string& name) {
    const auto scene = io::open_scene(name);
    auto simulation = Simulation::create(*scene);
    const int frames = static_cast<int>(std::lround(scene->duration * scene->frame_rate));
    Mesh rest = simulation->cloth_mesh(0);
    std::vector<Vec3> positions(simulation->vertex_count());
    std::size_t crossings = 0;
    for (int frame = 1; frame <= frames; ++frame) {
        simulation->step(1 / scene->frame_rate);
        if (frame <= frames - static_cast<int>(scene->frame_rate)) continue;
        simulation->copy_positions(positions);
        crossings += inspect(rest, positions).intersections.size();
    }
    return crossings;
}

TEST(Figure1, SelfCollisionLeavesAtMostOnePercentOfTheIntersections) {
    const std::size_t off = crossings_in_the_final_second("tabletop_held_no_self");
    const std::size_t on = crossings_in_the_final_second("tabletop_held");
    EXPECT_GT(off, 1000u);
    EXPECT_LE(on * 100, off);
}

// [FGL03] Fig. 3 and section 5: 1,000 particles, dt = 0.0083 s, four steps per frame of 30 Hz, four sweeps, c = 0.99.
TEST(Figure3, HasTheSettingsOfThePaper) {
    const auto scene = io::open_scene("tabletop_dragged");
    ASSERT_TRUE(scene);
    EXPECT_EQ(scene->frame_rate, 30);
    EXPECT_EQ(scene->solver.substeps, 4);
    EXPECT_EQ(scene->solver.iterations, 4);
    EXPECT_EQ(scene->solver.velocity_factor, 0.99f);
    EXPECT_EQ(Simulation::create(*scene)->vertex_count(), 1000u);
}

} // namespace
