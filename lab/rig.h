// What holds a specimen: a scene made in code, and how it is brought to rest.
#pragma once

#include "lab/references.h"

#include <taffeta/lab.h>
#include <taffeta/simulation.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace taffeta::lab {

// A specimen and how it is mounted.
struct Mounting {
    Mesh mesh = {};
    std::vector<Index> pinned = {};
    Vec3d gravity = {0, -standard_gravity, 0};
    Vec3 rotation = {}; // degrees
    Vec3 warp = {1, 0, 0};
    Vec3 position = {};
    double damping = 0; // 1/s
    std::vector<ColliderDesc> colliders = {};
    Mesh ground = {}; // a sheet of the same fabric, in the world, pinned everywhere; the specimen meets its triangles
    // Unless the options say so.
    std::optional<int> substeps = {};   // per frame; absent: fine for statics
    std::optional<int> iterations = {}; // absent: what the method needs
    // 1/s; absent: that of the options.
    std::optional<float> frame_rate = {};
};

class Rig {
public:
    static Result<Rig> mount(const Options& options, const Fabric& fabric, const Mounting& mounting);

    // Equilibrium: at once with "implicit", else by damped steps until nothing moves any more. What remained is told in
    // `notes` under the name `what`.
    void come_to_rest(const std::string& what, std::vector<std::string>& notes);
    // Without damping of any kind.
    void set_gravity(const Vec3d& gravity);
    void set_damping(double damping);
    bool step(); // one frame; false if it could not be completed
    double frame() const { return 1.0 / scene_.frame_rate; }

    // Hands that hold vertices exactly where they are told to.
    void hold(std::span<const Index> vertices);
    // Moves held vertices, in the order they were taken, to the targets within so many frames.
    void move_held(std::span<const Vec3d> targets, int frames);
    void let_go();

    Vec3d at(Index vertex) const { return vector_cast<double>(simulation_.position(vertex)); }
    std::vector<Vec3d> positions() const; // of the specimen
    const Mesh& mesh() const { return mesh_; }
    const Simulation& simulation() const { return simulation_; }

private:
    Rig(SceneDesc scene, Mesh mesh, Simulation simulation);
    bool relax(double seconds, double still); // damped steps; true if it came to rest
    void apply();                             // what has changed in the scene

    SceneDesc scene_;
    Mesh mesh_;
    Simulation simulation_;
    std::vector<GrabId> hands_ = {};
    std::vector<Vec3d> held_at_ = {};
    double size_ = 1; // m, of the specimen
};

// The vertices of lines across a strip that has `columns` vertices along and `rows` across.
std::vector<Index> lines_across(std::span<const int> which, int columns, int rows);

// The law by which "implicit" and "xpbd" draw out a fabric.
Membrane membrane_of(const Fabric& fabric);
// N m, D66: the stiffness against twist, as cloth has it that is equally stiff in all directions and does not bend
// across when it bends along.
double twist_stiffness(const Fabric& fabric);

// --- the tests, one file each
using Test = Result<Report> (*)(const Options&, const Progress&);
Result<Report> cantilever(const Options& options, const Progress& progress);
Result<Report> drape(const Options& options, const Progress& progress);
Result<Report> tensile(const Options& options, const Progress& progress);
Result<Report> shear(const Options& options, const Progress& progress);
Result<Report> incline(const Options& options, const Progress& progress);
Result<Report> swing(const Options& options, const Progress& progress);
Result<Report> hanging_strip(const Options& options, const Progress& progress);
Result<Report> buckling(const Options& options, const Progress& progress);
Result<Report> invariance(const Options& options, const Progress& progress);

// A report about these options, still without figures.
Report start_report(const Options& options, std::string title);
// Tells what comes next; a fault if the user has had enough.
Result<Done> announce(const Progress& progress, const std::string& what);
std::string number_text(double value, int digits = 4); // "0.125", "5"

// --- single figures, for the tables of what must not matter
Result<double> tip_height(const Options& options, std::vector<std::string>& notes);        // cantilever, over L
Result<double> drape_coefficient(const Options& options, std::vector<std::string>& notes); // %
Result<double> swing_period(const Options& options, std::vector<std::string>& notes);      // s

// A sheet on a slope.
enum class Surface { plane, cloth };
struct Slope {
    Surface surface = Surface::plane;
    double friction = 0;
    double degrees = 0;
};
struct Slid {
    std::vector<std::array<double, 2>> way = {}; // s, m down the slope, frame by frame
    double creep = 0;                            // m, of these since the sheet has come down
    double acceleration = 0;                     // m/s^2
};
Result<Slid> let_slide(const Options& options, const Slope& slope, double seconds);

} // namespace taffeta::lab
