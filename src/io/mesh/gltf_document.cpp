#include "io/mesh/gltf_document.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace taffeta::io {

const Json& member(const Json& object, const char* key) {
    static const Json none;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : none;
}

std::string name_of(const char* list, std::uint64_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
}

std::optional<Index> as_index(double number, std::size_t count) {
    const bool is_index = number >= 0 && number < static_cast<double>(count) && std::floor(number) == number;
    return is_index ? std::optional(static_cast<Index>(number)) : std::nullopt;
}

// How the numbers of an accessor are stored.
struct GltfDocument::Component {
    std::uint64_t type = 0; // the number glTF gives it
    bool is_normalized = false;

    std::size_t size() const { return type == 5120 || type == 5121 ? 1 : type == 5122 || type == 5123 ? 2 : 4; }
    bool is_known() const { return (type >= 5120 && type <= 5123) || type == 5125 || type == 5126; }

    double decode(const char* bytes) const {
        switch (type) {
        case 5120: return decode_as<std::int8_t>(bytes);
        case 5121: return decode_as<std::uint8_t>(bytes);
        case 5122: return decode_as<std::int16_t>(bytes);
        case 5123: return decode_as<std::uint16_t>(bytes);
        case 5125: return decode_as<std::uint32_t>(bytes);
        default: return decode_as<float>(bytes);
        }
    }

private:
    template <class T>
    double decode_as(const char* bytes) const {
        T value;
        std::memcpy(&value, bytes, sizeof value);
        if (!is_normalized || !std::is_integral_v<T>) return static_cast<double>(value);
        return std::max(static_cast<double>(value) / static_cast<double>(std::numeric_limits<T>::max()), -1.0);
    }
};

namespace {

std::optional<std::string> decode_base64(std::string_view text) {
    std::string bytes;
    std::uint32_t bits = 0;
    int count = 0;
    while (text.ends_with('=')) text.remove_suffix(1);
    for (const char c : text) {
        constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        const std::size_t digit = digits.find(c);
        if (digit == std::string_view::npos) return std::nullopt;
        bits = bits << 6 | static_cast<std::uint32_t>(digit);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes += static_cast<char>(bits >> count & 0xff);
    }
    return bytes;
}

// "my%20mesh.bin" is the file "my mesh.bin".
std::string decode_percent(std::string_view uri) {
    std::string text;
    for (std::size_t i = 0; i < uri.size(); ++i) {
        unsigned code = 0;
        const char* first = uri.data() + i + 1;
        if (uri[i] == '%' && i + 2 < uri.size() && std::from_chars(first, first + 2, code, 16).ptr == first + 2) {
            text += static_cast<char>(code);
            i += 2;
        } else {
            text += uri[i];
        }
    }
    return text;
}

} // namespace

// --- the file

bool GltfDocument::parse(std::string_view bytes) {
    file_size_ = bytes.size();
    const bool is_binary = bytes.starts_with("glTF");
    std::string_view text = bytes;
    if (is_binary && !split_container(bytes, text)) return false;
    try {
        root_ = Json::parse(text);
    } catch (const Json::parse_error& error) {
        const std::size_t place = std::min(error.byte, text.size());
        const auto line = std::count(text.begin(), text.begin() + std::ptrdiff_t(place), '\n') + 1;
        faults.add("is not valid JSON at byte " + std::to_string(place) + "; is the file damaged?",
                   is_binary ? 0 : static_cast<int>(line));
        return false;
    } catch (const Json::exception&) {
        faults.add("has a number that is too large in its JSON; is the file damaged?");
        return false;
    }
    const Json& version = member(member(root_, "asset"), "version");
    if (version.is_string() && !version.get_ref<const std::string&>().starts_with("2")) {
        faults.add("is of glTF version " + quote(version.get_ref<const std::string&>()) + "; only 2 can be read");
        return false;
    }
    // Without these the positions are not in the accessors. Other extensions change only the looks.
    for (const char* extension : {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "EXT_mesh_gpu_instancing"}) {
        const Json& required = member(root_, "extensionsRequired");
        if (std::find(required.begin(), required.end(), extension) == required.end()) continue;
        faults.add("needs the extension " + std::string(extension) + "; export it without");
        return false;
    }
    return true;
}

