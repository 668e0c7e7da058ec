// Every number that can be changed while the cloth moves: one table for scene files, `--set`, the checks, the viewer's
// sliders and the manual.
#pragma once

#include <taffeta/scene.h>

#include <array>
#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace taffeta {

enum class Scale { linear, logarithmic };

template <class Owner>
struct Parameter {
    using Field = std::variant<int Owner::*, float Owner::*, std::optional<float> Owner::*,
                               std::array<float, 2> Owner::*, Vec3 Owner::*>;

    std::string_view key;  // within its table, e.g. "iterations"
    std::string_view unit; // "" if it has none
    Field field;
    double low, high;               // what is allowed, both included; of several numbers: each of them
    double slider_low, slider_high; // what is useful
    Scale scale;
    std::string_view meaning; // "what it is; what more of it does", for manual, tooltip and messages

    // What it is, without what more of it does.
    constexpr std::string_view definition() const { return meaning.substr(0, meaning.find(';')); }
};

std::span<const Parameter<SceneDesc>> scene_parameters();   // gravity, ...
std::span<const Parameter<SolverDesc>> solver_parameters(); // [solver]
std::span<const Parameter<Fabric>> fabric_parameters();     // [fabric.NAME]
std::span<const Parameter<WindDesc>> wind_parameters();     // [wind]

} // namespace taffeta
