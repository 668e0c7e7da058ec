#include "io/results/outputs.h"

#include "io/results/atomic_file.h"
#include "io/results/glb_animation.h"
#include "io/results/npy.h"
#include "io/results/pc2.h"
#include "mesh/generators.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

Mesh mesh_of(const Simulation& simulation, std::span<const Vec3> positions) {
    return {{positions.begin(), positions.end()}, {simulation.triangles().begin(), simulation.triangles().end()}, {}};
}

Result<Done> write_text(const fs::path& path, std::string_view text) {
    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.faults();
    file->write(text);
    return file->commit();
}

// positions.npy, rest.obj, scene.toml, report.json; and the meshes the scene was given, as cloth_0.obj, ...,
// collider_0.obj, ..., so that the folder reproduces the run wherever it is taken.
class FolderOutput : public Output {
public:
    static Result<std::unique_ptr<Output>> create(const fs::path& folder, const SceneDesc& scene,
                                                  const Simulation& simulation) {
        Result<NpyWriter> positions = NpyWriter::create(folder / "positions.npy", simulation.vertex_count());
        if (!positions) return positions.faults();
        return std::unique_ptr<Output>(new FolderOutput(folder, std::move(*positions), resolved(scene),
                                                        mesh_of(simulation, simulation.rest_positions())));
    }

    Result<Done> add_frame(const Simulation&, std::span<const Vec3> positions) override {
        return positions_.append(positions);
    }

    Result<Done> finish(const RunReport& report) override {
        if (Result<Done> done = positions_.commit(); !done) return done;
        if (Result<Done> done = write_mesh(folder_ / "rest.obj", rest_); !done) return done;
        for (std::size_t k = 0; k < scene_.cloths.size(); ++k) {
            auto* shape = std::get_if<MeshShape>(&scene_.cloths[k].shape);
            if (shape == nullptr) continue;
            shape->path = "cloth_" + std::to_string(k) + ".obj";
            if (Result<Done> done = write_mesh(folder_ / shape->path, shape->mesh); !done) return done;
        }
        for (std::size_t k = 0; k < scene_.colliders.size(); ++k) {
            auto* body = std::get_if<BodyMesh>(&scene_.colliders[k].shape);
            if (body == nullptr) continue;
            if (Result<Done> done = write_body(folder_, "collider_" + std::to_string(k), *body); !done) return done;
        }
        if (Result<Done> done = write_text(folder_ / "scene.toml", scene_to_toml(scene_)); !done) return done;
        return write_text(folder_ / "report.json", report_to_json(report) + "\n");
    }

private:
    FolderOutput(fs::path folder, NpyWriter positions, SceneDesc scene, Mesh rest)
        : folder_(std::move(folder)), positions_(std::move(positions)), scene_(std::move(scene)),
          rest_(std::move(rest)) {}

    fs::path folder_;
    NpyWriter positions_;
    SceneDesc scene_;
    Mesh rest_;
};

class Pc2Output : public Output {
public:
    static Result<std::unique_ptr<Output>> create(const fs::path& file, const Simulation& simulation) {
        Result<Pc2Writer> points = Pc2Writer::create(file, simulation.vertex_count());
        if (!points) return points.faults();
        return std::unique_ptr<Output>(new Pc2Output(file, std::move(*points)));
    }

    Result<Done> add_frame(const Simulation& simulation, std::span<const Vec3> positions) override {
        if (start_.positions.empty()) start_ = mesh_of(simulation, positions);
        return points_.append(positions);
    }

    Result<Done> finish(const RunReport&) override {
        if (Result<Done> done = points_.commit(); !done) return done;
        return write_mesh(fs::path(file_).replace_extension(".obj"), start_);
    }

private:
    Pc2Output(fs::path file, Pc2Writer points) : file_(std::move(file)), points_(std::move(points)) {}

    fs::path file_;
    Pc2Writer points_;
    Mesh start_;
};