// A .glb: "glTF", version, length; then parts of length, type, bytes: the JSON, and a buffer if there is one.
bool GltfDocument::split_container(std::string_view bytes, std::string_view& json) {
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    constexpr std::uint32_t json_type = 0x4e4f534a, bin_type = 0x004e4942;
    if (bytes.size() < 20 || word(8) > bytes.size()) {
        faults.add("is cut off: it has " + std::to_string(bytes.size()) + " bytes" +
                   (bytes.size() < 20 ? "" : " of " + std::to_string(word(8))));
        return false;
    }
    std::size_t at = 12;
    const auto take_part = [&](std::uint32_t type) -> std::optional<std::string_view> {
        if (at + 8 > bytes.size() || word(at + 4) != type || word(at) > bytes.size() - at - 8) return std::nullopt;
        const std::string_view part = bytes.substr(at + 8, word(at));
        at += 8 + part.size();
        return part;
    };
    const auto text = take_part(json_type);
    if (!text) {
        faults.add("is damaged: its first part is not JSON of " + std::to_string(word(12)) + " bytes");
        return false;
    }
    json = text->substr(0, text->find_last_not_of('\0') + 1); // some exporters fill up with zeros
    bin_ = take_part(bin_type);
    return true;
}

const Json* GltfDocument::find(const char* list, Size index) {
    const Json& entries = member(root_, list);
    if (entries.is_array() && index < entries.size()) return &entries[index];
    faults.add(name_of(list, index) + " does not exist; there are " +
               std::to_string(entries.is_array() ? entries.size() : 0));
    return nullptr;
}

std::optional<GltfDocument::Size> GltfDocument::as_size(const Json& value, const std::string& where) {
    constexpr double largest = 4294967295; // offset + count * stride of such numbers still fits
    const double number = value.is_number() ? value.get<double>() : -1;
    if (number >= 0 && number <= largest && std::floor(number) == number) return static_cast<Size>(number);
    faults.add(
        where + " is " +
        quote(value.is_primitive() ? value.dump(-1, ' ', true, Json::error_handler_t::replace) : value.type_name()) +
        "; it must be a whole number from 0 to 4294967295");
    return std::nullopt;
}

bool GltfDocument::get(const Json& object, const char* key, Size& value, const std::string& where) {
    const Json& found = member(object, key);
    if (found.is_null()) return true;
    const auto size = as_size(found, where + "." + key);
    if (size) value = *size;
    return size.has_value();
}

bool GltfDocument::require(const Json& object, const char* key, Size& value, const std::string& where) {
    if (!member(object, key).is_null()) return get(object, key, value, where);
    faults.add(where + " has no " + key);
    return false;
}

std::vector<GltfDocument::Size> GltfDocument::get_indices(const Json& object, const char* key,
                                                          const std::string& where) {
    std::vector<Size> indices;
    const Json& list = member(object, key);
    if (!list.is_array()) return indices;
    for (const Json& entry : list)
        if (const auto index = as_size(entry, where + "." + key)) indices.push_back(*index);
    return indices;
}

// --- buffers and accessors

std::optional<std::string> GltfDocument::load_uri(const std::string& uri, const std::string& where) {
    if (uri.starts_with("data:")) {
        constexpr std::string_view mark = ";base64,";
        const std::size_t found = uri.find(mark);
        auto bytes = found == std::string::npos ? std::nullopt
                                                : decode_base64(std::string_view(uri).substr(found + mark.size()));
        if (!bytes) faults.add(where + " holds data that is not base64");
        return bytes;
    }
    const std::filesystem::path path = decode_percent(uri);
    if (path.is_absolute() || uri.find(':') != std::string::npos) {
        faults.add(where + " is at " + quote(uri) + "; only files relative to this one are read");
        return std::nullopt;
    }
    Result<std::string> bytes = read_file(folder_ / path);
    if (bytes) return std::move(*bytes);
    faults.add(where + " is in the file " + quote(uri) + ": " + bytes.faults().front().message);
    return std::nullopt;
}

std::optional<std::string_view> GltfDocument::load_buffer(Size index) {
    const std::string where = name_of("buffers", index);
    const Json* buffer = find("buffers", index);
    Size size = 0;
    if (!buffer || !require(*buffer, "byteLength", size, where)) return std::nullopt;
    const Json& uri = member(*buffer, "uri");
    std::optional<std::string_view> bytes = index == 0 && uri.is_null() ? bin_ : std::nullopt;
    if (uri.is_string()) {
        const auto [entry, is_new] = buffers_.try_emplace(index);
        std::optional<std::string>& loaded = entry->second;
        if (is_new) {
            loaded = load_uri(uri.get_ref<const std::string&>(), where);
            file_size_ += loaded ? loaded->size() : 0;
        }
        if (!loaded) return std::nullopt;
        bytes = *loaded;
    }
    if (bytes && size <= bytes->size()) return bytes->substr(0, size);
    faults.add(where + " announces " + std::to_string(size) + " bytes, but has " +
               std::to_string(bytes ? bytes->size() : 0) + "; is the file cut off?");
    return std::nullopt;
}

