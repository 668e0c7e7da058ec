#include "swatches.h"

#include <epoxy/gl.h>

namespace taffeta::viewer {

SceneDesc swatch_scene(const Fabric& fabric) {
    constexpr float specimen = 0.15f, disc = 0.09f, half_height = 0.06f; // m
    SceneDesc scene;
    scene.frame_rate = 60;
    scene.solver = {.substeps = 4, .iterations = 6, .damping = 3, .threads = 1};
    scene.fabrics = {fabric};
    scene.cloths = {{.fabric = fabric.name,
                     .shape = DiskShape{.radius = specimen, .particles = 500},
                     .position = {0, fabric.thickness, 0}}};
    scene.colliders = {{.shape = Cylinder{disc, 2 * half_height}, .position = {0, -half_height, 0}, .friction = 1}};
    scene.view.camera = Camera{{0.1f, 0.28f, 0.42f}, {0, -0.035f, 0}, 32};
    return scene;
}

Swatches::~Swatches() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
    for (const unsigned texture : textures_)
        if (texture != 0) glDeleteTextures(1, &texture);
}

unsigned Swatches::texture(std::size_t fabric) {
    if (!thread_.joinable()) thread_ = std::thread([this] { drape(); });
    const std::vector<Draped> ready = [this] {
        const std::lock_guard lock(mutex_);
        return std::exchange(draped_, {});
    }();
    for (const Draped& draped : ready) draw(draped);
    return textures_[fabric];
}

void Swatches::drape() {
    constexpr int frames = 75;
    for (std::size_t k = 0; k < fabrics_.size(); ++k) {
        SceneDesc scene = swatch_scene(fabrics_[k]);
        Result<Simulation> simulation = Simulation::create(scene);
        if (!simulation) continue; // then this one has no picture
        for (int frame = 0; frame < frames && !ends_; ++frame) simulation->step(1 / scene.frame_rate);
        if (ends_) return;
        const std::lock_guard lock(mutex_);
        draped_.push_back({k, std::move(scene), std::move(*simulation)});
    }
}

void Swatches::draw(const Draped& draped) {
    if (!renderer_) {
        Result<render::Renderer> renderer = render::Renderer::create();
        if (!renderer) return;
        renderer_ = std::move(*renderer);
    }
    renderer_->load(draped.scene, draped.simulation);
    render::Snapshot snapshot;
    render::take_snapshot(draped.simulation, render::View::shaded, 0, snapshot);
    const render::Size twice = {2 * size.width, 2 * size.height}; // for screens of high density
    const io::Image picture = renderer_->picture(snapshot, *draped.scene.view.camera, twice, {});
    unsigned& texture = textures_[draped.fabric];
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGB8, picture.width, picture.height, 0, GL_RGB, GL_UNSIGNED_BYTE,
                 picture.rgb.data());
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
}

} // namespace taffeta::viewer
