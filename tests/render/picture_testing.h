// A scene in front of a renderer without a display.
#pragma once

#include <taffeta/render.h>

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace taffeta::render {

// The machine must have OpenGL: without it there would be nothing to test.
class Studio {
public:
    explicit Studio(HeadlessContext::Api api = HeadlessContext::Api::gl) {
        Result<HeadlessContext> context = HeadlessContext::create(api);
        if (!context) return;
        context_ = std::make_unique<HeadlessContext>(std::move(*context));
        watch_errors(errors);
        Result<Renderer> made = Renderer::create();
        if (made)
            renderer = std::make_unique<Renderer>(std::move(*made));
        else
            ADD_FAILURE() << made.errors().front().to_string();
    }
    ~Studio() { EXPECT_TRUE(errors.empty()) << errors.front(); }
    Studio(const Studio&) = delete;
    Studio& operator=(const Studio&) = delete;

    bool is_open() const { return renderer != nullptr; }

    // Simulates a built-in scene up to a time.
    void play(const std::string& name, double seconds) {
        Result<SceneDesc> opened = io::open_scene(name);
        ASSERT_TRUE(opened);
        show(*opened, seconds);
    }
    void show(const SceneDesc& desc, double seconds) {
        scene = desc;
        Result<Simulation> created = Simulation::create(scene);
        ASSERT_TRUE(created) << created.errors().front().to_string();
        simulation = std::make_unique<Simulation>(std::move(*created));
        while (simulation->time() < seconds - 1e-6) simulation->step(1 / scene.frame_rate);
        renderer->load(scene, *simulation);
    }

    io::Image picture(Size size, const DrawOptions& options = {}) {
        take_snapshot(*simulation, options.view, 4, snapshot);
        return renderer->picture(snapshot, scene_camera(scene, *simulation), size, options);
    }

private:
    std::unique_ptr<HeadlessContext> context_; // before the renderer, which must go first

public:
    std::unique_ptr<Renderer> renderer;
    std::vector<std::string> errors; // what OpenGL complained about
    SceneDesc scene;
    std::unique_ptr<Simulation> simulation;
    Snapshot snapshot;
};

} // namespace taffeta::render