class GlbOutput : public Output {
public:
    static Result<std::unique_ptr<Output>> create(const fs::path& file, const SceneDesc& scene,
                                                  const Simulation& simulation) {
        if (const Result<Done> done = probe(file); !done) return done.faults();
        GlbScene glb = {.cloths = {}, .colliders = {}, .frame_rate = scene.frame_rate};
        for (std::size_t k = 0; k < scene.cloths.size(); ++k)
            glb.cloths.push_back({cloth_name(scene, k), simulation.cloth_mesh(static_cast<int>(k)), {}});
        for (std::size_t k = 0; k < scene.colliders.size(); ++k) {
            const std::string name = "collider" + std::to_string(k + 1);
            Mesh mesh = make_collider_mesh(scene.colliders[k].shape);
            const bool deforms = simulation.collider_deforms(static_cast<int>(k)); // as cloth does, then
            if (deforms) glb.cloths.push_back({name, std::exchange(mesh, {}), Vec3{0.3f, 0.3f, 0.3f}});
            glb.colliders.push_back({name, std::move(mesh)});
        }
        return std::unique_ptr<Output>(new GlbOutput(file, std::move(glb)));
    }

    Result<Done> add_frame(const Simulation& simulation, std::span<const Vec3> positions) override {
        std::vector<Pose> poses;
        std::vector<Vec3> deforming(positions.begin(), positions.end()), body;
        for (int k = 0; k < simulation.collider_count(); ++k) {
            poses.push_back(simulation.collider_pose(k));
            if (!simulation.collider_deforms(k)) continue;
            simulation.copy_collider_vertices(k, body);
            deforming.insert(deforming.end(), body.begin(), body.end());
        }
        writer_.append(deforming, poses);
        return Done{};
    }

    Result<Done> finish(const RunReport&) override { return writer_.commit(file_); }

private:
    GlbOutput(fs::path file, GlbScene scene) : file_(std::move(file)), writer_(std::move(scene)) {}

    fs::path file_;
    GlbWriter writer_;
};

// The last frame, or with #### in the name every frame.
class MeshOutput : public Output {
public:
    static Result<std::unique_ptr<Output>> create(const std::string& name) {
        auto output = std::unique_ptr<MeshOutput>(new MeshOutput(name));
        if (const Result<Done> done = probe(output->name_.of_frame(0)); !done) return done.faults();
        return std::unique_ptr<Output>(std::move(output));
    }

    Result<Done> add_frame(const Simulation& simulation, std::span<const Vec3> positions) override {
        last_ = mesh_of(simulation, positions);
        return name_.is_numbered() ? write_mesh(name_.of_frame(frame_++), last_) : Done{};
    }

    Result<Done> finish(const RunReport&) override {
        return name_.is_numbered() ? Done{} : write_mesh(name_.of_frame(0), last_);
    }

private:
    explicit MeshOutput(const std::string& name) : name_(name) {}

    NumberedName name_;
    int frame_ = 0;
    Mesh last_;
};

} // namespace

NumberedName::NumberedName(std::string name) : name_(std::move(name)) {
    first_digit_ = name_.find('#');
    if (first_digit_ != std::string::npos)
        digits_ = std::min(name_.find_first_not_of('#', first_digit_), name_.size()) - first_digit_;
}

fs::path NumberedName::of_frame(int frame) const {
    if (digits_ == 0) return name_;
    std::string number = std::to_string(frame);
    number.insert(0, digits_ - std::min(digits_, number.size()), '0');
    return std::string(name_).replace(first_digit_, digits_, number);
}

Result<Done> probe(const fs::path& path) {
    const Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.faults();
    return Done{};
}

Result<std::unique_ptr<Output>> make_output(const std::string& name, const SceneDesc& scene,
                                            const Simulation& simulation, const OutputFactory& pictures) {
    std::string ending = fs::path(name).extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    std::error_code ignored;
    if (ending.empty() || name.ends_with('/') || fs::is_directory(name, ignored))
        return FolderOutput::create(name, scene, simulation);
    if (ending == ".glb") return GlbOutput::create(name, scene, simulation);
    if (ending == ".pc2") return Pc2Output::create(name, simulation);
    if (ending == ".obj" || ending == ".ply") return MeshOutput::create(name);
    const bool is_picture = ending == ".png" || ending == ".mp4";
    if (is_picture && pictures) return pictures(name, scene, simulation);
    return Fault{.message = "output \"" + name + "\": " +
                            (is_picture ? ending + " needs a renderer, which this program has not" : "unknown ending") +
                            "; use a folder (name/), .glb, .pc2, .obj, .ply, .png or .mp4"};
}

} // namespace taffeta::io
