// The cloth in motion.
//
//   auto simulation = Simulation::create(scene);         // all validation happens here
//   if (!simulation) ...                                 // simulation.faults() says what is wrong
//   for (int frame = 0; frame < 120; ++frame)
//       simulation->step(1.0f / 30);                     // s; any positive length, it may vary
//   simulation->copy_positions(vertices);                // in the order of the meshes, cloth after cloth
//
// SI units. The same scene and calls give the same bits for every thread count.
// Not thread-safe: one caller at a time; step() itself uses the scene's number of threads.
#pragma once

#include <taffeta/scene.h>

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace taffeta {

struct World;

// What one step saw. The step always completes.
struct StepReport {
    int contacts = 0;      // particles that colliders set back in the last substep
    int self_contacts = 0; // pairs of particles, or of triangles' parts, kept apart in the last substep
    // Of all substeps: what would have passed through cloth or bodies and was stopped (collision/collision_pipeline.h).
    int impacts = 0;
    int zones = 0;      // parts of cloth that had to move as one for it
    int unresolved = 0; // what did pass, as bodies left it no way
    bool finite = true; // false: the state could not be continued and was put back to where the step began
};

// What a search for equilibrium came to.
struct SettleReport {
    bool settled = false; // false: gave up, or the state could not be continued; the cloth is where it came to
    int iterations = 0;   // linear systems solved
    double residual = 0;  // what is left of the forces: their norm over that of the weights
};

// Figures of the present state, for reports and progress lines.
struct Measure {
    float max_stretch = 1;     // longest edge over its rest length
    float mean_stretch = 1;    // mean over all edges
    double kinetic_energy = 0; // J
    // How far the last substep was from the fabrics' laws, method "xpbd"; both go to 0 with more sweeps and substeps.
    double strain_error = 0; // root mean square over triangles: strain less what the forces found correspond to
    double bend_error = 0;   // the same of curvatures, over the root mean square of the curvatures
};

using GrabId = std::uint32_t;

class Simulation {
public:
    static Result<Simulation> create(const SceneDesc& scene);
    Simulation(Simulation&&) noexcept;
    Simulation& operator=(Simulation&&) noexcept;
    ~Simulation();

    // Advances by dt seconds in the scene's number of substeps. dt > 0 and finite.
    StepReport step(float dt);

    // Brings the cloth to rest in equilibrium, with hands, pins and colliders as they are, in no time at all; method
    // "implicit" only.
    SettleReport settle();

    double time() const; // s since the start

    // --- shape: all cloths, in scene order, in the vertex order of their meshes
    Index vertex_count() const;
    std::span<const Triangle> triangles() const;
    Index first_vertex(int cloth) const;
    Vec3 position(Index vertex) const;
    void copy_positions(std::span<Vec3> out) const; // out.size() == vertex_count()
    std::span<const Vec3> rest_positions() const;   // the unplaced shapes, per vertex
    Mesh cloth_mesh(int cloth) const;               // the unplaced shape of one cloth with its own triangles, made anew

    // --- hands: what the mouse does. Held particles follow exactly and outrank everything [FGL03] 3.
    // Takes the particle nearest to `near`, or all within `radius` of it, of one cloth (-1: of any).
    // Particles that another hand holds are left to it. The hand starts at `near`.
    GrabId grab(const Vec3& near, float radius = 0, int cloth = -1);
    GrabId grab_vertex(Index vertex, float radius = 0);
    // The hand is at `target` when the next step ends; what it holds keeps its place within the hand.
    void move_grab(GrabId grab, const Vec3& target);
    // What was held moves on with its velocity and has its mass again. Unknown ids are ignored.
    void release(GrabId grab);

    // --- colliders, in scene order
    int collider_count() const;
    Pose collider_pose(int collider) const;
    bool collider_deforms(int collider) const; // more than its pose moves it
    // Where the vertices of a mesh are now, in the world; of other shapes none. Replaces what is in `out`.
    void copy_collider_vertices(int collider, std::vector<Vec3>& out) const;
    // The collider is there when the next step ends; from then on its scripted motion no longer applies. Cloth is out
    // of its way up to 1,000 m/s; what moves faster is set there.
    void move_collider(int collider, const Pose& target);

    // --- changes while it runs
    // Takes over every parameter (<taffeta/parameters.h>: solver, fabrics, gravity, wind) of a scene whose cloths,
    // colliders and hands are those this simulation was made of. The state goes on as it is. On faults nothing changes.
    Result<Done> change(const SceneDesc& scene);

    // --- recording: what callers do with hands and colliders, as a scene that does it again
    // Before the first step and before any hand closes.
    void start_recording();
    // The scene this simulation was made of, with a [[grab]] for each hand that held something, a motion for each
    // collider that was moved, and the time so far as its duration; its run with steps of the same length gives the
    // same bits. Hands that are still closed stay so for long after. Turns of colliders by callers and change() are not
    // recorded. Between two steps callers should open hands before they close others with a radius, for that is what
    // the recorded scene does.
    SceneDesc recorded(SceneDesc scene) const;

    // --- what views show
    std::span<const Index> particle_of_vertex() const; // vertices joined in a seam share one
    // By vertex: of its edges' lengths over their rest lengths, the one farthest from 1.
    void copy_stretch(std::span<float> out) const;
    // By vertex, as bits; contacts are those of the last substep.
    enum Touch : std::uint8_t { touches_collider = 1, touches_cloth = 2, is_held = 4, is_pinned = 8 };
    void copy_touch(std::span<std::uint8_t> out) const;
    struct Box {
        Vec3 low = {}, high = {};
    };
    // 0: there is no hierarchy; else level 0 is the root. Of triangles, if cloth meets anything by these, else of
    // particles. What is copied replaces what is in `out`.
    int hierarchy_levels() const;
    void copy_hierarchy(int level, std::vector<Box>& out) const;
    // Of triangles, in the last substep (collision/collision_pipeline.h): where parts were close enough to keep a distance, where
    // some would have passed through others and were stopped, and the vertices that had to move as one for it.
    struct ClosePair {
        Vec3 a = {}, b = {}; // m, the nearest points of both parts
        bool with_body = false;
    };
    void copy_close_pairs(std::vector<ClosePair>& out) const;
    void copy_impacts(std::vector<Vec3>& out) const;
    void copy_zones(std::vector<Vec3>& out) const;
    std::vector<Vec3> hands() const; // where they are, scripted ones too

    // --- figures
    Measure measure() const;
    std::uint64_t hash() const;                             // of all positions, bit by bit
    std::map<std::string, double> seconds_by_stage() const; // since the start
    int threads() const;
    // What was odd about the scene but could be simulated, e.g. unreferenced vertices.
    const std::vector<std::string>& warnings() const;

    const World& world() const { return *world_; } // for tests and tools inside this project

private:
    explicit Simulation(std::unique_ptr<World> world);
    std::unique_ptr<World> world_;
};

} // namespace taffeta
