// TOML nodes as the values of a scene: numbers, texts, vectors and short lists.
#pragma once

#include <taffeta/scene.h>

#include <toml++/toml.h>

#include <array>
#include <concepts>
#include <string>
#include <string_view>

namespace taffeta::io {

enum class Fit { yes, wrong_type, out_of_range };

// True if the node came with a `--set`.
bool is_override(const toml::node& node);

// Fills `out` if the node fits. Of short lists of numbers, an override may also be a table with some of the entries,
// { 0 = value }; the others stay as they are. Integers are numbers too; NaN, infinity and what exceeds the type are out
// of range.
Fit convert(const toml::node& node, bool& out);
Fit convert(const toml::node& node, float& out);
Fit convert(const toml::node& node, double& out);
Fit convert(const toml::node& node, int& out);
Fit convert(const toml::node& node, Index& out);
Fit convert(const toml::node& node, std::string& out);
Fit convert(const toml::node& node, Vec3& out);
Fit convert(const toml::node& node, Colour& out);
Fit convert(const toml::node& node, std::array<float, 2>& out);
Fit convert(const toml::node& node, std::array<int, 2>& out);
Fit convert(const toml::node& node, GrabDesc::Key& out);
Fit convert(const toml::node& node, VertexPin& out);
Fit convert(const toml::node& node, BoxPin& out);
Fit convert(const toml::node& node, CornerPin& out);

// What may stand in a file, to follow "must be".
std::string wanted(const bool&);
std::string wanted(const float&);
std::string wanted(const double&);
std::string wanted(const int&);
std::string wanted(const Index&);
std::string wanted(const std::string&);
std::string wanted(const Vec3&);
std::string wanted(const Colour&);
std::string wanted(const std::array<float, 2>&);
std::string wanted(const std::array<int, 2>&);
std::string wanted(const GrabDesc::Key&);
std::string wanted(const VertexPin&);
std::string wanted(const BoxPin&);
std::string wanted(const CornerPin&);

// Which numbers fit, to follow wanted().
template <class T>
std::string_view limits(const T&) {
    if constexpr (std::same_as<T, int> || std::same_as<T, std::array<int, 2>>) return "at most 2147483647 in size";
    if constexpr (std::same_as<T, Index> || std::same_as<T, VertexPin>) return "from 0 to 4294967295";
    if constexpr (std::same_as<T, double>) return "at most 1.7e308 in size";
    return "at most 3.4e38 in size";
}

// The node for a message, on one line and not too long: 4, "text", [1, 2], a table, ...
std::string value_text(const toml::node& node);

} // namespace taffeta::io
