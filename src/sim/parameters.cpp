#include <taffeta/parameters.h>

#include <array>
#include <limits>

namespace taffeta {
namespace {

constexpr double far_away = 1e6; // beyond, single precision has nothing left for cloth
constexpr double least = 1e-6;   // above zero by so much that squares and inverse masses are still numbers
using enum Scale;

// key, unit, field, allowed, useful, scale, meaning
constexpr std::array<Parameter<SceneDesc>, 1> scene_table = {{
    {"gravity", "m/s^2", &SceneDesc::gravity, -far_away, far_away, -20, 20, linear,
     "acceleration of all cloth; more makes it fall faster and hang with deeper folds"},
}};

constexpr std::array<Parameter<SolverDesc>, 4> solver_table = {{
    {"substeps", "", &SolverDesc::substeps, 1, 10'000, 1, 16, linear,
     "integration steps per frame; more make the cloth stiffer and its motion finer, and take longer"},
    {"iterations", "", &SolverDesc::iterations, 1, 100'000, 1, 64, logarithmic,
     "constraint sweeps per integration step; more keep lengths better, so that cloth stretches less, and take longer"},
    {"damping", "1/s", &SolverDesc::damping, 0, 1e6, 0, 10, linear,
     "rate at which velocities die away, whatever the step; more calms the cloth sooner"},
    {"velocity_factor", "", &SolverDesc::velocity_factor, 0, 1, 0.9, 1, linear,
     "share of a velocity that outlives an integration step, in place of damping; more lets the cloth swing longer"},
}};

constexpr std::array<Parameter<Fabric>, 9> fabric_table = {{
    {"density", "kg/m^2", &Fabric::density, least, 1e4, 0.02, 2, logarithmic,
     "mass of a square metre; more makes wind and other cloth move it less"},
    {"thickness", "m", &Fabric::thickness, 0, 1, 0, 0.02, linear,
     "distance kept from colliders; more keeps cloth farther above them"},
    {"friction", "", &Fabric::friction, 0, 1, 0, 1, linear,
     "share of the sliding that a contact with a collider removes; more makes cloth cling to what it lies on"},
    {"max_stretch", "", &Fabric::max_stretch, 1, 10, 1, 1.5, linear,
     "greatest length of an edge, as a multiple of its rest length; more makes the fabric stretchy"},
    {"min_stretch", "", &Fabric::min_stretch, 0, 1, 0.5, 1, linear,
     "least length of an edge, as a multiple of its rest length; more keeps the fabric from being pushed together"},
    {"bend_limit", "", &Fabric::bend_limit, 0, 1, 0, 1, linear,
     "least distance of the two vertices opposite an edge, as a multiple of their flat distance; more makes the fabric "
     "stiff, 0 is limp"},
    {"drag", "", &Fabric::drag, 0, 10, 0, 4, linear,
     "how strongly wind pushes cloth the way it blows; more makes it fly sooner"},
    {"lift", "", &Fabric::lift, 0, 10, 0, 4, linear,
     "how strongly wind pushes slanting cloth across the way it blows; more makes it flutter"},
    {"sheen", "", &Fabric::sheen, 0, 1, 0, 1, linear, "how much it shines; more looks like silk"},
}};

constexpr std::array<Parameter<WindDesc>, 3> wind_table = {{
    {"velocity", "m/s", &WindDesc::velocity, -far_away, far_away, -15, 15, linear,
     "velocity of the air; more blows harder, and at 0 there is no air at all"},
    {"turbulence", "", &WindDesc::turbulence, 0, 1, 0, 1, linear,
     "how much of the wind's speed comes and goes; more makes it gusty"},
    {"seed", "", &WindDesc::seed, 0, std::numeric_limits<int>::max(), 0, 100, linear,
     "which turbulence it is; another number gives other gusts of the same kind"},
}};

} // namespace

std::span<const Parameter<SceneDesc>> scene_parameters() {
    return scene_table;
}

std::span<const Parameter<SolverDesc>> solver_parameters() {
    return solver_table;
}

std::span<const Parameter<Fabric>> fabric_parameters() {
    return fabric_table;
}

std::span<const Parameter<WindDesc>> wind_parameters() {
    return wind_table;
}

} // namespace taffeta
