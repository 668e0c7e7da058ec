// A file that appears complete or not at all: it is written under a hidden name and renamed at the end.
#pragma once

#include <taffeta/result.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string_view>

namespace taffeta::io {

// The binary formats are little-endian; arrays are written as they stand in memory.
static_assert(std::endian::native == std::endian::little);

class AtomicFile {
public:
    // Makes the folder if there is none. A file that stood under the name stays until commit().
    static Result<AtomicFile> create(const std::filesystem::path& target);
    AtomicFile(AtomicFile&&) noexcept;
    AtomicFile& operator=(AtomicFile&&) noexcept;
    ~AtomicFile(); // without commit(): as if nothing had been written

    // Errors are kept: status() and commit() tell the first one, and after it nothing more is written.
    void write(std::span<const std::byte> bytes);
    void write(std::string_view bytes);
    void seek(std::uint64_t position); // for headers that are known last
    Result<Done> status() const;

    Result<Done> commit(); // the last call

private:
    struct State;
    explicit AtomicFile(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

} // namespace taffeta::io
