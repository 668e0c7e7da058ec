#include "commands.h"

#include <algorithm>
#include <cstdio>

namespace taffeta::cli {
namespace {

std::optional<render::Size> parse_size(const std::string& text) {
    render::Size size;
    char rest = 0;
    constexpr int most = 8192;
    const bool is_size = std::sscanf(text.c_str(), "%dx%d%c", &size.width, &size.height, &rest) == 2;
    if (!is_size || std::min(size.width, size.height) < 16 || std::max(size.width, size.height) > most) return {};
    return size;
}

// FROM, FROM:AT or FROM:AT:FOV; what is not given stays as in `camera`.
bool parse_camera(const std::string& text, Camera& camera) {
    float f[3], a[3], fov = camera.fov;
    char rest = 0;
    const int read =
        std::sscanf(text.c_str(), "%f,%f,%f:%f,%f,%f:%f%c", &f[0], &f[1], &f[2], &a[0], &a[1], &a[2], &fov, &rest);
    const auto parts = 1 + std::count(text.begin(), text.end(), ':');
    if (read != (parts == 1 ? 3 : parts == 2 ? 6 : 7)) return false;
    camera.from = {f[0], f[1], f[2]};
    if (parts > 1) camera.at = {a[0], a[1], a[2]};
    camera.fov = fov;
    return is_finite(camera.from) && is_finite(camera.at) && !(camera.from == camera.at) && fov >= 1 && fov <= 170;
}

} // namespace

std::optional<render::PictureOptions> picture_options(const PictureOptions& options, const SceneDesc& scene) {
    render::PictureOptions result;
    Errors errors;
    const auto size = parse_size(options.size);
    if (size)
        result.size = *size;
    else
        errors.push_back({.message = "--size " + options.size +
                                     ": write WIDTHxHEIGHT in pixels, from 16 to 8192, e.g. --size 1280x720"});

    if (!options.camera.empty()) {
        Camera camera = scene.view.camera.value_or(Camera{});
        if (parse_camera(options.camera, camera))
            result.camera = camera;
        else
            errors.push_back({.message = "--camera " + options.camera +
                                         ": write where it stands, where it looks and its angle in degrees (1 to 170), "
                                         "e.g. --camera 2,1.5,3:0,0.5,0:35"});
    }

    const auto name = std::find(render::view_names.begin(), render::view_names.end(), options.view);
    if (name != render::view_names.end())
        result.view = static_cast<render::View>(name - render::view_names.begin());
    else {
        std::string words;
        for (const std::string_view word : render::view_names) (words += words.empty() ? "" : ", ") += word;
        errors.push_back({.message = "--view " + options.view + ": there are " + words});
    }
    if (errors.empty()) return result;
    print_errors(errors);
    return {};
}

} // namespace taffeta::cli
