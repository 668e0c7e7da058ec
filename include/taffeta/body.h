// Triangle meshes as colliders, and how they deform.
#pragma once

#include <taffeta/mesh.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace taffeta {

// Large data that copies share and nobody changes; equal where its content is.
template <class T>
class Shared {
public:
    Shared() = default;
    Shared(T value) : value_(std::make_shared<const T>(std::move(value))) {}

    const T& operator*() const {
        static const T empty = {};
        return value_ ? *value_ : empty;
    }
    const T* operator->() const { return &**this; }
    bool operator==(const Shared& other) const { return value_ == other.value_ || **this == *other; }

private:
    std::shared_ptr<const T> value_ = {};
};

// Where all vertices are from frame to frame: linear in between, held after the last.
struct BodyFrames {
    float frame_rate = 30;                                 // 1/s; frame 0 is at time 0
    Shared<std::vector<std::vector<Vec3>>> positions = {}; // m, by frame and vertex
    bool operator==(const BodyFrames&) const = default;
};

// Bones, what hangs on them, and how one clip moves them, as in glTF 2.0.
struct Skeleton {
    struct Node {
        int parent = -1; // stands before it; -1: none
        Vec3d translation = {};
        std::array<double, 4> rotation = {0, 0, 0, 1}; // a quaternion, x y z w
        Vec3d scale = {1, 1, 1};
        std::optional<Affine> matrix = {}; // in place of these three; no clip moves such a node
        bool operator==(const Node&) const = default;
    };
    // What vertices hang on. Those of a mesh without skin hang on its node, with nothing to undo.
    struct Joint {
        Index node = 0;
        Affine inverse_bind = {}; // from the mesh to the joint, where they were joined
        bool operator==(const Joint&) const = default;
    };
    struct Influence {
        Index joint = 0;
        float weight = 1;
        bool operator==(const Influence&) const = default;
    };
    enum class Path { translation, rotation, scale };
    enum class Interpolation { step, linear, cubic_spline };
    // One property of one node over time, held before its first and after its last key.
    struct Channel {
        Index node = 0;
        Path path = Path::translation;
        Interpolation interpolation = Interpolation::linear;
        std::vector<float> times = {}; // s, rising
        // By key: x y z, of rotations x y z w. Cubic splines have three: the tangent before it, itself, the one after.
        std::vector<std::array<float, 4>> values = {};
        bool operator==(const Channel&) const = default;
    };

    std::vector<Node> nodes = {};
    std::vector<Joint> joints = {};
    std::vector<Channel> channels = {};
    std::vector<Vec3> bind_positions = {};   // by vertex, in the mesh it comes from
    std::vector<Influence> influences = {};  // vertex after vertex; weights of one sum to 1
    std::vector<Index> first_influence = {}; // by vertex, and one more: where they end
    bool operator==(const Skeleton&) const = default;
};

struct BodySkin {
    std::string clip = {}; // by name
    Shared<Skeleton> skeleton = {};
    bool operator==(const BodySkin&) const = default;
};

// A body of triangles, in its own frame. It may be open, and its triangles may coincide or have no area.
struct BodyMesh {
    Shared<Mesh> mesh = {}; // in metres, Y up, as it is at time 0
    std::string path = {};  // where it was read, with #### for the number of a frame; may be empty
    std::variant<std::monostate, BodyFrames, BodySkin> deformation = {};
    bool operator==(const BodyMesh&) const = default;

    bool deforms() const { return deformation.index() != 0; }
};

// A plain human figure, 1.75 m tall, of about 28,000 triangles: closed, facing +Z, with its soles on y = 0. It stands
// at first, takes its steps on the spot, as on a treadmill, and stands again.
struct Figure {
    int steps = 0;     // 0: it only stands
    float pace = 1.8f; // steps per second
    bool operator==(const Figure&) const = default;
};
BodyMesh make_figure(const Figure& figure = {});

// A ring about Y, round in section.
struct Ring {
    float radius = 0.2f; // m, of the circle in the middle of the tube
    float tube = 0.02f;  // m, radius of the tube; less than `radius`
    bool operator==(const Ring&) const = default;
};
BodyMesh make_ring(const Ring& ring = {});

} // namespace taffeta
