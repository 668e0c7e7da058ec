// Pictures for tests: reading them back, and how far two are apart.
#pragma once

#include <taffeta/io.h>

#include <png.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>

namespace taffeta::test {

inline std::optional<io::Image> read_png(const std::filesystem::path& file) {
    png_image header = {};
    header.version = PNG_IMAGE_VERSION;
    if (png_image_begin_read_from_file(&header, file.c_str()) == 0) return {};
    header.format = PNG_FORMAT_RGB;
    io::Image image = {static_cast<int>(header.width), static_cast<int>(header.height), {}};
    image.rgb.resize(PNG_IMAGE_SIZE(header));
    if (png_image_finish_read(&header, nullptr, image.rgb.data(), 0, nullptr) == 0) return {};
    return image;
}

// Of 255 levels.
struct Difference {
    double mean = 255;
    double far = 1; // share of the channels that are more than 24 levels apart
};
inline Difference difference(const io::Image& a, const io::Image& b) {
    if (a.width != b.width || a.height != b.height || a.rgb.size() != b.rgb.size()) return {};
    double sum = 0, far = 0;
    for (std::size_t k = 0; k < a.rgb.size(); ++k) {
        const int apart = std::abs(a.rgb[k] - b.rgb[k]);
        sum += apart;
        far += apart > 24 ? 1 : 0;
    }
    return {sum / static_cast<double>(a.rgb.size()), far / static_cast<double>(a.rgb.size())};
}

} // namespace taffeta::test
