// A window with an OpenGL context, and what people do in it.
#pragma once

#include "tools.h"

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <variant>
#include <vector>

struct GLFWwindow;

namespace taffeta::viewer {

struct MouseMoved {
    Pointer pointer = {};
};
struct MouseButton {
    Tools::Button button = Tools::Button::left;
    bool pressed = false, shift = false;
};
struct Scrolled {
    float notches = 0;
    bool fine = false;
};
struct KeyPressed {
    int key = 0; // GLFW_KEY_...
    bool control = false, shift = false, repeated = false;
};
struct FilesDropped {
    std::vector<std::string> files = {};
};
struct Input {
    std::chrono::steady_clock::time_point when = {};
    std::variant<MouseMoved, MouseButton, Scrolled, KeyPressed, FilesDropped> what = {};
};

enum class CursorShape { arrow, hand, move };

class Window {
public:
    // Its context is current on this thread. `debug`: a context that tells its errors.
    static Result<Window> create(render::Size size, bool debug);
    Window(Window&&) noexcept;
    Window& operator=(Window&&) noexcept;
    ~Window();

    GLFWwindow* handle() const;
    render::Size framebuffer_size() const; // 0 x 0 while minimised
    float content_scale() const;           // 2 on screens with twice the automatic density
    float pixel_ratio() const;             // pixels of the framebuffer per unit of the window
    double refresh_rate() const;           // 1/s
    bool should_close() const;
    void close();
    void set_title(const std::string& title);
    void set_cursor(CursorShape shape);
    void swap();

    // Handles what has come; with `seconds`, waits so long for something to come.
    void poll(double seconds = 0);
    std::vector<Input> take_inputs();
    static void wake(); // from any thread: ends a wait

private:
    struct State;
    explicit Window(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace taffeta::viewer
