#include "fuzz.h"
#include "io/mesh/ply.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    taffeta::fuzz::check_mesh(taffeta::io::read_ply(taffeta::fuzz::as_text(data, size), "fuzz.ply"));
    return 0;
}
