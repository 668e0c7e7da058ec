// What theory expects, computed here and nowhere taken from the simulation. Per unit width of cloth: sigma in kg/m^2, D
// in N m, K in N/m. Gamma = sigma g L^3 / D compares the weight of a strip with its stiffness.
#pragma once

#include <array>
#include <vector>

namespace taffeta::lab {

inline constexpr double standard_gravity = 9.81; // m/s^2, the default of scenes

// A strip clamped at one end under its own weight, in lengths of the strip.
struct Elastica {
    double drop = 0;                               // of the tip below the clamp
    double reach = 0;                              // of the tip, horizontally
    std::vector<std::array<double, 2>> shape = {}; // from the clamp to the tip

    double chord_degrees() const; // of the line from clamp to tip below the horizontal
};
// `clamp` is the angle in rad at which the strip leaves the clamp, above the horizontal: 0 is a cantilever, pi/2 a
// strip that stands. Of several equilibria the one that falls towards +x. Gamma > 0.
Elastica heavy_elastica(double gamma, double clamp = 0);

// The Gamma at which a cantilever's chord hangs by so many degrees, above 0 and at most 89: what a bending
// length is read of.
double gamma_of_chord(double degrees);
// Peirce's approximation of the same, which the standards print [Pei30].
double gamma_of_chord_by_peirce(double degrees);

// The Gamma at which a strip that stands on a clamped base bends by itself [Gre81].
double greenhill_gamma();
// q L^3 / sqrt(B C) at which a narrow strip on edge turns sideways; q is the weight per length, B and C the stiffness
// of the whole strip against bending over its face and against twist [TG61].
double lateral_buckling_load();

// A chain between two points of one height. `span` is a share of its length, between 0 and 1.
struct Catenary {
    double sag = 0;       // as a share of the length
    double degrees = 0;   // of its ends below the horizontal
    double parameter = 0; // a of y = a cosh(x/a), as a share of the length
};
Catenary catenary(double span);

// Periods of a hanging chain in small swings, as multiples of sqrt(L/g); mode from 1.
double chain_period(int mode);
// Its shape, 1 at the free end; `height` is above the free end as a share of the length.
double chain_mode(int mode, double height);

// The period of a pendulum that swings out to so many degrees, as a multiple of that of small swings.
double pendulum_ratio(double degrees);
// The period in s of small swings of a thin rigid plate about one of its edges.
double plate_period(double length, double gravity = standard_gravity);

// The height of the arch, as a share of the length, of a strip without weight whose hinged ends have come closer by a
// share of the length: Euler's elastica.
double arch_height(double shortening);

// The acceleration in m/s^2 of what slides down a slope; 0 where friction holds it (Coulomb).
double slide(double degrees, double friction, double gravity = standard_gravity);

// The law of woven cloth in its own plane, N/m.
struct Membrane {
    double warp = 0, weft = 0, across = 0, shear = 0;
};
// A wide strip drawn with `load` N per m of width, free at its sides; `bias` in degrees is between its length and the
// warp.
struct Uniaxial {
    double strain = 0;      // along the strip
    double contraction = 0; // across
};
Uniaxial draw_out(const Membrane& law, double load, double bias = 0);

} // namespace taffeta::lab
