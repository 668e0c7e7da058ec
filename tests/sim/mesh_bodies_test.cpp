// Bodies of triangles that are sharp, fast, turned or deform: cloth does not pass through them.
#include "collision/colliders/inside_test.h"
#include "mesh/generators.h"
#include "support/simulations.h"
#include "support/triangles.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace taffeta {
namespace {

using test::body_of;
using test::box_body;
using test::frame;
using test::make_simulation;
using test::scene_of;
using test::watch;
using test::Watched;

// --- sharp

// With its tip at the origin.
Mesh make_cone(int around, float radius, float height) {
    Mesh mesh;
    mesh.positions = {{0, 0, 0}, {0, -height, 0}};
    for (int k = 0; k < around; ++k) {
        const double angle = 2 * std::numbers::pi * k / around;
        mesh.positions.push_back(
            {radius * static_cast<float>(std::cos(angle)), -height, radius * static_cast<float>(std::sin(angle))});
    }
    for (int k = 0; k < around; ++k) {
        const auto a = static_cast<Index>(2 + k), b = static_cast<Index>(2 + (k + 1) % around);
        mesh.triangles.push_back({0, b, a});
        mesh.triangles.push_back({1, a, b});
    }
    return mesh;
}

// A prism along X with its edge, at the origin, upwards: 14 degrees.
Mesh make_wedge() {
    Mesh mesh;
    for (const float x : {-0.4f, 0.4f})
        for (const auto& [y, z] : {std::array{0.0f, 0.0f}, std::array{-0.4f, 0.05f}, std::array{-0.4f, -0.05f}})
            mesh.positions.push_back({x, y, z});
    mesh.triangles = {{0, 1, 2}, {3, 5, 4}, {0, 3, 4}, {0, 4, 1}, {1, 4, 5}, {1, 5, 2}, {2, 5, 3}, {2, 3, 0}};
    return mesh;
}

struct Sharp {
    const char* name;
    Mesh mesh;
};

TEST(SharpBodies, DoNotPierceCoarseCloth) { // O11
    const std::vector<Sharp> bodies = {{"cone", make_cone(9, 0.12f, 0.4f)},
                                       {"needle", make_cone(5, 0.01f, 0.4f)},
                                       {"wedge", make_wedge()},
                                       {"plate on edge", *box_body({0.4f, 0.2f, 0.001f}).mesh}};
    for (const std::string method : {"xpbd", "limits", "implicit"}) {
        for (const Sharp& body : bodies) {
            for (const int cells : {1, 2, 5}) {
                SCOPED_TRACE(method + ", " + body.name + ", cells " + std::to_string(cells));
                SceneDesc scene = scene_of(method, {.size = {0.8f, 0.8f}, .cells = {cells, cells}});
                scene.cloths[0].position = {0.031f, 0.25f, 0.023f}; // no vertex above what is sharp
                scene.cloths[0].rotation = {0, 17, 0};
                scene.colliders = {{.shape = body_of(body.mesh)}};
                Simulation simulation = make_simulation(scene);
                EXPECT_TRUE(simulation.warnings().empty());
                const Watched watched = watch(simulation, 0.6);
                EXPECT_EQ(watched.crossings, 0);
                EXPECT_EQ(watched.all.unresolved, 0);
                float highest = -9;
                for (const Vec3& p : test::positions_of(simulation)) highest = std::max(highest, p.y);
                EXPECT_GT(highest, 0.25f - 0.5f * 9.81f * 0.6f * 0.6f + 0.2f) << "it was held up";
            }
        }
    }
}

// --- fast

struct Path {
    const char* name;
    std::vector<Vec3> places; // of the hand, frame by frame: 20 m/s
};

TEST(FastHands, DoNotPullClothThroughBodies) {
    std::vector<Path> paths = {
        {"around", {}},
        {"over", {{0.1f, 0.5f, 0}, {0.6f, 0.1f, 0}, {0.6f, -0.5f, 0.05f}, {1.2f, -0.5f, 0.05f}, {1.9f, -0.5f, 0.05f}}},
        {"through", {{0.367f, -0.03f, 0}, {1.034f, -0.03f, 0}}},
    };
    for (int k = 1; k <= 4; ++k) {
        const double angle = std::numbers::pi - 1.11 * k;
        paths[0].places.push_back(vector_cast<float>(Vec3d{0.63 * std::cos(angle), 0.02, 0.63 * std::sin(angle)}));
    }
    for (const std::string method : {"xpbd", "limits"}) {
        for (const auto& [name, places] : paths) {
            SCOPED_TRACE(method + ", " + name);
            SceneDesc scene = scene_of(method, {.size = {0.6f, 0.6f}, .cells = {12, 12}});
            scene.cloths[0].position = {0, 0.12f, 0};
            scene.colliders = {{.shape = box_body({0.1f, 0.1f, 0.1f})}};
            Simulation simulation = make_simulation(scene);
            const GrabId hand = simulation.grab({-0.3f, 0.12f, 0});
            Watched watched;
            for (const Vec3& place : places) {
                simulation.move_grab(hand, place);
                const Watched now = watch(simulation, 1.0 / 30);
                watched.crossings += now.crossings;
                watched.all.unresolved += now.all.unresolved;
                watched.all.impacts += now.all.impacts;
            }
            EXPECT_EQ(watched.crossings, 0u);
            EXPECT_EQ(watched.all.unresolved, 0);
            EXPECT_GT(watched.all.impacts, 100);
        }
    }
}

// Pushes on parts of which only a point far from the meeting can yield would throw this point away, by kilometres; and
// hands must be stopped where nothing else helps.
TEST(FastHands, DoNotThrowClothAwayAtABody) {
    for (const std::string method : {"xpbd", "limits"}) {
        for (const float speed : {2.0f, 10.0f, 20.0f}) { // m/s, straight at the box
            SCOPED_TRACE(method + ", " + std::to_string(speed) + " m/s");
            SceneDesc scene = scene_of(method, {.size = {0.6f, 0.6f}, .cells = {12, 12}});
            scene.solver.substeps = 1;
            scene.cloths[0].position = {0, 0.12f, 0};
            scene.colliders = {{.shape = box_body({0.1f, 0.1f, 0.1f})}};
            Simulation simulation = make_simulation(scene);
            const GrabId hand = simulation.grab({-0.3f, 0.12f, 0}, 0.04f);
            const int steps = speed < 5 ? 40 : 12;
            for (int k = 1; k <= steps; ++k) {
                const float way = speed * static_cast<float>(k) / 120;
                simulation.move_grab(hand, {-0.3f + way, 0.12f - 0.15f * std::min(1.0f, way / 0.3f), 0});
                const StepReport report = simulation.step(frame / 4);
                ASSERT_EQ(report.unresolved, 0) << k;
                ASSERT_EQ(test::count_crossings(simulation), 0u) << k;
                for (const Vec3& p : test::positions_of(simulation)) ASSERT_LT(length(p), 5.0f) << k;
            }
        }
    }
}

// A ball that grows from 5 to 35 cm and shrinks again.
BodyMesh growing_ball(float frame_rate) {
    BodyMesh body = body_of(make_collider_mesh(Sphere{0.05f}));
    std::vector<std::vector<Vec3>> frames;
    for (const float radius : {0.05f, 0.35f, 0.05f}) {
        frames.push_back(body.mesh->positions);
        for (Vec3& p : frames.back()) p = p * (radius / 0.05f);
    }
    body.deformation = BodyFrames{frame_rate, frames};
    return body;
}

// One bone, on which all vertices of a mesh hang.
Skeleton bone_of(const Mesh& mesh, const Skeleton::Channel& channel) {
    Skeleton skeleton;
    skeleton.nodes = {{}};
    skeleton.joints = {{}};
    skeleton.channels = {channel};
    skeleton.bind_positions = mesh.positions;
    skeleton.influences.assign(mesh.positions.size(), {.joint = 0, .weight = 1});
    for (Index v = 0; v <= mesh.positions.size(); ++v) skeleton.first_influence.push_back(v);
    return skeleton;
}

// A plate of 1 cm that a bone lifts by 60 cm in this time.
BodyMesh rising_plate(float seconds) {
    const BodyMesh plate = box_body({0.2f, 0.005f, 0.1f});
    const Skeleton::Channel lift = {
        .path = Skeleton::Path::translation, .times = {0, seconds}, .values = {{0, 0, 0, 0}, {0, 0.6f, 0, 0}}};
    return {.mesh = plate.mesh, .deformation = BodySkin{"rise", bone_of(*plate.mesh, lift)}};
}

// A plate of 40 cm that a bone at its end turns from downwards over forwards, along X, to upwards in this time.
BodyMesh swinging_plate(float seconds) {
    Mesh mesh = *box_body({0.2f, 0.005f, 0.1f}).mesh;
    for (Vec3& p : mesh.positions) p.x += 0.2f;
    Skeleton::Channel turn = {.path = Skeleton::Path::rotation};
    for (int k = 0; k <= 8; ++k) {
        const double half = 0.5 * std::numbers::pi * (static_cast<double>(k) / 8 - 0.5);
        turn.times.push_back(seconds * static_cast<float>(k) / 8);
        turn.values.push_back({0, 0, static_cast<float>(std::sin(half)), static_cast<float>(std::cos(half))});
    }
    const Skeleton skeleton = bone_of(mesh, turn);
    for (Vec3& p : mesh.positions) p = {p.y, -p.x, p.z}; // as it is at time 0
    return {.mesh = mesh, .deformation = BodySkin{"swing", skeleton}};
}

struct Moving {
    const char* name;
    BodyMesh body;
    Vec3 cloth; // where it is
};

void expect_to_take_cloth_along(const std::vector<Moving>& bodies, double seconds) {
    for (const std::string method : {"xpbd", "limits"}) {
        for (const auto& [name, body, place] : bodies) {
            SCOPED_TRACE(method + ", " + name);
            SceneDesc scene = scene_of(method, {.size = {0.6f, 0.6f}, .cells = {12, 12}});
            scene.gravity = {};
            scene.cloths[0].rotation = {0, 20, 0};
            scene.cloths[0].position = place;
            scene.colliders = {{.shape = body}};
            Simulation simulation = make_simulation(scene);
            EXPECT_TRUE(simulation.warnings().empty());
            const Watched watched = watch(simulation, seconds);
            EXPECT_EQ(watched.crossings, 0u);
            EXPECT_EQ(watched.all.unresolved, 0);
            EXPECT_GT(watched.all.impacts, 0);
            EXPECT_GT(test::extent_of(test::positions_of(simulation)).high.y, place.y + 0.2); // taken along
        }
    }
}

TEST(FastBodies, ThatDeformTakeClothAlong) { // 20 m/s
    expect_to_take_cloth_along({{"growing ball", growing_ball(66.7f), {0.01f, 0.07f, 0.02f}},
                                {"rising plate", rising_plate(0.03f), {0.01f, 0.05f, 0.02f}}},
                               0.1);
}

TEST(FastBodies, ThatTurnSlowlyTakeClothAlong) { // 1.3 m/s at the end of the plate
    expect_to_take_cloth_along({{"swinging plate", swinging_plate(1), {0.4f, 0, 0}}}, 1);
}

// Zones that have met a body which turns do not turn with it: at 3 m/s and beyond cloth is pierced.
TEST(FastBodies, ThatTurnFastTakeClothAlong) { // 3 and 20 m/s at the end of the plate
    expect_to_take_cloth_along({{"swinging plate", swinging_plate(0.4f), {0.4f, 0, 0}}}, 0.4);
    expect_to_take_cloth_along({{"fast plate", swinging_plate(0.063f), {0.4f, 0, 0}}}, 0.1);
}

// --- what begins within them

// Places where the body is now.
Solid solid_of(const Simulation& simulation, std::span<const Triangle> triangles) {
    std::vector<Vec3> x;
    simulation.copy_collider_vertices(0, x);
    return {x, {triangles.begin(), triangles.end()}};
}

TEST(ClosedBodies, BringOutClothThatStartsInThemHoweverTheyAreTurned) {
    const Vec3 rotations[] = {{90, 0, 0}, {30, 20, 40}, {-140, 65, 10}};
    for (const std::string method : {"xpbd", "limits", "implicit"}) {
        for (const Vec3& rotation : rotations) {
            SCOPED_TRACE(method + ", turned by " + std::to_string(rotation.x));
            SceneDesc scene = scene_of(method, {.size = {0.3f, 0.3f}, .cells = {10, 10}});
            scene.gravity = {};
            scene.colliders = {{.shape = box_body({0.25f, 0.1f, 0.25f}), .position = {1, 2, -1}, .rotation = rotation}};
            SceneDesc body_alone = scene;
            const Pose pose = make_simulation(body_alone).collider_pose(0);
            scene.cloths[0].position = pose.to_world({0.03f, 0.09f, 0.02f}); // 1 cm below what was its top
            scene.cloths[0].rotation = rotation;
            Simulation simulation = make_simulation(scene);
            EXPECT_TRUE(simulation.warnings().empty());
            EXPECT_EQ(watch(simulation, 0.1).crossings, 0);
            const Solid solid = solid_of(simulation, simulation.world().colliders[0].faces);
            for (const Vec3& p : test::positions_of(simulation)) {
                EXPECT_FALSE(solid.contains(vector_cast<double>(p)));
                EXPECT_GT(pose.to_local(p).y, 0.1f); // on the side where it was
            }
        }
    }
}

TEST(ClosedBodies, BringOutClothThatStartsInThemThoughTheyDeform) {
    for (const bool is_plate : {false, true}) {
        SCOPED_TRACE(is_plate ? "skin" : "frames");
        SceneDesc scene = scene_of("xpbd", {.size = {0.3f, 0.15f}, .cells = {16, 8}});
        scene.gravity = {};
        BodyMesh body = growing_ball(0.5f);
        if (is_plate) body = swinging_plate(20);
        scene.colliders = {{.shape = body}};
        // 1 cm below the top of the ball, and in the plate, which hangs down at first and is as thick.
        scene.cloths[0].position = is_plate ? Vec3{0.002f, -0.2f, 0.01f} : Vec3{0, 0.04f, 0};
        if (is_plate) scene.cloths[0].rotation = {0, 0, 90};
        Simulation simulation = make_simulation(scene);
        EXPECT_TRUE(simulation.warnings().empty());
        const Watched watched = watch(simulation, 0.3);
        EXPECT_EQ(watched.crossings, 0);
        EXPECT_EQ(watched.all.unresolved, 0);
        const Solid solid = solid_of(simulation, simulation.world().colliders[0].faces);
        ASSERT_TRUE(solid.is_closed());
        for (const Vec3& p : test::positions_of(simulation)) EXPECT_FALSE(solid.contains(vector_cast<double>(p)));
    }
}

} // namespace
} // namespace taffeta
