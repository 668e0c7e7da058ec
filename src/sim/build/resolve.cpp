// Defaults of a scene that depend on the rest of it.
#include <taffeta/scene.h>

#include <algorithm>

namespace taffeta {

std::string cloth_name(const SceneDesc& scene, std::size_t cloth) {
    const std::string& name = scene.cloths[cloth].name;
    return !name.empty() ? name : cloth == 0 ? "cloth" : "cloth" + std::to_string(cloth + 1);
}

Fabric cloth_fabric(const SceneDesc& scene, std::size_t cloth) {
    const std::string& name = scene.cloths[cloth].fabric;
    if (name.empty()) return scene.fabrics.size() == 1 ? scene.fabrics.front() : Fabric{};
    const auto found = std::find_if(scene.fabrics.begin(), scene.fabrics.end(),
                                    [&](const Fabric& fabric) { return fabric.name == name; });
    return found != scene.fabrics.end() ? *found : Fabric{};
}

SelfCollision cloth_self_collision(const SceneDesc& scene, std::size_t cloth) {
    const SelfCollision own = scene.cloths[cloth].self_collision;
    if (own != SelfCollision::usual) return own;
    return scene.solver.method == "limits" ? SelfCollision::particles : SelfCollision::triangles;
}

SceneDesc resolved(SceneDesc scene) {
    const bool needs_default =
        scene.fabrics.size() != 1 && std::any_of(scene.cloths.begin(), scene.cloths.end(),
                                                 [](const ClothDesc& cloth) { return cloth.fabric.empty(); });
    Fabric fabric = scene.fabrics.size() == 1 ? scene.fabrics.front() : Fabric{};
    if (needs_default) {
        fabric.name = "default";
        scene.fabrics.push_back(fabric);
    }
    for (std::size_t k = 0; k < scene.cloths.size(); ++k) {
        scene.cloths[k].name = cloth_name(scene, k);
        scene.cloths[k].self_collision = cloth_self_collision(scene, k);
        if (scene.cloths[k].fabric.empty()) scene.cloths[k].fabric = fabric.name;
    }
    for (GrabDesc& grab : scene.grabs)
        if (grab.cloth.empty() && !scene.cloths.empty()) grab.cloth = scene.cloths.front().name;
    return scene;
}

} // namespace taffeta
