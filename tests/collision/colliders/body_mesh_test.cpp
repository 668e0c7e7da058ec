// Where the vertices of bodies are: frames, poses, and skins against answers by hand.
#include "collision/colliders/body_mesh.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <vector>

namespace taffeta {
namespace {

constexpr double pi = std::numbers::pi;

std::vector<Vec3> placed(const BodyMesh& mesh, double time, const Pose& pose = {}) {
    std::vector<Vec3> out(body_vertex_count(mesh));
    place_body_mesh(mesh, pose, time, out);
    return out;
}

void expect_near(const Vec3& found, const Vec3d& expected, double tolerance = 1e-6) {
    EXPECT_LE(length(vector_cast<double>(found) - expected), tolerance)
        << found.x << ' ' << found.y << ' ' << found.z << " instead of " << expected.x << ' ' << expected.y << ' '
        << expected.z;
}

const Mesh triangle = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {{0, 1, 2}}, {}};

TEST(BodyMesh, RigidMeshFollowsItsPoseWhateverTheTime) {
    const BodyMesh mesh = {.mesh = triangle};
    const Pose pose = {{10, 20, 30}, rotation_from_degrees({0, 0, 90})};
    for (const double time : {-1.0, 0.0, 5.0}) {
        const std::vector<Vec3> x = placed(mesh, time, pose);
        expect_near(x[0], {10, 21, 30}, 1e-5);
        expect_near(x[1], {9, 20, 30}, 1e-5);
        expect_near(x[2], {10, 20, 31}, 1e-5);
    }
}

TEST(BodyMesh, CopiesShareTheirTrianglesAndAreEqualByContent) {
    const BodyMesh mesh = {.mesh = triangle}, copy = mesh, again = {.mesh = triangle};
    EXPECT_EQ(&*mesh.mesh, &*copy.mesh);
    EXPECT_NE(&*mesh.mesh, &*again.mesh);
    EXPECT_EQ(mesh, again);
    Mesh other = triangle;
    other.positions[0].x = 2;
    EXPECT_NE(mesh, (BodyMesh{.mesh = other}));
    EXPECT_EQ(BodyMesh{}.mesh->triangles.size(), 0u);
}

TEST(BodyMesh, FramesAreLinearInBetweenAndHeldOutside) {
    const std::vector<Vec3> a = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, b = {{0, 2, 0}, {1, 0, 4}, {0, 1, 0}},
                            c = {{8, 2, 0}, {1, 0, 4}, {0, 1, 0}};
    const BodyMesh mesh = {.mesh = Mesh{a, {{0, 1, 2}}, {}}, .deformation = BodyFrames{10, std::vector{a, b, c}}};
    EXPECT_EQ(placed(mesh, -3), a);
    EXPECT_EQ(placed(mesh, 0), a);
    EXPECT_EQ(placed(mesh, 0.1), b);
    EXPECT_EQ(placed(mesh, 0.2), c);
    EXPECT_EQ(placed(mesh, 1e30), c);
    expect_near(placed(mesh, 0.025)[0], {0, 0.5, 0});
    expect_near(placed(mesh, 0.025)[1], {1, 0, 1});
    expect_near(placed(mesh, 0.15)[0], {4, 2, 0});
    // The pose comes after the deformation.
    expect_near(placed(mesh, 0.15, {{0, 0, 1}, rotation_from_degrees({0, 90, 0})})[0], {0, 2, -3}, 1e-5);
}

// Two bones of length 1 along X, the second hanging on the end of the first; the mesh was joined to them as they lie.
//
//   o-----------o-----------.
//   joint 0     joint 1     vertex 2 at (2, 0, 0)
//
// Vertex 0 hangs on the first, vertex 2 on the second, vertex 1 at (1.5, 0, 0) on both in equal parts.
Skeleton two_bones(std::vector<Skeleton::Channel> channels) {
    Skeleton skeleton;
    skeleton.nodes = {{.parent = -1}, {.parent = 0, .translation = {1, 0, 0}}};
    Affine to_second;
    to_second.translation = {-1, 0, 0};
    skeleton.joints = {{0, {}}, {1, to_second}};
    skeleton.bind_positions = {{0.5f, 0, 0}, {1.5f, 0, 0}, {2, 0, 0}};
    skeleton.influences = {{0, 1}, {0, 0.5f}, {1, 0.5f}, {1, 1}};
    skeleton.first_influence = {0, 1, 3, 4};
    skeleton.channels = std::move(channels);
    return skeleton;
}

BodyMesh skinned(std::vector<Skeleton::Channel> channels) {
    const Skeleton skeleton = two_bones(std::move(channels));
    return {.mesh = Mesh{skeleton.bind_positions, {{0, 1, 2}}, {}}, .deformation = BodySkin{"clip", skeleton}};
}

std::array<float, 4> about_z(double degrees) {
    const double half = degrees * pi / 360;
    return {0, 0, static_cast<float>(std::sin(half)), static_cast<float>(std::cos(half))};
}

Vec3d on_circle(double degrees) {
    return {std::cos(degrees * pi / 180), std::sin(degrees * pi / 180), 0};
}

using enum Skeleton::Path;
using enum Skeleton::Interpolation;

TEST(Skin, WithoutAClipTheMeshIsAsItWasJoined) {
    const BodyMesh mesh = skinned({});
    EXPECT_EQ(placed(mesh, 7), mesh.mesh->positions);
}

TEST(Skin, LinearRotationsTurnEvenlyAndBlendVertices) {
    const BodyMesh mesh = skinned({{1, rotation, linear, {1, 3}, {about_z(0), about_z(90)}}});
    for (const double part : {-0.5, 0.0, 0.25, 0.5, 1.0, 1.5}) {
        const double angle = 90 * std::clamp(part, 0.0, 1.0);
        const std::vector<Vec3> x = placed(mesh, 1 + 2 * part);
        expect_near(x[0], {0.5, 0, 0});
        expect_near(x[2], Vec3d{1, 0, 0} + on_circle(angle));
        expect_near(x[1], (Vec3d{1.5, 0, 0} + Vec3d{1, 0, 0} + on_circle(angle) * 0.5) * 0.5);
    }
}

TEST(Skin, RotationsTakeTheShorterWay) {
    std::array<float, 4> end = about_z(80);
    for (float& part : end) part = -part; // the same rotation
    const BodyMesh mesh = skinned({{0, rotation, linear, {0, 1}, {about_z(0), end}}});
    expect_near(placed(mesh, 0.5)[2], on_circle(40) * 2);
}

TEST(Skin, ChildrenFollowTheirParents) {
    const BodyMesh mesh = skinned({{0, rotation, linear, {0, 1}, {about_z(0), about_z(60)}},
                                   {1, rotation, linear, {0, 1}, {about_z(0), about_z(30)}},
                                   {0, translation, linear, {0, 1}, {{0, 0, 0}, {0, 0, 4}}}});
    expect_near(placed(mesh, 0.5)[2], on_circle(30) + on_circle(45) + Vec3d{0, 0, 2});
}

TEST(Skin, StepsHoldTheirKeyUntilTheNext) {
    const BodyMesh mesh = skinned({{0, translation, step, {0, 1, 2}, {{0, 0, 0}, {0, 5, 0}, {0, 7, 0}}}});
    expect_near(placed(mesh, 0.999)[0], {0.5, 0, 0});
    expect_near(placed(mesh, 1)[0], {0.5, 5, 0});
    expect_near(placed(mesh, 1.999)[0], {0.5, 5, 0});
    expect_near(placed(mesh, 2.5)[0], {0.5, 7, 0});
}

TEST(Skin, ScalesActBeforeRotationsAndTranslations) {
    const BodyMesh mesh = skinned({{0, scale, linear, {0, 2}, {{1, 1, 1}, {3, 1, 1}}},
                                   {0, rotation, step, {0}, {about_z(90)}},
                                   {0, translation, step, {0}, {{0, 0, 1}}}});
    expect_near(placed(mesh, 1)[2], {0, 4, 1});
}

// x(t) = t^3 on [0, 2] with its own tangents, which a cubic spline gives exactly: tangents are per second.
TEST(Skin, CubicSplinesReproduceCubics) {
    const std::vector<std::array<float, 4>> keys = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}, {12, 0, 0}, {8, 0, 0}, {0, 0, 0}};
    const BodyMesh mesh = skinned({{0, translation, cubic_spline, {0, 2}, keys}});
    for (const double t : {0.0, 0.3, 1.0, 1.7, 2.0}) expect_near(placed(mesh, t)[0], {0.5 + t * t * t, 0, 0}, 2e-6);
    expect_near(placed(mesh, 3)[0], {8.5, 0, 0});
}

