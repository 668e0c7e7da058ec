#include "viewer/tools.h"

#include <gtest/gtest.h>

#include <cmath>

namespace taffeta::viewer {
namespace {

using Kind = render::Renderer::Pick::Kind;

// A triangle before the camera, and a pick that says what the test wants.
class ToolsTest : public testing::Test {
protected:
    ToolsTest() {
        snapshot_.positions = {{-0.5f, 0, 0}, {0.5f, 0, 0}, {0, 0.5f, 0.1f}};
        snapshot_.colliders.resize(2);
        colliders_ = {{.shape = Sphere{}}, {.shape = Plane{}}};
        tools_.camera = OrbitCamera({.from = {0, 0.3f, 3}, .at = {0, 0.3f, 0}, .fov = 35});
    }

    Sight sight() const {
        return {.snapshot = snapshot_,
                .triangles = triangles_,
                .colliders = colliders_,
                .size = {800, 600},
                .scale = 1,
                .pick = [this](const Ray&) { return pick_; }};
    }
    void point_at_cloth() { pick_ = {.kind = Kind::cloth, .hit = {}, .collider = -1, .point = {0.4f, 0.05f, 0}}; }
    void point_at_collider(int which) { pick_ = {.kind = Kind::collider, .hit = {}, .collider = which, .point = {}}; }
    Pointer seen(const Vec3& point) const {
        const auto p = render::project(tools_.camera.camera(), {800, 600}, point);
        return {p.x, p.y};
    }
    template <class T>
    const T* last() const {
        return commands_.empty() ? nullptr : std::get_if<T>(&commands_.back());
    }

    render::Snapshot snapshot_;
    std::vector<Triangle> triangles_ = {{0, 1, 2}};
    std::vector<ColliderDesc> colliders_;
    render::Renderer::Pick pick_ = {};
    std::vector<Command> commands_;
    Tools tools_{[this](Command command) { commands_.push_back(std::move(command)); }};
};

TEST_F(ToolsTest, TakesTheNearestVertexAndHoldsItUnderThePointerAtItsDepth) {
    point_at_cloth();
    tools_.move({420, 280}, sight());
    tools_.press(Tools::Button::left, false, sight());
    ASSERT_NE(last<Grab>(), nullptr);
    EXPECT_EQ(last<Grab>()->vertex, 1u);
    for (const Pointer pointer : {Pointer{500, 300}, Pointer{100, 590}, Pointer{790, 10}}) {
        tools_.move(pointer, sight());
        ASSERT_NE(last<MoveHand>(), nullptr);
        const Vec3 target = last<MoveHand>()->target;
        EXPECT_NEAR(seen(target).x, pointer.x, 0.05f);
        EXPECT_NEAR(seen(target).y, pointer.y, 0.05f);
        EXPECT_NEAR(target.z, 0, 1e-4f); // the camera looks along -z
    }
    tools_.scroll(2, false, sight());
    EXPECT_LT(last<MoveHand>()->target.z, -0.05f); // away
    tools_.release(Tools::Button::left);
    EXPECT_NE(last<Release>(), nullptr);
    EXPECT_TRUE(tools_.hands().empty());
}

TEST_F(ToolsTest, PinnedHandsStayUntilTheyAreClicked) {
    point_at_cloth();
    tools_.move({420, 280}, sight());
    tools_.press(Tools::Button::left, false, sight());
    tools_.toggle_pin(sight());
    tools_.release(Tools::Button::left);
    EXPECT_EQ(last<Release>(), nullptr);
    ASSERT_EQ(tools_.hands().size(), 1u);
    EXPECT_EQ(tools_.hover(sight()).kind, Hover::Kind::hand);

    // dragged, it moves and stays
    tools_.press(Tools::Button::left, false, sight());
    tools_.move({460, 330}, sight());
    tools_.release(Tools::Button::left);
    ASSERT_EQ(tools_.hands().size(), 1u);
    EXPECT_NEAR(seen(tools_.hands()[0].target).x, 460, 0.05f);

    tools_.press(Tools::Button::left, false, sight());
    tools_.release(Tools::Button::left);
    EXPECT_NE(last<Release>(), nullptr);
    EXPECT_TRUE(tools_.hands().empty());
}

TEST_F(ToolsTest, BodiesAreMovedInThePlaneOfTheScreenAndFloorsAreNot) {
    point_at_collider(0);
    tools_.move(seen({0, 0, 0}), sight());
    tools_.press(Tools::Button::left, false, sight());
    const Vec3 aim = {0.3f, 0.2f, 0};
    tools_.move(seen(aim), sight());
    ASSERT_NE(last<MoveCollider>(), nullptr);
    EXPECT_LT(length(last<MoveCollider>()->target.position - aim), 1e-3f);
    tools_.release(Tools::Button::left);

    commands_.clear();
    point_at_collider(1);
    const Vec3 before = tools_.camera.camera().from;
    tools_.press(Tools::Button::left, false, sight());
    tools_.move({100, 100}, sight());
    EXPECT_TRUE(commands_.empty());
    EXPECT_GT(length(tools_.camera.camera().from - before), 0.1f); // it orbits instead
}

TEST_F(ToolsTest, ShiftPansEvenOnCloth) {
    point_at_cloth();
    const Vec3 before = tools_.camera.camera().at;
    tools_.press(Tools::Button::left, true, sight());
    tools_.move({50, 50}, sight());
    EXPECT_TRUE(commands_.empty());
    EXPECT_GT(length(tools_.camera.camera().at - before), 0.01f);
}

TEST_F(ToolsTest, WhatAHandHoldsIsDrawnWhereItIsByNow) {
    const Hand hand = {.id = 1, .vertex = 1, .target = {0.5f, 0.2f, 0}};
    Frame frame;
    render::Snapshot drawn = snapshot_;
    drawn.hands = {snapshot_.positions[1]};
    draw_in_hands({hand}, frame, drawn);
    EXPECT_LT(length(drawn.positions[1] - hand.target), 1e-6f);
    EXPECT_EQ(drawn.hands[0], hand.target);
    EXPECT_EQ(drawn.positions[0], snapshot_.positions[0]); // too far away

    frame.hands = {{.hand = 1, .follows = false}}; // another hand has it
    drawn = snapshot_;
    draw_in_hands({hand}, frame, drawn);
    EXPECT_EQ(drawn.positions, snapshot_.positions);
}

} // namespace
} // namespace taffeta::viewer
