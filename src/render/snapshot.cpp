#include <taffeta/render.h>

#include <algorithm>

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
    if (const int levels = simulation.hierarchy_levels(); view == View::hierarchy && levels > 0)
        simulation.copy_hierarchy(std::min(level, levels - 1), out.boxes);
    out.close_pairs.clear(), out.impacts.clear(), out.zones.clear();
    if (view != View::contacts) return;
    simulation.copy_close_pairs(out.close_pairs);
    simulation.copy_impacts(out.impacts);
    simulation.copy_zones(out.zones);
}

} // namespace taffeta::render
