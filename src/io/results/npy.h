// NumPy arrays of trajectories: float32, shape (frames, vertices, 3).
#pragma once

#include "io/results/atomic_file.h"

#include <taffeta/math.h>

#include <string>
#include <vector>

namespace taffeta::io {

struct Trajectory {
    std::size_t frames = 0, vertices = 0;
    std::vector<Vec3> data; // frame after frame, m

    std::span<const Vec3> frame(std::size_t i) const { return std::span(data).subspan(i * vertices, vertices); }
};

Result<Trajectory> read_npy(const std::filesystem::path& file);
// The same from memory; `name` stands for the file in messages.
Result<Trajectory> read_npy(std::string_view bytes, const std::string& name);

// Frame by frame, so that a trajectory need not fit into memory.
class NpyWriter {
public:
    static Result<NpyWriter> create(const std::filesystem::path& file, std::size_t vertices);
    // A fault when the disk is full, for example; commit() would tell it too.
    Result<Done> append(std::span<const Vec3> positions); // as many as announced
    Result<Done> commit();

private:
    NpyWriter(AtomicFile file, std::size_t vertices) : file_(std::move(file)), vertices_(vertices) {}
    void write_header();

    AtomicFile file_;
    std::size_t vertices_, frames_ = 0;
};

} // namespace taffeta::io
