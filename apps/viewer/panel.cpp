#include "panel.h"

#include "parameter_sliders.h"
#include "statistics_view.h"
#include "theme.h"

#include <taffeta/io.h>

#include <imgui.h>

#include <algorithm>

namespace taffeta::viewer {
namespace {

// Buttons that share a row.
class ButtonRow {
public:
    explicit ButtonRow(int count)
        : width_((ImGui::GetContentRegionAvail().x - static_cast<float>(count - 1) * ImGui::GetStyle().ItemSpacing.x) /
                 static_cast<float>(count)) {}

    bool button(const char* label, const char* tip, bool is_on = false) {
        if (!is_first_) ImGui::SameLine();
        is_first_ = false;
        if (is_on) ImGui::PushStyleColor(ImGuiCol_Button, ImGui::GetStyleColorVec4(ImGuiCol_ButtonActive));
        const bool pressed = ImGui::Button(label, {width_, 0});
        if (is_on) ImGui::PopStyleColor();
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tip);
        return pressed;
    }

private:
    float width_;
    bool is_first_ = true;
};

void label(const char* text) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(text);
    ImGui::SameLine(ImGui::GetWindowContentRegionMax().x * 0.42f);
    ImGui::SetNextItemWidth(-1);
}

bool section(const char* title, bool is_open = false) {
    return ImGui::CollapsingHeader(title, is_open ? ImGuiTreeNodeFlags_DefaultOpen : 0);
}

// What is shown of contacts by triangles.
void draw_marks(render::ContactMarks& marks) {
    const auto check = [](const char* name, bool& is_on, const char* tip) {
        ImGui::Checkbox(name, &is_on);
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", tip);
    };
    check("close pairs", marks.close_pairs,
          "small dots: vertices and faces, or edges, that keep a distance;\nred: cloth and cloth, blue: cloth and a "
          "body");
    ImGui::SameLine();
    check("impacts", marks.impacts, "orange: what would have passed through in the last substep and was stopped");
    ImGui::SameLine();
    check("zones", marks.zones, "pink: vertices that had to move as one, for nothing else stopped them");
}

} // namespace

Panel::Panel() {
    for (const io::BuiltinScene& builtin : io::builtin_scenes()) {
        const Result<SceneDesc> scene = io::open_scene(std::string(builtin.name));
        scenes_.push_back({std::string(builtin.name), scene ? scene->description : ""});
    }
    for (const io::BuiltinFabric& builtin : io::builtin_fabrics())
        if (Result<io::FabricFile> file = io::open_fabric(std::string(builtin.name)); file)
            fabrics_.push_back(std::move(*file));
    std::vector<Fabric> fabrics;
    for (const io::FabricFile& file : fabrics_) fabrics.push_back(file.fabric);
    swatches_.emplace(std::move(fabrics));
}

Panel::Wishes Panel::draw(const Shown& shown) {
    Wishes wishes;
    if (!is_visible) return wishes;
    const ImVec2 window = ImGui::GetIO().DisplaySize;
    const float margin = ImGui::GetStyle().ItemSpacing.x;
    const float width = std::min(ImGui::GetFontSize() * 27, window.x * 0.5f);
    width_ = width + margin;
    ImGui::SetNextWindowPos({window.x - width_, margin});
    ImGui::SetNextWindowSize({width, window.y - 2 * margin});
    ImGui::Begin("panel", nullptr,
                 ImGuiWindowFlags_NoTitleBar | ImGuiWindowFlags_NoResize | ImGuiWindowFlags_NoMove |
                     ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoNav);
    draw_scene(shown, wishes);
    draw_controls(shown, wishes);
    ImGui::Spacing();
    if (section("View", true)) draw_view(shown);
    if (section("Figures", true)) draw_statistics(shown.frame, shown.triangles, shown.frames_per_second);
    if (section("Files", true)) draw_files(shown, wishes);
    draw_parameters(shown, wishes);
    ImGui::End();
    return wishes;
}

