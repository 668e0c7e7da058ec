// A glTF file in memory: its JSON, its buffers, and the numbers of its accessors, every range checked. What the numbers
// mean is the business of whoever asks.
//
// The JSON is read directly: only a few of its lists matter here, and every range has to be checked by hand anyway
// (docs/decisions/0003-dependencies.md).
#pragma once

#include "io/mesh/mesh_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace taffeta::io {

using Json = nlohmann::json;

// The member of an object; null if there is none, or no object.
const Json& member(const Json& object, const char* key);

// "accessors[3]", as one would say in JavaScript.
std::string name_of(const char* list, std::uint64_t index);

// A number of a file as an index into `count` entries.
std::optional<Index> as_index(double number, std::size_t count);

class GltfDocument {
public:
    using Size = std::uint64_t;

    // Files it names are relative to `folder`; `name` stands for the file in messages.
    GltfDocument(const std::string& name, std::filesystem::path folder) : faults(name), folder_(std::move(folder)) {}

    FaultList faults;

    // All of these answer nothing, or false, after adding a fault.
    // The bytes of a .gltf or .glb; they must outlive the document.
    bool parse(std::string_view bytes);
    const Json& root() const { return root_; }
    const Json* find(const char* list, Size index);
    // The value keeps its default if the key is absent.
    bool get(const Json& object, const char* key, Size& value, const std::string& where);
    template <std::size_t n>
    bool get(const Json& object, const char* key, std::array<double, n>& values, const std::string& where);
    bool require(const Json& object, const char* key, Size& value, const std::string& where);
    std::vector<Size> get_indices(const Json& object, const char* key, const std::string& where);
    // All entries of an accessor with 1, 2, 3, 4 or 16 components, one after the other.
    bool read_accessor(Size index, std::size_t components, std::vector<double>& values);

private:
    struct Component;

    bool split_container(std::string_view bytes, std::string_view& json);
    std::optional<Size> as_size(const Json& value, const std::string& where);
    std::optional<std::string> load_uri(const std::string& uri, const std::string& where);
    std::optional<std::string_view> load_buffer(Size index);
    std::optional<std::string_view> find_view(Size index, Size& stride);
    bool read_component(const Json& source, const std::string& where, Component& component);
    bool read_elements(const Json& source, const Component& component, std::size_t components, Size count,
                       const std::string& where, std::vector<double>& values);
    bool read_sparse(const Json& sparse, const Component& component, std::size_t components, const std::string& where,
                     std::vector<double>& values);

    std::filesystem::path folder_;
    Json root_;
    std::optional<std::string_view> bin_; // the binary part of a .glb
    std::map<Size, std::optional<std::string>> buffers_;
    Size file_size_ = 0; // with the buffers loaded so far
};

template <std::size_t n>
bool GltfDocument::get(const Json& object, const char* key, std::array<double, n>& values, const std::string& where) {
    const Json& found = member(object, key);
    if (found.is_null()) return true;
    const bool fits = found.is_array() && found.size() == n &&
                      std::ranges::all_of(found, [](const Json& number) { return number.is_number(); });
    if (!fits) faults.add(where + "." + key + " must be a list of " + std::to_string(n) + " numbers");
    if (fits) std::ranges::transform(found, values.begin(), [](const Json& number) { return number.get<double>(); });
    return fits;
}

} // namespace taffeta::io
