#include "frame_log.h"

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>

namespace taffeta::viewer {
namespace {

using Json = nlohmann::ordered_json;

Json array_of(const Vec3& v) {
    return {v.x, v.y, v.z};
}

const char* name_of(Hover::Kind kind) {
    switch (kind) {
    case Hover::Kind::cloth: return "cloth";
    case Hover::Kind::collider: return "collider";
    case Hover::Kind::hand: return "hand";
    case Hover::Kind::nothing: break;
    }
    return "nothing";
}

Json grabs_of(const LoggedFrame& frame) {
    Json grabs = Json::array();
    for (const Hand& hand : frame.tools.hands()) {
        if (hand.vertex >= frame.drawn.positions.size()) continue;
        const Vec3& position = frame.drawn.positions[hand.vertex];
        const auto on_screen = [&](const Vec3& point) {
            const auto seen = render::project(frame.tools.camera.camera(), frame.size, point);
            return Json{seen.x, seen.y};
        };
        const auto& simulated = frame.simulated.snapshot.positions;
        grabs.push_back({{"vertex", hand.vertex},
                         {"screen", on_screen(position)},
                         {"simulated", on_screen(hand.vertex < simulated.size() ? simulated[hand.vertex] : position)},
                         {"position", array_of(position)},
                         {"pinned", hand.pinned}});
    }
    return grabs;
}

} // namespace

Result<FrameLog> FrameLog::create(const std::filesystem::path& file) {
    std::ofstream out(file);
    if (!out) return Error{.message = "--log: the file could not be opened for writing", .file = file.string()};
    return FrameLog(std::move(out));
}

void FrameLog::write(const LoggedFrame& frame) {
    const Statistics& statistics = frame.simulated.statistics;
    const Camera camera = frame.tools.camera.camera();
    std::array<char, 17> hash = {};
    std::snprintf(hash.data(), hash.size(), "%016llx", static_cast<unsigned long long>(statistics.hash));
    const Json line = {{"frame", frame.frame},
                       {"time", frame.drawn.time},
                       {"steps", statistics.steps},
                       {"paused", statistics.paused},
                       {"scene", frame.scene},
                       {"view", frame.view},
                       {"pointer", {frame.tools.pointer().x, frame.tools.pointer().y}},
                       {"size", {frame.size.width, frame.size.height}},
                       {"grabs", grabs_of(frame)},
                       {"camera", {{"from", array_of(camera.from)}, {"at", array_of(camera.at)}}},
                       {"hover", name_of(frame.hover.kind)},
                       {"hash", hash.data()},
                       {"recording", statistics.recording || frame.recording_film},
                       {"gl_errors", frame.gl_errors},
                       {"messages", frame.messages},
                       {"frame_ms", frame.frame_ms},
                       {"input_ms", frame.input_ms},
                       {"realtime", statistics.speed}};
    // File names may hold bytes that are no UTF-8; they must not end the program.
    out_ << line.dump(-1, ' ', false, Json::error_handler_t::replace) << std::endl;
}

} // namespace taffeta::viewer
