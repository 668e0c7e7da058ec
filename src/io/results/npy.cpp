#include "io/results/npy.h"

#include "io/mesh/mesh_files.h"

#include <algorithm>
#include <array>
#include <cassert>

namespace taffeta::io {

namespace {

constexpr std::string_view magic = "\x93NUMPY";

// What follows `key` and a colon in the header, a Python dictionary such as
// {'descr': '<f4', 'fortran_order': False, 'shape': (120, 1024, 3), }
std::string_view value_of(std::string_view header, std::string_view key) {
    const std::size_t found = header.find(key);
    if (found == std::string_view::npos) return {};
    std::string_view value = header.substr(found + key.size());
    value.remove_prefix(std::min(value.find_first_not_of(" :"), value.size()));
    return value;
}

// The three numbers of "(120, 1024, 3)".
std::optional<std::array<std::uint64_t, 3>> parse_shape(std::string_view text) {
    std::array<std::uint64_t, 3> shape{};
    text = text.substr(0, text.find(')'));
    if (!text.starts_with('(')) return std::nullopt;
    text.remove_prefix(1);
    for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t comma = text.find(',');
        if ((comma == std::string_view::npos) != (i == 2)) return std::nullopt;
        std::string_view word = text.substr(0, comma);
        const auto number = parse_integer(take_word(word));
        if (!number || *number < 0) return std::nullopt;
        shape[i] = static_cast<std::uint64_t>(*number);
        text.remove_prefix(std::min(comma, text.size() - 1) + 1);
    }
    return shape;
}

} // namespace

Result<Trajectory> read_npy(const std::filesystem::path& file) {
    const Result<std::string> bytes = read_file(file);
    if (!bytes) return bytes.faults();
    return read_npy(*bytes, file.string());
}

Result<Trajectory> read_npy(std::string_view bytes, const std::string& name) {
    const auto fault = [&](const std::string& message) { return Fault{message, {}, name}; };
    const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
    if (bytes.size() < 12 || !bytes.starts_with(magic)) return fault("is not a .npy file, or it is cut off");
    // The length of the header has two bytes in version 1, four in later ones.
    const bool is_version_1 = byte(6) == 1;
    const std::size_t start = is_version_1 ? 10 : 12;
    const std::size_t length = byte(8) + (byte(9) << 8) + (is_version_1 ? 0 : (byte(10) << 16) + (byte(11) << 24));
    if (length > bytes.size() - start) return fault("is cut off in its header");
    const std::string_view header = bytes.substr(start, length);
    const std::string_view data = bytes.substr(start + length);

    const std::string_view type = value_of(header, "'descr'"), order = value_of(header, "'fortran_order'");
    if (!type.starts_with("'<f4'")) return fault("must hold little-endian float32, '<f4'; its type is " + quote(type));
    if (!order.starts_with("False")) return fault("must be in C order; fortran_order is " + quote(order));
    const auto shape = parse_shape(value_of(header, "'shape'"));
    if (!shape || (*shape)[2] != 3)
        return fault("must have the shape (frames, vertices, 3); its shape is " + quote(value_of(header, "'shape'")));

    const std::uint64_t frames = (*shape)[0], vertices = (*shape)[1], points = data.size() / sizeof(Vec3);
    const bool fits = frames <= points / std::max<std::uint64_t>(vertices, 1);
    if (!fits)
        return fault("announces " + std::to_string(frames) + " frames of " + std::to_string(vertices) +
                     " vertices, but holds only " + std::to_string(points) + " positions; is it cut off?");
    Trajectory trajectory = {frames, vertices, std::vector<Vec3>(frames * vertices)};
    std::copy_n(data.data(), trajectory.data.size() * sizeof(Vec3), reinterpret_cast<char*>(trajectory.data.data()));
    return trajectory;
}

Result<NpyWriter> NpyWriter::create(const std::filesystem::path& file, std::size_t vertices) {
    Result<AtomicFile> out = AtomicFile::create(file);
    if (!out) return out.faults();
    NpyWriter writer(std::move(*out), vertices);
    writer.write_header();
    return writer;
}

// Always 128 bytes, so that it can be written again when the number of frames is known.
void NpyWriter::write_header() {
    constexpr std::size_t size = 128;
    std::string header(magic);
    header += {1, 0, size - 10, 0}; // version, length of what follows
    header += "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(frames_) + ", " +
              std::to_string(vertices_) + ", 3), }";
    header.resize(size - 1, ' ');
    header += '\n';
    file_.write(header);
}

Result<Done> NpyWriter::append(std::span<const Vec3> positions) {
    assert(positions.size() == vertices_);
    file_.write(std::as_bytes(positions));
    ++frames_;
    return file_.status();
}

Result<Done> NpyWriter::commit() {
    file_.seek(0);
    write_header();
    return file_.commit();
}

} // namespace taffeta::io
