#include "render/overlay.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <string>

namespace taffeta::render {
namespace {

constexpr Tint ink = {0.13f, 0.14f, 0.16f, 1};

// The few letters a legend needs, 5 x 7, a row per number from the top, the leftmost column in bit 4.
struct Glyph {
    char letter;
    std::array<std::uint8_t, 7> rows;
};
constexpr Glyph glyphs[] = {
    {'0', {14, 17, 19, 21, 25, 17, 14}}, {'1', {4, 12, 4, 4, 4, 4, 14}},      {'2', {14, 17, 1, 2, 4, 8, 31}},
    {'3', {31, 2, 4, 2, 1, 17, 14}},     {'4', {2, 6, 10, 18, 31, 2, 2}},     {'5', {31, 16, 30, 1, 1, 17, 14}},
    {'6', {6, 8, 16, 30, 17, 17, 14}},   {'7', {31, 1, 2, 4, 8, 8, 8}},       {'8', {14, 17, 17, 14, 17, 17, 14}},
    {'9', {14, 17, 17, 15, 1, 2, 12}},   {'+', {0, 4, 4, 31, 4, 4, 0}},       {'-', {0, 0, 0, 31, 0, 0, 0}},
    {'.', {0, 0, 0, 0, 0, 12, 12}},      {'%', {24, 25, 2, 4, 8, 19, 3}},     {'s', {0, 0, 14, 16, 14, 1, 30}},
    {'t', {8, 8, 28, 8, 8, 9, 6}},       {'r', {0, 0, 22, 25, 16, 16, 16}},   {'e', {0, 0, 14, 17, 31, 16, 14}},
    {'c', {0, 0, 14, 16, 16, 17, 14}},   {'h', {16, 16, 22, 25, 17, 17, 17}},
};

void add_rectangle(float x, float y, float width, float height, const Tint& tint, FlatVertices& out) {
    const Vec3 a = {x, y, 0}, b = {x + width, y, 0}, c = {x + width, y + height, 0}, d = {x, y + height, 0};
    for (const Vec3& corner : {a, b, c, a, c, d}) add_vertex(corner, tint, out);
}

// The lower left corner of the text is (x, y); `unit` is the size of a dot.
void add_text(const std::string& text, float x, float y, float unit, FlatVertices& out) {
    for (const char letter : text) {
        const auto* glyph =
            std::find_if(std::begin(glyphs), std::end(glyphs), [&](const Glyph& g) { return g.letter == letter; });
        if (glyph != std::end(glyphs))
            for (int row = 0; row < 7; ++row)
                for (int column = 0; column < 5; ++column)
                    if ((glyph->rows[static_cast<std::size_t>(row)] >> (4 - column) & 1) != 0)
                        add_rectangle(x + static_cast<float>(column) * unit, y + static_cast<float>(6 - row) * unit,
                                      unit, unit, ink, out);
        x += 6 * unit;
    }
}

// As strain_colour() in cloth.frag, in the colours of the screen.
Tint strain_tint(float s) {
    const Vec3 end = s < 0 ? Vec3{0.05f, 0.20f, 0.75f} : Vec3{0.75f, 0.05f, 0.03f};
    const float part = std::pow(std::abs(s), 0.8f);
    const auto channel = [&](float to) { return std::pow(0.62f + (to - 0.62f) * part, 1 / 2.2f); };
    return {channel(end.x), channel(end.y), channel(end.z), 1};
}

} // namespace

void add_vertex(const Vec3& position, const Tint& tint, FlatVertices& out) {
    out.insert(out.end(), {position.x, position.y, position.z, tint.r, tint.g, tint.b, tint.a});
}

void add_boxes(std::span<const Simulation::Box> boxes, FlatVertices& out) {
    for (std::size_t k = 0; k < boxes.size(); ++k) {
        // Neighbours in different colours: steps of the golden section around the circle of hues.
        const float hue = 6.2831853f * std::fmod(0.618034f * static_cast<float>(k), 1.0f);
        const auto channel = [&](float shift) { return 0.45f + 0.4f * std::cos(hue + shift); };
        const Tint tint = {channel(0), channel(2.1f), channel(4.2f), 0.9f};
        const auto corner = [&](int bits) {
            const auto& box = boxes[k];
            return Vec3{(bits & 1) != 0 ? box.high.x : box.low.x, (bits & 2) != 0 ? box.high.y : box.low.y,
                        (bits & 4) != 0 ? box.high.z : box.low.z};
        };
        for (int from = 0; from < 8; ++from)
            for (const int axis : {1, 2, 4})
                if ((from & axis) == 0) {
                    add_vertex(corner(from), tint, out);
                    add_vertex(corner(from | axis), tint, out);
                }
    }
}

void add_touches(std::span<const std::uint8_t> touch, std::span<const Vec3> positions, FlatVertices& out) {
    constexpr Tint held = {0.10f, 0.62f, 0.30f, 1}, on_cloth = {0.86f, 0.20f, 0.13f, 1},
                   on_collider = {0.12f, 0.36f, 0.80f, 1}, both = {0.60f, 0.16f, 0.62f, 1};
    for (std::size_t v = 0; v < touch.size(); ++v) {
        if (touch[v] == 0) continue;
        const bool cloth = (touch[v] & Simulation::touches_cloth) != 0;
        const bool collider = (touch[v] & Simulation::touches_collider) != 0;
        const bool is_held = (touch[v] & (Simulation::is_held | Simulation::is_pinned)) != 0;
        add_vertex(positions[v], is_held ? held : cloth && collider ? both : cloth ? on_cloth : on_collider, out);
    }
}

void add_close_pairs(std::span<const Simulation::ClosePair> pairs, FlatVertices& out) {
    constexpr Tint to_cloth = {0.86f, 0.20f, 0.13f, 0.9f}, to_body = {0.12f, 0.36f, 0.80f, 0.9f};
    for (const Simulation::ClosePair& pair : pairs)
        for (const Vec3& end : {pair.a, pair.b}) add_vertex(end, pair.with_body ? to_body : to_cloth, out);
}

void add_impacts(std::span<const Vec3> places, FlatVertices& out) {
    for (const Vec3& place : places) add_vertex(place, {1.0f, 0.60f, 0.0f, 1}, out);
}

void add_zones(std::span<const Vec3> places, FlatVertices& out) {
    for (const Vec3& place : places) add_vertex(place, {0.95f, 0.10f, 0.75f, 1}, out);
}

void add_strain_legend(float range, Size size, FlatVertices& out) {
    const float unit = std::max(1.0f, std::round(static_cast<float>(size.height) / 400));
    const float left = 24 * unit, bottom = 30 * unit, width = 160 * unit, height = 9 * unit;
    add_rectangle(left - 10 * unit, bottom - 16 * unit, width + 32 * unit, height + 32 * unit, {1, 1, 1, 0.7f}, out);
    constexpr int steps = 40;
    for (int k = 0; k < steps; ++k)
        add_rectangle(left + width * static_cast<float>(k) / steps, bottom, width / steps, height,
                      strain_tint(2 * (static_cast<float>(k) + 0.5f) / steps - 1), out);
    std::array<char, 16> number;
    std::snprintf(number.data(), number.size(), "%.3g%%", static_cast<double>(100 * range));
    const std::string end = number.data();
    const auto centred = [&](const std::string& text, float x, float y) {
        add_text(text, x - 3 * unit * static_cast<float>(text.size()), y, unit, out);
    };
    centred("-" + end, left + 9 * unit, bottom - 11 * unit);
    centred("0", left + width / 2, bottom - 11 * unit);
    centred("+" + end, left + width, bottom - 11 * unit);
    centred("stretch", left + width / 2, bottom + height + 4 * unit);
}

} // namespace taffeta::render
