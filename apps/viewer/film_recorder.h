// A film of what the window shows, one picture per 1/30 s of simulated time, encoded on a thread of its own.
#pragma once

#include "messages.h"

#include <taffeta/io.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace taffeta::viewer {

class FilmRecorder {
public:
    static constexpr float frame_rate = 30; // 1/s

    FilmRecorder() = default;
    FilmRecorder(const FilmRecorder&) = delete;
    FilmRecorder& operator=(const FilmRecorder&) = delete;
    ~FilmRecorder();

    Result<void> start(const std::filesystem::path& file, int width, int height, double time);
    void stop(); // the file is completed in the background
    bool is_recording() const { return is_recording_; }
    int width() const { return width_; }
    int height() const { return height_; }

    // Whether the film lacks a picture of this time; if so, add one. When time goes back, the film goes on from there.
    bool is_due(double time);
    void add(io::Image image, double time);

    // What became of the film, once.
    std::optional<Notice> take_outcome();

private:
    struct Picture {
        io::Image image = {};
        int times = 1;
    };
    void encode(io::FilmWriter film, const std::filesystem::path& file);
    std::optional<Picture> next_picture(); // nothing: the film ends

    bool is_recording_ = false;
    std::atomic<bool> is_encoding_ = false; // also while a film that was stopped is completed
    int width_ = 0, height_ = 0;
    double next_ = 0; // s, simulated time of the next picture

    std::mutex mutex_;
    std::condition_variable wake_;
    std::deque<Picture> pictures_;
    bool ends_ = false;
    int left_out_ = 0;
    std::optional<Notice> outcome_;
    std::thread thread_;
};

} // namespace taffeta::viewer
