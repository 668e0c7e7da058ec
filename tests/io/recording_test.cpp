// Result folders, read again: where the bodies were, and where cloth passes through them.
#include "io/scene_testing.h"
#include "mesh/generators.h"
#include "mesh/intersections.h"

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>

namespace taffeta {
namespace {

// A pinned sheet, through which a box, a body that deforms and a plane are led in spite of it, with a ball in its
// middle.
SceneDesc pierced_scene() {
    SceneDesc scene;
    scene.duration = 0.5f;
    scene.gravity = {};
    ClothDesc cloth;
    cloth.shape = GridShape{.size = {1, 1}, .cells = {12, 12}};
    cloth.pins = {BoxPin{{-1, -1, -1}, {1, 1, 1}}};
    scene.cloths = {cloth};

    ColliderDesc box;
    box.shape = Box{{0.2f, 0.3f, 0.25f}};
    box.rotation = {10, 20, 30};
    box.motion = {{.t = 0.1, .position = Vec3{0.21f, 0.6f, 0.1f}, .rotation = {}},
                  {.t = 0.3, .position = {}, .rotation = Vec3{40, 0, 50}},
                  {.t = 0.45, .position = Vec3{0.1f, -0.5f, 0.2f}, .rotation = {}}};
    Mesh flat = make_grid({0.4f, 0.4f}, {3, 3}, Diagonals::left);
    std::vector<Vec3> upright = flat.positions;
    for (Vec3& p : upright) p = {p.x, p.z, 0.2f * p.x};
    BodyMesh body;
    body.mesh = flat;
    body.deformation =
        BodyFrames{.frame_rate = 4, .positions = std::vector<std::vector<Vec3>>{flat.positions, upright}};
    ColliderDesc sail;
    sail.shape = body;
    sail.position = {-0.2f, 0.07f, 0.01f};
    ColliderDesc ball;
    ball.shape = Sphere{0.3f};
    ColliderDesc plane;
    plane.shape = Plane{{0.5f, 2, 0}};
    plane.rotation = {0, 30, 0};
    plane.motion = {{.t = 0, .position = Vec3{0.013f, -1, 0}, .rotation = {}},
                    {.t = 0.5, .position = Vec3{0.013f, 0.25f, 0}, .rotation = {}}};
    scene.colliders = {box, ball, sail, plane};
    return scene;
}

TEST(Recording, BodiesAreWhereTheSimulationHadThem) {
    const io::Folder folder;
    const SceneDesc scene = pierced_scene();
    ASSERT_TRUE(io::run(scene, {.outputs = {folder.path().string() + "/"}}));
    const Result<io::Recording> recording = io::read_recording(folder.path());
    ASSERT_TRUE(recording) << recording.faults()[0].to_string();

    const Mesh box = make_collider_mesh(scene.colliders[0].shape), ball = make_collider_mesh(scene.colliders[1].shape);
    const Mesh& sail = *std::get<BodyMesh>(scene.colliders[2].shape).mesh;
    Result<Simulation> simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    std::size_t of_box = 0, of_sail = 0, of_plane = 0;
    for (std::size_t frame = 0; frame < recording->frames.size(); ++frame) {
        if (frame > 0) simulation->step(1 / scene.frame_rate);
        std::array<std::vector<std::array<Index, 2>>, 4> found;
        for (const auto& [collider, cloth, body] : io::find_body_intersections(*recording, frame))
            found.at(collider).push_back({cloth, body});

        const SurfaceView cloth = {recording->frames[frame], recording->rest.triangles};
        std::vector<Vec3> box_vertices = box.positions, sail_vertices;
        const Pose pose = simulation->collider_pose(0);
        for (Vec3& p : box_vertices) p = pose.to_world(p);
        simulation->copy_collider_vertices(2, sail_vertices);
        EXPECT_EQ(found[0], find_intersections(cloth, {box_vertices, box.triangles})) << "frame " << frame;
        EXPECT_EQ(found[1], find_intersections(cloth, {ball.positions, ball.triangles})) << "frame " << frame;
        EXPECT_GT(found[1].size(), 48u); // though its equator is in the plane of the sheet
        EXPECT_EQ(found[2], find_intersections(cloth, {sail_vertices, sail.triangles})) << "frame " << frame;
        std::vector<std::array<Index, 2>> behind;
        for (Index t = 0; t < cloth.triangles.size(); ++t) {
            const auto is_behind = [&](Index v) {
                return dot(Vec3{0.5f, 2, 0}, simulation->collider_pose(3).to_local(cloth.positions[v])) < 0;
            };
            if (std::any_of(cloth.triangles[t].begin(), cloth.triangles[t].end(), is_behind)) behind.push_back({t, 0});
        }
        EXPECT_EQ(found[3], behind) << "frame " << frame;
        of_box += found[0].size(), of_sail += found[2].size(), of_plane += behind.size();
    }
    EXPECT_GT(of_box, 30u);
    EXPECT_GT(of_sail, 30u);
    EXPECT_GT(of_plane, 300u);
    EXPECT_LT(of_plane, recording->frames.size() * recording->rest.triangles.size() / 2);
}

TEST(Recording, AFloorIsSeenToTheLastBit) {
    io::Recording recording;
    recording.rest.triangles = {{0, 1, 2}};
    recording.scene.colliders.emplace_back().shape = Plane{};
    recording.scene.colliders[0].position = {0, 0.1f, 0};
    for (const float low : {0.1f, std::nextafter(0.1f, 1.0f), std::nextafter(0.1f, 0.0f)})
        recording.frames.push_back({{0, 1, 0}, {1e6f, low, -1e6f}, {0, 2, 1}});
    EXPECT_TRUE(io::find_body_intersections(recording, 0).empty()); // lies on it
    EXPECT_TRUE(io::find_body_intersections(recording, 1).empty());
    EXPECT_EQ(io::find_body_intersections(recording, 2).size(), 1u);
}

TEST(Recording, WithoutItsSceneIsRefused) {
    const io::Folder folder;
    SceneDesc scene = pierced_scene();
    scene.duration = 0.1f;
    ASSERT_TRUE(io::run(scene, {.outputs = {folder.path().string() + "/"}}));
    std::filesystem::remove(folder.path() / "scene.toml");
    const Result<io::Recording> recording = io::read_recording(folder.path());
    ASSERT_FALSE(recording);
    EXPECT_NE(recording.faults()[0].to_string().find("scene.toml"), std::string::npos);
}

} // namespace
} // namespace taffeta
