// Files: scenes, meshes and results. The target taffeta::io; the only part of the library that touches the disk.
//
// Readers take any bytes and answer with a value or with every error they found; they never crash.
// Writers write under a temporary name and rename at the end: no half-written file stands under the final name.
#pragma once

#include <taffeta/mesh.h>
#include <taffeta/result.h>
#include <taffeta/scene.h>
#include <taffeta/simulation.h>

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace taffeta::io {

// --- meshes: .obj, .ply, .glb, .gltf by the ending of the name
Result<Mesh> read_mesh(const std::filesystem::path& file);
Result<void> write_mesh(const std::filesystem::path& file, const Mesh& mesh); // .obj, .ply

// --- bodies of triangles: one mesh, a mesh with a clip that moves its skin, or a mesh for each frame
// `to_scene` takes places of the files to metres and Y up. Errors that are not those of one file have none; if it is
// the clip's name, the key "clip".
Result<BodyMesh> read_body(const std::filesystem::path& file, const std::optional<std::string>& clip = {},
                           const Affine& to_scene = {});
// Files with #### in their name for the number of the frame: without gaps, from any number on, with the same triangles.
Result<BodyMesh> read_body_frames(const std::filesystem::path& files, float frame_rate, const Affine& to_scene = {});
// Writes the files of a body into a folder, such that reading them gives the same body, and puts their path into it.
Result<void> write_body(const std::filesystem::path& folder, std::string name, BodyMesh& body);

// --- scenes
// One `--set`: the key as a path with dots ("cloth.0.fabric"), the value in TOML or as a bare word.
struct Override {
    std::string key, value;
};

// Reads a scene file and the meshes it names, converted to metres and Y up.
Result<SceneDesc> read_scene(const std::filesystem::path& file, const std::vector<Override>& overrides = {});
// The same from text; `name` stands for the file in messages, paths are relative to `folder`.
Result<SceneDesc> read_scene_text(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                                  const std::vector<Override>& overrides = {});
// Every key of the scene in TOML, such that reading it gives the same scene. Meshes of cloths and bodies are
// named by their `path`; the caller writes the files.
std::string scene_to_toml(const SceneDesc& scene);

// The scenes that come with the library, by name.
struct BuiltinScene {
    std::string_view name, text;
};
std::span<const BuiltinScene> builtin_scenes();

// A built-in scene by its name, or a scene file.
Result<SceneDesc> open_scene(const std::string& name_or_file, const std::vector<Override>& overrides = {});

// --- fabrics: files with the keys of a [fabric.NAME] table, and two more
struct FabricFile {
    Fabric fabric = {};           // its name is that of the file
    std::string description = {}; // for people
    std::string source = {};      // where its numbers come from, and which are estimates
    bool operator==(const FabricFile&) const = default;
};
Result<FabricFile> read_fabric(const std::filesystem::path& file);
// The same from text; `name` stands for the file in messages.
Result<FabricFile> read_fabric_text(std::string_view text, const std::string& name);
// Every key of the file in TOML, such that reading it gives the same fabric.
std::string fabric_to_toml(const FabricFile& file);

// The fabrics that come with the library, by name.
struct BuiltinFabric {
    std::string_view name, text;
};
std::span<const BuiltinFabric> builtin_fabrics();

// A built-in fabric by its name, or a fabric file by its path, which ends in .toml. What `preset` of a scene names.
Result<FabricFile> open_fabric(const std::string& name_or_file);

// --- pictures
struct Image {
    int width = 0, height = 0;
    std::vector<std::uint8_t> rgb = {}; // 3 bytes per pixel, row by row from the top
};
Result<void> write_png(const std::filesystem::path& file, const Image& image);

// Frames piped to ffmpeg, H.264 in .mp4. The file appears at commit(); without it, as if nothing had been written.
class FilmWriter {
public:
    static Result<FilmWriter> create(const std::filesystem::path& file, int width, int height, float frame_rate);
    FilmWriter(FilmWriter&&) noexcept;
    FilmWriter& operator=(FilmWriter&&) noexcept;
    ~FilmWriter();
    Result<void> append(const Image& image);
    Result<void> commit();

private:
    struct State;
    explicit FilmWriter(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

// --- runs: simulate a scene and write what comes of it
// What a run tells while it goes on.
struct RunProgress {
    int frame = 0, frames = 0; // written so far, in all; the first frame is the start
    double simulated_seconds = 0, wall_seconds = 0;
    StepReport step = {};
    Measure measure = {};
};

// What came of a run; the content of report.json.
struct RunReport {
    int frames = 0;
    std::size_t vertices = 0, triangles = 0;
    int threads = 0;
    double simulated_seconds = 0, wall_seconds = 0; // wall: of the steps, without writing
    std::map<std::string, double> seconds_by_stage = {};
    std::vector<float> max_stretch = {}, mean_stretch = {}; // per frame, as all below
    std::vector<double> strain_error = {}, bend_error = {}; // of method "xpbd": how far from the fabrics' laws
    std::vector<double> kinetic_energy = {};                // J
    std::vector<int> contacts = {}, self_contacts = {};
    std::vector<int> impacts = {}, zones = {}, unresolved = {};
    bool finite = true;       // false: the run diverged and ended early
    bool interrupted = false; // the caller ended it early
    std::uint64_t hash = 0;   // of all positions of all frames
    std::vector<std::string> warnings = {};
};
std::string report_to_json(const RunReport& report);

// What a run writes: gets every frame, then the report.
class Output {
public:
    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    virtual ~Output() = default; // without finish(): as if nothing had been written

    // The state of the simulation now, as the next frame; `positions` are its vertices.
    virtual Result<void> add_frame(const Simulation& simulation, std::span<const Vec3> positions) = 0;
    virtual Result<void> finish(const RunReport& report) = 0;
};
// Makes an output by its name. Fails at once where nothing could be written in the end.
using OutputFactory =
    std::function<Result<std::unique_ptr<Output>>(const std::string& name, const SceneDesc&, const Simulation&)>;

struct RunOptions {
    // By ending: a folder ("name/"), .glb, .pc2, .obj, .ply, .png, .mp4; with #### in the name .obj, .ply and .png are
    // written for every frame.
    std::vector<std::string> outputs = {};
    // Makes the outputs .png and .mp4 (render::picture_outputs); without it they are an error.
    OutputFactory pictures = {};
    // Called after each frame; false ends the run, and what was computed is kept.
    std::function<bool(const RunProgress&)> on_frame = {};
};

// Fails before the first step if the scene or an output is not usable. A write that fails later ends the run with its
// error after the other outputs have been completed: `Run::write_errors`.
struct Run {
    RunReport report;
    Errors write_errors;
};
Result<Run> run(const SceneDesc& scene, const RunOptions& options);

// All frames of a result folder (positions.npy, rest.obj and scene.toml).
struct Recording {
    Mesh rest;
    std::vector<std::vector<Vec3>> frames; // the first is the start, the k-th at k / scene.frame_rate seconds
    SceneDesc scene;
};
Result<Recording> read_recording(const std::filesystem::path& folder);

// Where cloth passes through the surface of a collider. Round ones are looked at as meshes that lie within them. A
// plane is the half-space behind it, in which a triangle is with any corner that is strictly behind the plane.
struct BodyIntersection {
    std::size_t collider = 0; // by place in the scene
    Index cloth_triangle = 0; // of `rest`
    Index body_triangle = 0;  // of its mesh; of a plane 0
};
// All pairs of triangles that cross in a frame, as Inspection counts them, and triangles behind planes, collider by
// collider.
std::vector<BodyIntersection> find_body_intersections(const Recording& recording, std::size_t frame);

} // namespace taffeta::io
