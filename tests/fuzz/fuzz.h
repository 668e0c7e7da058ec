// What the fuzzers share.
#pragma once

#include <taffeta/io.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

// libFuzzer calls it by this name, with input after input. NOLINTNEXTLINE(readability-identifier-naming)
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace taffeta::fuzz {

inline void require(bool holds) {
    if (!holds) std::abort();
}

inline std::string_view as_text(const std::uint8_t* data, std::size_t size) {
    return {reinterpret_cast<const char*>(data), size};
}

// A reader gives a mesh that keeps every promise of one, or says what is wrong.
inline void check_mesh(const Result<Mesh>& result) {
    if (!result) {
        for (const Error& error : result.errors()) require(!error.message.empty() && !error.file.empty());
        return;
    }
    const Mesh& mesh = *result;
    require(!mesh.triangles.empty());
    require(mesh.uv.empty() || mesh.uv.size() == mesh.positions.size());
    require(std::ranges::all_of(mesh.positions, is_finite<float>));
    for (const Triangle& t : mesh.triangles) require(*std::ranges::max_element(t) < mesh.positions.size());
}

} // namespace taffeta::fuzz
