// A recorded scene goes through a file without losing a bit.
#include "io/scene_testing.h"

#include <gtest/gtest.h>

namespace taffeta::io {
namespace {

TEST(SceneRecording, WrittenAndReadAgainItGivesTheSameBits) {
    const SceneDesc scene = scene_of("[solver]\nsubsteps = 3\nthreads = 1\n[[cloth]]\nname = 'sheet'\n"
                                     "grid = { size = [0.5, 0.5], cells = [9, 9] }\nposition = [0, 0.4, 0]\n"
                                     "[[collider]]\nradius = 0.2\n"
                                     "[wind]\nvelocity = [1, 0, 0.3]");
    auto simulation = Simulation::create(scene);
    ASSERT_TRUE(simulation);
    simulation->start_recording();
    GrabId hand = 0;
    for (int k = 0; k < 40; ++k) {
        const float along = 0.0137f * static_cast<float>(k);
        if (k == 4) hand = simulation->grab({0.25f, 0.4f, 0.25f}, 0.1f);
        simulation->move_grab(hand, {0.25f - along / 3, 0.4f + along, 0.25f});
        if (k == 30) simulation->release(hand);
        if (k >= 10 && k < 25)
            simulation->move_collider(0, {{along / 7, along / 5, 0}, simulation->collider_pose(0).rotation});
        simulation->step(1.0f / 30);
    }
    const std::string text = scene_to_toml(simulation->recorded(scene));
    const SceneDesc again = scene_of(text);
    EXPECT_EQ(again.grabs.size(), 1u);
    EXPECT_TRUE(again == simulation->recorded(scene)) << text;
    auto replay = Simulation::create(again);
    ASSERT_TRUE(replay);
    for (int k = 0; k < 40; ++k) replay->step(1.0f / 30);
    EXPECT_EQ(replay->hash(), simulation->hash());
}

} // namespace
} // namespace taffeta::io
