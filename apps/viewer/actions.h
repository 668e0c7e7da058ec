// What keys and buttons ask for.
#pragma once

#include <taffeta/render.h>

#include <optional>
#include <span>
#include <string_view>

namespace taffeta::viewer {

enum class Action {
    toggle_pause,
    step,
    reset,
    frame_cloth,
    toggle_pin,
    release_hands,
    toggle_panel,
    toggle_keys,
    close,
    save_picture,
    toggle_film,
    export_glb,
    export_scene,
    toggle_hands,
    dismiss_errors,
    quit,
};

// A key and what it does; the overlay shows this table, and the keys obey it.
struct KeyBinding {
    int key; // GLFW_KEY_...
    bool control;
    Action action;
    std::string_view name, meaning;
    bool is_listed = true;
};
std::span<const KeyBinding> key_bindings();
std::optional<Action> action_of_key(int key, bool control);
std::optional<render::View> view_of_key(int key); // 1 to 6

struct MouseHabit {
    std::string_view gesture, meaning;
};
std::span<const MouseHabit> mouse_habits();

// What is shown and how, besides the camera.
struct ViewState {
    render::View view = render::View::shaded;
    int level = 4; // of the hierarchy
    float strain_range = 0.05f;
    render::ContactMarks marks = {};
    bool operator==(const ViewState&) const = default;
};

} // namespace taffeta::viewer
