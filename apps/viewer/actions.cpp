#include "actions.h"

#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>

#include <algorithm>
#include <array>

namespace taffeta::viewer {

std::span<const KeyBinding> key_bindings() {
    static constexpr auto bindings = std::to_array<KeyBinding>({
        {GLFW_KEY_SPACE, false, Action::toggle_pause, "Space", "pause, go on"},
        {GLFW_KEY_PERIOD, false, Action::step, ".", "one step"},
        {GLFW_KEY_R, false, Action::reset, "R", "back to the start"},
        {GLFW_KEY_F, false, Action::frame_cloth, "F", "bring the cloth into view"},
        {GLFW_KEY_P, false, Action::toggle_pin, "P", "while dragging: pin what is held; over a pin: release it"},
        {GLFW_KEY_U, false, Action::release_hands, "U", "release all pins"},
        {GLFW_KEY_S, false, Action::save_picture, "S", "save a picture"},
        {GLFW_KEY_V, false, Action::toggle_film, "V", "record a film, stop recording"},
        {GLFW_KEY_G, false, Action::toggle_hands, "G", "record what hands do as a scene, stop recording"},
        {GLFW_KEY_TAB, false, Action::toggle_panel, "Tab", "hide or show the panel"},
        {GLFW_KEY_H, false, Action::toggle_keys, "H, ?", "this list"},
        {GLFW_KEY_SLASH, false, Action::toggle_keys, "?", "", false},
        {GLFW_KEY_ESCAPE, false, Action::close, "Esc", "close this list, dismiss messages"},
        {GLFW_KEY_Q, true, Action::quit, "Ctrl+Q", "quit"},
    });
    return bindings;
}

std::optional<Action> action_of_key(int key, bool control) {
    const auto bindings = key_bindings();
    const auto found = std::find_if(bindings.begin(), bindings.end(), [&](const KeyBinding& binding) {
        return binding.key == key && binding.control == control;
    });
    return found == bindings.end() ? std::nullopt : std::optional(found->action);
}

std::optional<render::View> view_of_key(int key) {
    const int view = key - GLFW_KEY_1;
    if (view < 0 || view >= static_cast<int>(render::view_names.size())) return {};
    return static_cast<render::View>(view);
}

std::span<const MouseHabit> mouse_habits() {
    static constexpr auto habits = std::to_array<MouseHabit>({
        {"left drag on cloth", "take it"},
        {"left drag on a body", "move it"},
        {"left drag elsewhere", "look around (also: middle drag)"},
        {"right drag", "move the view (also: Shift + drag)"},
        {"wheel", "closer, farther; while dragging: the held point"},
        {"Ctrl + wheel", "the same, finer"},
        {"click on a pin", "release it"},
        {"drop a file", "load a scene or a mesh"},
    });
    return habits;
}

} // namespace taffeta::viewer
