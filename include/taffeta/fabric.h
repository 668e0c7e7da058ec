// What a cloth is made of.
#pragma once

#include <taffeta/look.h>

#include <array>
#include <optional>
#include <string>

namespace taffeta {

struct Fabric {
    std::string name = "cotton";
    float density = 0.15f;     // kg/m^2
    float thickness = 0.0005f; // m, the distance kept from colliders
    // Coulomb's coefficient; method "limits": c_f in 0..1, the share of tangential motion a contact removes [FGL03] Eq.
    // 20
    float friction = 0.3f;

    // Lengths between which an edge is left alone, as multiples of its rest length [FGL03] Eq. 5.
    float max_stretch = 1.0f;
    float min_stretch = 1.0f;
    // Least distance of the two vertices opposite an edge, as a multiple of its rest value; 0 is limp.
    float bend_limit = 0.9f;

    // What it takes to deform it, methods "xpbd" and "implicit"; the same on every mesh.
    std::array<float, 2> stretch = {500, 500};  // N/m, warp and weft: force per width for a strain of 1
    float poisson = 0.0f;                       // coupling of the two: K12 = poisson sqrt(K1 K2)
    float shear = 50.0f;                        // N/m: force per width for threads turned by 1 rad
    std::array<float, 2> bend = {1e-5f, 1e-5f}; // N m, warp and weft: moment per width for a curvature of 1/m
    float bend_hysteresis = 0.0f; // N, the KES 2HB: between the moments per width of bending and of unbending
    float strain_limit = 0.10f;   // of warp and weft, beyond which it gives no more ("xpbd"); 0: none
    float stretch_damping = 0.0f; // s: a strain that grows by 1/s resists like a strain of so much
    float bend_damping = 0.0f;    // s: the same of curvatures

    // How the air takes hold of it, dimensionless.
    float drag = 0.5f;
    float lift = 0.1f;

    // How it looks.
    std::optional<Colour> colour = {};        // absent: the program chooses
    std::optional<Colour> second_colour = {}; // of the pattern; absent: a light one
    Weave weave = Weave::plain;
    Pattern pattern = Pattern::none;
    float sheen = 0.3f; // 0..1
    bool operator==(const Fabric&) const = default;
};

} // namespace taffeta
