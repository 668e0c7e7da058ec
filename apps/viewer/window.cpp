#include "window.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

namespace taffeta::viewer {

struct Window::State {
    GLFWwindow* window = nullptr;
    std::array<GLFWcursor*, 3> cursors = {}; // by CursorShape
    std::vector<Input> inputs = {};

    State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    ~State() {
        for (GLFWcursor* cursor : cursors)
            if (cursor != nullptr) glfwDestroyCursor(cursor);
        if (window != nullptr) glfwDestroyWindow(window);
        glfwTerminate();
    }
};

namespace {

template <class T>
void remember(GLFWwindow* window, T what) {
    auto& inputs = *static_cast<std::vector<Input>*>(glfwGetWindowUserPointer(window));
    inputs.push_back({std::chrono::steady_clock::now(), std::move(what)});
}

float pixels_per_unit(GLFWwindow* window) {
    int width = 0, pixels = 0, height = 0;
    glfwGetWindowSize(window, &width, &height);
    glfwGetFramebufferSize(window, &pixels, &height);
    return width > 0 && pixels > 0 ? static_cast<float>(pixels) / static_cast<float>(width) : 1;
}

void install_callbacks(GLFWwindow* window) {
    glfwSetCursorPosCallback(window, [](GLFWwindow* w, double x, double y) {
        const float ratio = pixels_per_unit(w);
        remember(w, MouseMoved{{static_cast<float>(x) * ratio, static_cast<float>(y) * ratio}});
    });
    glfwSetMouseButtonCallback(window, [](GLFWwindow* w, int button, int action, int mods) {
        if (button > GLFW_MOUSE_BUTTON_MIDDLE) return;
        const auto which = button == GLFW_MOUSE_BUTTON_LEFT    ? Tools::Button::left
                           : button == GLFW_MOUSE_BUTTON_RIGHT ? Tools::Button::right
                                                               : Tools::Button::middle;
        remember(w, MouseButton{which, action == GLFW_PRESS, (mods & GLFW_MOD_SHIFT) != 0});
    });
    glfwSetScrollCallback(window, [](GLFWwindow* w, double, double y) {
        const bool fine =
            glfwGetKey(w, GLFW_KEY_LEFT_CONTROL) == GLFW_PRESS || glfwGetKey(w, GLFW_KEY_RIGHT_CONTROL) == GLFW_PRESS;
        remember(w, Scrolled{static_cast<float>(y), fine});
    });
    glfwSetKeyCallback(window, [](GLFWwindow* w, int key, int, int action, int mods) {
        if (action == GLFW_RELEASE) return;
        remember(w,
                 KeyPressed{key, (mods & GLFW_MOD_CONTROL) != 0, (mods & GLFW_MOD_SHIFT) != 0, action == GLFW_REPEAT});
    });
    glfwSetDropCallback(window, [](GLFWwindow* w, int count, const char** paths) {
        remember(w, FilesDropped{{paths, paths + count}});
    });
}

Error no_window(const std::string& what) {
    const char* reason = nullptr;
    glfwGetError(&reason);
    return {.message = what + (reason != nullptr ? std::string(" (") + reason + ")" : "") +
                       "; the viewer needs a display with OpenGL 3.3. Without one, this works: "
                       "taffeta run SCENE -o film.mp4"};
}

} // namespace

Result<Window> Window::create(render::Size size, bool debug) {
    if (glfwInit() != GLFW_TRUE) return no_window("no display could be opened");
    auto state = std::make_unique<State>(); // from here on it ends GLFW
    glfwWindowHint(GLFW_CONTEXT_VERSION_MAJOR, 3);
    glfwWindowHint(GLFW_CONTEXT_VERSION_MINOR, 3);
    glfwWindowHint(GLFW_OPENGL_PROFILE, GLFW_OPENGL_CORE_PROFILE);
    glfwWindowHint(GLFW_OPENGL_FORWARD_COMPAT, GLFW_TRUE);
    glfwWindowHint(GLFW_OPENGL_DEBUG_CONTEXT, debug ? GLFW_TRUE : GLFW_FALSE);
    glfwWindowHint(GLFW_SCALE_TO_MONITOR, GLFW_TRUE);
    state->window = glfwCreateWindow(size.width, size.height, "Taffeta", nullptr, nullptr);
    if (state->window == nullptr) return no_window("no window with OpenGL 3.3 could be opened");
    glfwSetWindowSizeLimits(state->window, 240, 180, GLFW_DONT_CARE, GLFW_DONT_CARE);
    glfwMakeContextCurrent(state->window);
    glfwSwapInterval(1);
    glfwSetWindowUserPointer(state->window, &state->inputs);
    install_callbacks(state->window);
    state->cursors = {nullptr, glfwCreateStandardCursor(GLFW_HAND_CURSOR),
                      glfwCreateStandardCursor(GLFW_CROSSHAIR_CURSOR)};
    return Window(std::move(state));
}

Window::Window(std::unique_ptr<State> state) : state_(std::move(state)) {}
Window::Window(Window&&) noexcept = default;
Window& Window::operator=(Window&&) noexcept = default;
Window::~Window() = default;

GLFWwindow* Window::handle() const {
    return state_->window;
}

render::Size Window::framebuffer_size() const {
    render::Size size = {0, 0};
    if (glfwGetWindowAttrib(state_->window, GLFW_ICONIFIED) == GLFW_TRUE) return size;
    glfwGetFramebufferSize(state_->window, &size.width, &size.height);
    return size;
}

float Window::content_scale() const {
    float x = 1, y = 1;
    glfwGetWindowContentScale(state_->window, &x, &y);
    return std::isfinite(x) ? std::clamp(x, 0.5f, 4.0f) : 1;
}

float Window::pixel_ratio() const {
    return pixels_per_unit(state_->window);
}

double Window::refresh_rate() const {
    GLFWmonitor* monitor = glfwGetPrimaryMonitor();
    const GLFWvidmode* mode = monitor != nullptr ? glfwGetVideoMode(monitor) : nullptr;
    return mode != nullptr && mode->refreshRate >= 24 ? mode->refreshRate : 60;
}

bool Window::should_close() const {
    return glfwWindowShouldClose(state_->window) == GLFW_TRUE;
}

void Window::close() {
    glfwSetWindowShouldClose(state_->window, GLFW_TRUE);
}

void Window::set_title(const std::string& title) {
    glfwSetWindowTitle(state_->window, title.c_str());
}

void Window::set_cursor(CursorShape shape) {
    glfwSetCursor(state_->window, state_->cursors[static_cast<std::size_t>(shape)]);
}

void Window::swap() {
    glfwSwapBuffers(state_->window);
}

void Window::poll(double seconds) {
    if (seconds > 0)
        glfwWaitEventsTimeout(seconds);
    else
        glfwPollEvents();
}

std::vector<Input> Window::take_inputs() {
    return std::exchange(state_->inputs, {});
}

void Window::wake() {
    glfwPostEmptyEvent();
}

} // namespace taffeta::viewer
