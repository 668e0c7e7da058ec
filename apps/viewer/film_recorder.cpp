#include "film_recorder.h"

#include <algorithm>
#include <utility>

namespace taffeta::viewer {
namespace {

constexpr double period = 1 / static_cast<double>(FilmRecorder::frame_rate); // s
constexpr double slack = 1e-6;                                               // s: sums of steps are not exact
constexpr std::size_t most_waiting = 60;                                     // pictures; more would be gigabytes

} // namespace

FilmRecorder::~FilmRecorder() {
    stop();
    if (thread_.joinable()) thread_.join();
}

Result<void> FilmRecorder::start(const std::filesystem::path& file, int width, int height, double time) {
    if (is_encoding_) return Error{.message = "the film before is still being completed; try again in a moment"};
    if (thread_.joinable()) thread_.join();
    Result<io::FilmWriter> film = io::FilmWriter::create(file, width, height, frame_rate);
    if (!film) return film.errors();
    is_recording_ = is_encoding_ = true;
    width_ = width;
    height_ = height;
    next_ = time;
    ends_ = false;
    left_out_ = 0;
    thread_ = std::thread([this, file, writer = std::move(*film)]() mutable { encode(std::move(writer), file); });
    return {};
}

void FilmRecorder::stop() {
    is_recording_ = false;
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
    }
    wake_.notify_one();
}

bool FilmRecorder::is_due(double time) {
    if (time < next_ - 2 * period) next_ = time;
    return is_recording_ && time + slack >= next_;
}

// Where drawing is slower than the film, a picture stands for several.
void FilmRecorder::add(io::Image image, double time) {
    int times = 0;
    for (; next_ <= time + slack; next_ += period) ++times;
    {
        const std::lock_guard lock(mutex_);
        if (pictures_.size() >= most_waiting)
            left_out_ += times;
        else
            pictures_.push_back({std::move(image), times});
    }
    wake_.notify_one();
}

std::optional<Notice> FilmRecorder::take_outcome() {
    const std::lock_guard lock(mutex_);
    return std::exchange(outcome_, {});
}

std::optional<FilmRecorder::Picture> FilmRecorder::next_picture() {
    std::unique_lock lock(mutex_);
    wake_.wait(lock, [this] { return ends_ || !pictures_.empty(); });
    if (pictures_.empty()) return {};
    Picture picture = std::move(pictures_.front());
    pictures_.pop_front();
    return picture;
}

void FilmRecorder::encode(io::FilmWriter film, const std::filesystem::path& file) {
    Result<void> done = {};
    int count = 0;
    while (auto picture = next_picture()) {
        for (int k = 0; k < picture->times && done; ++k, ++count) done = film.append(picture->image);
    }
    if (done) done = film.commit();

    const std::lock_guard lock(mutex_);
    is_encoding_ = false;
    if (!done) {
        outcome_ = {"The film was lost: " + done.errors().front().to_string(), true};
    } else {
        outcome_ = {"Film of " + std::to_string(count) + " pictures: " + file.string(), false};
        if (left_out_ > 0) outcome_->text += " (" + std::to_string(left_out_) + " left out, encoding was too slow)";
    }
}

} // namespace taffeta::viewer
