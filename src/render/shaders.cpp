#include "render/shaders.h"

#include "shader_texts.h"

#include <optional>
#include <string>

namespace taffeta::render {

Result<Shaders> make_shaders() {
    Errors errors;
    const auto make = [&](std::string_view name, std::string_view vertex, std::string_view common,
                          std::string_view fragment) -> std::optional<Program> {
        Result<Program> program = Program::create(name, vertex, common, fragment);
        if (program) return std::move(*program);
        errors.insert(errors.end(), program.errors().begin(), program.errors().end());
        return {};
    };
    namespace text = shader_text;
    const std::string floor_common = std::string(text::light) + std::string(text::backdrop);
    auto depth = make("depth", text::surface_vert, "", text::nothing_frag);
    auto occlusion = make("occlusion", text::screen_vert, "", text::occlusion_frag);
    auto blur = make("blur", text::screen_vert, "", text::blur_frag);
    auto background = make("background", text::screen_vert, floor_common, text::background_frag);
    auto floor = make("floor", text::surface_vert, floor_common, text::floor_frag);
    auto cloth = make("cloth", text::surface_vert, text::light, text::cloth_frag);
    auto body = make("body", text::surface_vert, text::light, text::body_frag);
    auto flat = make("flat", text::flat_vert, "", text::flat_frag);
    if (!errors.empty()) return errors;
    return Shaders{std::move(*depth), std::move(*occlusion), std::move(*blur), std::move(*background),
                   std::move(*floor), std::move(*cloth),     std::move(*body), std::move(*flat)};
}

} // namespace taffeta::render
