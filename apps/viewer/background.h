// Work that takes longer than a frame: loading a scene, exporting one. One job of each kind at a time.
#pragma once

#include "messages.h"
#include "scene_files.h"

#include <atomic>
#include <filesystem>
#include <future>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace taffeta::viewer {

class SceneLoader {
public:
    // The scene that was asked for last is the one that comes.
    void load(const std::string& name_or_file);
    bool is_busy() const { return result_.valid(); }
    // A scene, or what is wrong with the file; nothing: not ready.
    std::optional<Result<Playable>> take();

private:
    std::future<Result<Playable>> result_;
    std::string next_;
};

// Runs a scene from its start into a file.
class Exporter {
public:
    Exporter() = default;
    Exporter(const Exporter&) = delete;
    Exporter& operator=(const Exporter&) = delete;
    ~Exporter(); // gives up what is under way

    // False while one is under way.
    bool start(const SceneDesc& scene, const std::filesystem::path& file);
    bool is_busy() const { return is_busy_; }
    float progress() const { return progress_; } // 0..1
    std::optional<Notice> take_outcome();

private:
    void finish(Notice outcome);

    std::atomic<bool> is_busy_ = false, ends_ = false;
    std::atomic<float> progress_ = 0;
    std::mutex mutex_;
    std::optional<Notice> outcome_;
    std::thread thread_;
};

} // namespace taffeta::viewer
