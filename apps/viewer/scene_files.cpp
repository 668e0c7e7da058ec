#include "scene_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <limits>

namespace taffeta::viewer {
namespace {

namespace fs = std::filesystem;

constexpr float least_frame_rate = 60; // 1/s

std::string ending_of(const std::string& name) {
    std::string ending = fs::path(name).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
}

struct Bounds {
    Vec3 low = {}, high = {};
};

Bounds bounds_of(const std::vector<Vec3>& points) {
    constexpr float infinity = std::numeric_limits<float>::infinity();
    Bounds b = {{infinity, infinity, infinity}, {-infinity, -infinity, -infinity}};
    for (const Vec3& p : points) {
        for (int axis = 0; axis < 3; ++axis) {
            b.low[axis] = std::min(b.low[axis], p[axis]);
            b.high[axis] = std::max(b.high[axis], p[axis]);
        }
    }
    return b;
}

// What a mesh has to be multiplied with: millimetres and centimetres are told by sizes that no cloth has in metres.
float metres_per_unit(float extent) {
    return extent > 500 ? 0.001f : extent > 10 ? 0.01f : extent < 0.1f ? 1 / extent : 1;
}

Result<SceneDesc> open(const std::string& name_or_file, const std::vector<io::Override>& overrides) {
    const std::string ending = ending_of(name_or_file);
    if (ending.empty() || ending == ".toml") return io::open_scene(name_or_file, overrides);
    if (ending != ".obj" && ending != ".ply" && ending != ".glb" && ending != ".gltf")
        return Error{.message = "neither a scene (.toml) nor a mesh (.obj, .ply, .glb, .gltf)", .file = name_or_file};
    Result<Mesh> mesh = io::read_mesh(name_or_file);
    if (!mesh) return mesh.errors();
    const bool is_sound = !mesh->positions.empty() && std::all_of(mesh->positions.begin(), mesh->positions.end(),
                                                                  [](const Vec3& p) { return is_finite(p); });
    const Bounds bounds = bounds_of(mesh->positions);
    const float extent = length(bounds.high - bounds.low);
    if (!is_sound || !std::isfinite(extent) || extent <= 0)
        return Error{.message = "the mesh has no extent; a cloth needs at least one triangle with area",
                     .file = name_or_file};
    if (!overrides.empty())
        return Error{.message = "--set works on scenes; " + name_or_file + " is a mesh. Write a scene that names it"};
    return scene_of_mesh(std::move(*mesh), name_or_file);
}

} // namespace

SceneDesc for_playing(SceneDesc scene) {
    const float parts = std::ceil(least_frame_rate / scene.frame_rate);
    const bool is_dividable =
        std::isfinite(parts) && parts > 1 && std::fmod(static_cast<float>(scene.solver.substeps), parts) == 0;
    if (!is_dividable) return scene;
    scene.frame_rate *= parts;
    scene.solver.substeps = static_cast<int>(static_cast<float>(scene.solver.substeps) / parts);
    return scene;
}

SceneDesc scene_of_mesh(Mesh mesh, const std::string& path) {
    const Bounds bounds = bounds_of(mesh.positions);
    const Vec3 extent = bounds.high - bounds.low;
    const float scale = metres_per_unit(length(extent));
    const float across = std::max(extent.x, extent.z) * scale;
    const float radius = std::clamp(0.25f * across, 0.1f, 0.4f);
    const float gap = 0.1f; // m, between the ball and what falls on it

    SceneDesc scene;
    scene.name = fs::path(path).stem().string();
    scene.description = "The mesh " + fs::path(path).filename().string() + " falls on a ball.";
    scene.duration = 10;
    scene.solver.iterations = 8;
    scene.fabrics.push_back({.name = "cloth", .thickness = 0.004f, .friction = 0.5f});

    const Vec3 middle = (bounds.low + bounds.high) * (0.5f * scale);
    ClothDesc cloth;
    cloth.name = "cloth";
    cloth.fabric = "cloth";
    cloth.scale = scale;
    cloth.position = {-middle.x, 2 * radius + gap - bounds.low.y * scale, -middle.z};
    cloth.shape = MeshShape{std::move(mesh), path};
    scene.cloths.push_back(std::move(cloth));
    scene.colliders.push_back({.shape = Sphere{radius}, .position = {0, radius, 0}});
    scene.colliders.push_back({.shape = Plane{}});
    return scene;
}

Result<Playable> open_playable(const std::string& name_or_file, const std::vector<io::Override>& overrides) {
    Result<SceneDesc> scene = open(name_or_file, overrides);
    if (!scene) return scene.errors();
    if (Errors errors = check(*scene); !errors.empty()) {
        for (Error& error : errors)
            if (error.file.empty()) error.file = name_or_file;
        return errors;
    }
    SceneDesc playing = for_playing(resolved(std::move(*scene)));
    if (playing.name.empty()) playing.name = fs::path(name_or_file).stem().string();
    Result<Simulation> simulation = Simulation::create(playing);
    if (!simulation) return simulation.errors();
    return Playable{std::move(playing), std::make_unique<Simulation>(std::move(*simulation))};
}

fs::path new_file(const fs::path& folder, const std::string& stem, const std::string& ending) {
    fs::path file;
    std::error_code unknown; // a folder that cannot be read: writing will tell
    for (int number = 1; file.empty() || fs::exists(file, unknown); ++number) {
        std::array<char, 32> digits = {};
        std::snprintf(digits.data(), digits.size(), "-%03d", number);
        file = folder / (stem + digits.data() + ending);
    }
    return file;
}

Result<void> write_scene(const fs::path& file, SceneDesc scene) {
    for (std::size_t k = 0; k < scene.cloths.size(); ++k) {
        auto* shape = std::get_if<MeshShape>(&scene.cloths[k].shape);
        if (shape == nullptr) continue;
        const fs::path mesh_file = file.stem().string() + "-" + cloth_name(scene, k) + ".obj";
        if (Result<void> written = io::write_mesh(file.parent_path() / mesh_file, shape->mesh); !written)
            return written;
        shape->path = mesh_file.string();
    }
    for (std::size_t k = 0; k < scene.colliders.size(); ++k) {
        auto* body = std::get_if<BodyMesh>(&scene.colliders[k].shape);
        if (body == nullptr) continue;
        const std::string name = file.stem().string() + "-collider" + std::to_string(k + 1);
        if (Result<void> written = io::write_body(file.parent_path(), name, *body); !written) return written;
    }
    std::ofstream out(file, std::ios::binary);
    out << io::scene_to_toml(scene);
    out.close();
    if (!out)
        return Error{.message = "could not be written; is the folder there, and is there room?", .file = file.string()};
    return {};
}

} // namespace taffeta::viewer
