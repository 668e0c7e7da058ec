// What of a scene is drawn, made ready once when it is loaded.
#pragma once

#include <taffeta/render.h>

#include <vector>

namespace taffeta::render {

// Places on the cutting table in metres along the threads, by vertex: from the texture coordinates where there are any,
// scaled to metres, else from the rest shape laid flat.
std::vector<std::array<float, 2>> weave_places(const Mesh& mesh);

// Every edge of the triangles once, as two indices.
std::vector<Index> edge_indices(std::span<const Triangle> triangles);

// Corners with normals, three per triangle: smooth where faces meet at less than 40 degrees, else with an edge.
struct Corner {
    Vec3 position, normal;
};
std::vector<Corner> creased(const Mesh& mesh);

// How a cloth and a collider look after all defaults; linear colours.
struct ClothLook {
    Vec3 colour, second_colour;
    int weave, pattern;
    float sheen;
};
ClothLook cloth_look(const SceneDesc& scene, std::size_t cloth);
Vec3 collider_colour(const SceneDesc& scene, std::size_t collider);
Vec3 linear(const Colour& colour);

// Where the surface of a collider is now.
void add_collider_points(const ColliderShape& shape, const Simulation& simulation, int collider,
                         std::vector<Vec3>& points);

// A ball around points, with its centre in the middle of their box: for the reach of camera, shadows and floor.
struct Ball {
    Vec3 centre = {};
    float radius = 1; // m
};
Ball ball_around(std::span<const Vec3> points);

} // namespace taffeta::render
