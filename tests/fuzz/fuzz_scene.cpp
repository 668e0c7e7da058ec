#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace taffeta;
    const auto scene = io::read_scene_text(fuzz::as_text(data, size), "fuzz.toml", "/nonexistent", {});
    if (!scene)
        for (const Error& error : scene.errors()) fuzz::require(!error.message.empty());
    return 0;
}
