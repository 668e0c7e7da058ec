#include <taffeta/simulation.h>

#include "core/hash.h"
#include "sim/api/recording.h"
#include "sim/build/build.h"
#include "sim/build/elements.h"
#include "sim/step/grabs.h"
#include "sim/step/implicit_step.h"
#include "sim/step/stages.h"
#include "sim/world.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace taffeta {

StepReport Simulation::step(float dt) {
    assert(dt > 0 && std::isfinite(dt));
    World& world = *world_;
    const int substeps = world.settings.substeps;
    const float h = dt / static_cast<float>(substeps);
    StepReport report;

    world.parallel.enter([&] { // once: its many loops then start faster
        begin_step(world);
        for (int k = 0; k < substeps; ++k) {
            const Substep substep = nth_substep(world, dt, k);
            move_bodies_and_hands(world, substep);
            apply_forces(world, substep, h);
            if (world.settings.method == Method::implicit) {
                advance_implicitly(world, h, report);
                continue;
            }
            predict_positions(world, h);
            find_candidates(world);
            solve_constraints(world, h, report);
            solve_contacts(world, report);
            stop_impacts(world, report);
            update_velocities(world, h, report);
            throw_back(world, h);
        }
        world.time += static_cast<double>(dt);
        end_step(world, report);
    });
    return report;
}

SettleReport Simulation::settle() {
    return world_->settings.method == Method::implicit ? settle_implicitly(*world_) : SettleReport{};
}

Result<Simulation> Simulation::create(const SceneDesc& scene) {
    Result<std::unique_ptr<World>> world = build_world(scene);
    if (!world) return world.faults();
    return Simulation(std::move(*world));
}

Simulation::Simulation(std::unique_ptr<World> world) : world_(std::move(world)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation& Simulation::operator=(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

double Simulation::time() const {
    return world_->time;
}

Index Simulation::vertex_count() const {
    return static_cast<Index>(world_->particle_of_vertex.size());
}

std::span<const Triangle> Simulation::triangles() const {
    return world_->triangles;
}

Index Simulation::first_vertex(int cloth) const {
    assert(cloth >= 0 && static_cast<std::size_t>(cloth) < world_->cloths.size());
    return world_->cloths[static_cast<std::size_t>(cloth)].first_vertex;
}

Vec3 Simulation::position(Index vertex) const {
    assert(vertex < vertex_count());
    return world_->state.x[world_->particle_of_vertex[vertex]].xyz();
}

void Simulation::copy_positions(std::span<Vec3> out) const {
    assert(out.size() == vertex_count());
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = world_->state.x[world_->particle_of_vertex[v]].xyz();
}

std::span<const Vec3> Simulation::rest_positions() const {
    return world_->rest_vertices;
}

Mesh Simulation::cloth_mesh(int cloth) const {
    assert(cloth >= 0 && static_cast<std::size_t>(cloth) < world_->cloths.size());
    return make_mesh(world_->cloths[static_cast<std::size_t>(cloth)].desc);
}

GrabId Simulation::grab(const Vec3& near, float radius, int cloth) {
    assert(cloth < static_cast<int>(world_->cloths.size()));
    const Grasp grasp = {near, radius, cloth, {}};
    const GrabId hand = close_hand(*world_, grasp);
    record_grab(*world_, grasp);
    return hand;
}

GrabId Simulation::grab_vertex(Index vertex, float radius) {
    assert(vertex < vertex_count());
    const Index particle = world_->particle_of_vertex[vertex];
    const auto owner = std::find_if(world_->cloths.begin(), world_->cloths.end(), [&](const Cloth& cloth) {
        return vertex < cloth.first_vertex + cloth.vertex_count;
    });
    const Grasp grasp = {world_->state.x[particle].xyz(), radius, static_cast<int>(owner - world_->cloths.begin()),
                         particle};
    const GrabId hand = close_hand(*world_, grasp);
    record_grab(*world_, grasp);
    return hand;
}

void Simulation::move_grab(GrabId grab, const Vec3& target) {
    for (Hand& hand : world_->hands)
        if (hand.id == grab) hand.target = target;
}

void Simulation::release(GrabId grab) {
    record_release(*world_, grab);
    open_hand(*world_, grab);
}

int Simulation::collider_count() const {
    return static_cast<int>(world_->colliders.size());
}

Pose Simulation::collider_pose(int collider) const {
    assert(collider >= 0 && collider < collider_count());
    return world_->colliders[static_cast<std::size_t>(collider)].body.pose;
}

void Simulation::move_collider(int collider, const Pose& target) {
    assert(collider >= 0 && collider < collider_count());
    record_take_over(*world_, static_cast<std::size_t>(collider));
    Collider& moved = world_->colliders[static_cast<std::size_t>(collider)];
    moved.motion.clear();
    moved.target = target;
}

void Simulation::start_recording() {
    assert(world_->time == 0 && world_->hands.empty());
    taffeta::start_recording(*world_);
}

SceneDesc Simulation::recorded(SceneDesc scene) const {
    return recorded_scene(*world_, std::move(scene));
}

Measure Simulation::measure() const {
    const World& world = *world_;
    Measure measure;
    double sum = 0, longest = 0;
    for (std::size_t e = 0; e < world.edges.size(); ++e) {
        const double now =
            static_cast<double>(length(world.state.x[world.edges[e].j].xyz() - world.state.x[world.edges[e].i].xyz()));
        const auto rest = static_cast<double>(world.rest_length(world.edges[e]));
        const double stretch = rest > 0 ? now / rest : 1;
        longest = std::max(longest, stretch);
        sum += stretch;
    }
    if (!world.edges.empty()) {
        measure.max_stretch = static_cast<float>(longest);
        measure.mean_stretch = static_cast<float>(sum / static_cast<double>(world.edges.size()));
    }
    for (std::size_t p = 0; p < world.mass.size(); ++p) {
        const Vec3d v = vector_cast<double>(world.state.v[p].xyz());
        measure.kinetic_energy += 0.5 * world.mass[p] * dot(v, v);
    }
    if (world.elements != nullptr && world.substep > 0) {
        measure.strain_error = strain_error(world.elements->stretch, world.substep, world.state.x);
        if (world.bend_rate > 0) measure.bend_error = bend_error(world.elements->bend, world.substep, world.state.x);
    }
    return measure;
}

std::uint64_t Simulation::hash() const {
    Hash hash;
    for (const Index particle : world_->particle_of_vertex) {
        const Vec4& p = world_->state.x[particle];
        hash.add(p.x), hash.add(p.y), hash.add(p.z);
    }
    return hash.value();
}

std::map<std::string, double> Simulation::seconds_by_stage() const {
    std::map<std::string, double> seconds;
    for (std::size_t stage = 0; stage < stage_names.size(); ++stage)
        seconds[stage_names[stage]] = world_->profile[stage];
    return seconds;
}

int Simulation::threads() const {
    return world_->parallel.threads();
}

const std::vector<std::string>& Simulation::warnings() const {
    return world_->warnings;
}

} // namespace taffeta
