// What is drawn over the cloth in plain colours: boxes, dots, and the legend of the strain colours.
#pragma once

#include <taffeta/render.h>

#include <vector>

namespace taffeta::render {

struct Tint {
    float r, g, b, a;
};
// Position and colour, as flat.vert takes them.
using FlatVertices = std::vector<float>;
void add_vertex(const Vec3& position, const Tint& tint, FlatVertices& out);

// Twelve lines per box.
void add_boxes(std::span<const Simulation::Box> boxes, FlatVertices& out);
// A dot per vertex that touches something or is held.
void add_touches(std::span<const std::uint8_t> touch, std::span<const Vec3> positions, FlatVertices& out);
// A line per pair of parts of cloth that are close, to each other or to a body; its ends as dots, too.
void add_close_pairs(std::span<const Simulation::ClosePair> pairs, FlatVertices& out);
void add_impacts(std::span<const Vec3> places, FlatVertices& out);
void add_zones(std::span<const Vec3> places, FlatVertices& out);
// Triangles in the lower left corner, in pixels from there: a scale from -range to +range with its numbers.
void add_strain_legend(float range, Size size, FlatVertices& out);

} // namespace taffeta::render
