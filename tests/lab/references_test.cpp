// The laboratory's answers against numbers that others print, or that were computed apart from it.
#include "lab/references.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace taffeta::lab;

TEST(References, CantileverFollowsTheMasterCurve) { // [RLR21]; Gamma, drop over reach
    constexpr std::array<std::array<double, 2>, 12> curve = {{{0.1, 0.012500},
                                                              {1, 0.124562},
                                                              {2, 0.246673},
                                                              {4, 0.477648},
                                                              {5, 0.585721},
                                                              {8, 0.884330},
                                                              {10, 1.066802},
                                                              {20, 1.863930},
                                                              {50, 3.705561},
                                                              {100, 5.888105},
                                                              {200, 8.906771},
                                                              {1000, 21.33544}}};
    for (const auto& [gamma, ratio] : curve) {
        const Elastica strip = heavy_elastica(gamma);
        EXPECT_NEAR(strip.drop / strip.reach, ratio, 2e-5 * ratio + 5e-7) << gamma; // as many digits as are printed
    }
}

TEST(References, StiffCantileverIsTheLinearBeam) {
    const Elastica strip = heavy_elastica(1e-4);
    EXPECT_NEAR(strip.drop / (1e-4 / 8), 1, 1e-6);
    EXPECT_NEAR(strip.reach, 1, 1e-8);
}

TEST(References, TheStandardAngleMeansGammaEight) { // ASTM D1388: bending length = half the overhang at 41.5 degrees
    EXPECT_NEAR(gamma_of_chord(41.5), 8.0042, 1e-3);
    EXPECT_NEAR(heavy_elastica(8).chord_degrees(), 41.487, 1e-3);
    for (const double degrees : {5.0, 30.0, 60.0, 85.0})
        EXPECT_NEAR(heavy_elastica(gamma_of_chord(degrees)).chord_degrees(), degrees, 1e-7);
}

TEST(References, PeirceIsCloseAtTheStandardAngleOnly) { // [Pei30]; in lengths 1.9 % there, 16.7 % at 80 degrees
    const auto error = [](double degrees) {
        return std::abs(std::cbrt(gamma_of_chord_by_peirce(degrees) / gamma_of_chord(degrees)) - 1);
    };
    EXPECT_NEAR(error(41.5), 0.019, 0.002);
    EXPECT_NEAR(error(80), 0.167, 0.03);
}

TEST(References, StripsBuckleWhereTheTextbooksSay) {
    EXPECT_NEAR(greenhill_gamma(), 7.8373, 1e-4);
    EXPECT_NEAR(lateral_buckling_load(), 12.8538, 1e-4); // Timoshenko: 12.85
}

TEST(References, AStandingStripFallsOnceItIsTooHeavy) {
    const double upright = std::numbers::pi / 2 - 1e-3;
    EXPECT_LT(heavy_elastica(0.9 * greenhill_gamma(), upright).reach, 0.02);
    EXPECT_GT(heavy_elastica(1.1 * greenhill_gamma(), upright).reach, 0.3);
}

TEST(References, CatenariesSagAsComputed) {
    EXPECT_NEAR(catenary(0.5).sag, 0.398194, 1e-6);
    EXPECT_NEAR(catenary(0.5).degrees, 77.067, 1e-3);
    EXPECT_NEAR(catenary(0.6).sag, 0.362782, 1e-6);
    EXPECT_NEAR(catenary(0.8).sag, 0.265438, 1e-6);
    EXPECT_NEAR(catenary(0.9).sag, 0.190709, 1e-6);
}

TEST(References, ChainsAndPendulumsKeepTime) {
    EXPECT_NEAR(chain_period(1), 5.22548, 1e-5);
    EXPECT_NEAR(chain_period(2), 2.27648, 1e-5);
    EXPECT_NEAR(chain_period(3), 1.45213, 1e-5);
    for (const int mode : {1, 2, 3}) {
        EXPECT_NEAR(chain_mode(mode, 1), 0, 1e-9);
        EXPECT_EQ(chain_mode(mode, 0), 1);
    }
    EXPECT_NEAR(pendulum_ratio(30), 1.0174, 5e-5);
    EXPECT_NEAR(pendulum_ratio(60), 1.0732, 5e-5);
    EXPECT_NEAR(pendulum_ratio(90), 1.1803, 5e-5);
}

TEST(References, ArchesOfEuler) {
    // A little shortened, the arch is a sine: shortening = (pi h / 2)^2.
    EXPECT_NEAR(arch_height(1e-4), 2 / std::numbers::pi * 1e-2, 1e-5);
    // Half an arch, followed from its hinge at the angle alpha to its level middle: theta'' = -sin(theta).
    for (const double alpha : {0.5, 1.0, 1.5}) {
        constexpr double h = 1e-5;
        double theta = alpha, slope = 0, s = 0, x = 0, y = 0;
        while (theta > 0) {
            slope -= h * std::sin(theta);
            x += h * std::cos(theta);
            y += h * std::sin(theta);
            theta += h * slope;
            s += h;
        }
        EXPECT_NEAR(arch_height(1 - x / s), y / (2 * s), 1e-4) << alpha;
    }
}

TEST(References, CoulombHoldsOrLetsGo) {
    EXPECT_EQ(slide(20, 0.4), 0); // tan 20 = 0.364
    EXPECT_NEAR(slide(30, 0.4), 9.81 * (0.5 - 0.4 * std::sqrt(0.75)), 1e-12);
}

TEST(References, StripsGiveByTheirLaw) {
    const Membrane law = {500, 300, 100, 50};
    const Uniaxial warp = draw_out(law, 5);
    EXPECT_NEAR(warp.strain, 5 / (500 - 100.0 * 100 / 300), 1e-9);
    EXPECT_NEAR(warp.contraction, warp.strain * 100 / 300, 1e-9);
    // On the bias and for small loads by the compliances turned by 45 degrees.
    const double determinant = 500 * 300 - 100 * 100;
    const double s11 = 300 / determinant, s22 = 500 / determinant, s12 = -100 / determinant, s66 = 1.0 / 50;
    const Uniaxial bias = draw_out(law, 1e-3, 45);
    EXPECT_NEAR(bias.strain / (1e-3 / 4 * (s11 + s22 + 2 * s12 + s66)), 1, 1e-3);
    EXPECT_NEAR(bias.contraction / (-1e-3 / 4 * (s11 + s22 + 2 * s12 - s66)), 1, 1e-3);
}

} // namespace
