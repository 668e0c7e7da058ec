#include "lab/shadow.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace taffeta::lab {

double shadow_area(const Shadow& shadow) {
    // The cells of a raster whose middle is covered; 600 lines make an error of a few hundredths of a percent.
    constexpr int lines = 600;
    const double half = 1.05 * shadow.specimen_radius, cell = 2 * half / lines;
    std::vector<bool> covered(static_cast<std::size_t>(lines) * lines, false);
    const auto place = [&](int k) { return (k + 0.5) * cell - half; };
    const auto first = [&](double value) {
        return std::clamp(static_cast<int>((value + half) / cell - 1), 0, lines - 1);
    };
    const auto last = [&](double value) {
        return std::clamp(static_cast<int>((value + half) / cell + 1), 0, lines - 1);
    };
    for (const auto& [a, b, c] : shadow.triangles) {
        const auto [x_low, x_high] = std::minmax({a[0], b[0], c[0]});
        const auto [y_low, y_high] = std::minmax({a[1], b[1], c[1]});
        for (int row = first(y_low); row <= last(y_high); ++row) {
            for (int column = first(x_low); column <= last(x_high); ++column) {
                const double x = place(column), y = place(row);
                const auto side = [&](const auto& p, const auto& q) {
                    return (q[0] - p[0]) * (y - p[1]) - (q[1] - p[1]) * (x - p[0]);
                };
                const double s0 = side(a, b), s1 = side(b, c), s2 = side(c, a);
                if ((s0 >= 0 && s1 >= 0 && s2 >= 0) || (s0 <= 0 && s1 <= 0 && s2 <= 0))
                    covered[static_cast<std::size_t>(row) * lines + static_cast<std::size_t>(column)] = true;
            }
        }
    }
    std::size_t count = 0;
    for (int row = 0; row < lines; ++row)
        for (int column = 0; column < lines; ++column)
            if (covered[static_cast<std::size_t>(row) * lines + static_cast<std::size_t>(column)] ||
                std::hypot(place(column), place(row)) <= shadow.disc_radius)
                ++count;
    return static_cast<double>(count) * cell * cell;
}

double drape_coefficient_of(const Shadow& shadow) {
    const double disc = std::numbers::pi * shadow.disc_radius * shadow.disc_radius;
    const double whole = std::numbers::pi * shadow.specimen_radius * shadow.specimen_radius;
    return 100 * (shadow_area(shadow) - disc) / (whole - disc);
}

int count_nodes(const std::vector<std::array<double, 2>>& border) {
    std::vector<double> radius;
    double mean = 0;
    for (const auto& [x, y] : border) {
        radius.push_back(std::hypot(x, y));
        mean += radius.back() / static_cast<double>(border.size());
    }
    // A fold is deeper than a fiftieth of the radius: the border must have been inside by that before it counts again.
    const double band = 0.01 * mean;
    int nodes = 0;
    bool inside = false;
    // Twice round: the first time finds the state to begin with.
    for (std::size_t k = 0; k < 2 * radius.size(); ++k) {
        const double out = radius[k % radius.size()] - mean;
        if (out < -band) inside = true;
        if (out > band && inside) {
            inside = false;
            if (k >= radius.size()) ++nodes;
        }
    }
    return nodes;
}

} // namespace taffeta::lab
