#include "core/hash.h"
#include "io/results/outputs.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <cmath>
#include <cstdio>

namespace taffeta::io {
namespace {

// Appends the frame the simulation shows to the report.
void record(const StepReport& step, const Measure& measure, std::span<const Vec3> positions, Hash& hash,
            RunReport& report) {
    ++report.frames;
    report.max_stretch.push_back(measure.max_stretch);
    report.mean_stretch.push_back(measure.mean_stretch);
    report.kinetic_energy.push_back(measure.kinetic_energy);
    report.strain_error.push_back(measure.strain_error);
    report.bend_error.push_back(measure.bend_error);
    report.contacts.push_back(step.contacts);
    report.self_contacts.push_back(step.self_contacts);
    report.impacts.push_back(step.impacts);
    report.zones.push_back(step.zones);
    report.unresolved.push_back(step.unresolved);
    for (const Vec3& p : positions) hash.add(p.x), hash.add(p.y), hash.add(p.z);
}

void append(const Faults& more, Faults& faults) {
    faults.insert(faults.end(), more.begin(), more.end());
}

} // namespace

std::string report_to_json(const RunReport& report) {
    char hash[17];
    std::snprintf(hash, sizeof hash, "%016llx", static_cast<unsigned long long>(report.hash));
    const nlohmann::ordered_json json = {{"frames", report.frames},
                                         {"vertices", report.vertices},
                                         {"triangles", report.triangles},
                                         {"threads", report.threads},
                                         {"simulated_seconds", report.simulated_seconds},
                                         {"wall_seconds", report.wall_seconds},
                                         {"seconds_by_stage", report.seconds_by_stage},
                                         {"max_stretch", report.max_stretch},
                                         {"mean_stretch", report.mean_stretch},
                                         {"kinetic_energy", report.kinetic_energy},
                                         {"strain_error", report.strain_error},
                                         {"bend_error", report.bend_error},
                                         {"contacts", report.contacts},
                                         {"self_contacts", report.self_contacts},
                                         {"impacts", report.impacts},
                                         {"zones", report.zones},
                                         {"unresolved", report.unresolved},
                                         {"finite", report.finite},
                                         {"interrupted", report.interrupted},
                                         {"hash", hash},
                                         {"warnings", report.warnings}};
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Result<Run> run(const SceneDesc& scene, const RunOptions& options) {
    using Clock = std::chrono::steady_clock;
    Result<Simulation> created = Simulation::create(scene);
    if (!created) return created.faults();
    Simulation& simulation = *created;

    Faults faults;
    std::vector<std::unique_ptr<Output>> outputs;
    for (const std::string& name : options.outputs) {
        Result<std::unique_ptr<Output>> output = make_output(name, scene, simulation, options.pictures);
        if (output)
            outputs.push_back(std::move(*output));
        else
            append(output.faults(), faults);
    }
    if (!faults.empty()) return faults;

    Run result;
    RunReport& report = result.report;
    report.vertices = simulation.vertex_count();
    report.triangles = simulation.triangles().size();
    report.threads = simulation.threads();
    report.warnings = simulation.warnings();

    const int frames =
        1 + static_cast<int>(std::lround(static_cast<double>(scene.duration) * static_cast<double>(scene.frame_rate)));
    Hash hash;
    StepReport step;
    std::vector<Vec3> positions(simulation.vertex_count());
    while (report.frames < frames && !report.interrupted && result.write_faults.empty()) {
        if (report.frames > 0) {
            const Clock::time_point start = Clock::now();
            step = simulation.step(1 / scene.frame_rate);
            report.wall_seconds += std::chrono::duration<double>(Clock::now() - start).count();
            report.finite = step.finite;
            if (!step.finite) break; // the state before the step has been written already
        }
        simulation.copy_positions(positions);
        const Measure measure = simulation.measure();
        report.simulated_seconds = report.frames / static_cast<double>(scene.frame_rate);
        record(step, measure, positions, hash, report);
        for (const auto& output : outputs)
            if (const Result<Done> done = output->add_frame(simulation, positions); !done)
                append(done.faults(), result.write_faults);
        const bool is_last = report.frames == frames;
        if (options.on_frame && !is_last)
            report.interrupted = !options.on_frame({.frame = report.frames,
                                                    .frames = frames,
                                                    .simulated_seconds = report.simulated_seconds,
                                                    .wall_seconds = report.wall_seconds,
                                                    .step = step,
                                                    .measure = measure});
    }
    report.seconds_by_stage = simulation.seconds_by_stage();
    report.hash = hash.value();
    for (const auto& output : outputs)
        if (const Result<Done> done = output->finish(report); !done) append(done.faults(), result.write_faults);
    return result;
}

} // namespace taffeta::io
