#include "parameter_sliders.h"

#include "theme.h"

#include <imgui.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace taffeta::viewer {
namespace {

struct Range {
    double low, high, slider_low, slider_high;
    ImGuiSliderFlags flags;
    std::string unit; // as a part of a printf format
    float factor;     // from values to what is shown
};

float clamped(float value, const Range& range) {
    return static_cast<float>(std::clamp(static_cast<double>(value), range.low, range.high));
}

bool slider(int& value, const Range& range) {
    const std::string format = "%d" + range.unit;
    const bool changed = ImGui::SliderInt("##value", &value, static_cast<int>(range.slider_low),
                                          static_cast<int>(range.slider_high), format.c_str(), range.flags);
    if (changed) value = static_cast<int>(std::clamp(static_cast<double>(value), range.low, range.high));
    return changed;
}

// Sliders beside each other, one for each number.
bool sliders(std::span<float> values, const Range& range, const std::string& format) {
    std::array<float, 3> shown = {};
    std::transform(values.begin(), values.end(), shown.begin(), [&](float value) { return value * range.factor; });
    const float low = static_cast<float>(range.slider_low) * range.factor;
    const float high = static_cast<float>(range.slider_high) * range.factor;
    const std::array<float, 3> before = shown;
    if (!ImGui::SliderScalarN("##value", ImGuiDataType_Float, shown.data(), static_cast<int>(values.size()), &low,
                              &high, format.c_str(), range.flags))
        return false;
    for (std::size_t k = 0; k < values.size(); ++k) // what was not touched keeps its last digits
        if (shown[k] != before[k]) values[k] = clamped(shown[k] / range.factor, range);
    return true;
}

bool slider(float& value, const Range& range) {
    return sliders({&value, 1}, range, "%.4g" + range.unit);
}

bool slider(std::array<float, 2>& value, const Range& range) {
    return sliders(value, range, "%.4g" + range.unit);
}

bool slider(std::optional<float>& value, const Range& range) {
    bool is_set = value.has_value();
    bool changed = ImGui::Checkbox("##set", &is_set);
    if (changed) value = is_set ? std::optional(static_cast<float>(range.slider_high)) : std::nullopt;
    ImGui::SameLine();
    ImGui::SetNextItemWidth(-1);
    if (!value) {
        ImGui::TextDisabled("off");
        return changed;
    }
    float number = *value;
    if (slider(number, range)) {
        value = number;
        changed = true;
    }
    return changed;
}

bool slider(Vec3& value, const Range& range) {
    std::array<float, 3> numbers = {value.x, value.y, value.z};
    const bool changed = sliders(numbers, range, "%.3g");
    if (changed) value = {numbers[0], numbers[1], numbers[2]};
    return changed;
}

std::string in_words(std::string_view key) {
    std::string words(key);
    std::replace(words.begin(), words.end(), '_', ' ');
    return words;
}

void explain(std::string_view meaning, std::string_view unit) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(ImGui::GetFontSize() * 26);
    ImGui::TextUnformatted(meaning.data(), meaning.data() + meaning.size());
    if (!unit.empty()) ImGui::TextDisabled("in %.*s", static_cast<int>(unit.size()), unit.data());
    ImGui::TextDisabled("Ctrl + click: type a value. Right click: the scene's value.");
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
}

template <class Owner>
bool edit(Owner& owner, const Owner& original, const Parameter<Owner>& parameter) {
    Range range = {parameter.low, parameter.high, parameter.slider_low, parameter.slider_high, 0, {}, 1};
    if (parameter.scale == Scale::logarithmic) range.flags |= ImGuiSliderFlags_Logarithmic;
    if (!parameter.unit.empty()) range.unit = " " + std::string(parameter.unit);
    // Logarithmic sliders know nothing below the last digit of their format, 1e-4: small numbers are shown in
    // millionths.
    if (parameter.scale == Scale::logarithmic && parameter.slider_low < 1e-4) {
        range.factor = 1e6f;
        range.unit = range.unit.empty() ? "e-6" : " u" + std::string(parameter.unit);
    }
    for (std::size_t at = 0; (at = range.unit.find('%', at)) != std::string::npos; at += 2) range.unit.insert(at, "%");

    ImGui::PushID(parameter.key.data(), parameter.key.data() + parameter.key.size());
    bool changed = false, is_hovered = false;
    std::visit(
        [&](auto field) {
            const bool differs = !(owner.*field == original.*field);
            ImGui::AlignTextToFramePadding();
            ImGui::TextColored(differs ? accent : ImGui::GetStyleColorVec4(ImGuiCol_Text), "%s",
                               in_words(parameter.key).c_str());
            is_hovered = ImGui::IsItemHovered();
            ImGui::SameLine(ImGui::GetWindowContentRegionMax().x * 0.42f);
            ImGui::SetNextItemWidth(-1);
            ImGui::BeginGroup();
            changed = slider(owner.*field, range);
            ImGui::EndGroup();
            is_hovered |= ImGui::IsItemHovered();
            if (differs && ImGui::IsItemClicked(ImGuiMouseButton_Right)) {
                owner.*field = original.*field;
                changed = true;
            }
        },
        parameter.field);
    if (is_hovered && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) explain(parameter.meaning, parameter.unit);
    ImGui::PopID();
    return changed;
}

template <class Owner>
bool edit_all(Owner& owner, const Owner& original, std::span<const Parameter<Owner>> parameters) {
    bool changed = false;
    for (const Parameter<Owner>& parameter : parameters) changed |= edit(owner, original, parameter);
    return changed;
}

template <class Owner>
void copy_all(const Owner& from, Owner& to, std::span<const Parameter<Owner>> parameters) {
    for (const Parameter<Owner>& parameter : parameters)
        std::visit([&](auto field) { to.*field = from.*field; }, parameter.field);
}

} // namespace

bool parameter_sliders(SceneDesc& scene, const SceneDesc& original) {
    return edit_all(scene, original, scene_parameters());
}

bool parameter_sliders(SolverDesc& solver, const SolverDesc& original) {
    return edit_all(solver, original, solver_parameters());
}

bool parameter_sliders(Fabric& fabric, const Fabric& original) {
    return edit_all(fabric, original, fabric_parameters());
}

bool parameter_sliders(WindDesc& wind, const WindDesc& original) {
    return edit_all(wind, original, wind_parameters());
}

void put_on(const Fabric& from, Fabric& to) {
    std::string name = std::move(to.name);
    to = from;
    to.name = std::move(name);
}

void copy_parameters(const SceneDesc& from, SceneDesc& to) {
    copy_all(from, to, scene_parameters());
    copy_all(from.solver, to.solver, solver_parameters());
    to.solver.acceleration = from.solver.acceleration;
    copy_all(from.wind, to.wind, wind_parameters());
    for (std::size_t k = 0; k < std::min(from.fabrics.size(), to.fabrics.size()); ++k)
        put_on(from.fabrics[k], to.fabrics[k]);
}

} // namespace taffeta::viewer
