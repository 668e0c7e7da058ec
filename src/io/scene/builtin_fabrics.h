// How a fabric is named: built-in ones by a word, files by a path.
#pragma once

#include <string_view>

namespace taffeta::io {

inline bool is_fabric_path(std::string_view name) {
    return name.ends_with(".toml");
}

} // namespace taffeta::io
