// A scene as plain data: the C++ face of a scene file, key by key (docs/scene-format.md).
//
// Every field has the default of the file format. Nothing here is checked until check() or
// Simulation::create() looks at it.
#pragma once

#include <taffeta/body.h>
#include <taffeta/fabric.h>
#include <taffeta/look.h>
#include <taffeta/math.h>
#include <taffeta/mesh.h>
#include <taffeta/result.h>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace taffeta {

struct SolverDesc {
    std::string method = "xpbd";               // or "implicit", "limits"
    int substeps = 4;                          // integration steps per frame
    int iterations = 4;                        // constraint sweeps per integration step
    float damping = 0.0f;                      // 1/s, independent of the step: v *= exp(-damping*h)
    std::optional<float> velocity_factor = {}; // per integration step, [FGL03] after Eq. 14; excludes damping
    bool acceleration = true;                  // whole patches are corrected before the sweeps; false: plain sweeps
    int threads = 0;                           // 0: all cores; results do not depend on it
    bool operator==(const SolverDesc&) const = default;
};

struct GridShape {
    std::array<float, 2> size = {1, 1}; // m
    std::array<int, 2> cells = {31, 31};
    Diagonals diagonals = Diagonals::alternate;
    bool operator==(const GridShape&) const = default;
};

struct DiskShape {
    float radius = 0.6f; // m
    int particles = 1000;
    bool operator==(const DiskShape&) const = default;
};

struct MeshShape {
    Mesh mesh;             // in metres, Y up
    std::string path = {}; // where it was read, for messages; may be empty
    bool operator==(const MeshShape&) const = default;
};

struct TrousersShape {   // for a Figure in the same place, 1 cm from its skin
    int particles = 833; // about so many
    bool operator==(const TrousersShape&) const = default;
};

using ClothShape = std::variant<GridShape, DiskShape, MeshShape, TrousersShape>;

// Linear between keys (rotation too, angle by angle, so that 720 degrees are two turns), held outside.
struct MotionKey {
    double t = 0;                      // s
    std::optional<Vec3> position = {}; // m; absent: as the key before, the first: as the collider
    std::optional<Vec3> rotation = {}; // degrees
    bool operator==(const MotionKey&) const = default;
};

// Which vertices a pin holds: exactly one of the three kinds.
struct VertexPin {
    std::vector<Index> vertices = {};
    bool operator==(const VertexPin&) const = default;
};
struct BoxPin { // every vertex that starts within the box, borders included; m, in the world
    Vec3 low = {}, high = {};
    bool operator==(const BoxPin&) const = default;
};
struct CornerPin { // the vertex farthest in this direction of the unplaced shape, e.g. "+x-z"
    std::string corner = {};
    bool operator==(const CornerPin&) const = default;
};

// Vertices that do not move by themselves: they stay, follow a collider, or have a motion of their own.
struct Pin {
    Pin() = default;
    Pin(VertexPin pin) : which(std::move(pin)) {}
    Pin(BoxPin pin) : which(pin) {}
    Pin(CornerPin pin) : which(std::move(pin)) {}

    std::variant<VertexPin, BoxPin, CornerPin> which = {};
    // The collider with this number carries them: a simple one by its pose, a mesh by its triangles next to them.
    std::optional<int> follow = {};
    // Shifts from where they start, 0 in the first key if absent, and turns about `centre`; excludes `follow`.
    std::vector<MotionKey> motion = {};
    std::optional<Vec3> centre = {}; // m, in the world, before it is shifted; absent: the mean of the vertices
    bool operator==(const Pin&) const = default;
};

// How cloth is kept from passing through cloth. `automatic` is that of the method: particles with "limits", else
// triangles.
enum class SelfCollision { automatic, none, particles, triangles };

