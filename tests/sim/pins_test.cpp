// Pins that move are where their colliders and keys say, in every method and at the end of every step.
#include "support/simulations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace taffeta {
namespace {

using test::frame;

const std::array<std::string, 3> methods = {"xpbd", "limits", "implicit"};

// A strip along X, 0.6 m long, whose first column (x = -0.3) the pin holds.
SceneDesc strip_held_by(const Pin& pin, const std::string& method) {
    SceneDesc scene = test::scene_with(GridShape{.size = {0.6f, 0.2f}, .cells = {6, 2}});
    scene.solver.method = method;
    scene.cloths[0].pins = {pin};
    return scene;
}

Pin first_column() {
    return VertexPin{{0, 7, 14}};
}

TEST(MovingPins, TurnAsOftenAsTheirDegreesSay) {
    for (const std::string& method : methods) {
        Pin pin = first_column();
        pin.motion = {{.t = 0}, {.t = 1, .position = {}, .rotation = Vec3{1800, 0, 0}}}; // five turns a second
        Simulation simulation = test::make_simulation(strip_held_by(pin, method));
        for (int step = 1; step <= 20; ++step) {
            ASSERT_TRUE(simulation.step(frame).finite);
            const double angle = step / 30.0 * 10 * std::numbers::pi;
            EXPECT_NEAR(simulation.position(0).x, -0.3f, 1e-6f) << method;
            EXPECT_NEAR(simulation.position(0).y, 0.1 * std::sin(angle), 1e-5) << method << " step " << step;
            EXPECT_NEAR(simulation.position(0).z, -0.1 * std::cos(angle), 1e-5) << method << " step " << step;
            EXPECT_NEAR(length(simulation.position(7) - Vec3{-0.3f, 0, 0}), 0, 1e-6f) << method; // the centre
        }
    }
}

TEST(MovingPins, ShiftFromWhereTheyStartAndTurnAboutTheirCentre) {
    for (const std::string& method : methods) {
        Pin pin = first_column();
        pin.centre = Vec3{0.7f, 0, 0};
        pin.motion = {{.t = 0, .position = Vec3{0, 0.5f, 0}, .rotation = {}},
                      {.t = 0.5, .position = Vec3{0, 1.5f, 0}, .rotation = Vec3{0, 0, 180}}};
        Simulation simulation = test::make_simulation(strip_held_by(pin, method));
        EXPECT_NEAR(length(simulation.position(7) - Vec3{-0.3f, 0.5f, 0}), 0, 1e-6f) << method; // at once
        for (int step = 0; step < 30; ++step) ASSERT_TRUE(simulation.step(frame).finite);       // and held after 0.5 s
        EXPECT_NEAR(length(simulation.position(7) - Vec3{1.7f, 1.5f, 0}), 0, 1e-5f) << method;
    }
}

TEST(MovingPins, FollowThePoseOfASimpleBody) {
    for (const std::string& method : methods) {
        Pin pin = first_column();
        pin.follow = 0;
        SceneDesc scene = strip_held_by(pin, method);
        scene.colliders = {{.shape = Box{{0.1f, 0.1f, 0.1f}}, .position = {-0.5f, 0, 0}}};
        scene.colliders[0].motion = {{.t = 0}, {.t = 1, .position = Vec3{-0.5f, 1, 0}, .rotation = Vec3{0, 0, 90}}};
        Simulation simulation = test::make_simulation(scene);
        for (int step = 0; step < 30; ++step) ASSERT_TRUE(simulation.step(frame).finite);
        EXPECT_NEAR(length(simulation.position(7) - Vec3{-0.5f, 1.2f, 0}), 0, 1e-5f) << method;
        const double speed = static_cast<double>(simulation.world().state.v[7].y);
        EXPECT_NEAR(speed, 1, 0.02) << method; // the velocity is that of the place
    }
}

// A sheet of two triangles that bends: the second half lifts by 0.3 m in a second, the first one slides by 1 m.
BodyMesh folding_body() {
    const std::vector<Vec3> flat = {{-1, -0.05f, -1}, {-1, -0.05f, 1}, {0, -0.05f, 0}, {1, -0.05f, 1}, {1, -0.05f, -1}};
    std::vector<Vec3> moved = flat;
    for (Vec3& p : moved) p.z += 1;
    moved[3].y += 0.3f, moved[4].y += 0.3f;
    return {.mesh = Mesh{flat, {{0, 1, 2}, {2, 3, 4}}, {}}, .deformation = BodyFrames{1, std::vector{flat, moved}}};
}

TEST(MovingPins, KeepTheirPlaceAtTheNearestTriangleOfABody) {
    for (const std::string& method : methods) {
        Pin left = VertexPin{{7}}, right = VertexPin{{13}}; // at x = -0.3 and 0.3, 5 cm above the body
        left.follow = right.follow = 0;
        SceneDesc scene = strip_held_by(left, method);
        scene.cloths[0].pins.push_back(right);
        scene.cloths[0].self_collision = SelfCollision::none;
        scene.colliders = {{.shape = folding_body()}};
        Simulation simulation = test::make_simulation(scene);
        for (int step = 0; step < 30; ++step) ASSERT_TRUE(simulation.step(frame).finite);
        EXPECT_NEAR(length(simulation.position(7) - Vec3{-0.3f, 0, 1}), 0, 1e-5f) << method;
        // The right half leans by 0.3 in 1; the edge that its frame starts with grew by this from sqrt(2).
        const Vec3 origin = {0, -0.05f, 1}, normal = normalized(Vec3{-0.3f, 1, 0});
        const Vec3 from = simulation.position(13) - origin;
        EXPECT_NEAR(dot(from, normal), 0.05f, 1e-5f) << method;
        EXPECT_NEAR(length(from), std::sqrt(0.3f * 0.3f + 0.05f * 0.05f), 1e-5f) << method;
    }
}

TEST(MovingPins, HandsOutrankThemAndGiveThemBack) {
    Pin pin = first_column();
    pin.motion = {{.t = 0}, {.t = 1, .position = Vec3{0, 1, 0}, .rotation = {}}};
    Simulation simulation = test::make_simulation(strip_held_by(pin, "xpbd"));
    const GrabId hand = simulation.grab_vertex(0);
    simulation.move_grab(hand, {-0.3f, 0.5f, -0.2f});
    simulation.step(frame);
    EXPECT_EQ(simulation.position(0), (Vec3{-0.3f, 0.5f, -0.2f}));
    simulation.release(hand);
    simulation.step(frame);
    EXPECT_NEAR(length(simulation.position(0) - Vec3{-0.3f, 2 * frame, -0.1f}), 0, 1e-6f);
}

TEST(MovingPins, TrousersStayOnTheFigureThatWalks) { // M17
    SceneDesc scene;
    scene.cloths = {{.shape = TrousersShape{}}};
    Pin waist = BoxPin{{-1, 1.035f, -1}, {1, 1.045f, 1}};
    waist.follow = 0;
    scene.cloths[0].pins = {waist};
    scene.colliders = {{.shape = make_figure({.steps = 2, .pace = 2})}};
    Simulation simulation = test::make_simulation(scene);
    EXPECT_TRUE(simulation.warnings().empty());
    for (int step = 0; step < 8; ++step) {
        const StepReport report = simulation.step(frame);
        ASSERT_TRUE(report.finite);
        ASSERT_EQ(report.unresolved, 0);
    }
    std::vector<Vec3> body;
    simulation.copy_collider_vertices(0, body);
    for (const MovingPin& pin : simulation.world().moving_pins) {
        EXPECT_EQ(pin.particles.size(), 24u * 2 / 2 + 2); // once around, two of them in both panels
        for (const Index p : pin.particles) {
            float nearest = 1;
            for (const Vec3& v : body) nearest = std::min(nearest, length(v - simulation.world().state.x[p].xyz()));
            EXPECT_NEAR(nearest, 0.012f, 0.006f);
        }
    }
}

} // namespace
} // namespace taffeta
