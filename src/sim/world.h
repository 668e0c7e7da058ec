// Everything a simulation owns. One owner; the stages hand spans of it to the kernels.
#pragma once

#include "collision/broad_phase/particle_grid.h"
#include "collision/colliders/bodies.h"
#include "collision/collision_pipeline.h"
#include "collision/comparison/particle_bvh.h"
#include "collision/contacts/particle_separation.h"
#include "collision/response/restitution.h"
#include "constraints/limits.h"
#include "core/parallel.h"
#include "core/profile.h"
#include "core/state.h"
#include "forces/wind.h"
#include "integrators/momentum.h"
#include "mesh/topology.h"
#include "solvers/position/multilevel.h"
#include "solvers/position/strain_limiting.h"

#include <taffeta/simulation.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace taffeta {

class ImplicitSolver;
struct Elements;

enum class Method { limits, xpbd, implicit };

struct Settings {
    Method method = Method::limits;
    int substeps = 4;
    int iterations = 4;
    float frame_rate = 30;                     // 1/s, of the scene: what steps are expected to be
    Vec3 gravity = {};                         // m/s^2
    float damping = 0;                         // 1/s
    std::optional<float> velocity_factor = {}; // per substep; excludes damping
    bool acceleration = true;                  // the cascade runs before the sweeps
    WindDesc wind = {};
};

struct Cloth {
    std::string name = {};
    Index first_vertex = 0, vertex_count = 0;
    Index first_particle = 0, particle_count = 0;
    Index first_face = 0, face_count = 0;
    ClothDesc desc = {}; // what it was made of
    Fabric fabric = {};
    SelfCollision self_collision = SelfCollision::triangles;
};

// A collider and how it moves.
struct Collider {
    struct Key {
        double t = 0;       // s
        Vec3 position = {}; // m
        Vec3 rotation = {}; // degrees
    };
    ColliderDesc desc = {}; // what it was made of
    Body body = {};
    // What cloth meets by its triangles: a mesh, and beside cloth with such self-collision all but planes and those
    // with the simple response. Their vertices are points of the state, after the particles.
    Index first_point = 0;
    std::vector<Vec3> vertices = {};   // m, where they are now
    std::vector<Triangle> faces = {};  // of these
    std::vector<Vec3> shape = {};      // m, of a simple body: the vertices in its own frame
    std::vector<Key> motion = {};      // scripted; empty once a caller has moved it
    Pose step_start = {}, target = {}; // of the present step, for what callers move
};

// A hand that holds particles; `offset` is a particle's place within the hand.
struct Hand {
    struct Held {
        Index particle = 0;
        Vec3 offset = {}; // m
    };
    GrabId id = 0;
    Vec3 position = {};                // m, now
    Vec3 step_start = {}, target = {}; // m, of the present step
    std::vector<Held> held = {};
};

// A pin that follows a collider or a motion of its own (sim/step/pins.h).
struct MovingPin {
    // Where a particle is within what carries it.
    struct Carried {
        Vec3 local = {};       // m, in the frame of a triangle, of a body's pose, or seen from the centre of the motion
        Triangle carrier = {}; // of a followed body of triangles: its vertices; else three times the same
        Vec3 place = {};       // m, where the present substep ends
    };
    Pin desc = {};
    std::vector<Index> particles = {};
    std::vector<Carried> carried = {}; // by particle
    Vec3 centre = {};                  // m, of the motion
    std::vector<Collider::Key> motion = {};
};

// A hand of the scene file, and the id of the hand it has become.
struct ScriptedHand {
    GrabDesc desc = {};
    int cloth = -1;
    std::optional<Index> particle = {}; // the one at the desc's vertex
    enum class Phase { waiting, holding, done } phase = Phase::waiting;
    GrabId hand = 0;
};

// What callers have done since the recording began.
struct Recording {
    struct Hand {
        GrabId id = 0; // 0: has opened
        GrabDesc desc = {};
    };
    struct Collider {
        bool is_moved = false; // by a caller
        std::vector<MotionKey> keys = {};
    };
    std::vector<Hand> hands = {};
    std::vector<Collider> colliders = {};
};

