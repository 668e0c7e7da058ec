#include "lab/references.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numbers>

namespace taffeta::lab {
namespace {

constexpr double degree = std::numbers::pi / 180;

// The zero of a function that changes its sign between `low` and `high`: by the line through the two ends (Illinois),
// and every third time in the middle, so that it never takes long.
template <class F>
double find_zero(double low, double high, const F& f) {
    double at_low = f(low), at_high = f(high);
    int kept = 0; // which end has stayed: -1 low, 1 high
    for (int k = 0; k < 300; ++k) {
        const double width = high - low;
        if (width <= 1e-13 * std::max({std::abs(low), std::abs(high), 1e-3})) break;
        double x = k % 3 == 2 ? low + width / 2 : high - at_high * width / (at_high - at_low);
        if (!(x > low && x < high)) x = low + width / 2;
        const double y = f(x);
        if (y == 0) return x;
        if ((y < 0) == (at_low < 0)) {
            low = x;
            at_low = y;
            if (kept == 1) at_high /= 2;
            kept = 1;
        } else {
            high = x;
            at_high = y;
            if (kept == -1) at_low /= 2;
            kept = -1;
        }
    }
    return low + (high - low) / 2;
}

// A strip followed from its free end (t = 0) to its clamp (t = 1), by the classical method of Runge and Kutta:
// y'' = f(t, y) with y'(0) = 0. Calls visit(t, y) at each of the steps + 1 points.
template <class F, class Visit>
double shoot(double y, int steps, const F& f, const Visit& visit) {
    const double h = 1.0 / steps;
    double slope = 0;
    visit(0.0, y);
    for (int k = 0; k < steps; ++k) {
        const double t = k * h;
        const double a1 = f(t, y);
        const double a2 = f(t + h / 2, y + h / 2 * slope);
        const double a3 = f(t + h / 2, y + h / 2 * slope + h * h / 4 * a1);
        const double a4 = f(t + h, y + h * slope + h * h / 2 * a2);
        y += h * slope + h * h / 6 * (a1 + a2 + a3);
        slope += h / 6 * (a1 + 2 * a2 + 2 * a3 + a4);
        visit(t + h, y);
    }
    return y;
}

template <class F>
double shoot(double y, int steps, const F& f) {
    return shoot(y, steps, f, [](double, double) {});
}

// The n-th zero of the Bessel function J0, from 1; they are a little less than pi apart.
double bessel_zero(int n) {
    const double guess = (n - 0.25) * std::numbers::pi;
    return find_zero(guess - 1, guess + 1, [](double x) { return std::cyl_bessel_j(0.0, x); });
}

} // namespace

double Elastica::chord_degrees() const {
    return std::atan2(drop, reach) / degree;
}

// With theta the slope below the horizontal, theta'' = -Gamma (1 - s) cos(theta), theta'(1) = 0 at the tip. Here from
// the tip, t = 1 - s, and as the angle psi from straight down, of which nothing is lost where it is tiny: psi'' = Gamma
// t sin(psi). It grows all the way up to the clamp, and the more so the larger it was at the tip.
Elastica heavy_elastica(double gamma, double clamp) {
    assert(gamma > 0);
    const int steps = 2 * (250 + static_cast<int>(50 * std::cbrt(gamma)));
    const auto bend = [&](double t, double psi) { return gamma * t * std::sin(psi); };
    const double clamped = clamp + std::numbers::pi / 2;
    const auto miss = [&](double logarithm) {
        double largest = 0;
        shoot(std::exp(logarithm), steps, bend, [&](double, double psi) { largest = std::max(largest, psi); });
        return largest - clamped;
    };
    const double tip = std::exp(find_zero(-700, std::log(clamped), miss));

    Elastica result;
    std::vector<double> slopes;
    shoot(tip, steps, bend, [&](double, double psi) { slopes.push_back(psi); });
    std::reverse(slopes.begin(), slopes.end()); // now from the clamp
    double x = 0, y = 0;
    result.shape.push_back({x, y});
    // Simpson's rule over pairs of steps.
    const double h = 1.0 / steps;
    for (std::size_t k = 0; k + 2 < slopes.size(); k += 2) {
        const auto sum = [&](auto f) { return h / 3 * (f(slopes[k]) + 4 * f(slopes[k + 1]) + f(slopes[k + 2])); };
        x += sum([](double psi) { return std::sin(psi); });
        y -= sum([](double psi) { return std::cos(psi); });
        result.shape.push_back({x, y});
    }
    result.reach = x;
    result.drop = -y;
    return result;
}

double gamma_of_chord(double degrees) {
    assert(degrees > 0 && degrees <= 89);
    const double exponent = find_zero(std::log(1e-6), std::log(2e4),
                                      [&](double p) { return heavy_elastica(std::exp(p)).chord_degrees() - degrees; });
    return std::exp(exponent);
}

double gamma_of_chord_by_peirce(double degrees) {
    return 8 * std::tan(degrees * degree) / std::cos(degrees * degree / 2); // (L/c)^3 [Pei30]
}

double greenhill_gamma() {
    return find_zero(1, 20,
                     [](double gamma) { return shoot(1.0, 2000, [&](double t, double y) { return -gamma * t * y; }); });
}

// C phi'' + M^2/B phi = 0 with the moment M = q t^2/2 of what hangs out beyond.
double lateral_buckling_load() {
    return find_zero(1, 20, [](double p) {
        return shoot(1.0, 2000, [&](double t, double phi) { return -p * p / 4 * t * t * t * t * phi; });
    });
}

Catenary catenary(double span) {
    assert(span > 0 && span < 1);
    const double u = find_zero(1e-6, 50, [&](double x) { return std::sinh(x) / x - 1 / span; }); // half the span over a
    return {(std::cosh(u) - 1) / (2 * std::sinh(u)), std::atan(std::sinh(u)) / degree, span / (2 * u)};
}

double chain_period(int mode) {
    return 4 * std::numbers::pi / bessel_zero(mode);
}

double chain_mode(int mode, double height) {
    return std::cyl_bessel_j(0.0, bessel_zero(mode) * std::sqrt(std::max(height, 0.0)));
}

double pendulum_ratio(double degrees) {
    // The arithmetic-geometric mean of Gauss.
    double a = 1, b = std::cos(degrees * degree / 2);
    for (int k = 0; k < 20; ++k) {
        const double mean = (a + b) / 2;
        b = std::sqrt(a * b);
        a = mean;
    }
    return 1 / a;
}

double plate_period(double length, double gravity) {
    return 2 * std::numbers::pi * std::sqrt(2 * length / (3 * gravity));
}

double arch_height(double shortening) {
    assert(shortening > 0 && shortening < 1);
    const double k = find_zero(1e-6, 1 - 1e-12, [&](double m) {
        return 2 * std::comp_ellint_2(m) / std::comp_ellint_1(m) - 1 - (1 - shortening);
    });
    return k / std::comp_ellint_1(k);
}

double slide(double degrees, double friction, double gravity) {
    const double a = degrees * degree;
    return std::tan(a) <= friction ? 0 : gravity * (std::sin(a) - friction * std::cos(a));
}

// The homogeneous deformation F whose stress is the load along x and nothing else, by Newton's method in ten steps of
// the load. With u and v what becomes of a metre of warp and of weft, the energy per area is
// 1/2 (K1 e1^2 + 2 K12 e1 e2 + K2 e2^2 + G c^2), e1 = |u| - 1, e2 = |v| - 1, c the cosine between them.
Uniaxial draw_out(const Membrane& law, double load, double bias) {
    const Eigen::Vector2d a(std::cos(bias * degree), std::sin(bias * degree));
    const Eigen::Vector2d b(-a.y(), a.x());
    const auto stress = [&](const Eigen::Matrix2d& f) -> Eigen::Matrix2d {
        const Eigen::Vector2d u = f * a, v = f * b;
        const double lu = u.norm(), lv = v.norm();
        const Eigen::Vector2d du = u / lu, dv = v / lv;
        const double c = du.dot(dv);
        const Eigen::Vector2d by_u =
            (law.warp * (lu - 1) + law.across * (lv - 1)) * du + law.shear * c / lu * (dv - c * du);
        const Eigen::Vector2d by_v =
            (law.weft * (lv - 1) + law.across * (lu - 1)) * dv + law.shear * c / lv * (du - c * dv);
        return by_u * a.transpose() + by_v * b.transpose();
    };
    // Moments balance, so that the pull turns the strip's length into its own direction: F21 = 0, and of the stress it
    // is enough to look at these three.
    constexpr std::array<std::array<int, 2>, 3> entries = {{{0, 0}, {0, 1}, {1, 1}}};
    const auto chosen = [&](const Eigen::Matrix2d& m) -> Eigen::Vector3d { return {m(0, 0), m(0, 1), m(1, 1)}; };
    Eigen::Matrix2d f = Eigen::Matrix2d::Identity();
    for (int part = 1; part <= 10; ++part) {
        const Eigen::Vector3d wanted(load * part / 10, 0, 0);
        for (int iteration = 0; iteration < 10; ++iteration) {
            Eigen::Matrix3d jacobian;
            for (int k = 0; k < 3; ++k) {
                constexpr double eps = 1e-6;
                const auto [row, column] = entries[static_cast<std::size_t>(k)];
                Eigen::Matrix2d there = f, back = f;
                there(row, column) += eps;
                back(row, column) -= eps;
                jacobian.col(k) = chosen(stress(there) - stress(back)) / (2 * eps);
            }
            const Eigen::Vector3d step = jacobian.fullPivLu().solve(chosen(stress(f)) - wanted);
            for (int k = 0; k < 3; ++k)
                f(entries[static_cast<std::size_t>(k)][0], entries[static_cast<std::size_t>(k)][1]) -= step[k];
        }
    }
    // Along the strip the length of a metre; across it, between its edges at a right angle to the pull.
    return {f(0, 0) - 1, 1 - f(1, 1)};
}

} // namespace taffeta::lab
