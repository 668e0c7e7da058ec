// A small picture of each fabric: a round piece of it, draped over a disc. They are simulated and drawn when somebody
// looks at the list for the first time.
#pragma once

#include <taffeta/fabric.h>
#include <taffeta/render.h>

#include <atomic>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

namespace taffeta::viewer {

// A round piece of 30 cm over a disc of 18 cm, as in Cusick's drape meter.
SceneDesc swatch_scene(const Fabric& fabric);

class Swatches {
public:
    explicit Swatches(std::vector<Fabric> fabrics) : fabrics_(std::move(fabrics)), textures_(fabrics_.size()) {}
    Swatches(const Swatches&) = delete;
    Swatches& operator=(const Swatches&) = delete;
    ~Swatches(); // in the thread of the window, as all but the draping

    static constexpr render::Size size = {96, 72};

    // The OpenGL texture of a fabric's picture; 0: not ready yet. The first call starts the draping.
    unsigned texture(std::size_t fabric);

private:
    struct Draped {
        std::size_t fabric = 0;
        SceneDesc scene = {};
        Simulation simulation;
    };
    void drape(); // all fabrics one after the other, on a thread of its own
    void draw(const Draped& draped);

    std::vector<Fabric> fabrics_;
    std::vector<unsigned> textures_; // by fabric
    std::optional<render::Renderer> renderer_;
    std::atomic<bool> ends_ = false;
    std::mutex mutex_;
    std::vector<Draped> draped_ = {}; // not drawn yet
    std::thread thread_;
};

} // namespace taffeta::viewer