TEST(Skin, CubicSplinesOfRotationsAreNormalised) {
    // Without tangents half way between two keys is their mean, which is shorter than a unit quaternion.
    const std::array<float, 4> none = {};
    const BodyMesh mesh =
        skinned({{0, rotation, cubic_spline, {0, 1}, {none, about_z(0), none, none, about_z(120), none}}});
    expect_near(placed(mesh, 0.5)[2], on_circle(60) * 2);
}

TEST(Skin, ANodeWithAMatrixKeepsIt) {
    Skeleton skeleton = two_bones({});
    Affine mirrored;
    mirrored.row[0] = {-1, 0, 0};
    mirrored.translation = {0, 1, 0};
    skeleton.nodes[0].matrix = mirrored;
    const BodyMesh mesh = {.mesh = Mesh{skeleton.bind_positions, {{0, 1, 2}}, {}},
                           .deformation = BodySkin{"clip", skeleton}};
    expect_near(placed(mesh, 0)[2], {-2, 1, 0});
}

TEST(Skin, ARotationWithoutLengthTurnsNothing) {
    const BodyMesh mesh = skinned({{0, rotation, linear, {0, 1}, {{0, 0, 0, 0}, {0, 0, 0, 0}}}});
    expect_near(placed(mesh, 0.5)[2], {2, 0, 0});
}

} // namespace
} // namespace taffeta
