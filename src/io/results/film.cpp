// Films: raw frames piped to ffmpeg, which writes under a temporary name.
#include "io/results/atomic_file.h"

#include <taffeta/io.h>

#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

extern char** environ; // NOLINT(readability-redundant-declaration): POSIX wants it declared by the program

namespace taffeta::io {
namespace fs = std::filesystem;

struct FilmWriter::State {
    fs::path target, part; // ffmpeg writes `part`
    int width = 0, height = 0;
    pid_t encoder = -1;
    int frames = -1;     // to ffmpeg: a socket, because writing to one that broke is an error and not a signal
    int complaints = -1; // from ffmpeg

    ~State() {
        if (encoder > 0) kill(encoder, SIGTERM);
        end_encoder();
        if (complaints >= 0) close(complaints);
        std::error_code ignored;
        if (!part.empty()) fs::remove(part, ignored);
    }

    // Tells the encoder that there are no more frames and waits for its end; true if it was content.
    bool end_encoder() {
        if (frames >= 0) close(frames);
        frames = -1;
        if (encoder < 0) return false;
        int status = 0;
        pid_t ended = 0;
        do ended = waitpid(encoder, &status, 0);
        while (ended < 0 && errno == EINTR);
        encoder = -1;
        return ended > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 0;
    }

    // What the encoder had to say, as a fault.
    Fault failure() {
        end_encoder();
        std::string said;
        std::array<char, 512> text;
        for (ssize_t n = 0; (n = read(complaints, text.data(), text.size())) > 0;)
            said.append(text.data(), static_cast<std::size_t>(n));
        while (!said.empty() && said.back() == '\n') said.pop_back();
        const std::size_t last_line = said.rfind('\n');
        if (last_line != std::string::npos) said.erase(0, last_line + 1);
        return {.message = "the film cannot be written; ffmpeg says: " + (said.empty() ? "nothing" : said),
                .file = target.string()};
    }
};

FilmWriter::FilmWriter(std::unique_ptr<State> state) : state_(std::move(state)) {}
FilmWriter::FilmWriter(FilmWriter&&) noexcept = default;
FilmWriter& FilmWriter::operator=(FilmWriter&&) noexcept = default;
FilmWriter::~FilmWriter() = default;

Result<FilmWriter> FilmWriter::create(const fs::path& file, int width, int height, float frame_rate) {
    const auto fault = [&](const std::string& message) { return Fault{.message = message, .file = file.string()}; };
    if (width % 2 != 0 || height % 2 != 0)
        return fault("a film has an even number of pixels on each side, not " + std::to_string(width) + "x" +
                     std::to_string(height));
    if (const Result<AtomicFile> probe = AtomicFile::create(file); !probe) return probe.faults();

    auto state = std::make_unique<State>();
    state->target = file;
    state->part = file.parent_path() / ("." + file.filename().string() + "." + std::to_string(getpid()) + ".mp4");
    state->width = width;
    state->height = height;
    std::array<int, 2> frames, complaints; // our end, the encoder's
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, frames.data()) != 0) return fault(std::strerror(errno));
    state->frames = frames[0];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, complaints.data()) != 0) {
        close(frames[1]);
        return fault(std::strerror(errno));
    }
    state->complaints = complaints[0];

    std::array<char, 32> rate;
    std::snprintf(rate.data(), rate.size(), "%g", static_cast<double>(frame_rate));
    const std::string size = std::to_string(width) + "x" + std::to_string(height);
    // yuv420p, the colours of HD television and an index in front are what browsers and players expect.
    std::vector<std::string> words = {"ffmpeg", "-loglevel", "error", "-nostdin", "-y"};
    words.insert(words.end(), {"-f", "rawvideo", "-pix_fmt", "rgb24", "-s", size, "-r", rate.data(), "-i", "pipe:0"});
    words.insert(words.end(),
                 {"-vf", "scale=out_color_matrix=bt709:out_range=tv", "-colorspace", "bt709", "-pix_fmt", "yuv420p",
                  "-c:v", "libx264", "-preset", "veryfast", "-crf", "18", "-movflags", "+faststart"});
    words.push_back(state->part.string());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, frames[1], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaints[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaints[1], STDERR_FILENO);
    const int error = posix_spawnp(&state->encoder, "ffmpeg", &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(frames[1]), close(complaints[1]);
    if (error != 0) {
        state->encoder = -1;
        return fault(error == ENOENT
                         ? "films need ffmpeg, which was not found; install it (Debian: apt install ffmpeg), "
                           "or write pictures with #### in the name: film_####.png"
                         : "ffmpeg cannot be started: " + std::string(std::strerror(error)));
    }
    return FilmWriter(std::move(state));
}

Result<Done> FilmWriter::append(const Image& image) {
    assert(image.width == state_->width && image.height == state_->height);
    if (state_->encoder < 0) return Fault{.message = "the film has ended already", .file = state_->target.string()};
    std::span<const std::uint8_t> rest(image.rgb);
    while (!rest.empty()) {
        const ssize_t written = send(state_->frames, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (written < 0 && errno == EINTR) continue;
        if (written < 0) return state_->failure();
        rest = rest.subspan(static_cast<std::size_t>(written));
    }
    return Done{};
}

Result<Done> FilmWriter::commit() {
    if (state_->encoder < 0) return Fault{.message = "the film has ended already", .file = state_->target.string()};
    if (!state_->end_encoder()) return state_->failure();
    std::error_code error;
    fs::rename(state_->part, state_->target, error);
    if (error) return Fault{.message = "cannot be written: " + error.message(), .file = state_->target.string()};
    state_->part.clear();
    return Done{};
}

} // namespace taffeta::io
