#include "viewer.h"

#include "parameter_sliders.h"

#include <algorithm>
#include <cmath>

namespace taffeta::viewer {
namespace {

constexpr int frames_until_rest = 5;  // the controls settle within these
constexpr double longest_rest = 0.25; // s

double milliseconds(std::chrono::steady_clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

} // namespace

Viewer::Viewer(const PlayOptions& options, Window& window, render::Renderer& renderer,
               const std::vector<std::string>& gl_errors, std::optional<FrameLog> log)
    : options_(options), window_(window), renderer_(renderer), gl_errors_(gl_errors), log_(std::move(log)),
      interface_(window), view_({.view = options.view}), shown_view_(view_),
      thread_({.paused = options.paused, .hash = log_.has_value(), .on_publish = Window::wake}),
      tools_([this](Command command) { thread_.send(std::move(command)); }) {
    thread_.send(Show{view_.view, view_.level});
}

void Viewer::load(Playable playable) {
    original_ = accepted_ = scene_ = std::move(playable.scene);
    const Simulation& simulation = *playable.simulation;
    triangles_.assign(simulation.triangles().begin(), simulation.triangles().end());
    renderer_.load(scene_, simulation);
    tools_.forget_hands();
    tools_.camera = OrbitCamera(render::scene_camera(scene_, simulation));
    render::take_snapshot(simulation, view_.view, view_.level, start_);
    start_view_ = drawn_view_ = view_.view;
    drawn_ = start_;
    for (const std::string& warning : simulation.warnings()) messages_.inform(warning);
    window_.set_title(scene_.name + " - Taffeta");
    thread_.send(Load{scene_, std::move(playable.simulation), ++generation_});
}

void Viewer::run() {
    while (!window_.should_close() && (options_.frames == 0 || frames_ < options_.frames)) {
        const render::Size size = window_.framebuffer_size();
        if (size.width > 0 && size.height > 0) {
            window_.poll();
            draw_frame(size);
            pace();
        } else {
            window_.poll(longest_rest); // minimised
            receive();
        }
    }
}

void Viewer::draw_frame(render::Size size) {
    const Clock::time_point now = Clock::now();
    frame_ms_ = milliseconds(now - frame_began_);
    frame_began_ = now;
    frames_per_second_ += 0.05 * (1000 / std::max(frame_ms_, 0.1) - frames_per_second_);

    receive();
    interface_.begin_frame();
    const Sight seen = sight(size);
    handle_inputs(seen);
    choose_cursor(seen);
    prepare_snapshot();
    draw_picture(size);
    draw_controls(seen);
    interface_.draw();
    window_.swap();
    ++frames_;
    log_frame(size);
}

void Viewer::receive() {
    if (thread_.update()) still_frames_ = 0;
    for (Event& event : thread_.take_events()) {
        if (const auto* notice = std::get_if<Notice>(&event)) messages_.add(*notice);
        if (const auto* recorded = std::get_if<RecordedScene>(&event)) export_scene(recorded->scene, "-hands");
    }
    if (auto loaded = loader_.take()) {
        if (*loaded)
            load(std::move(**loaded));
        else
            messages_.warn(loaded->errors());
    }
    if (const auto outcome = film_.take_outcome()) messages_.add(*outcome);
    if (const auto outcome = exporter_.take_outcome()) messages_.add(*outcome);
    for (; told_gl_errors_ < gl_errors_.size(); ++told_gl_errors_)
        messages_.warn("OpenGL: " + gl_errors_[told_gl_errors_]);
    messages_.forget_old();
}

// The newest frame of this scene, with the hands where the mouse is by now.
void Viewer::prepare_snapshot() {
    const Frame& frame = thread_.frame();
    const bool is_of_scene = frame.generation == generation_;
    drawn_ = is_of_scene ? frame.snapshot : start_;
    drawn_view_ = is_of_scene ? frame.view : start_view_;
    if (!frame.statistics.paused) draw_in_hands(tools_.hands(), frame, drawn_);
}

void Viewer::draw_picture(render::Size size) {
    renderer_.draw(drawn_, tools_.camera.camera(), size, draw_options());
    if (film_.is_due(drawn_.time)) film_.add(picture({film_.width(), film_.height()}), drawn_.time);
}

void Viewer::draw_controls(const Sight& seen) {
    const Frame& frame = thread_.frame();
    const auto progress = exporter_.is_busy() ? std::optional(exporter_.progress()) : std::nullopt;
    const Panel::Wishes wishes = panel_.draw({frame, original_, scene_, view_, tools_.brush_radius, triangles_.size(),
                                              frames_per_second_, loader_.is_busy(), film_.is_recording(), progress});
    const std::vector<Action> more =
        overlay_.draw({messages_, frame.statistics, film_.is_recording(), tools_.has_grabbed(), panel_.width()});
    for (const Action action : wishes.actions) perform(action, seen);
    for (const Action action : more) perform(action, seen);
    if (wishes.scene) loader_.load(*wishes.scene);
    if (wishes.parameters_changed) change_parameters();
    if (view_ != shown_view_) thread_.send(Show{view_.view, view_.level});
    shown_view_ = view_;
}

// What cannot be is said, and the sliders go back.
void Viewer::change_parameters() {
    if (const Errors errors = check(scene_); !errors.empty()) {
        messages_.warn(errors);
        copy_parameters(accepted_, scene_);
        return;
    }
    accepted_ = scene_;
    renderer_.set_looks(scene_); // some of them are seen only
    thread_.send(Change{scene_});
}

void Viewer::choose_cursor(const Sight& seen) {
    const bool on_controls = interface_.wants_mouse();
    if (!tools_.is_dragging()) hover_ = on_controls ? Hover{} : tools_.hover(seen);
    using Kind = Hover::Kind;
    window_.set_cursor(hover_.kind == Kind::collider                             ? CursorShape::move
                       : hover_.kind == Kind::cloth || hover_.kind == Kind::hand ? CursorShape::hand
                                                                                 : CursorShape::arrow);
}

void Viewer::log_frame(render::Size size) {
    const auto messages = messages_.take_new();
    if (!messages.empty()) still_frames_ = 0;
    if (!log_) return;
    const double input_ms = oldest_input_ ? milliseconds(Clock::now() - *oldest_input_) : 0;
    log_->write({.frame = frames_,
                 .simulated = thread_.frame(),
                 .drawn = drawn_,
                 .tools = tools_,
                 .size = size,
                 .scene = scene_.name,
                 .view = std::string(render::view_names[static_cast<std::size_t>(view_.view)]),
                 .hover = hover_,
                 .recording_film = film_.is_recording(),
                 .gl_errors = gl_errors_.size(),
                 .messages = messages,
                 .frame_ms = frame_ms_,
                 .input_ms = input_ms});
}

// As fast as the screen where swapping does not wait for it, and slowly where nothing changes.
void Viewer::pace() {
    const bool is_busy = oldest_input_ || film_.is_recording() || loader_.is_busy() || exporter_.is_busy() ||
                         overlay_.is_moving() || !thread_.frame().statistics.paused;
    oldest_input_.reset();
    still_frames_ = is_busy ? 0 : still_frames_ + 1;
    if (still_frames_ > frames_until_rest) {
        window_.poll(longest_rest);
        return;
    }
    const double period = 0.75 / window_.refresh_rate(); // less than the screen's, to miss none of its pictures
    for (;;) {
        const double left = period - milliseconds(Clock::now() - frame_began_) / 1000;
        if (left <= 0) return;
        window_.poll(left);
    }
}

Sight Viewer::sight(render::Size size) const {
    return {.snapshot = drawn_,
            .triangles = triangles_,
            .colliders = scene_.colliders,
            .size = size,
            .scale = window_.content_scale(),
            .pick = [this](const Ray& ray) { return renderer_.pick(drawn_, ray); }};
}

render::DrawOptions Viewer::draw_options() const {
    return {.view = drawn_view_,
            .samples = options_.samples > 0 ? options_.samples : default_samples_,
            .highlighted_collider = hover_.kind == Hover::Kind::collider ? hover_.collider : -1,
            .strain_range = view_.strain_range,
            .marks = view_.marks};
}

} // namespace taffeta::viewer
