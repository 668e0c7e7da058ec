// What a run writes, chosen by the ending of the name.
#pragma once

#include <taffeta/io.h>

#include <memory>

namespace taffeta::io {

class Output {
public:
    Output() = default;
    Output(const Output&) = delete;
    Output& operator=(const Output&) = delete;
    virtual ~Output() = default; // without finish(): as if nothing had been written

    // The state of the simulation now, as the next frame; `positions` are its vertices.
    virtual Result<Done> add_frame(const Simulation& simulation, std::span<const Vec3> positions) = 0;
    virtual Result<Done> finish(const RunReport& report) = 0;
};

// Fails at once where nothing could be written in the end.
Result<std::unique_ptr<Output>> make_output(const std::string& name, const SceneDesc& scene,
                                            const Simulation& simulation);

} // namespace taffeta::io
