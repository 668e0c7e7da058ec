// What the viewer does when it is asked to: keys, mouse, buttons, files.
#include "viewer.h"

#include <epoxy/gl.h>

#include <algorithm>
#include <cctype>
#include <cstring>

namespace taffeta::viewer {
namespace {

// What the window shows before it is swapped, without the controls if they have not been drawn yet.
io::Image read_window(render::Size size) {
    const auto width = static_cast<std::size_t>(size.width), height = static_cast<std::size_t>(size.height);
    io::Image image = {size.width, size.height, std::vector<std::uint8_t>(3 * width * height)};
    std::vector<std::uint8_t> from_below(image.rgb.size());
    glBindFramebuffer(GL_READ_FRAMEBUFFER, 0);
    glPixelStorei(GL_PACK_ALIGNMENT, 1);
    glReadPixels(0, 0, size.width, size.height, GL_RGB, GL_UNSIGNED_BYTE, from_below.data());
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    for (std::size_t row = 0; row < height; ++row)
        std::memcpy(&image.rgb[row * 3 * width], &from_below[(height - 1 - row) * 3 * width], 3 * width);
    return image;
}

// Films have even sides.
int even(int pixels) {
    return std::max(2, pixels & ~1);
}

} // namespace

void Viewer::handle_inputs(const Sight& seen) {
    for (const Input& input : window_.take_inputs()) {
        if (!oldest_input_) oldest_input_ = input.when;
        std::visit([&](const auto& what) { handle(what, seen); }, input.what);
    }
}

void Viewer::handle(const MouseMoved& moved, const Sight& seen) {
    tools_.move(moved.pointer, seen);
}

void Viewer::handle(const MouseButton& button, const Sight& seen) {
    if (!button.pressed)
        tools_.release(button.button);
    else if (!interface_.wants_mouse())
        tools_.press(button.button, button.shift, seen);
}

void Viewer::handle(const Scrolled& scrolled, const Sight& seen) {
    if (tools_.is_dragging() || !interface_.wants_mouse()) tools_.scroll(scrolled.notches, scrolled.fine, seen);
}

void Viewer::handle(const KeyPressed& pressed, const Sight& seen) {
    if (interface_.wants_keys()) return;
    const auto action = action_of_key(pressed.key, pressed.control);
    const bool repeats = action == Action::step;
    if (action && (repeats || !pressed.repeated)) perform(*action, seen);
    if (const auto view = view_of_key(pressed.key); view && !pressed.control) view_.view = *view;
}

void Viewer::handle(const FilesDropped& dropped, const Sight&) {
    if (!dropped.files.empty()) loader_.load(dropped.files.front());
}

void Viewer::perform(Action action, const Sight& seen) {
    switch (action) {
    case Action::toggle_pause: thread_.send(TogglePause{}); break;
    case Action::step: thread_.send(StepOnce{}); break;
    case Action::reset:
        tools_.forget_hands();
        thread_.send(Reset{});
        break;
    case Action::frame_cloth: tools_.camera.frame(drawn_.positions, seen.size); break;
    case Action::toggle_pin: tools_.toggle_pin(seen); break;
    case Action::release_hands: tools_.release_all(); break;
    case Action::toggle_panel: panel_.is_visible = !panel_.is_visible; break;
    case Action::toggle_keys: overlay_.shows_keys = !overlay_.shows_keys; break;
    case Action::close:
        overlay_.shows_keys = false;
        messages_.dismiss_errors();
        break;
    case Action::save_picture: save_picture(seen.size); break;
    case Action::toggle_film: toggle_film(seen.size); break;
    case Action::export_glb: export_glb(); break;
    case Action::export_scene: export_scene(scene_, ""); break;
    case Action::toggle_hands:
        if (thread_.frame().statistics.recording) {
            thread_.send(StopRecording{});
        } else {
            tools_.forget_hands();
            thread_.send(StartRecording{});
        }
        break;
    case Action::dismiss_errors: messages_.dismiss_errors(); break;
    case Action::quit: window_.close(); break;
    }
}

// Named after the scene, and none that exists.
std::filesystem::path Viewer::new_output(const std::string& suffix, const std::string& ending) {
    std::string stem = scene_.name.empty() ? "cloth" : scene_.name;
    std::replace_if(
        stem.begin(), stem.end(),
        [](unsigned char c) { return c < 128 && std::isalnum(c) == 0 && c != '-' && c != '_' && c != '.'; }, '_');
    std::error_code failed; // writing will tell
    const auto folder = std::filesystem::absolute(options_.out, failed).lexically_normal();
    std::filesystem::create_directories(folder, failed);
    return new_file(folder, stem + suffix, ending);
}

// At the size of the window, what it shows is read; else it is drawn again.
io::Image Viewer::picture(render::Size size) {
    const render::Size window = window_.framebuffer_size();
    if (size.width == even(window.width) && size.height == even(window.height)) return read_window(size);
    return renderer_.picture(drawn_, tools_.camera.camera(), size, draw_options());
}

void Viewer::save_picture(render::Size size) {
    const auto file = new_output("", ".png");
    const io::Image image = renderer_.picture(drawn_, tools_.camera.camera(), size, draw_options());
    if (const Result<void> written = io::write_png(file, image); written)
        messages_.inform("Picture: " + file.string());
    else
        messages_.warn(written.errors());
}

void Viewer::toggle_film(render::Size size) {
    if (film_.is_recording()) {
        film_.stop();
        return;
    }
    const auto file = new_output("", ".mp4");
    if (const Result<void> started = film_.start(file, even(size.width), even(size.height), drawn_.time); started)
        messages_.inform("Recording " + file.string());
    else
        messages_.warn(started.errors());
}

void Viewer::export_scene(const SceneDesc& scene, const std::string& suffix) {
    const auto file = new_output(suffix, ".toml");
    if (const Result<void> written = write_scene(file, scene); written)
        messages_.inform("Scene: " + file.string());
    else
        messages_.warn(written.errors());
}

void Viewer::export_glb() {
    const auto file = new_output("", ".glb");
    if (exporter_.start(scene_, file)) messages_.inform("Exporting " + file.string());
}

} // namespace taffeta::viewer
