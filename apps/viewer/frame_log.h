// One line of JSON per drawn frame, for tests and for reports of errors.
#pragma once

#include "simulation_thread.h"
#include "tools.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace taffeta::viewer {

struct LoggedFrame {
    long frame = 0;
    const Frame& simulated;
    const render::Snapshot& drawn;
    const Tools& tools;
    render::Size size = {};
    std::string scene = {};
    std::string view = {};
    Hover hover = {};
    bool recording_film = false;
    std::size_t gl_errors = 0;
    std::vector<std::string> messages = {};
    double frame_ms = 0; // since the frame before
    double input_ms = 0; // from the oldest input of this frame until it was shown; 0 if there was none
};

class FrameLog {
public:
    static Result<FrameLog> create(const std::filesystem::path& file);
    void write(const LoggedFrame& frame);

private:
    explicit FrameLog(std::ofstream out) : out_(std::move(out)) {}
    std::ofstream out_;
};

} // namespace taffeta::viewer
