// What views show of a world besides its positions.
#include "collision/body_mesh.h"
#include "sim/world.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace taffeta {
namespace {

// Values by particle have been put down at the first vertex of each: the other vertices of a seam get them too.
template <class T>
void spread_over_seams(const World& world, std::span<T> out) {
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = out[world.vertex_of_particle[world.particle_of_vertex[v]]];
}

} // namespace

std::span<const Index> Simulation::particle_of_vertex() const {
    return world_->particle_of_vertex;
}

void Simulation::copy_stretch(std::span<float> out) const {
    assert(out.size() == vertex_count());
    const World& world = *world_;
    std::fill(out.begin(), out.end(), 1.0f);
    for (const Pair& edge : world.edges) {
        const float rest_length = world.rest_length(edge);
        if (rest_length <= 0) continue;
        const float stretch = length(world.state.x[edge.j].xyz() - world.state.x[edge.i].xyz()) / rest_length;
        for (const Index particle : {edge.i, edge.j}) {
            float& farthest = out[world.vertex_of_particle[particle]];
            if (std::abs(stretch - 1) > std::abs(farthest - 1)) farthest = stretch;
        }
    }
    spread_over_seams(world, out);
}

void Simulation::copy_touch(std::span<std::uint8_t> out) const {
    assert(out.size() == vertex_count());
    const World& world = *world_;
    const State& state = world.state;
    const auto mark = [&](Index particle, Touch touch) {
        std::uint8_t& bits = out[world.vertex_of_particle[particle]];
        bits = static_cast<std::uint8_t>(bits | touch);
    };
    std::fill(out.begin(), out.end(), std::uint8_t{0});
    for (Index p = 0; p < state.count(); ++p) {
        if (world.touched[p] != 0) mark(p, touches_collider);
        if (state.w[p] == 0 && world.mass[p] > 0) mark(p, is_pinned);
    }
    for (const NearList& list : world.grid.near()) {
        list.for_pairs([&](Index i, Index j, float distance) {
            constexpr float rounding = 1.0001f; // pairs that were just set apart lie at their distance
            if (length(state.x[j].xyz() - state.x[i].xyz()) > distance * rounding) return;
            mark(i, touches_cloth);
            mark(j, touches_cloth);
        });
    }
    for (const Hand& hand : world.hands)
        for (const Hand::Held& held : hand.held) mark(held.particle, is_held);
    spread_over_seams(world, out);
}

bool Simulation::collider_deforms(int collider) const {
    assert(collider >= 0 && collider < collider_count());
    const auto* mesh = std::get_if<BodyMesh>(&world_->colliders[static_cast<std::size_t>(collider)].body.shape);
    return mesh != nullptr && mesh->deforms();
}

void Simulation::copy_collider_vertices(int collider, std::vector<Vec3>& out) const {
    assert(collider >= 0 && collider < collider_count());
    const Body& body = world_->colliders[static_cast<std::size_t>(collider)].body;
    const auto* mesh = std::get_if<BodyMesh>(&body.shape);
    out.resize(mesh != nullptr ? body_vertex_count(*mesh) : 0);
    if (mesh != nullptr) place_body_mesh(*mesh, body.pose, world_->time, out);
}

int Simulation::hierarchy_levels() const {
    return world_->hierarchy.levels();
}

void Simulation::copy_hierarchy(int level, std::vector<Box>& out) const {
    assert(level >= 0 && level < hierarchy_levels());
    out.clear();
    world_->hierarchy.for_boxes(level, world_->state.particles(), [&](const Vec3& low, const Vec3& high) {
        out.push_back({low, high});
    });
}

std::vector<Vec3> Simulation::hands() const {
    std::vector<Vec3> positions;
    for (const Hand& hand : world_->hands) positions.push_back(hand.position);
    return positions;
}

} // namespace taffeta
