#include "lab/rig.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace taffeta::lab {
namespace {

// Enough for statics, where only the end counts. "xpbd" is soft by as much as its steps are long.
int static_substeps(const std::string& method) {
    return method == "xpbd" ? 100 : method == "implicit" ? 1 : 4;
}

double largest_extent(const Mesh& mesh) {
    Vec3 low = mesh.positions.front(), high = low;
    for (const Vec3& p : mesh.positions) {
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    }
    return static_cast<double>(std::max({high.x - low.x, high.y - low.y, high.z - low.z}));
}

} // namespace

Rig::Rig(SceneDesc scene, Mesh mesh, Simulation simulation)
    : scene_(std::move(scene)), mesh_(std::move(mesh)), simulation_(std::move(simulation)),
      size_(largest_extent(mesh_)) {}

Result<Rig> Rig::mount(const Options& options, const Fabric& fabric, const Mounting& mounting) {
    SceneDesc scene;
    scene.name = "lab";
    scene.frame_rate = mounting.frame_rate.value_or(options.frame_rate);
    scene.gravity = vector_cast<float>(mounting.gravity);
    scene.solver.method = options.method;
    scene.solver.threads = options.threads;
    scene.solver.substeps =
        options.substeps > 0 ? options.substeps : mounting.substeps.value_or(static_substeps(options.method));
    if (options.iterations > 0)
        scene.solver.iterations = options.iterations;
    else if (mounting.iterations)
        scene.solver.iterations = *mounting.iterations;
    else if (options.method == "xpbd")
        scene.solver.iterations = 1; // steps do more than sweeps
    scene.solver.damping = static_cast<float>(mounting.damping);
    scene.fabrics = {fabric};
    ClothDesc cloth = {.name = "specimen", .fabric = fabric.name, .shape = MeshShape{.mesh = mounting.mesh}};
    cloth.rotation = mounting.rotation;
    cloth.position = mounting.position;
    cloth.warp = mounting.warp;
    cloth.self_collision = SelfCollision::none;
    if (!mounting.pinned.empty()) cloth.pins = {VertexPin{mounting.pinned}};
    scene.cloths = {cloth};
    if (!mounting.ground.positions.empty()) {
        ClothDesc ground = {.name = "ground", .fabric = fabric.name, .shape = MeshShape{.mesh = mounting.ground}};
        std::vector<Index> all(mounting.ground.positions.size());
        std::iota(all.begin(), all.end(), Index{0});
        ground.pins = {VertexPin{all}};
        scene.cloths.push_back(ground); // after the specimen, whose vertices keep their numbers
        for (ClothDesc& each : scene.cloths) each.self_collision = SelfCollision::triangles;
    }
    scene.colliders = mounting.colliders;
    Result<Simulation> simulation = Simulation::create(scene);
    if (!simulation) return simulation.faults();
    return Rig(std::move(scene), mounting.mesh, std::move(*simulation));
}

void Rig::apply() {
    [[maybe_unused]] const Result<Done> done = simulation_.change(scene_);
    assert(done); // only numbers within their bounds are set here
}

void Rig::set_gravity(const Vec3d& gravity) {
    scene_.gravity = vector_cast<float>(gravity);
    apply();
}

void Rig::set_damping(double damping) {
    scene_.solver.damping = static_cast<float>(damping);
    apply();
}

bool Rig::step() {
    return simulation_.step(static_cast<float>(frame())).finite;
}

std::vector<Vec3d> Rig::positions() const {
    std::vector<Vec3d> all(mesh_.positions.size());
    for (std::size_t k = 0; k < all.size(); ++k) all[k] = at(static_cast<Index>(k));
    return all;
}

bool Rig::relax(double seconds, double still) {
    // What swings by its weight on this scale comes to rest soonest so.
    const float before = scene_.solver.damping;
    set_damping(2 * std::sqrt(standard_gravity / size_));
    const int frames = std::max(1, static_cast<int>(seconds / frame()));
    int quiet = 0;
    std::vector<Vec3d> last = positions();
    for (int k = 0; k < frames && quiet < 10; ++k) {
        if (!step()) break;
        const std::vector<Vec3d> now = positions();
        double moved = 0;
        for (std::size_t p = 0; p < now.size(); ++p) moved = std::max(moved, length(now[p] - last[p]));
        quiet = moved < still * size_ * frame() ? quiet + 1 : 0;
        last = now;
    }
    set_damping(static_cast<double>(before));
    return quiet >= 10;
}

void Rig::come_to_rest(const std::string& what, std::vector<std::string>& notes) {
    constexpr double still = 1e-3; // lengths of the specimen per second
    if (scene_.solver.method != "implicit") {
        constexpr double patience = 6; // s
        if (!relax(patience, still))
            notes.push_back(what + ": still moving after " + number_text(patience) + " s of damped steps");
        return;
    }
    constexpr double negligible = 1e-4; // of the weight
    SettleReport report = simulation_.settle();
    for (int attempt = 0; attempt < 2 && !(report.residual < negligible); ++attempt) {
        relax(0.5, still);
        report = simulation_.settle();
    }
    if (!(report.residual < negligible))
        notes.push_back(what + ": no equilibrium found, forces of " + number_text(report.residual, 2) +
                        " of the weight remain");
}

void Rig::hold(std::span<const Index> vertices) {
    for (const Index vertex : vertices) {
        hands_.push_back(simulation_.grab_vertex(vertex));
        held_at_.push_back(at(vertex));
    }
}

void Rig::move_held(std::span<const Vec3d> targets, int frames) {
    assert(targets.size() == hands_.size());
    const std::vector<Vec3d> start = held_at_;
    for (int k = 1; k <= frames; ++k) {
        for (std::size_t hand = 0; hand < hands_.size(); ++hand) {
            const double part = static_cast<double>(k) / frames;
            held_at_[hand] = start[hand] * (1 - part) + targets[hand] * part;
            simulation_.move_grab(hands_[hand], vector_cast<float>(held_at_[hand]));
        }
        if (!step()) return;
    }
}

void Rig::let_go() {
    for (const GrabId hand : hands_) simulation_.release(hand);
    hands_.clear();
    held_at_.clear();
}

std::vector<Index> lines_across(std::span<const int> which, int columns, int rows) {
    std::vector<Index> vertices;
    for (const int i : which)
        for (int j = 0; j < rows; ++j) vertices.push_back(static_cast<Index>(j * columns + i));
    return vertices;
}

Membrane membrane_of(const Fabric& fabric) {
    const double warp = static_cast<double>(fabric.stretch[0]), weft = static_cast<double>(fabric.stretch[1]);
    return {warp, weft, static_cast<double>(fabric.poisson) * std::sqrt(warp * weft),
            static_cast<double>(fabric.shear)};
}

double twist_stiffness(const Fabric& fabric) {
    return std::sqrt(static_cast<double>(fabric.bend[0]) * static_cast<double>(fabric.bend[1])) / 2;
}

Report start_report(const Options& options, std::string title) {
    Report report;
    report.title = std::move(title);
    report.fabric = options.fabric.name;
    report.method = options.method;
    report.cells = options.cells;
    return report;
}

Result<Done> announce(const Progress& progress, const std::string& what) {
    if (progress && !progress(what)) return Fault{.message = "ended early"};
    return Done{};
}

std::string number_text(double value, int digits) {
    std::array<char, 64> text = {};
    std::snprintf(text.data(), text.size(), "%.*g", digits, value);
    return text.data();
}

} // namespace taffeta::lab
