// How things look: colours, light, camera. Nothing here changes how cloth moves.
#pragma once

#include <taffeta/math.h>

#include <cstdint>
#include <optional>

namespace taffeta {

struct Colour { // sRGB in 0..1, as on screens; "#rrggbb" in scene files, which have steps of 1/255
    float r = 1, g = 1, b = 1;
    bool operator==(const Colour&) const = default;
};

// From 0xrrggbb: exactly the colour that "#rrggbb" is in a scene file.
constexpr Colour colour_of(std::uint32_t rrggbb) {
    const auto part = [rrggbb](int shift) { return static_cast<float>((rrggbb >> shift) & 0xFF) / 255; };
    return {part(16), part(8), part(0)};
}

// How the threads cross. Seen from close by; from afar it is the sheen that tells weaves apart.
enum class Weave { plain, twill, satin };

// What the threads are dyed like.
enum class Pattern { none, stripes, check };

struct Camera {
    Vec3 from = {2, 1.5f, 3}, at = {0, 0.5f, 0};
    float fov = 35; // degrees, vertical
    bool operator==(const Camera&) const = default;
};

struct Light {
    Vec3 from = {0.9f, 1.5f, 0.55f}; // the direction it shines from; its length means nothing
    float strength = 1;
    Colour colour = {};
    float ambient = 1; // strength of the light from all around
    bool operator==(const Light&) const = default;
};

struct ViewDesc {
    std::optional<Camera> camera = {}; // absent: one that shows everything
    Colour background = colour_of(0xccd4db);
    Light light = {};
    // m, height of the floor; absent: the highest horizontal plane, or below everything
    std::optional<float> floor = {};
    bool operator==(const ViewDesc&) const = default;
};

} // namespace taffeta
