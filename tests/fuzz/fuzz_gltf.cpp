#include "fuzz.h"
#include "io/gltf.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    taffeta::fuzz::check_mesh(taffeta::io::read_gltf(taffeta::fuzz::as_text(data, size), "fuzz.glb", "/nonexistent"));
    return 0;
}
