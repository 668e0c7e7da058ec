#include "io/scene/scene_values.h"

#include "io/scene/scene_keys.h"

#include <charconv>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>

namespace taffeta::io {

namespace {

template <class Integer>
Fit convert_integer(const toml::node& node, Integer& out) {
    if (!node.is_integer()) return Fit::wrong_type;
    const std::int64_t value = node.as_integer()->get();
    if (!std::in_range<Integer>(value)) return Fit::out_of_range;
    out = static_cast<Integer>(value);
    return Fit::yes;
}

// Some of the entries of a list, by their numbers.
template <class T>
Fit convert_entries(const toml::table& entries, std::span<T> out) {
    for (const auto& [name, entry] : entries) {
        const std::string_view digits = name.str();
        std::size_t i = out.size();
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), i);
        if (error != std::errc{} || stop != digits.data() + digits.size() || i >= out.size()) return Fit::wrong_type;
        if (const Fit fit = convert(entry, out[i]); fit != Fit::yes) return fit;
    }
    return Fit::yes;
}

// A list of exactly as many values.
template <class T>
Fit convert_list(const toml::node& node, std::span<T> out) {
    if (is_override(node) && node.is_table()) return convert_entries(*node.as_table(), out);
    const toml::array* list = node.as_array();
    if (!list || list->size() != out.size()) return Fit::wrong_type;
    for (std::size_t i = 0; i < out.size(); ++i)
        if (const Fit fit = convert((*list)[i], out[i]); fit != Fit::yes) return fit;
    return Fit::yes;
}

} // namespace

bool is_override(const toml::node& node) {
    return node.source().path && node.source().path->starts_with("--set ");
}

Fit convert(const toml::node& node, bool& out) {
    if (!node.is_boolean()) return Fit::wrong_type;
    out = node.as_boolean()->get();
    return Fit::yes;
}

Fit convert(const toml::node& node, float& out) {
    if (!node.is_number()) return Fit::wrong_type;
    const double value = *node.value<double>();
    if (!(std::abs(value) <= std::numeric_limits<float>::max())) return Fit::out_of_range;
    out = static_cast<float>(value);
    return Fit::yes;
}

Fit convert(const toml::node& node, double& out) {
    if (!node.is_number()) return Fit::wrong_type;
    const double value = *node.value<double>();
    if (!std::isfinite(value)) return Fit::out_of_range;
    out = value;
    return Fit::yes;
}

Fit convert(const toml::node& node, int& out) {
    return convert_integer(node, out);
}

Fit convert(const toml::node& node, Index& out) {
    return convert_integer(node, out);
}

Fit convert(const toml::node& node, std::string& out) {
    if (!node.is_string()) return Fit::wrong_type;
    out = node.as_string()->get();
    return Fit::yes;
}

Fit convert(const toml::node& node, Vec3& out) {
    std::array<float, 3> xyz = {out.x, out.y, out.z};
    const Fit fit = convert_list(node, std::span<float>(xyz));
    if (fit == Fit::yes) out = {xyz[0], xyz[1], xyz[2]};
    return fit;
}

Fit convert(const toml::node& node, Colour& out) {
    const auto text = node.value_exact<std::string>().value_or("");
    std::uint32_t rrggbb = 0;
    const char* end = text.data() + text.size();
    if (text.size() != 7 || text[0] != '#') return Fit::wrong_type;
    const auto [stop, error] = std::from_chars(text.data() + 1, end, rrggbb, 16);
    if (error != std::errc{} || stop != end) return Fit::wrong_type;
    out = colour_of(rrggbb);
    return Fit::yes;
}

Fit convert(const toml::node& node, std::array<float, 2>& out) {
    return convert_list(node, std::span<float>(out));
}

Fit convert(const toml::node& node, std::array<int, 2>& out) {
    return convert_list(node, std::span<int>(out));
}

Fit convert(const toml::node& node, GrabDesc::Key& out) {
    const toml::array* list = node.as_array();
    if (!list || list->size() != 4) return Fit::wrong_type;
    if (const Fit fit = convert((*list)[0], out.t); fit != Fit::yes) return fit;
    for (int axis = 0; axis < 3; ++axis)
        if (const Fit fit = convert((*list)[static_cast<std::size_t>(axis) + 1], out.position[axis]); fit != Fit::yes)
            return fit;
    return Fit::yes;
}

Fit convert(const toml::node& node, VertexPin& out) {
    if (!node.is_array()) return Fit::wrong_type;
    out.vertices.resize(node.as_array()->size());
    return convert_list(node, std::span<Index>(out.vertices));
}

Fit convert(const toml::node& node, BoxPin& out) {
    std::array<Vec3, 2> corners;
    const Fit fit = convert_list(node, std::span<Vec3>(corners));
    if (fit == Fit::yes) out = {corners[0], corners[1]};
    return fit;
}

Fit convert(const toml::node& node, CornerPin& out) {
    return convert(node, out.corner);
}

std::string wanted(const bool&) {
    return "true or false";
}
std::string wanted(const float&) {
    return "a number";
}
std::string wanted(const double&) {
    return "a number";
}
std::string wanted(const int&) {
    return "an integer";
}
std::string wanted(const Index&) {
    return "a vertex number";
}
std::string wanted(const std::string&) {
    return "a text in quotes";
}
std::string wanted(const Vec3&) {
    return "a list of 3 numbers like [0, 1, 0]";
}
std::string wanted(const Colour&) {
    return "a colour like \"#c8102e\"";
}
std::string wanted(const std::array<float, 2>&) {
    return "a list of 2 numbers like [1.5, 1]";
}
std::string wanted(const std::array<int, 2>&) {
    return "a list of 2 integers like [31, 31]";
}
std::string wanted(const GrabDesc::Key&) {
    return "a list of 4 numbers, [t, x, y, z]";
}
std::string wanted(const VertexPin&) {
    return "a list of vertex numbers like [0, 31]";
}
std::string wanted(const BoxPin&) {
    return "two corners, [[x, y, z], [x, y, z]]";
}
std::string wanted(const CornerPin&) {
    return "a text like \"+x+z\"";
}

std::string value_text(const toml::node& node) {
    constexpr std::size_t most_letters = 60, most_entries = 6;
    if (const auto* text = node.as_string()) {
        std::string_view shown = text->get();
        if (shown.size() <= most_letters) return toml_text(shown);
        std::size_t end = most_letters; // not amid the bytes of one UTF-8 character
        while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xC0) == 0x80) --end;
        return toml_text(shown.substr(0, end)) + "...";
    }
    if (const auto* number = node.as_integer()) return std::to_string(number->get());
    if (const auto* number = node.as_floating_point()) return toml_text(number->get());
    if (const auto* boolean = node.as_boolean()) return boolean->get() ? "true" : "false";
    if (const toml::array* list = node.as_array()) {
        if (list->size() > most_entries) return "a list of " + std::to_string(list->size()) + " values";
        std::string text;
        for (const toml::node& entry : *list)
            text += (text.empty() ? "" : ", ") + (entry.is_array() ? "[...]" : value_text(entry));
        return "[" + text + "]";
    }
    if (const toml::table* table = node.as_table()) {
        if (!is_override(node) || table->empty()) return "a table";
        std::string text;
        for (const auto& [name, entry] : *table)
            text += (text.empty() ? "" : ", ") + printable(name.str()) + " = " +
                    (entry.is_table() || entry.is_array() ? "..." : value_text(entry));
        return "the table { " + text + " }";
    }
    return "a date or time";
}

} // namespace taffeta::io
