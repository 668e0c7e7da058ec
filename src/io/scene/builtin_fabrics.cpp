#include "io/scene/builtin_fabrics.h"

#include "builtin_fabrics_text.h" // made from fabrics/*.toml by the build
#include "io/scene/scene_keys.h"

#include <taffeta/io.h>

#include <algorithm>
#include <vector>

namespace taffeta::io {

std::span<const BuiltinFabric> builtin_fabrics() {
    return builtin_fabric_texts;
}

Result<FabricFile> open_fabric(const std::string& name_or_file) {
    if (is_fabric_path(name_or_file)) return read_fabric(name_or_file);
    const auto fabrics = builtin_fabrics();
    const auto builtin = std::find_if(fabrics.begin(), fabrics.end(),
                                      [&](const BuiltinFabric& fabric) { return fabric.name == name_or_file; });
    if (builtin != fabrics.end()) return read_fabric_text(builtin->text, name_or_file + ".toml");

    std::vector<std::string_view> names;
    for (const BuiltinFabric& fabric : fabrics) names.push_back(fabric.name);
    std::string message = "must be a built-in fabric or a fabric file (.toml), found ";
    message += toml_text(std::string_view(name_or_file).substr(0, 60)) + "; ";
    std::string_view meant = closest(name_or_file, names);
    for (const std::string_view name : names) // "wool" is far from "wool_tropical" in spelling alone
        if (meant.empty() && name_or_file.size() > 2 && name.find(name_or_file) != std::string_view::npos) meant = name;
    if (!meant.empty()) message += "did you mean " + toml_text(meant) + "? ";
    message += "built-in are";
    for (const std::string_view name : names) message += (name == names.front() ? " " : ", ") + std::string(name);
    return Fault{.message = std::move(message)};
}

} // namespace taffeta::io
