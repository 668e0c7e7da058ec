#include "io/results/atomic_file.h"

#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <cstdio>
#include <optional>
#include <string>
#include <system_error>

namespace taffeta::io {

namespace fs = std::filesystem;

struct AtomicFile::State {
    fs::path target, part; // `part` is empty once renamed
    std::FILE* stream = nullptr;
    std::optional<Fault> fault;

    ~State() {
        if (stream) std::fclose(stream);
        std::error_code ignored;
        if (!part.empty()) fs::remove(part, ignored);
    }

    void fail(int error) {
        if (fault) return;
        fault = Fault{"cannot be written: " + std::generic_category().message(error) +
                          "; see that there is space left and that the folder may be written",
                      {},
                      target.string()};
    }
};

AtomicFile::AtomicFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
AtomicFile::AtomicFile(AtomicFile&&) noexcept = default;
AtomicFile& AtomicFile::operator=(AtomicFile&&) noexcept = default;
AtomicFile::~AtomicFile() = default;

Result<AtomicFile> AtomicFile::create(const fs::path& target) {
    const auto fault = [&](const std::string& message) { return Fault{message, {}, target.string()}; };
    auto state = std::make_unique<State>();
    std::error_code error;
    // A link stays a link: what it points to is replaced.
    state->target = fs::is_symlink(target, error) ? fs::weakly_canonical(target, error) : target;
    if (!state->target.has_filename()) return fault("is not the name of a file; give a name in a folder");

    const fs::file_status status = fs::status(state->target, error);
    if (fs::is_directory(status)) return fault("is a folder; give the name of a file");
    if (fs::exists(status)) {
        if (!fs::is_regular_file(status)) return fault("is not an ordinary file; give another name");
        if ((status.permissions() & fs::perms::owner_write) == fs::perms::none)
            return fault("is write-protected; give another name or allow writing");
    }
    const fs::path folder = state->target.parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error)) {
        fs::create_directories(folder, error);
        if (error) return fault("the folder " + folder.string() + " cannot be made: " + error.message());
    }

    // "x" never opens what is there: a leftover of another run, or a link somebody laid there.
    const std::string stem = "." + state->target.filename().string() + ".part-" + std::to_string(getpid());
    int reason = EEXIST;
    for (int attempt = 0; attempt < 100 && reason == EEXIST; ++attempt) {
        state->part = folder / (attempt == 0 ? stem : stem + "-" + std::to_string(attempt));
        state->stream = std::fopen(state->part.c_str(), "wbx");
        reason = state->stream ? 0 : errno;
    }
    if (reason != 0) {
        state->part.clear();
        state->fail(reason);
        return *state->fault;
    }
    return AtomicFile(std::move(state));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
    if (state_->fault || bytes.empty()) return;
    if (std::fwrite(bytes.data(), 1, bytes.size(), state_->stream) != bytes.size()) state_->fail(errno);
}

void AtomicFile::write(std::string_view bytes) {
    write(std::as_bytes(std::span(bytes)));
}

void AtomicFile::seek(std::uint64_t position) {
    if (state_->fault) return;
    if (std::fseek(state_->stream, static_cast<long>(position), SEEK_SET) != 0) state_->fail(errno);
}

Result<Done> AtomicFile::status() const {
    if (state_->fault) return *state_->fault;
    return Done{};
}

Result<Done> AtomicFile::commit() {
    assert(state_->stream && "commit() is the last call");
    if (std::fflush(state_->stream) != 0) state_->fail(errno);
    if (std::fclose(state_->stream) != 0) state_->fail(errno);
    state_->stream = nullptr;
    if (state_->fault) return *state_->fault;
    std::error_code error;
    fs::rename(state_->part, state_->target, error);
    if (error)
        state_->fail(error.value());
    else
        state_->part.clear();
    return status();
}

} // namespace taffeta::io
