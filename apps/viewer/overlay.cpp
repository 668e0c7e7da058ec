#include "overlay.h"

#include "theme.h"

#include <imgui.h>

#include <algorithm>
#include <cstdio>
#include <string>

namespace taffeta::viewer {
namespace {

constexpr ImGuiWindowFlags bare = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_AlwaysAutoResize |
                                  ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                  ImGuiWindowFlags_NoFocusOnAppearing | ImGuiWindowFlags_NoNav;
constexpr float hint_fades = 1.5f; // s

float gap() {
    return ImGui::GetStyle().ItemSpacing.x;
}

// How fast it goes, where that is not as it should be, and what is being recorded.
void draw_badge(const Overlay::Shown& shown, float& top) {
    const Statistics& s = shown.statistics;
    const bool is_slow = !s.paused && !s.keeps_up;
    if (!is_slow && !s.paused && !s.recording && !shown.is_filming) return;
    ImGui::SetNextWindowPos({gap(), top});
    ImGui::SetNextWindowBgAlpha(0.8f);
    ImGui::Begin("badge", nullptr, bare | ImGuiWindowFlags_NoInputs);
    if (s.paused) ImGui::TextUnformatted("paused");
    if (is_slow) ImGui::TextColored(warning, "%.1fx real time", s.speed);
    if (shown.is_filming) ImGui::TextColored(danger, "recording a film");
    if (s.recording) ImGui::TextColored(danger, "recording hands");
    top += ImGui::GetWindowHeight() + gap();
    ImGui::End();
}

void draw_message_list(const Overlay::Shown& shown, bool of_errors, float& top, std::vector<Action>& wishes) {
    const auto& all = shown.messages.all();
    if (std::none_of(all.begin(), all.end(), [&](const auto& m) { return m.is_error == of_errors; })) return;
    const float space = ImGui::GetIO().DisplaySize.x - shown.panel_width - 3 * gap();
    ImGui::SetNextWindowPos({gap(), top});
    ImGui::SetNextWindowBgAlpha(0.92f);
    if (of_errors) {
        ImGui::PushStyleColor(ImGuiCol_Border, danger);
        ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 2);
    }
    ImGui::Begin(of_errors ? "errors" : "news", nullptr, bare | (of_errors ? 0 : ImGuiWindowFlags_NoInputs));
    ImGui::PushTextWrapPos(std::min(space, ImGui::GetFontSize() * 48));
    for (const Messages::Message& message : all)
        if (message.is_error == of_errors) ImGui::TextUnformatted(message.text.c_str());
    ImGui::PopTextWrapPos();
    if (of_errors && ImGui::Button("Dismiss")) wishes.push_back(Action::dismiss_errors);
    top += ImGui::GetWindowHeight() + gap();
    ImGui::End();
    if (of_errors) {
        ImGui::PopStyleVar();
        ImGui::PopStyleColor();
    }
}

void row(std::string_view left, std::string_view right) {
    ImGui::TableNextColumn();
    ImGui::PushStyleColor(ImGuiCol_Text, accent);
    ImGui::TextUnformatted(left.data(), left.data() + left.size());
    ImGui::PopStyleColor();
    ImGui::TableNextColumn();
    ImGui::TextUnformatted(right.data(), right.data() + right.size());
}

void draw_keys(float panel_width) {
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const bool fits_beside_panel = window.x - panel_width > ImGui::GetFontSize() * 46;
    ImGui::SetNextWindowPos({(window.x - (fits_beside_panel ? panel_width : 0)) / 2, window.y / 2}, ImGuiCond_Always,
                            {0.5f, 0.5f});
    ImGui::SetNextWindowSizeConstraints({0, 0}, {window.x - 2 * gap(), window.y - 2 * gap()});
    ImGui::SetNextWindowBgAlpha(0.97f);
    ImGui::Begin("keys", nullptr, bare & ~ImGuiWindowFlags_NoScrollbar);
    if (ImGui::BeginTable("keys", 2, ImGuiTableFlags_SizingFixedFit)) {
        for (const MouseHabit& habit : mouse_habits()) row(habit.gesture, habit.meaning);
        row("", "");
        for (const KeyBinding& binding : key_bindings())
            if (binding.is_listed) row(binding.name, binding.meaning);
        std::string views;
        for (const std::string_view name : render::view_names) views += (views.empty() ? "" : ", ") + std::string(name);
        row("1 ... 6", views);
        ImGui::EndTable();
    }
    ImGui::End();
}

} // namespace

std::vector<Action> Overlay::draw(const Shown& shown) {
    std::vector<Action> wishes;
    float top = gap(); // from there downwards, one below the other
    draw_badge(shown, top);
    draw_message_list(shown, true, top, wishes);
    draw_message_list(shown, false, top, wishes);
    draw_hint(shown);
    if (shows_keys) draw_keys(shown.panel_width);
    return wishes;
}

void Overlay::draw_hint(const Shown& shown) {
    if (shown.has_grabbed) hint_strength_ = std::max(0.0f, hint_strength_ - ImGui::GetIO().DeltaTime / hint_fades);
    if (hint_strength_ <= 0) return;
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float space = window.x - shown.panel_width - 2 * gap();
    ImGui::SetNextWindowPos({gap() + space / 2, window.y - gap()}, ImGuiCond_Always, {0.5f, 1});
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, hint_strength_);
    ImGui::SetNextWindowBgAlpha(0.7f * hint_strength_);
    ImGui::Begin("hint", nullptr, bare | ImGuiWindowFlags_NoInputs);
    ImGui::PushTextWrapPos(space);
    ImGui::TextUnformatted("Drag the cloth with the left mouse button. Drag beside it to look around. H: all keys");
    ImGui::PopTextWrapPos();
    ImGui::End();
    ImGui::PopStyleVar();
}

} // namespace taffeta::viewer
