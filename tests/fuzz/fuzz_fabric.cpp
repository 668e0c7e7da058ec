#include "fuzz.h"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace taffeta;
    const auto file = io::read_fabric_text(fuzz::as_text(data, size), "fuzz.toml");
    if (!file) {
        for (const Error& error : file.errors()) fuzz::require(!error.message.empty() && !error.file.empty());
        return 0;
    }
    fuzz::require(check_fabric(file->fabric).empty());
    const auto again = io::read_fabric_text(io::fabric_to_toml(*file), "fuzz.toml");
    fuzz::require(again && *again == *file);
    return 0;
}
