#include "io/results/atomic_file.h"

#include <taffeta/io.h>

#include <png.h>

#include <cassert>

namespace taffeta::io {

Result<Done> write_png(const std::filesystem::path& file, const Image& image) {
    assert(image.rgb.size() == 3 * static_cast<std::size_t>(image.width) * static_cast<std::size_t>(image.height));
    png_image header = {};
    header.version = PNG_IMAGE_VERSION;
    header.width = static_cast<png_uint_32>(image.width);
    header.height = static_cast<png_uint_32>(image.height);
    header.format = PNG_FORMAT_RGB;
    header.flags = PNG_IMAGE_FLAG_FAST; // a third larger, ten times as fast
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(header);
    std::vector<std::byte> bytes(size);
    if (png_image_write_to_memory(&header, bytes.data(), &size, 0, image.rgb.data(), 0, nullptr) == 0)
        return Fault{.message = std::string("the picture cannot be written: ") + header.message, .file = file.string()};
    Result<AtomicFile> out = AtomicFile::create(file);
    if (!out) return out.faults();
    out->write(std::span(bytes).first(size));
    return out->commit();
}

} // namespace taffeta::io
