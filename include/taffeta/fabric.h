// What a cloth is made of.
#pragma once

#include <taffeta/look.h>

#include <optional>
#include <string>

namespace taffeta {

struct Fabric {
    std::string name = "cotton";
    float density = 0.15f;     // kg/m^2
    float thickness = 0.0005f; // m, the distance kept from colliders
    float friction = 0.3f; // the seed's c_f in 0..1: the share of tangential motion a contact removes [FGL03] Eq. 20

    // Lengths between which an edge is left alone, as multiples of its rest length [FGL03] Eq. 5.
    float max_stretch = 1.0f;
    float min_stretch = 1.0f;
    // Least distance of the two vertices opposite an edge, as a multiple of its rest value; 0 is limp.
    float bend_limit = 0.9f;

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
