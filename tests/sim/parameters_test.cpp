// The table of parameters: what it says holds for the structures it describes.
#include <taffeta/parameters.h>

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

namespace taffeta {
namespace {

// The numbers of a parameter; none if it is not set.
std::vector<double> numbers(int value) {
    return {static_cast<double>(value)};
}
std::vector<double> numbers(float value) {
    return {static_cast<double>(value)};
}
std::vector<double> numbers(const std::optional<float>& value) {
    return value ? numbers(*value) : std::vector<double>{};
}
std::vector<double> numbers(const std::array<float, 2>& value) {
    return {static_cast<double>(value[0]), static_cast<double>(value[1])};
}
std::vector<double> numbers(const Vec3& value) {
    return {static_cast<double>(value.x), static_cast<double>(value.y), static_cast<double>(value.z)};
}

template <class Owner>
void expect_good(std::span<const Parameter<Owner>> table) {
    static const Owner standard; // static: else g++ warns of alternatives that this owner does not have
    std::set<std::string_view> keys;
    for (const Parameter<Owner>& parameter : table) {
        SCOPED_TRACE(parameter.key);
        EXPECT_TRUE(keys.insert(parameter.key).second) << "twice";
        EXPECT_LE(parameter.low, parameter.slider_low);
        EXPECT_LT(parameter.slider_low, parameter.slider_high);
        EXPECT_LE(parameter.slider_high, parameter.high);
        EXPECT_TRUE(parameter.scale == Scale::linear || parameter.slider_low > 0);
        EXPECT_NE(parameter.meaning.find("; "), std::string_view::npos) << "what more of it does";
        const auto within = [&](auto field) {
            for (const double number : numbers(standard.*field))
                EXPECT_TRUE(number >= parameter.low && number <= parameter.high) << "the default " << number;
        };
        std::visit(within, parameter.field);
    }
}

TEST(Parameters, DefaultsAndSlidersAreAllowed) {
    expect_good(scene_parameters());
    expect_good(solver_parameters());
    expect_good(fabric_parameters());
    expect_good(wind_parameters());
}

// Sets one parameter, one number of a vector or pair.
template <class Owner>
void set(Owner& owner, const Parameter<Owner>& parameter, double value) {
    const auto assign = [&](auto field) {
        auto& member = owner.*field;
        using Member = std::remove_cvref_t<decltype(member)>;
        if constexpr (std::is_same_v<Member, int>)
            member = static_cast<int>(value);
        else if constexpr (std::is_same_v<Member, Vec3>)
            member.x = static_cast<float>(value);
        else if constexpr (std::is_same_v<Member, std::array<float, 2>>)
            member[1] = static_cast<float>(value);
        else
            member = static_cast<float>(value);
    };
    std::visit(assign, parameter.field);
}

// Just beyond what the field's type tells apart from the bound.
template <class Owner>
double beyond(const Parameter<Owner>& parameter, double bound, double direction) {
    if (std::holds_alternative<int Owner::*>(parameter.field)) return bound + direction;
    return static_cast<double>(
        std::nextafter(static_cast<float>(bound), static_cast<float>(direction) * std::numeric_limits<float>::max()));
}

template <class Owner, class Part>
void expect_bounds(std::span<const Parameter<Owner>> table, const std::string& at, const Part& part) {
    for (const Parameter<Owner>& parameter : table) {
        SCOPED_TRACE(parameter.key);
        SceneDesc scene;
        scene.cloths.push_back({});
        scene.fabrics.push_back({});
        // "limits" allows less friction, and the others no factor: check_test.cpp
        scene.solver.method = parameter.key == "velocity_factor" ? "limits" : "xpbd";
        for (const double allowed : {parameter.low, parameter.high}) {
            set(part(scene), parameter, allowed);
            scene.solver.damping = parameter.key == "velocity_factor" ? 0 : scene.solver.damping;
            EXPECT_TRUE(check(scene).empty()) << allowed;
        }
        for (const double direction : {-1.0, 1.0}) {
            const double bound = direction < 0 ? parameter.low : parameter.high;
            if (bound == std::numeric_limits<int>::max()) continue;
            set(part(scene), parameter, beyond(parameter, bound, direction));
            const Errors errors = check(scene);
            ASSERT_EQ(errors.size(), 1u) << bound;
            EXPECT_EQ(errors[0].key, at + std::string(parameter.key));
        }
    }
}

TEST(Parameters, RangesOfTheTableAreThoseOfCheck) {
    expect_bounds(scene_parameters(), "", [](SceneDesc& scene) -> SceneDesc& { return scene; });
    expect_bounds(solver_parameters(), "solver.", [](SceneDesc& scene) -> SolverDesc& { return scene.solver; });
    expect_bounds(fabric_parameters(), "fabric.cotton.", [](SceneDesc& scene) -> Fabric& { return scene.fabrics[0]; });
    expect_bounds(wind_parameters(), "wind.", [](SceneDesc& scene) -> WindDesc& { return scene.wind; });
}

} // namespace
} // namespace taffeta
