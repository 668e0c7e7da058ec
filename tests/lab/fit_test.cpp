#include "lab/references.h"

#include <taffeta/lab.h>

#include <gtest/gtest.h>

#include <cmath>

namespace {

using namespace taffeta::lab;

TEST(LabFit, InvertsTheCantilever) {
    // A cloth of this stiffness hangs so; from how it hangs the stiffness comes back.
    const double weight = 0.15, bend = 1.3e-5;
    for (const double overhang : {0.03, 0.06, 0.1}) {
        const double gamma = weight * standard_gravity * std::pow(overhang, 3) / bend;
        const auto fit = fit_fabric(
            {.weight = weight, .overhang = overhang, .angle = heavy_elastica(gamma).chord_degrees(), .tensile = {}});
        ASSERT_TRUE(fit);
        EXPECT_NEAR(static_cast<double>(fit->fabric.bend[0]) / bend, 1, 1e-5);
        EXPECT_EQ(fit->fabric.bend[0], fit->fabric.bend[1]);
        EXPECT_EQ(fit->fabric.density, 0.15f);
    }
}

TEST(LabFit, TheStandardAngleHalvesTheOverhang) { // ASTM D1388: c = L/2, D = sigma g c^3
    const auto fit = fit_fabric({.weight = 0.2, .overhang = 0.08, .tensile = {}});
    ASSERT_TRUE(fit);
    EXPECT_NEAR(static_cast<double>(fit->fabric.bend[0]) / (0.2 * standard_gravity * std::pow(0.04, 3)), 1, 1e-3);
}

TEST(LabFit, StretchIsTheLeastSquaresSlope) {
    const auto fit = fit_fabric({.weight = 0.15,
                                 .overhang = 0.06,
                                 .weft_overhang = 0.03,
                                 .tensile = {{0.01, 6}, {0.02, 11}},
                                 .weft_tensile = {{0.01, 3}}});
    ASSERT_TRUE(fit);
    EXPECT_NEAR(fit->fabric.stretch[0], (0.01 * 6 + 0.02 * 11) / (0.01 * 0.01 + 0.02 * 0.02), 1e-3);
    EXPECT_NEAR(fit->fabric.stretch[1], 300, 1e-3);
    EXPECT_NEAR(fit->fabric.bend[0] / fit->fabric.bend[1], 8, 1e-4);
}

TEST(LabFit, TellsHowEachFigureWasGot) {
    const auto fit = fit_fabric({.weight = 0.15, .overhang = 0.06, .tensile = {}});
    ASSERT_TRUE(fit);
    for (const char* word : {"density = 0.15", "bend = [", "41.5 degrees", "not measured"})
        EXPECT_NE(fit->toml.find(word), std::string::npos) << fit->toml;
}

TEST(LabFit, WritesAFabricFile) {
    const auto fit = fit_fabric({.name = "mine", .weight = 0.15, .overhang = 0.06, .tensile = {{0.01, 6}}});
    ASSERT_TRUE(fit);
    const auto file = taffeta::io::read_fabric_text(fit->toml, "mine.toml");
    ASSERT_TRUE(file) << file.errors()[0].to_string();
    EXPECT_FLOAT_EQ(file->fabric.density, fit->fabric.density);
    EXPECT_NEAR(file->fabric.bend[0] / fit->fabric.bend[0], 1, 1e-4);
    EXPECT_NEAR(file->fabric.stretch[1] / fit->fabric.stretch[1], 1, 1e-4);
    EXPECT_EQ(file->fabric.name, "mine");
}

TEST(LabFit, BadMeasurementsAreAllNamed) {
    const auto fit = fit_fabric({.weight = -1, .overhang = 0, .angle = 95, .tensile = {{0, 5}}});
    ASSERT_FALSE(fit);
    EXPECT_EQ(fit.errors().size(), 4u);
}

} // namespace
