// Bodies of triangles from files and back.
#include "io/mesh/gltf_skin.h"
#include "io/mesh/mesh_files.h"
#include "io/results/outputs.h"

#include <taffeta/io.h>

#include <algorithm>
#include <cctype>
#include <system_error>

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;

// The number of the frame in a file's name, if it is one of those.
std::optional<int> frame_number(const std::string& name, const std::string& pattern) {
    const std::size_t hashes = pattern.find('#');
    const std::size_t tail_size = pattern.size() - std::min(pattern.find_first_not_of('#', hashes), pattern.size());
    if (name.size() < pattern.size()) return std::nullopt;
    const std::string digits = name.substr(hashes, name.size() - hashes - tail_size);
    constexpr std::size_t most_digits = 9; // such numbers fit
    const bool are_digits = std::ranges::all_of(digits, [](unsigned char c) { return std::isdigit(c) != 0; });
    if (!are_digits || digits.size() > most_digits) return std::nullopt;
    const int number = std::stoi(digits);
    const bool is_one = NumberedName(pattern).of_frame(number) == name;
    return is_one ? std::optional(number) : std::nullopt;
}

// The files in the order of their frames, or why they are no sequence.
Result<std::vector<fs::path>> find_frames(const fs::path& files) {
    const fs::path folder = files.parent_path();
    const std::string pattern = files.filename().string();
    if (pattern.find('#') == std::string::npos)
        return Fault{.message = "must have #### in the name for the number of the frame, like \"walk_####.obj\""};
    std::vector<int> numbers;
    std::error_code error;
    for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end;
         entry.increment(error))
        if (const auto number = frame_number(entry->path().filename().string(), pattern)) numbers.push_back(*number);
    std::ranges::sort(numbers);
    const NumberedName name(pattern);
    if (numbers.empty())
        return Fault{.message = "must be files with a number in place of ####, but there is none such as " +
                                (folder / name.of_frame(0)).string() + "; paths are relative to the scene file"};
    const auto gap = std::ranges::adjacent_find(numbers, [](int a, int b) { return b != a + 1; });
    if (gap != numbers.end())
        return Fault{.message = "has a gap: there is no " + (folder / name.of_frame(*gap + 1)).string() + " between " +
                                name.of_frame(*gap).string() + " and " + name.of_frame(*(gap + 1)).string() +
                                "; add the frame, or number those after it anew"};
    std::vector<fs::path> frames;
    for (const int number : numbers) frames.push_back(folder / name.of_frame(number));
    return frames;
}

} // namespace

Result<BodyMesh> read_body(const fs::path& file, const std::optional<std::string>& clip, const Affine& to_scene) {
    const std::string format = ending(file);
    if (format == ".glb" || format == ".gltf") {
        const Result<std::string> bytes = read_file(file);
        if (!bytes) return bytes.faults();
        return read_gltf_body(*bytes, file.string(), file.parent_path(), clip, to_scene);
    }
    if (clip) return Fault{.message = "needs a mesh in a .glb or .gltf file; others have no clips", .key = "clip"};
    Result<Mesh> mesh = read_mesh(file);
    if (!mesh) return mesh.faults();
    place_in_scene(to_scene, mesh->positions);
    mesh->uv.clear(); // bodies have no threads
    return BodyMesh{.mesh = std::move(*mesh)};
}

Result<BodyMesh> read_body_frames(const fs::path& files, float frame_rate, const Affine& to_scene) {
    const Result<std::vector<fs::path>> frames = find_frames(files);
    if (!frames) return frames.faults();
    Mesh first;
    std::vector<std::vector<Vec3>> positions;
    for (const fs::path& file : *frames) {
        const Result<BodyMesh> frame = read_body(file, {}, to_scene);
        if (!frame) return frame.faults();
        const Mesh& mesh = *frame->mesh;
        if (positions.empty()) first = mesh;
        if (mesh.positions.size() != first.positions.size() || mesh.triangles != first.triangles)
            return Fault{.message = "has other vertices or triangles (" + std::to_string(mesh.positions.size()) +
                                    " and " + std::to_string(mesh.triangles.size()) + ") than " +
                                    frames->front().filename().string() + " (" +
                                    std::to_string(first.positions.size()) + " and " +
                                    std::to_string(first.triangles.size()) +
                                    "); all frames must be the same mesh, only elsewhere",
                         .file = file.string()};
        positions.push_back(mesh.positions);
    }
    return BodyMesh{.mesh = std::move(first), .deformation = BodyFrames{frame_rate, std::move(positions)}};
}

Result<Done> write_body(const fs::path& folder, std::string name, BodyMesh& body) {
    std::ranges::replace(name, '#', '_'); // which stands for numbers of frames
    const auto* frames = std::get_if<BodyFrames>(&body.deformation);
    if (std::holds_alternative<BodySkin>(body.deformation)) {
        body.path = name + ".glb";
        return write_gltf_body(folder / body.path, body);
    }
    body.path = name + (frames ? "_####.obj" : ".obj");
    if (!frames) return write_mesh(folder / body.path, *body.mesh);
    const NumberedName names(body.path);
    for (std::size_t k = 0; k < frames->positions->size(); ++k) {
        const Mesh frame = {(*frames->positions)[k], body.mesh->triangles, {}};
        if (Result<Done> done = write_mesh(folder / names.of_frame(static_cast<int>(k)), frame); !done) return done;
    }
    return Done{};
}

} // namespace taffeta::io
