#include <taffeta/parameters.h>

#include <array>
#include <limits>

namespace taffeta {
namespace {

constexpr double far_away = 1e6; // beyond, single precision has nothing left for cloth
constexpr double least = 1e-6;   // above zero by so much that squares and inverse masses are still numbers
constexpr double least_stiffness = 1e-3, most_stiffness = 1e7; // N/m: weaker than gossamer, stiffer than sheet metal
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

constexpr std::array<Parameter<Fabric>, 17> fabric_table = {{
    {"density", "kg/m^2", &Fabric::density, least, 1e4, 0.02, 2, logarithmic,
     "mass of a square metre; more makes wind and other cloth move it less"},
    {"thickness", "m", &Fabric::thickness, 0, 1, 0, 0.02, linear,
     "distance kept from colliders; more keeps cloth farther above them"},
    {"friction", "", &Fabric::friction, 0, 10, 0, 1, linear,
     "Coulomb's coefficient at contacts, or with method \"limits\" the share of the sliding that a contact removes, at "
     "most 1; more makes cloth cling to what it lies on"},
    {"max_stretch", "", &Fabric::max_stretch, 1, 10, 1, 1.5, linear,
     "greatest length of an edge, as a multiple of its rest length; more makes the fabric stretchy"},
    {"min_stretch", "", &Fabric::min_stretch, 0, 1, 0.5, 1, linear,
     "least length of an edge, as a multiple of its rest length; more keeps the fabric from being pushed together"},
    {"bend_limit", "", &Fabric::bend_limit, 0, 1, 0, 1, linear,
     "least distance of the two vertices opposite an edge, as a multiple of their flat distance; more makes the fabric "
     "stiff, 0 is limp"},
    {"stretch", "N/m", &Fabric::stretch, least_stiffness, most_stiffness, 5, 5000, logarithmic,
     "force per width for a strain of 1, along warp and weft, above 0 or nothing holds it together; more keeps it from "
     "stretching"},
    {"poisson", "", &Fabric::poisson, -0.99, 0.99, -0.5, 0.9, linear,
     "coupling of warp and weft: K12 = poisson sqrt(K1 K2), which must stay below sqrt(K1 K2); more narrows it where "
     "it "
     "is pulled"},
    {"shear", "N/m", &Fabric::shear, least_stiffness, most_stiffness, 1, 1000, logarithmic,
     "force per width for threads turned against each other by 1 rad, above 0 or nothing holds them square; more keeps "
     "it from giving along the bias, so that it drapes in fewer folds"},
    {"bend", "N m", &Fabric::bend, 0, 100, 1e-7, 1e-3, logarithmic,
     "moment per width for a curvature of 1/m, along warp and weft; more makes wider folds, 0 is limp"},
    {"bend_hysteresis", "N", &Fabric::bend_hysteresis, 0, 10, 0, 0.01, linear,
     "moment per width between bending and unbending, the KES 2HB; more keeps creases that were made"},
    {"strain_limit", "", &Fabric::strain_limit, 0, 10, 0, 0.5, linear,
     "greatest strain of warp and weft, 0 is none; more lets it stretch farther before it gives no more"},
    {"stretch_damping", "s", &Fabric::stretch_damping, 0, 10, 0, 0.1, linear,
     "time for which a growing strain resists ahead; more calms its swinging in the plane"},
    {"bend_damping", "s", &Fabric::bend_damping, 0, 10, 0, 0.1, linear,
     "time for which a growing curvature resists ahead; more calms its flutter"},
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
