// Point caches of the format PC2, which Blender's Mesh Cache and Maya read beside an .obj of the same vertices.
#pragma once

#include "io/results/atomic_file.h"

#include <taffeta/math.h>

namespace taffeta::io {

class Pc2Writer {
public:
    static Result<Pc2Writer> create(const std::filesystem::path& file, std::size_t vertices);
    // A fault when the disk is full, for example; commit() would tell it too.
    Result<Done> append(std::span<const Vec3> positions); // as many as announced
    Result<Done> commit();

private:
    Pc2Writer(AtomicFile file, std::size_t vertices) : file_(std::move(file)), vertices_(vertices) {}
    void write_header();

    AtomicFile file_;
    std::size_t vertices_, samples_ = 0;
};

} // namespace taffeta::io
