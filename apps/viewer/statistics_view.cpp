#include "statistics_view.h"

#include "theme.h"

#include <imgui.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace taffeta::viewer {
namespace {

constexpr std::size_t graph_steps = 120;

ImU32 colour_of(std::size_t stage) {
    return ImGui::GetColorU32(series[stage % series.size()]);
}

void figure(const char* name, const std::string& value, bool is_odd = false) {
    ImGui::TableNextColumn();
    ImGui::TextDisabled("%s", name);
    ImGui::TableNextColumn();
    ImGui::TextColored(is_odd ? warning : ImGui::GetStyleColorVec4(ImGuiCol_Text), "%s", value.c_str());
}

std::string rounded(double value, int digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", digits, value);
    return text;
}

// ms at the upper edge of the graph. A few steps that something else held up may stand out of it.
float scale_of(const Statistics& statistics) {
    std::vector<float> sums;
    for (const auto& step : statistics.stage_ms) sums.push_back(std::accumulate(step.begin(), step.end(), 0.0f));
    std::sort(sums.begin(), sums.end());
    const float automatic = sums.empty() ? 0 : sums[sums.size() * 95 / 100];
    return std::max(automatic * 1.4f, static_cast<float>(1000 * statistics.step_length) * 0.1f);
}

// Bars of the last steps, a colour for each stage; the line is the time that a step may take.
void draw_graph(const Statistics& statistics) {
    const ImVec2 size = {ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 5};
    const ImVec2 corner = ImGui::GetCursorScreenPos();
    ImGui::Dummy(size);
    ImDrawList* draw = ImGui::GetWindowDrawList();
    draw->AddRectFilled(corner, {corner.x + size.x, corner.y + size.y}, ImGui::GetColorU32(ImGuiCol_FrameBg), 4);

    const double budget = 1000 * statistics.step_length; // ms
    const float highest = scale_of(statistics);
    const float bar = size.x / static_cast<float>(graph_steps);
    const float bottom = corner.y + size.y;
    float x = corner.x + static_cast<float>(graph_steps - std::min(graph_steps, statistics.stage_ms.size())) * bar;
    for (const auto& step : statistics.stage_ms) {
        float y = bottom;
        for (std::size_t stage = 0; stage < step.size(); ++stage) {
            const float top = std::max(corner.y, y - step[stage] / highest * size.y);
            draw->AddRectFilled({x, top}, {x + bar, y}, colour_of(stage));
            y = top;
        }
        x += bar;
    }
    if (static_cast<float>(budget) <= highest) {
        const float y = bottom - static_cast<float>(budget) / highest * size.y;
        draw->AddLine({corner.x, y}, {corner.x + size.x, y}, ImGui::GetColorU32(warning));
    }
    const std::string text = rounded(static_cast<double>(highest), 1) + " ms";
    draw->AddText({corner.x + 4, corner.y + 2}, ImGui::GetColorU32(faint), text.c_str());
}

void draw_legend(const Statistics& statistics) {
    const float square = ImGui::GetFontSize() * 0.7f;
    if (!ImGui::BeginTable("stages", 2)) return;
    for (std::size_t stage = 0; stage < statistics.stages.size(); ++stage) {
        double mean = 0;
        for (const auto& step : statistics.stage_ms)
            if (stage < step.size()) mean += static_cast<double>(step[stage]);
        mean /= static_cast<double>(std::max<std::size_t>(1, statistics.stage_ms.size()));
        ImGui::TableNextColumn();
        const ImVec2 corner = ImGui::GetCursorScreenPos();
        const float y = corner.y + (ImGui::GetFontSize() - square) / 2;
        ImGui::GetWindowDrawList()->AddRectFilled({corner.x, y}, {corner.x + square, y + square}, colour_of(stage), 2);
        ImGui::SetCursorScreenPos({corner.x + square * 1.6f, corner.y});
        ImGui::Text("%s", statistics.stages[stage].c_str());
        ImGui::SameLine();
        ImGui::TextDisabled("%.2f", mean);
    }
    ImGui::EndTable();
}

} // namespace

void draw_statistics(const Frame& frame, std::size_t triangles, double frames_per_second) {
    const Statistics& s = frame.statistics;
    if (ImGui::BeginTable("figures", 4, ImGuiTableFlags_SizingStretchProp)) {
        figure("pictures/s", rounded(frames_per_second, 0));
        figure("speed", s.paused ? "paused" : rounded(s.speed, 2) + "x", !s.keeps_up);
        figure("vertices", std::to_string(frame.snapshot.positions.size()));
        figure("triangles", std::to_string(triangles));
        figure("contacts", std::to_string(s.report.contacts));
        figure("self contacts", std::to_string(s.report.self_contacts));
        figure("impacts", std::to_string(s.report.impacts));
        figure("zones", std::to_string(s.report.zones), s.report.unresolved > 0);
        figure("max stretch", rounded(static_cast<double>(s.max_stretch), 3));
        figure("time", rounded(frame.snapshot.time, 2) + " s");
        figure("threads", std::to_string(s.threads));
        figure("step", rounded(1000 * s.step_length, 1) + " ms");
        ImGui::EndTable();
    }
    ImGui::TextDisabled("ms per step, by stage");
    draw_graph(s);
    draw_legend(s);
}

} // namespace taffeta::viewer
