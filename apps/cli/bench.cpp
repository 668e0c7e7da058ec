#include "commands.h"

#include <nlohmann/json.hpp>

#include <cstdio>

namespace taffeta::cli {

int bench(const SceneOptions& options) {
    std::vector<std::string> names;
    if (!options.scene.empty())
        names.push_back(options.scene);
    else
        for (const io::BuiltinScene& scene : io::builtin_scenes()) names.emplace_back(scene.name);

    nlohmann::ordered_json list = nlohmann::ordered_json::array();
    for (std::size_t k = 0; k < names.size(); ++k) {
        SceneOptions one = options;
        one.scene = names[k];
        const std::optional<SceneDesc> scene = open_scene(one);
        if (!scene) return exit_usage;
        const Result<io::Run> run = io::run(*scene, {});
        if (!run) {
            print_errors(run.errors());
            return exit_usage;
        }
        const io::RunReport& report = run->report;
        const double per_frame = 1e3 / std::max(report.frames - 1, 1);
        if (options.json) {
            nlohmann::ordered_json row = {{"scene", names[k]},
                                          {"vertices", report.vertices},
                                          {"threads", report.threads},
                                          {"ms_per_frame", report.wall_seconds * per_frame},
                                          {"max_stretch", report.max_stretch.back()}};
            for (const auto& [stage, seconds] : report.seconds_by_stage)
                row["ms_by_stage"][stage] = seconds * per_frame;
            list.push_back(row);
            continue;
        }
        if (k == 0) {
            std::printf("%-24s%10s%9s%11s%9s |", "scene", "vertices", "ms/frame", "real time", "stretch");
            for (const auto& [stage, seconds] : report.seconds_by_stage) std::printf("%12s", stage.c_str());
            std::printf("   (ms per frame)\n");
        }
        std::printf("%-24s%10zu%9.3f%10.1fx%9.3f |", names[k].c_str(), report.vertices, report.wall_seconds * per_frame,
                    report.simulated_seconds / report.wall_seconds, static_cast<double>(report.max_stretch.back()));
        for (const auto& [stage, seconds] : report.seconds_by_stage) std::printf("%12.3f", seconds * per_frame);
        std::printf("\n");
    }
    if (options.json) std::printf("%s\n", list.dump(2).c_str());
    return exit_done;
}

} // namespace taffeta::cli
