#include "lab/shadow.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace {

using namespace taffeta::lab;

std::array<double, 2> on_circle(double radius, double turn) {
    return {radius * std::cos(2 * std::numbers::pi * turn), radius * std::sin(2 * std::numbers::pi * turn)};
}

// A fan of triangles out to a border whose radius is a function of the turn.
template <class F>
Shadow fan(const F& radius) {
    Shadow shadow = {.disc_radius = 0.09, .specimen_radius = 0.15};
    constexpr int parts = 360;
    for (int k = 0; k < parts; ++k) {
        const double a = k / double{parts}, b = (k + 1) / double{parts};
        shadow.triangles.push_back({std::array<double, 2>{0, 0}, on_circle(radius(a), a), on_circle(radius(b), b)});
    }
    return shadow;
}

TEST(LabShadow, ABoardIsAHundredAndAHangingClothNought) {
    EXPECT_NEAR(drape_coefficient_of(fan([](double) { return 0.15; })), 100, 0.2);
    EXPECT_NEAR(drape_coefficient_of(fan([](double) { return 0.05; })), 0, 0.2);
    const double half = std::sqrt((0.15 * 0.15 + 0.09 * 0.09) / 2);
    EXPECT_NEAR(drape_coefficient_of(fan([&](double) { return half; })), 50, 0.2);
}

TEST(LabShadow, WhatOverlapsCountsOnce) {
    Shadow twice = fan([](double) { return 0.12; });
    const double once = shadow_area(twice);
    const auto triangles = twice.triangles;
    twice.triangles.insert(twice.triangles.end(), triangles.begin(), triangles.end());
    EXPECT_EQ(shadow_area(twice), once);
}

TEST(LabShadow, CountsFolds) {
    for (const int folds : {0, 2, 5, 7}) {
        std::vector<std::array<double, 2>> border;
        for (int k = 0; k < 200; ++k)
            border.push_back(on_circle(0.12 + 0.01 * std::cos(2 * std::numbers::pi * folds * k / 200), k / 200.0));
        EXPECT_EQ(count_nodes(border), folds);
    }
}

} // namespace