std::optional<std::string_view> GltfDocument::find_view(Size index, Size& stride) {
    const std::string where = name_of("bufferViews", index);
    const Json* view = find("bufferViews", index);
    Size buffer = 0, offset = 0, size = 0;
    if (!view || !require(*view, "buffer", buffer, where) || !require(*view, "byteLength", size, where) ||
        !get(*view, "byteOffset", offset, where) || !get(*view, "byteStride", stride, where))
        return std::nullopt;
    const auto bytes = load_buffer(buffer);
    if (!bytes) return std::nullopt;
    if (offset + size <= bytes->size()) return bytes->substr(offset, size);
    faults.add(where + " ends at byte " + std::to_string(offset + size) + " of " + name_of("buffers", buffer) +
               ", which has " + std::to_string(bytes->size()));
    return std::nullopt;
}

bool GltfDocument::read_elements(const Json& source, const Component& component, std::size_t components, Size count,
                                 const std::string& where, std::vector<double>& values) {
    Size index = 0, offset = 0, stride = 0;
    if (!require(source, "bufferView", index, where) || !get(source, "byteOffset", offset, where)) return false;
    const auto view = find_view(index, stride);
    if (!view) return false;
    const Size size = component.size() * components;
    if (stride == 0) stride = size;
    const Size end = count == 0 ? 0 : offset + (count - 1) * stride + size;
    if (end > view->size()) {
        faults.add(where + " ends at byte " + std::to_string(end) + " of " + name_of("bufferViews", index) +
                   ", which has " + std::to_string(view->size()));
        return false;
    }
    values.clear();
    for (Size i = 0; i < count; ++i)
        for (std::size_t c = 0; c < components; ++c)
            values.push_back(component.decode(view->data() + offset + i * stride + c * component.size()));
    return true;
}

bool GltfDocument::read_accessor(Size index, std::size_t components, std::vector<double>& values) {
    const std::string where = name_of("accessors", index);
    const Json* accessor = find("accessors", index);
    Component component;
    Size count = 0;
    if (!accessor || !read_component(*accessor, where, component) || !require(*accessor, "count", count, where))
        return false;
    constexpr const char* types[] = {"", "SCALAR", "VEC2", "VEC3", "VEC4"};
    const char* type = components == 16 ? "MAT4" : types[components];
    if (member(*accessor, "type") != type) {
        faults.add(where + " must be of the type " + type);
        return false;
    }
    component.is_normalized = member(*accessor, "normalized") == true;
    if (!member(*accessor, "bufferView").is_null()) {
        if (!read_elements(*accessor, component, components, count, where, values)) return false;
    } else if (count <= file_size_) {
        values.assign(count * components, 0.0);
    } else { // a vertex in use costs a byte of indices at least
        faults.add(where + " has " + std::to_string(count) + " entries without a bufferView; that cannot be right");
        return false;
    }
    const Json& sparse = member(*accessor, "sparse");
    return sparse.is_null() || read_sparse(sparse, component, components, where + ".sparse", values);
}

bool GltfDocument::read_component(const Json& source, const std::string& where, Component& component) {
    if (!require(source, "componentType", component.type, where)) return false;
    if (component.is_known()) return true;
    faults.add(where + ".componentType is " + std::to_string(component.type) +
               "; it must be 5120 to 5123, 5125 or 5126");
    return false;
}

bool GltfDocument::read_sparse(const Json& sparse, const Component& component, std::size_t components,
                               const std::string& where, std::vector<double>& values) {
    const Json& indices = member(sparse, "indices");
    Component index_component;
    Size count = 0;
    std::vector<double> places, replacements;
    if (!require(sparse, "count", count, where) || !read_component(indices, where + ".indices", index_component) ||
        !read_elements(indices, index_component, 1, count, where + ".indices", places) ||
        !read_elements(member(sparse, "values"), component, components, count, where + ".values", replacements))
        return false;
    for (std::size_t i = 0; i < places.size(); ++i) {
        const auto place = as_index(places[i], values.size() / components);
        if (!place) {
            faults.add(where + ".indices names an entry that does not exist");
            return false;
        }
        std::copy_n(&replacements[i * components], components, &values[*place * components]);
    }
    return true;
}

} // namespace taffeta::io
