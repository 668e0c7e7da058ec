#include "commands.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace taffeta::cli {
namespace {

// How many pairs of triangles cross, of one kind.
struct Pairs {
    std::size_t last = 0;  // of a recording: in its last frame
    std::size_t worst = 0; // in any frame
    std::size_t worst_frame = 0;
    std::vector<std::size_t> by_frame = {};

    void add(std::size_t count) {
        if (count > worst) worst = count, worst_frame = by_frame.size();
        last = count;
        by_frame.push_back(count);
    }
};

struct Counts {
    std::string target;
    bool has_bodies = false; // a mesh file knows of none
    Pairs self = {}, body = {};
    std::size_t non_manifold_edges = 0;
    std::size_t degenerate_triangles = 0;

    std::size_t frames() const { return self.by_frame.size(); }
};

Result<Counts> count_mesh(const std::string& target) {
    const Result<Mesh> mesh = io::read_mesh(target);
    if (!mesh) return mesh.errors();
    const Inspection inspection = inspect(*mesh);
    Counts counts = {.target = target};
    counts.self.add(inspection.intersections.size());
    counts.non_manifold_edges = inspection.non_manifold_edges;
    counts.degenerate_triangles = inspection.degenerate_triangles;
    return counts;
}

Result<Counts> count_recording(const std::string& target) {
    const Result<io::Recording> recording = io::read_recording(target);
    if (!recording) return recording.errors();
    Counts counts = {.target = target, .has_bodies = true};
    for (std::size_t frame = 0; frame < recording->frames.size(); ++frame) {
        const Inspection inspection = inspect(recording->rest, recording->frames[frame]);
        counts.self.add(inspection.intersections.size());
        counts.body.add(io::find_body_intersections(*recording, frame).size());
        counts.non_manifold_edges = inspection.non_manifold_edges;
        counts.degenerate_triangles = std::max(counts.degenerate_triangles, inspection.degenerate_triangles);
    }
    return counts;
}

nlohmann::ordered_json to_json(const Counts& counts, bool frames) {
    nlohmann::ordered_json json = {{"target", counts.target},
                                   {"frames", counts.frames()},
                                   {"intersections", counts.self.last},
                                   {"worst_intersections", counts.self.worst},
                                   {"worst_frame", counts.self.worst_frame}};
    if (counts.has_bodies) {
        json["body_intersections"] = counts.body.last;
        json["worst_body_intersections"] = counts.body.worst;
        json["worst_body_frame"] = counts.body.worst_frame;
    }
    json["non_manifold_edges"] = counts.non_manifold_edges;
    json["degenerate_triangles"] = counts.degenerate_triangles;
    if (frames) {
        json["intersections_by_frame"] = counts.self.by_frame;
        if (counts.has_bodies) json["body_intersections_by_frame"] = counts.body.by_frame;
    }
    return json;
}

void print(const Counts& counts, bool frames) {
    const auto print_pairs = [&](const char* what, const Pairs& pairs) {
        std::printf("%zu %s", pairs.last, what);
        if (counts.frames() > 1)
            std::printf(" in the last of %zu frames, at worst %zu in frame %zu", counts.frames(), pairs.worst,
                        pairs.worst_frame);
    };
    std::printf("%s: ", counts.target.c_str());
    print_pairs("self-intersecting triangle pairs", counts.self);
    if (counts.has_bodies) {
        std::printf(", ");
        print_pairs("triangle pairs of cloth and body", counts.body);
    }
    std::printf(", %zu non-manifold edges, %zu degenerate triangles\n", counts.non_manifold_edges,
                counts.degenerate_triangles);
    for (std::size_t frame = 0; frames && frame < counts.frames(); ++frame) {
        const std::size_t self = counts.self.by_frame[frame];
        const std::size_t body = counts.has_bodies ? counts.body.by_frame[frame] : 0;
        if (self + body > 0) std::printf("  frame %zu: %zu of cloth, %zu of cloth and body\n", frame, self, body);
    }
}

} // namespace

int check(const std::vector<std::string>& targets, bool json, bool frames) {
    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    int exit_code = exit_done;
    for (const std::string& target : targets) {
        const Result<Counts> counts =
            std::filesystem::is_directory(target) ? count_recording(target) : count_mesh(target);
        if (!counts) {
            print_errors(counts.errors());
            exit_code = exit_usage;
            continue;
        }
        if (counts->self.worst + counts->body.worst > 0 && exit_code == exit_done) exit_code = exit_failed;
        if (json)
            list.push_back(to_json(*counts, frames));
        else
            print(*counts, frames);
    }
    if (json) std::printf("%s\n", list.dump(2).c_str());
    return exit_code;
}

} // namespace taffeta::cli