struct ClothDesc {
    std::string name = {};   // empty: "cloth", "cloth2", ... by place
    std::string fabric = {}; // by name; empty: the scene's only fabric, or the default one
    ClothShape shape = {};
    Vec3 position = {}; // m
    Vec3 rotation = {}; // degrees, about X, then Y, then Z
    float scale = 1.0f;
    Vec3 velocity = {}; // m/s
    std::vector<Pin> pins = {};
    SelfCollision self_collision = SelfCollision::automatic;
    // The way of the warp in the unplaced shape; absent: that of u in the texture coordinates, or x without any.
    std::optional<Vec3> warp = {};
    float self_distance = 0.0f; // m; 0: from the size of the triangles
    bool weld = true;           // join vertices that coincide exactly (seams of garments, split UVs)
    bool operator==(const ClothDesc&) const = default;
};

struct Sphere {
    float radius = 0.35f; // m
    bool operator==(const Sphere&) const = default;
};
struct Box {
    Vec3 size = {1, 1, 1}; // m
    bool operator==(const Box&) const = default;
};
struct Plane { // solid on the side away from the normal
    Vec3 normal = {0, 1, 0};
    bool operator==(const Plane&) const = default;
};
struct Capsule { // along Y; height is the distance of the two centres, the caps come on top
    float radius = 0.1f, height = 0.5f;
    bool operator==(const Capsule&) const = default;
};
struct Cylinder { // along Y
    float radius = 0.1f, height = 0.5f;
    bool operator==(const Cylinder&) const = default;
};
using ColliderShape = std::variant<Sphere, Box, Plane, Capsule, Cylinder, BodyMesh>;

struct ColliderDesc {
    ColliderShape shape = {};
    Vec3 position = {};
    Vec3 rotation = {};
    std::optional<float> friction = {}; // absent: that of the cloth's fabric
    // The share of its speed with which a particle is thrown back: the simple response [Wal06] Eq. 16; absent: contacts
    // that hold.
    std::optional<float> reflection = {};
    std::vector<MotionKey> motion = {};
    std::optional<Colour> colour = {}; // absent: the program chooses
    bool operator==(const ColliderDesc&) const = default;
};

// A scripted hand: takes what is near at the first key's time, drops it at the last key's.
struct GrabDesc {
    struct Key {
        double t = 0; // s
        Vec3 position = {};
        bool operator==(const Key&) const = default;
    };
    std::string cloth = {};        // by name; empty: the first
    std::optional<Vec3> near = {}; // m, in the world; default: the first key
    std::optional<Index> vertex = {};
    float radius = 0.0f; // m; 0: one particle, else every particle within it
    std::vector<Key> path = {};
    bool operator==(const GrabDesc&) const = default;
};

struct WindDesc {
    Vec3 velocity = {};      // m/s; zero: no air at all
    float turbulence = 0.3f; // 0..1: how much of the speed comes and goes
    int seed = 1;            // of the turbulence
    bool operator==(const WindDesc&) const = default;
};

struct SceneDesc {
    std::string name = {};
    std::string description = {};
    float duration = 4.0f;    // s
    float frame_rate = 30.0f; // 1/s
    Vec3 gravity = {0, -9.81f, 0};
    SolverDesc solver = {};
    std::vector<Fabric> fabrics = {};
    std::vector<ClothDesc> cloths = {};
    std::vector<ColliderDesc> colliders = {};
    std::vector<GrabDesc> grabs = {};
    ViewDesc view = {};
    WindDesc wind = {};
    bool operator==(const SceneDesc&) const = default;
};

// The name of a cloth: its own, or "cloth", "cloth2", ... by its place.
std::string cloth_name(const SceneDesc& scene, std::size_t cloth);

// The fabric of a cloth.
Fabric cloth_fabric(const SceneDesc& scene, std::size_t cloth);

// How a cloth is kept from passing through cloth: its own way, or the automatic one of the scene's method.
SelfCollision cloth_self_collision(const SceneDesc& scene, std::size_t cloth);

// The same scene with nothing left to defaults that depend on the scene: names of cloths, fabrics, the cloths of hands.
SceneDesc resolved(SceneDesc scene);

// Everything that is wrong with a scene, each with its key; empty if it can be simulated.
Errors check(const SceneDesc& scene);

// The same of a fabric alone; its keys stand without the fabric's name.
Errors check_fabric(const Fabric& fabric);

// The same of what bodies of triangles are made by.
Errors check_figure(const Figure& figure);
Errors check_ring(const Ring& ring);

} // namespace taffeta
