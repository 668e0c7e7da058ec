// How the controls look.
#pragma once

#include <imgui.h>

#include <array>

namespace taffeta::viewer {

inline const ImVec4 accent = {0.36f, 0.78f, 0.72f, 1};
inline const ImVec4 faint = {0.62f, 0.66f, 0.70f, 1};
inline const ImVec4 warning = {0.98f, 0.74f, 0.32f, 1};
inline const ImVec4 danger = {0.93f, 0.36f, 0.33f, 1};

// For stages and other series; told apart also by people who see few colours.
inline const std::array<ImVec4, 8> series = {ImVec4{0.34f, 0.71f, 0.91f, 1}, ImVec4{0.90f, 0.62f, 0.00f, 1},
                                             ImVec4{0.00f, 0.62f, 0.45f, 1}, ImVec4{0.94f, 0.89f, 0.26f, 1},
                                             ImVec4{0.80f, 0.47f, 0.65f, 1}, ImVec4{0.84f, 0.37f, 0.00f, 1},
                                             ImVec4{0.60f, 0.60f, 0.95f, 1}, ImVec4{0.70f, 0.70f, 0.70f, 1}};

// Colours, sizes and font for a screen. `density`: 2 where it has twice the automatic one; `pixel_ratio`: pixels of the
// framebuffer per unit of the window. Needs a context of ImGui.
void apply_theme(float density, float pixel_ratio);

} // namespace taffeta::viewer
