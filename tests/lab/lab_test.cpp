// Small and quick runs of the laboratory: what it reports is what theory expects, to the bounds it claims.
#include "lab/rig.h"

#include <taffeta/lab.h>

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace taffeta;
using namespace taffeta::lab;

Report run(std::string_view name, const Options& options) {
    Result<Report> report = run_test(name, options);
    if (report) return *report;
    ADD_FAILURE() << name << ": " << report.errors()[0].to_string();
    return {};
}

void expect_all_within(const Report& report) {
    EXPECT_FALSE(report.rows.empty());
    for (const Row& row : report.rows)
        EXPECT_TRUE(row.is_within()) << report.test << ", " << row.quantity << ": " << row.simulated << " instead of "
                                     << row.expected.value_or(0);
    for (const Curve& curve : report.plot.curves) EXPECT_FALSE(curve.points.empty()) << curve.label;
}

TEST(Lab, CantileverOnEveryTriangulation) {
    for (const auto& [triangulation, name] : triangulation_names) {
        SCOPED_TRACE(name);
        std::vector<std::string> notes;
        const Result<double> height = tip_height({.cells = 10, .triangulation = triangulation, .threads = 1}, notes);
        ASSERT_TRUE(height);
        EXPECT_NEAR(*height / -heavy_elastica(8).drop, 1, 0.02);
        EXPECT_TRUE(notes.empty()) << notes[0];
    }
}

TEST(Lab, CantileverOfWarpAndWeft) {
    Fabric fabric;
    fabric.bend = {4e-5f, 1e-5f};
    const Report report = run("cantilever", {.fabric = fabric, .cells = 8, .threads = 1});
    expect_all_within(report);
    const double warp = report.rows[report.rows.size() - 2].simulated, weft = report.rows.back().simulated;
    EXPECT_NEAR(warp / weft, std::cbrt(4.0), 0.01);
}

TEST(Lab, TensileStripsGiveByTheirLaw) {
    Fabric fabric;
    fabric.stretch = {800, 300};
    fabric.poisson = 0.3f;
    expect_all_within(run("tensile", {.fabric = fabric, .cells = 32, .threads = 1}));
}

TEST(Lab, ThePictureFrameShearsAsOne) {
    expect_all_within(run("shear", {.cells = 6, .threads = 1}));
}

TEST(Lab, CatenariesSag) {
    expect_all_within(run("catenary", {.cells = 16, .threads = 1}));
}

TEST(Lab, FrictionHoldsAndSlides) {
    expect_all_within(run("incline", {.cells = 8, .threads = 1}));
}

TEST(Lab, ClothOnClothHoldsAndSlides) { // Coulomb
    constexpr double friction = 0.4;
    const double limit = std::atan(friction) * 180 / std::numbers::pi;
    for (const std::string method : {"xpbd", "implicit"}) {
        SCOPED_TRACE(method);
        Options options = {.cells = 16, .threads = 1};
        options.method = method;
        const Result<Slid> below = let_slide(options, {Surface::cloth, friction, limit - 2}, 1);
        const Result<Slid> above = let_slide(options, {Surface::cloth, friction, limit + 2}, 1);
        ASSERT_TRUE(below && above);
        EXPECT_NEAR(below->creep, 0, 0.1e-3);
        EXPECT_NEAR(above->acceleration / slide(limit + 2, friction), 1, 0.05);
    }
}

TEST(Lab, CanBeEndedEarly) {
    int calls = 0;
    const Result<Report> report =
        run_test("cantilever", {.cells = 4, .threads = 1}, [&](const std::string&) { return ++calls < 3; });
    EXPECT_FALSE(report);
    EXPECT_EQ(calls, 3);
}

TEST(Lab, RefusesWhatItCannotDo) {
    EXPECT_FALSE(run_test("cantilever", {.cells = 1}));
    EXPECT_FALSE(run_test("cantilever", {.method = "magic"}));
}

} // namespace