void Panel::draw_scene(const Shown& shown, Wishes& wishes) {
    ImGui::SetNextItemWidth(-1);
    ImGui::SetNextWindowSizeConstraints({0, 0}, {ImGui::GetContentRegionAvail().x, ImGui::GetFontSize() * 30});
    if (ImGui::BeginCombo("##scene", shown.scene.name.c_str(), ImGuiComboFlags_HeightLargest)) {
        for (const Choice& choice : scenes_) {
            if (ImGui::Selectable(choice.name.c_str(), choice.name == shown.scene.name)) wishes.scene = choice.name;
            ImGui::PushStyleColor(ImGuiCol_Text, faint);
            ImGui::TextWrapped("%s", choice.description.c_str());
            ImGui::PopStyleColor();
            ImGui::Spacing();
        }
        ImGui::EndCombo();
    }
    ImGui::PushStyleColor(ImGuiCol_Text, faint);
    ImGui::TextWrapped("%s", shown.is_loading ? "Loading ..." : shown.scene.description.c_str());
    ImGui::PopStyleColor();
    ImGui::Spacing();
}

void Panel::draw_controls(const Shown& shown, Wishes& wishes) {
    const bool paused = shown.frame.statistics.paused;
    ButtonRow row(3);
    if (row.button(paused ? "Play" : "Pause", "Space", paused)) wishes.actions.push_back(Action::toggle_pause);
    if (row.button("Step", "one step and pause (.)")) wishes.actions.push_back(Action::step);
    if (row.button("Reset", "back to the start, with the parameters as they are (R)"))
        wishes.actions.push_back(Action::reset);
}

void Panel::draw_view(const Shown& shown) {
    ViewState& view = shown.view;
    for (std::size_t k = 0; k < render::view_names.size(); ++k) {
        const std::string name(render::view_names[k]);
        if (k % 3 != 0) ImGui::SameLine(ImGui::GetWindowContentRegionMax().x * static_cast<float>(k % 3) / 3);
        if (ImGui::RadioButton(name.c_str(), static_cast<std::size_t>(view.view) == k))
            view.view = static_cast<render::View>(k);
        if (ImGui::IsItemHovered()) ImGui::SetTooltip("key %zu", k + 1);
    }
    if (view.view == render::View::strain) {
        label("range");
        float percent = view.strain_range * 100;
        if (ImGui::SliderFloat("##range", &percent, 0.1f, 50, "+- %.3g %%", ImGuiSliderFlags_Logarithmic))
            view.strain_range = std::clamp(percent / 100, 0.0001f, 10.0f);
    }
    if (view.view == render::View::hierarchy) {
        label("level");
        const int deepest = std::max(0, shown.frame.statistics.hierarchy_levels - 1);
        ImGui::SliderInt("##level", &view.level, 0, deepest, "%d", ImGuiSliderFlags_AlwaysClamp);
    }
    if (view.view == render::View::contacts) draw_marks(view.marks);
    label("brush");
    float millimetres = shown.brush_radius * 1000;
    if (ImGui::SliderFloat("##brush", &millimetres, 0, 200, millimetres > 0 ? "%.0f mm" : "one particle"))
        shown.brush_radius = std::clamp(millimetres / 1000, 0.0f, 10.0f);
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("how much cloth the mouse takes: its radius");
}

