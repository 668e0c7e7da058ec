#include "io/results/pc2.h"

#include <cassert>

namespace taffeta::io {

Result<Pc2Writer> Pc2Writer::create(const std::filesystem::path& file, std::size_t vertices) {
    Result<AtomicFile> out = AtomicFile::create(file);
    if (!out) return out.faults();
    Pc2Writer writer(std::move(*out), vertices);
    writer.write_header();
    return writer;
}

void Pc2Writer::write_header() {
    struct Header {
        char signature[12] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', '\0'};
        std::int32_t version = 1;
        std::int32_t points = 0;
        float start_frame = 0;
        float frames_per_sample = 1;
        std::int32_t samples = 0;
    };
    static_assert(sizeof(Header) == 32);
    Header header;
    header.points = static_cast<std::int32_t>(vertices_);
    header.samples = static_cast<std::int32_t>(samples_);
    file_.write(std::as_bytes(std::span(&header, 1)));
}

Result<Done> Pc2Writer::append(std::span<const Vec3> positions) {
    assert(positions.size() == vertices_);
    file_.write(std::as_bytes(positions));
    ++samples_;
    return file_.status();
}

// The number of samples is known only now.
Result<Done> Pc2Writer::commit() {
    file_.seek(0);
    write_header();
    return file_.commit();
}

} // namespace taffeta::io
