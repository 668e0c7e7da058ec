#include "io/results/glb_document.h"

#include "io/results/atomic_file.h"

#include <algorithm>
#include <cstdint>
#include <limits>

namespace taffeta::io {

std::size_t GlbDocument::add_triangles(std::span<const Triangle> triangles, std::size_t vertices) {
    const std::size_t count = 3 * triangles.size();
    if (vertices > 0xffff) return add_accessor(triangles, "SCALAR", u32, count, Use::indices);
    std::vector<std::uint16_t> corners;
    for (const Triangle& t : triangles)
        for (const Index v : t) corners.push_back(static_cast<std::uint16_t>(v));
    return add_accessor(std::span<const std::uint16_t>(corners), "SCALAR", u16, count, Use::indices);
}

void GlbDocument::add_bounds(std::size_t accessor, std::span<const Vec3> values) {
    Vec3 low = values.front(), high = low;
    for (const Vec3& p : values)
        for (int axis = 0; axis < 3; ++axis) {
            low[axis] = std::min(low[axis], p[axis]);
            high[axis] = std::max(high[axis], p[axis]);
        }
    root["accessors"][accessor]["min"] = {low.x, low.y, low.z};
    root["accessors"][accessor]["max"] = {high.x, high.y, high.z};
}

std::size_t GlbDocument::add_deltas(std::span<const Vec3> deltas) {
    std::vector<Index> places;
    for (Index i = 0; i < deltas.size(); ++i)
        if (deltas[i] != Vec3{}) places.push_back(i);
    if (places.empty()) places.push_back(0); // glTF knows no sparse array without entries

    const bool is_short = deltas.size() <= 0x10000;
    const std::size_t sparse_size = places.size() * ((is_short ? sizeof(std::uint16_t) : sizeof(Index)) + sizeof(Vec3));
    if (sparse_size >= deltas.size_bytes()) return add_vectors(deltas);
    std::vector<Vec3> values;
    for (const Index i : places) values.push_back(deltas[i]);
    const std::vector<std::uint16_t> short_places(places.begin(), places.end());
    const std::size_t indices_view =
        is_short ? add_view(std::span<const std::uint16_t>(short_places)) : add_view(std::span<const Index>(places));
    const std::size_t values_view = add_view(std::span<const Vec3>(values));
    return add("accessors", {{"componentType", f32},
                             {"type", "VEC3"},
                             {"count", deltas.size()},
                             {"sparse",
                              {{"count", places.size()},
                               {"indices", {{"bufferView", indices_view}, {"componentType", is_short ? u16 : u32}}},
                               {"values", {{"bufferView", values_view}}}}}});
}

Result<Done> GlbDocument::write(const std::filesystem::path& file) {
    root["buffers"] = {{{"byteLength", size_}}};
    std::string json = root.dump(-1, ' ', false, Json::error_handler_t::replace);
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const std::uint64_t length = 12 + 8 + json.size() + 8 + size_;
    if (length > std::numeric_limits<std::uint32_t>::max())
        return Fault{"would have " + std::to_string(length >> 20) +
                         " MB, but .glb files end at 4096; write fewer frames, or a .pc2",
                     {},
                     file.string()};
    Result<AtomicFile> out = AtomicFile::create(file);
    if (!out) return out.faults();
    const auto write_word = [&](std::uint64_t value) {
        const auto word = static_cast<std::uint32_t>(value);
        out->write(std::as_bytes(std::span(&word, 1)));
    };
    out->write("glTF");
    write_word(2);
    write_word(length);
    write_word(json.size());
    out->write("JSON");
    out->write(json);
    write_word(size_);
    out->write(std::string_view("BIN\0", 4));
    for (const std::string& block : blocks_) out->write(block);
    return out->commit();
}

} // namespace taffeta::io
