#include "fuzz.h"

#include "collision/colliders/body_mesh.h"
#include "io/mesh/gltf.h"
#include "io/mesh/gltf_skin.h"

namespace {

// A body at time 0 keeps every promise of a mesh; at other times check() may still refuse it, but nothing may crash.
void check_body(std::string_view bytes, const std::optional<std::string>& clip) {
    using namespace taffeta;
    const Result<BodyMesh> body = io::read_gltf_body(bytes, "fuzz.glb", "/nonexistent", clip, {});
    if (!body) {
        for (const Fault& fault : body.faults()) fuzz::require(!fault.message.empty());
        return;
    }
    fuzz::check_mesh(*body->mesh);
    SceneDesc scene;
    scene.cloths.emplace_back();
    scene.colliders.push_back({.shape = *body});
    if (!check(scene).empty()) return;
    std::vector<Vec3> x(body->mesh->positions.size());
    for (const double time : {0.5, 1e9}) place_body_mesh(*body, {}, time, x);
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view bytes = taffeta::fuzz::as_text(data, size);
    taffeta::fuzz::check_mesh(taffeta::io::read_gltf(bytes, "fuzz.glb", "/nonexistent"));
    check_body(bytes, std::nullopt);
    check_body(bytes, "bend");
    return 0;
}