bool Panel::choose_fabric(Fabric& fabric) {
    const auto is_on = [&](const io::FabricFile& file) {
        Fabric same = file.fabric;
        same.name = fabric.name;
        return same == fabric;
    };
    const auto present = std::find_if(fabrics_.begin(), fabrics_.end(), is_on);
    bool chosen = false;
    label("take a fabric");
    ImGui::SetNextWindowSizeConstraints({0, 0}, {ImGui::GetFontSize() * 24, ImGui::GetFontSize() * 30});
    if (ImGui::BeginCombo("##fabric", present != fabrics_.end() ? present->fabric.name.c_str() : "its own",
                          ImGuiComboFlags_HeightLargest)) {
        const ImVec2 picture = {static_cast<float>(Swatches::size.width), static_cast<float>(Swatches::size.height)};
        for (std::size_t k = 0; k < fabrics_.size(); ++k) {
            const io::FabricFile& file = fabrics_[k];
            ImGui::PushID(static_cast<int>(k));
            const float y = ImGui::GetCursorPosY();
            if (ImGui::Selectable("##fabric", is_on(file), 0, {0, picture.y})) {
                put_on(file.fabric, fabric);
                chosen = true;
            }
            ImGui::SetCursorPosY(y);
            if (const std::uintptr_t texture = swatches_->texture(k); texture != 0)
                ImGui::Image(reinterpret_cast<ImTextureID>(texture), picture);
            else
                ImGui::Dummy(picture);
            ImGui::SameLine();
            ImGui::BeginGroup();
            ImGui::TextUnformatted(file.fabric.name.c_str());
            ImGui::PushStyleColor(ImGuiCol_Text, faint);
            ImGui::TextWrapped("%s", file.description.c_str());
            ImGui::PopStyleColor();
            ImGui::EndGroup();
            ImGui::PopID();
        }
        ImGui::EndCombo();
    }
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("all values of a built-in fabric, and its look");
    return chosen;
}

void Panel::draw_parameters(const Shown& shown, Wishes& wishes) {
    SceneDesc& scene = shown.scene;
    const SceneDesc& original = shown.original;
    const bool is_fixed = shown.frame.statistics.recording;
    ImGui::BeginDisabled(is_fixed);
    bool changed = false;
    if (section("Solver", true)) {
        ImGui::PushID("solver");
        changed |= parameter_sliders(scene.solver, original.solver);
        label("acceleration");
        changed |= ImGui::Checkbox("##acceleration", &scene.solver.acceleration);
        if (ImGui::IsItemHovered())
            ImGui::SetTooltip("correct whole patches before the sweeps; off: the paper's method");
        ImGui::PopID();
    }
    for (std::size_t k = 0; k < std::min(scene.fabrics.size(), original.fabrics.size()); ++k) {
        ImGui::PushID(static_cast<int>(k));
        if (section(("Fabric: " + scene.fabrics[k].name).c_str(), k == 0)) {
            changed |= choose_fabric(scene.fabrics[k]);
            changed |= parameter_sliders(scene.fabrics[k], original.fabrics[k]);
        }
        ImGui::PopID();
    }
    if (section("Wind")) {
        ImGui::PushID("wind");
        changed |= parameter_sliders(scene.wind, original.wind);
        ImGui::PopID();
    }
    if (section("World")) {
        ImGui::PushID("world");
        changed |= parameter_sliders(scene, original);
        ImGui::PopID();
    }
    if (ImGui::Button("Back to the scene's parameters", {-1, 0})) {
        copy_parameters(original, scene);
        changed = true;
    }
    ImGui::EndDisabled();
    if (is_fixed) ImGui::TextDisabled("Parameters are fixed while hands are recorded.");
    wishes.parameters_changed |= changed && !is_fixed;
}

void Panel::draw_files(const Shown& shown, Wishes& wishes) {
    const auto wish = [&wishes](bool pressed, Action action) {
        if (pressed) wishes.actions.push_back(action);
    };
    ButtonRow first(2);
    wish(first.button("Save picture", "a .png of the window (S)"), Action::save_picture);
    wish(first.button(shown.is_filming ? "Stop film" : "Record film",
                      "an .mp4 of what you see, 30 pictures per second (V)", shown.is_filming),
         Action::toggle_film);
    ButtonRow second(2);
    wish(second.button("Export scene", "a .toml with the parameters as they are"), Action::export_scene);
    ImGui::BeginDisabled(shown.export_progress.has_value());
    wish(second.button("Export GLB", "the scene from its start, for Blender and three.js"), Action::export_glb);
    ImGui::EndDisabled();
    const bool recording = shown.frame.statistics.recording;
    ButtonRow third(1);
    wish(third.button(recording ? "Stop recording hands" : "Record hands",
                      "starts again and remembers what you do; on stop, writes a scene that does it again (G)",
                      recording),
         Action::toggle_hands);
    if (shown.export_progress) ImGui::ProgressBar(*shown.export_progress, {-1, 0});
}

} // namespace taffeta::viewer