// Cloth that hangs together.
struct ConnectedPiece {
    std::vector<Index> particles = {};
    Momentum momentum = {}; // where the substep began
};

// What outlives a step and changes in it, by particle (w is made anew from hands and pins): where the step began, to
// return to when it cannot be completed.
struct Checkpoint {
    std::vector<Vec3> x = {}; // m
    std::vector<Vec3> v = {}; // m/s
};

struct World {
    explicit World(int threads);
    ~World();
    World(const World&) = delete;
    World& operator=(const World&) = delete;

    Settings settings;
    Parallel parallel;
    double time = 0;   // s
    float substep = 0; // s, the length of the last one

    // Fixed after the build.
    std::vector<Cloth> cloths = {};
    std::vector<Index> particle_of_vertex = {};
    std::vector<Index> vertex_of_particle = {}; // the first of those joined in it
    std::vector<Vec3> rest_vertices = {};       // m, the unplaced shapes
    std::vector<Triangle> triangles = {};       // of vertices
    std::vector<Pair> edges = {};               // of particles
    std::vector<double> mass = {};              // kg, by particle
    std::vector<Index> part_begin = {};         // of the ranges of particles that are parts, and the end of the last
    std::vector<ConnectedPiece> pieces = {};    // methods other than "limits"
    bool has_pins = false;
    Limits limits;                      // all of them; accelerated, those of bending
    Limits lengths;                     // accelerated: those of edges
    Tightening tightening;              // of these
    std::unique_ptr<Elements> elements; // of method "xpbd" (sim/build/elements.h); else nothing
    double sweep_rate = 0;              // 1/s^2: above this, sweeps per squared substep reach the stiffest membrane
    double bend_rate = 0;               // 1/s^2: the same of bending
    Hierarchy hierarchy;                // for views
    std::vector<std::string> warnings = {};

    Cascade cascade;              // empty without acceleration
    bool cascade_is_tied = false; // to the particles that are held now

    std::unique_ptr<ImplicitSolver> implicit; // of that method, with the state in double precision; else nothing

    State state;
    Checkpoint checkpoint;
    Grid grid;                               // of the particles that keep cloth apart
    Guard guard;                             // of the triangles that do
    std::vector<Contact> body_contacts = {}; // with simple bodies, in this substep; beside a guard
    ContactBlocks contacts = {};             // these, and those that the guard has found
    std::vector<std::uint8_t> is_near = {};  // by particle of a cloth: while contacts with bodies are looked for
    std::vector<std::uint8_t> contacts_of_particle = {}; // 2: or more; while contacts are put together
    std::vector<Reflected> reflected = {};               // by colliders with the simple response, in this substep
    std::vector<std::uint8_t> touched = {};              // by particle: set back by a collider in this substep

    // Empty while no wind has blown.
    std::vector<Triangle> faces = {}; // the triangles, of particles
    FacesAt faces_at = {};
    std::vector<Vec4> face_force = {}; // N, in this substep

    std::vector<Collider> colliders = {};
    std::vector<MovingPin> moving_pins = {};
    std::vector<Hand> hands = {};
    std::vector<ScriptedHand> scripted_hands = {};
    GrabId next_grab = 1;
    std::optional<Recording> recording = {};

    Profile profile = {};

    Vec3 rest_of(Index particle) const { return rest_vertices[vertex_of_particle[particle]]; }
    float rest_length(const Pair& pair) const { return length(rest_of(pair.j) - rest_of(pair.i)); }
    std::vector<Index> cloth_of_particles() const {
        std::vector<Index> cloth_of(state.count());
        for (Index k = 0; k < cloths.size(); ++k)
            for (Index p = 0; p < cloths[k].particle_count; ++p) cloth_of[cloths[k].first_particle + p] = k;
        return cloth_of;
    }
    std::span<const Triangle> triangles_of(const Cloth& cloth) const {
        return std::span(triangles).subspan(cloth.first_face, cloth.face_count);
    }
};

} // namespace taffeta
