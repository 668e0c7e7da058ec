// What views show of a world besides its positions.
#include "collision/colliders/body_mesh.h"
#include "geometry/closest.h"
#include "sim/world.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace taffeta {
namespace {

// Values by particle have been put down at the first vertex of each: the other vertices of a seam get them too.
template <class T>
void spread_over_seams(const World& world, std::span<T> out) {
    for (std::size_t v = 0; v < out.size(); ++v) out[v] = out[world.vertex_of_particle[world.particle_of_vertex[v]]];
}

// Vertices of bodies come after the particles.
bool is_of_body(const World& world, Index point) {
    return point > world.state.sentinel();
}

bool holds_face(const Tree& tree, Index block, std::size_t slot) {
    return (tree.items(block)[slot] & TreeItem::face_bit) != 0;
}

// The triangle of a plane is so wide that boxes with it tell nothing.
bool is_of_plane(const World& world, Index point) {
    return std::any_of(world.colliders.begin(), world.colliders.end(), [&](const Collider& collider) {
        return std::holds_alternative<Plane>(collider.body.shape) && point >= collider.first_point &&
               point < collider.first_point + collider.vertices.size();
    });
}

// Of what is in a slot of the guard's tree, planes apart, where the points are now; empty if there is nothing else.
Simulation::Box box_of(const World& world, Index block, std::size_t slot) {
    const Tree& tree = world.guard.tree();
    constexpr float far_away = std::numeric_limits<float>::infinity();
    Simulation::Box box = {{far_away, far_away, far_away}, {-far_away, -far_away, -far_away}};
    const auto include = [&](const Vec3& low, const Vec3& high) {
        for (int axis = 0; axis < 3; ++axis) {
            box.low[axis] = std::min(box.low[axis], low[axis]);
            box.high[axis] = std::max(box.high[axis], high[axis]);
        }
    };
    if (holds_face(tree, block, slot)) {
        for (const Tree::Slots& corner : tree.corners(block)) {
            const Vec3 at = world.state.x[corner[slot]].xyz();
            if (!is_of_plane(world, corner[slot])) include(at, at);
        }
        return box;
    }
    const Index below = TreeItem::number(tree.items(block)[slot]);
    for (std::size_t k = 0; k < tree.count(below); ++k) {
        const Simulation::Box part = box_of(world, below, k);
        include(part.low, part.high);
    }
    return box;
}

// The boxes of a level below a block; what ends above it is of every level.
void add_boxes(const World& world, Index block, int level, std::vector<Simulation::Box>& out) {
    const Tree& tree = world.guard.tree();
    for (std::size_t slot = 0; slot < tree.count(block); ++slot) {
        if (level > 0 && !holds_face(tree, block, slot)) {
            add_boxes(world, TreeItem::number(tree.items(block)[slot]), level - 1, out);
            continue;
        }
        const Simulation::Box box = box_of(world, block, slot);
        if (box.low.x <= box.high.x) out.push_back(box);
    }
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
    std::size_t number = world.body_contacts.size(); // those of the guard come after
    for (const std::vector<Contact>& list : world.guard.contacts()) {
        for (const Contact& contact : list) {
            if (!(world.contacts.push(number++) > 0)) continue;
            const bool with_body = std::any_of(contact.particle.begin(), contact.particle.end(),
                                               [&](Index point) { return is_of_body(world, point); });
            for (const Index point : contact.particle)
                if (!is_of_body(world, point)) mark(point, with_body ? touches_collider : touches_cloth);
        }
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
    const Guard& guard = world_->guard;
    return guard.empty() ? world_->hierarchy.levels() : static_cast<int>(guard.tree().depth());
}

void Simulation::copy_hierarchy(int level, std::vector<Box>& out) const {
    assert(level >= 0 && level < hierarchy_levels());
    out.clear();
    if (!world_->guard.empty()) return add_boxes(*world_, 0, level, out);
    world_->hierarchy.for_boxes(level, world_->state.particles(), [&](const Vec3& low, const Vec3& high) {
        out.push_back({low, high});
    });
}

void Simulation::copy_close_pairs(std::vector<ClosePair>& out) const {
    out.clear();
    const World& world = *world_;
    for (const std::vector<Contact>& list : world.guard.contacts()) {
        for (const Contact& contact : list) {
            ClosePair pair;
            for (std::size_t k = 0; k < 4; ++k) { // those of one part have positive weights
                const Vec3 x = world.state.x[contact.particle[k]].xyz() * std::abs(contact.weight[k]);
                (contact.weight[k] > 0 ? pair.a : pair.b) += x;
                pair.with_body = pair.with_body || is_of_body(world, contact.particle[k]);
            }
            out.push_back(pair);
        }
    }
}

void Simulation::copy_impacts(std::vector<Vec3>& out) const {
    out.clear();
    for (const ContactCandidate& points : world_->guard.impacts()) {
        std::array<Vec3d, 4> x;
        for (std::size_t k = 0; k < 4; ++k) x[k] = vector_cast<double>(world_->state.x[points[k]].xyz());
        // A vertex and a face, or two edges: what is nearer.
        const ClosestOnTriangle face = closest_on_triangle(x[0], {x[1], x[2], x[3]});
        const ClosestOfEdges edges = closest_of_edges(x[0], x[1], x[2], x[3]);
        const bool are_edges = edges.squared < face.squared;
        out.push_back(vector_cast<float>(are_edges ? x[0] + (x[1] - x[0]) * edges.s : x[0]));
    }
}

void Simulation::copy_zones(std::vector<Vec3>& out) const {
    out.clear();
    for (const Index point : world_->guard.zone_points())
        if (!is_of_body(*world_, point)) out.push_back(world_->state.x[point].xyz());
}

std::vector<Vec3> Simulation::hands() const {
    std::vector<Vec3> positions;
    for (const Hand& hand : world_->hands) positions.push_back(hand.position);
    return positions;
}

} // namespace taffeta
