#include "theme.h"

#include <cmath>

namespace taffeta::viewer {
namespace {

constexpr float font_pixels = 13; // the built-in font is drawn for this size and its multiples

void set_colours(ImGuiStyle& style) {
    ImGui::StyleColorsDark(&style);
    const auto set = [&style](ImGuiCol which, float r, float g, float b, float a = 1) {
        style.Colors[which] = ImVec4(r, g, b, a);
    };
    set(ImGuiCol_Text, 0.92f, 0.94f, 0.95f);
    set(ImGuiCol_TextDisabled, faint.x, faint.y, faint.z);
    set(ImGuiCol_WindowBg, 0.11f, 0.13f, 0.15f, 0.94f);
    set(ImGuiCol_PopupBg, 0.13f, 0.15f, 0.18f, 0.98f);
    set(ImGuiCol_Border, 0.28f, 0.32f, 0.36f, 0.6f);
    set(ImGuiCol_FrameBg, 0.20f, 0.23f, 0.26f);
    set(ImGuiCol_FrameBgHovered, 0.25f, 0.29f, 0.33f);
    set(ImGuiCol_FrameBgActive, 0.28f, 0.33f, 0.37f);
    set(ImGuiCol_CheckMark, accent.x, accent.y, accent.z);
    set(ImGuiCol_SliderGrab, 0.30f, 0.62f, 0.58f, 0.7f); // the number behind it stays readable
    set(ImGuiCol_SliderGrabActive, accent.x, accent.y, accent.z, 0.8f);
    set(ImGuiCol_Button, 0.22f, 0.27f, 0.31f);
    set(ImGuiCol_ButtonHovered, 0.26f, 0.42f, 0.42f);
    set(ImGuiCol_ButtonActive, 0.26f, 0.54f, 0.51f);
    set(ImGuiCol_Header, 0.17f, 0.20f, 0.23f);
    set(ImGuiCol_HeaderHovered, 0.24f, 0.36f, 0.37f);
    set(ImGuiCol_HeaderActive, 0.26f, 0.46f, 0.45f);
    set(ImGuiCol_Separator, 0.28f, 0.32f, 0.36f, 0.6f);
    set(ImGuiCol_ScrollbarBg, 0, 0, 0, 0);
    set(ImGuiCol_ScrollbarGrab, 0.28f, 0.32f, 0.36f);
    set(ImGuiCol_PlotHistogram, accent.x, accent.y, accent.z);
}

} // namespace

void apply_theme(float density, float pixel_ratio) {
    ImGuiStyle style;
    set_colours(style);
    style.WindowRounding = 6;
    style.PopupRounding = 5;
    style.FrameRounding = 4;
    style.GrabRounding = 4;
    style.ScrollbarRounding = 4;
    style.WindowPadding = {12, 12};
    style.FramePadding = {7, 4};
    style.ItemSpacing = {8, 6};
    style.ItemInnerSpacing = {6, 4};
    style.ScrollbarSize = 11;
    style.GrabMinSize = 9;
    style.WindowBorderSize = 1;
    style.ScaleAllSizes(density / pixel_ratio);
    ImGui::GetStyle() = style;

    ImGuiIO& io = ImGui::GetIO();
    io.Fonts->Clear();
    ImFontConfig config;
    config.SizePixels = std::round(font_pixels * density);
    io.Fonts->AddFontDefault(&config);
    io.FontGlobalScale = 1 / pixel_ratio;
}

} // namespace taffeta::viewer
