// The panel at the right: scenes, parameters, views, figures, files.
#pragma once

#include "actions.h"
#include "simulation_thread.h"
#include "swatches.h"

#include <taffeta/io.h>

#include <optional>
#include <string>
#include <vector>

namespace taffeta::viewer {

class Panel {
public:
    Panel(); // reads the built-in scenes and fabrics

    struct Shown { // what the panel tells and changes
        const Frame& frame;
        const SceneDesc& original; // as loaded
        SceneDesc& scene;          // with the parameters of now
        ViewState& view;
        float& brush_radius;
        std::size_t triangles;
        double frames_per_second;
        bool is_loading, is_filming;
        std::optional<float> export_progress;
    };
    struct Wishes {
        std::vector<Action> actions = {};
        std::optional<std::string> scene = {}; // to load
        bool parameters_changed = false;
    };
    Wishes draw(const Shown& shown);

    bool is_visible = true;
    float width() const { return is_visible ? width_ : 0; } // with its margin, in units of the window, as last drawn

private:
    struct Choice {
        std::string name, description;
    };
    void draw_scene(const Shown& shown, Wishes& wishes);
    void draw_controls(const Shown& shown, Wishes& wishes);
    void draw_view(const Shown& shown);
    void draw_parameters(const Shown& shown, Wishes& wishes);
    bool choose_fabric(Fabric& fabric); // true if another one was put on
    void draw_files(const Shown& shown, Wishes& wishes);

    std::vector<Choice> scenes_;
    std::vector<io::FabricFile> fabrics_;
    std::optional<Swatches> swatches_; // of the fabrics
    float width_ = 0;
};

} // namespace taffeta::viewer
