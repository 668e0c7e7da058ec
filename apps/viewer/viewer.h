// The main loop: input, threads, picture, controls, log.
#pragma once

#include "actions.h"
#include "background.h"
#include "film_recorder.h"
#include "frame_log.h"
#include "interface.h"
#include "messages.h"
#include "overlay.h"
#include "panel.h"
#include "play.h"
#include "simulation_thread.h"
#include "tools.h"
#include "window.h"

#include <chrono>
#include <optional>
#include <string>
#include <vector>

namespace taffeta::viewer {

class Viewer {
public:
    // All that is handed in lives longer than the viewer.
    Viewer(const PlayOptions& options, Window& window, render::Renderer& renderer,
           const std::vector<std::string>& gl_errors, std::optional<FrameLog> log);

    void load(Playable playable);
    void run(); // until the window is closed

private:
    using Clock = std::chrono::steady_clock;

    void draw_frame(render::Size size);
    void receive(); // what threads have to say
    void handle_inputs(const Sight& sight);
    void handle(const MouseMoved& moved, const Sight& sight);
    void handle(const MouseButton& button, const Sight& sight);
    void handle(const Scrolled& scrolled, const Sight& sight);
    void handle(const KeyPressed& pressed, const Sight& sight);
    void handle(const FilesDropped& dropped, const Sight& sight);
    void perform(Action action, const Sight& sight);
    void prepare_snapshot();
    void draw_picture(render::Size size);
    void draw_controls(const Sight& sight);
    void change_parameters();
    void choose_cursor(const Sight& sight);
    void log_frame(render::Size size);
    void pace();

    void toggle_film(render::Size size);
    void save_picture(render::Size size);
    void export_scene(const SceneDesc& scene, const std::string& suffix);
    void export_glb();
    std::filesystem::path new_output(const std::string& suffix, const std::string& ending);
    io::Image picture(render::Size size); // of what was drawn last
    Sight sight(render::Size size) const;
    render::DrawOptions draw_options() const;

    const PlayOptions options_;
    const int default_samples_ = render::is_software() ? 1 : 4;
    Window& window_;
    render::Renderer& renderer_;
    const std::vector<std::string>& gl_errors_;
    std::size_t told_gl_errors_ = 0;
    std::optional<FrameLog> log_;

    Interface interface_;
    Messages messages_;
    Panel panel_;
    Overlay overlay_;
    SceneLoader loader_;
    FilmRecorder film_;
    Exporter exporter_;

    SceneDesc original_, accepted_, scene_; // as loaded; with the parameters that run; with those of the sliders
    std::vector<Triangle> triangles_;
    std::uint64_t generation_ = 0;
    render::Snapshot start_, drawn_;                 // of the scene before its first step; what the window shows
    render::View start_view_ = {}, drawn_view_ = {}; // what they were taken for
    ViewState view_, shown_view_;                    // wished, and told to the thread
    Hover hover_ = {};

    long frames_ = 0;
    Clock::time_point frame_began_ = Clock::now();
    std::optional<Clock::time_point> oldest_input_;
    double frame_ms_ = 0, frames_per_second_ = 0;
    int still_frames_ = 0; // since anything changed

    SimulationThread thread_;
    Tools tools_;
};

} // namespace taffeta::viewer
