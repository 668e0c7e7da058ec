#include <taffeta/render.h>

namespace taffeta::render {

void take_snapshot(const Simulation& simulation, View view, int level, Snapshot& out) {
    const std::size_t vertices = simulation.vertex_count();
    out.time = simulation.time();
    out.positions.resize(vertices);
    simulation.copy_positions(out.positions);
    out.colliders.clear();
    for (int k = 0; k < simulation.collider_count(); ++k) out.colliders.push_back(simulation.collider_pose(k));
    out.deformed.resize(out.colliders.size());
    for (int k = 0; k < simulation.collider_count(); ++k) {
        std::vector<Vec3>& body = out.deformed[static_cast<std::size_t>(k)];
        body.clear();
        if (simulation.collider_deforms(k)) simulation.copy_collider_vertices(k, body);
    }
    out.hands = simulation.hands();
    out.stretch.resize(view == View::strain ? vertices : 0);
    if (view == View::strain) simulation.copy_stretch(out.stretch);
    out.touch.resize(view == View::contacts ? vertices : 0);
    if (view == View::contacts) simulation.copy_touch(out.touch);
    out.boxes.clear();
    if (view == View::hierarchy && level < simulation.hierarchy_levels()) simulation.copy_hierarchy(level, out.boxes);
}

} // namespace taffeta::render
