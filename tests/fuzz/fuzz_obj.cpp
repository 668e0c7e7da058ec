#include "fuzz.h"
#include "io/mesh/obj.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    taffeta::fuzz::check_mesh(taffeta::io::read_obj(taffeta::fuzz::as_text(data, size), "fuzz.obj"));
    return 0;
}
