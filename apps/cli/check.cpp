#include "commands.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace taffeta::cli {
namespace {

struct Counts {
    std::string target;
    std::size_t frames = 1;
    std::size_t intersections = 0; // of a recording: of its last frame
    std::size_t worst = 0;         // of any frame
    std::size_t worst_frame = 0;
    std::size_t non_manifold_edges = 0;
    std::size_t degenerate_triangles = 0;
};

Result<Counts> count_mesh(const std::string& target) {
    const Result<Mesh> mesh = io::read_mesh(target);
    if (!mesh) return mesh.faults();
    const Inspection inspection = inspect(*mesh);
    const std::size_t crossing = inspection.intersections.size();
    return Counts{target, 1, crossing, crossing, 0, inspection.non_manifold_edges, inspection.degenerate_triangles};
}

Result<Counts> count_recording(const std::string& target) {
    const Result<io::Recording> recording = io::read_recording(target);
    if (!recording) return recording.faults();
    Counts counts = {.target = target, .frames = recording->frames.size()};
    for (std::size_t frame = 0; frame < counts.frames; ++frame) {
        const Inspection inspection = inspect(recording->rest, recording->frames[frame]);
        counts.intersections = inspection.intersections.size();
        counts.non_manifold_edges = inspection.non_manifold_edges;
        counts.degenerate_triangles = std::max(counts.degenerate_triangles, inspection.degenerate_triangles);
        if (counts.intersections > counts.worst) {
            counts.worst = counts.intersections;
            counts.worst_frame = frame;
        }
    }
    return counts;
}

nlohmann::ordered_json to_json(const Counts& counts) {
    return {{"target", counts.target},
            {"frames", counts.frames},
            {"intersections", counts.intersections},
            {"worst_intersections", counts.worst},
            {"worst_frame", counts.worst_frame},
            {"non_manifold_edges", counts.non_manifold_edges},
            {"degenerate_triangles", counts.degenerate_triangles}};
}

void print(const Counts& counts) {
    std::printf("%s: %zu self-intersecting triangle pairs", counts.target.c_str(), counts.intersections);
    if (counts.frames > 1)
        std::printf(" in the last of %zu frames, at worst %zu in frame %zu", counts.frames, counts.worst,
                    counts.worst_frame);
    std::printf(", %zu non-manifold edges, %zu degenerate triangles\n", counts.non_manifold_edges,
                counts.degenerate_triangles);
}

} // namespace

int check(const std::vector<std::string>& targets, bool json) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    int exit_code = exit_done;
    for (const std::string& target : targets) {
        const Result<Counts> counts =
            std::filesystem::is_directory(target) ? count_recording(target) : count_mesh(target);
        if (!counts) {
            print_faults(counts.faults());
            exit_code = exit_usage;
            continue;
        }
        if (counts->worst > 0 && exit_code == exit_done) exit_code = exit_failed;
        if (json)
            list.push_back(to_json(*counts));
        else
            print(*counts);
    }
    if (json) std::printf("%s\n", list.dump(2).c_str());
    return exit_code;
}

} // namespace taffeta::cli
