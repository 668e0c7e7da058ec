#include "commands.h"

#include <taffeta/parameters.h>

#include <nlohmann/json.hpp>

#include <array>
#include <cstdio>

namespace taffeta::cli {

namespace {

using Json = nlohmann::ordered_json;

// With as many digits as were measured.
std::string number(float value) {
    std::array<char, 32> digits;
    std::snprintf(digits.data(), digits.size(), value < 1e4f ? "%.4g" : "%.0f", static_cast<double>(value));
    return digits.data();
}

std::string both(const std::array<float, 2>& warp_and_weft, float factor = 1) {
    return number(warp_and_weft[0] * factor) + " / " + number(warp_and_weft[1] * factor);
}

constexpr float micro = 1e6f; // N m to uN m

// Single precision, in as few digits as say it.
double exact(float value) {
    std::array<char, 32> digits;
    std::snprintf(digits.data(), digits.size(), "%.7g", static_cast<double>(value));
    return std::strtod(digits.data(), nullptr);
}
Json json_of(float value) {
    return exact(value);
}
Json json_of(const std::array<float, 2>& value) {
    return {exact(value[0]), exact(value[1])};
}
template <class T>
Json json_of(const T&) { // fabrics have no parameters of other types
    return nullptr;
}

Json json_of(const io::FabricFile& file) {
    Json json = {{"name", file.fabric.name}, {"description", file.description}, {"source", file.source}};
    for (const Parameter<Fabric>& parameter : fabric_parameters())
        std::visit([&](auto field) { json[std::string(parameter.key)] = json_of(file.fabric.*field); },
                   parameter.field);
    return json;
}

void print_table(const std::vector<io::FabricFile>& files) {
    std::printf("%-22s%-9s%-16s%-15s%s\n", "", "density", "bend", "stretch", "");
    std::printf("%-22s%-9s%-16s%-15s%s\n", "", "kg/m^2", "uN m", "N/m", "");
    for (const io::FabricFile& file : files)
        std::printf("%-22s%-9s%-16s%-15s%s\n", file.fabric.name.c_str(), number(file.fabric.density).c_str(),
                    both(file.fabric.bend, micro).c_str(), both(file.fabric.stretch).c_str(), file.description.c_str());
}

// As in docs/fabrics.md.
void print_markdown(const std::vector<io::FabricFile>& files) {
    std::printf("<!-- taffeta fabrics --markdown: fabrics -->\n"
                "| name | density kg/m² | thickness mm | bend µN m | 2HB mN | stretch N/m | poisson | shear N/m | |\n"
                "|---|--:|--:|--:|--:|--:|--:|--:|---|\n");
    for (const io::FabricFile& file : files) {
        const Fabric& fabric = file.fabric;
        std::printf("| `%s` | %s | %s | %s | %s | %s | %s | %s | %s |\n", fabric.name.c_str(),
                    number(fabric.density).c_str(), number(fabric.thickness * 1000).c_str(),
                    both(fabric.bend, micro).c_str(), number(fabric.bend_hysteresis * 1000).c_str(),
                    both(fabric.stretch).c_str(), number(fabric.poisson).c_str(), number(fabric.shear).c_str(),
                    file.description.c_str());
    }
    std::printf("<!-- end -->\n<!-- taffeta fabrics --markdown: sources -->\n| name | source |\n|---|---|\n");
    for (const io::FabricFile& file : files)
        std::printf("| `%s` | %s |\n", file.fabric.name.c_str(), file.source.c_str());
    std::printf("<!-- end -->\n");
}

} // namespace

int list_fabrics(const std::string& name, Format format) {
    std::vector<std::string> names;
    if (!name.empty()) names.push_back(name);
    for (const io::BuiltinFabric& builtin : io::builtin_fabrics())
        if (name.empty()) names.emplace_back(builtin.name);

    std::vector<io::FabricFile> files;
    Json list = Json::array();
    for (const std::string& one : names) {
        Result<io::FabricFile> file = io::open_fabric(one);
        if (!file) {
            Errors errors = file.errors();
            for (Error& error : errors)
                if (error.file.empty()) error.message = "the fabric " + error.message;
            print_errors(errors);
            return exit_usage;
        }
        list.push_back(json_of(*file));
        files.push_back(std::move(*file));
    }
    if (format == Format::json)
        std::printf("%s\n", (name.empty() ? list : list.front()).dump(2).c_str());
    else if (format == Format::markdown)
        print_markdown(files);
    else if (name.empty())
        print_table(files);
    else
        std::printf("%s", io::fabric_to_toml(files.front()).c_str());
    return exit_done;
}

} // namespace taffeta::cli
