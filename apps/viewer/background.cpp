#include "background.h"

#include <chrono>
#include <utility>

namespace taffeta::viewer {

void SceneLoader::load(const std::string& name_or_file) {
    if (is_busy()) {
        next_ = name_or_file;
        return;
    }
    result_ = std::async(std::launch::async, [name_or_file] { return open_playable(name_or_file); });
}

std::optional<Result<Playable>> SceneLoader::take() {
    if (!is_busy() || result_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return {};
    Result<Playable> result = result_.get();
    if (next_.empty()) return result;
    load(std::exchange(next_, {}));
    return {};
}

Exporter::~Exporter() {
    ends_ = true;
    if (thread_.joinable()) thread_.join();
}

bool Exporter::start(const SceneDesc& scene, const std::filesystem::path& file) {
    if (is_busy_) return false;
    if (thread_.joinable()) thread_.join();
    is_busy_ = true;
    progress_ = 0;
    thread_ = std::thread([this, scene, file] {
        const auto tell = [this](const io::RunProgress& progress) {
            progress_ = static_cast<float>(progress.frame) / static_cast<float>(progress.frames);
            return !ends_;
        };
        const Result<io::Run> run = io::run(scene, {.outputs = {file.string()}, .pictures = {}, .on_frame = tell});
        if (!run)
            finish({"Nothing was exported: " + run.errors().front().to_string(), true});
        else if (!run->write_errors.empty())
            finish({"The export failed: " + run->write_errors.front().to_string(), true});
        else
            finish({"Exported " + std::to_string(run->report.frames) + " frames: " + file.string(), false});
    });
    return true;
}

void Exporter::finish(Notice outcome) {
    const std::lock_guard lock(mutex_);
    outcome_ = std::move(outcome);
    is_busy_ = false;
}

std::optional<Notice> Exporter::take_outcome() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, {});
}

} // namespace taffeta::viewer
