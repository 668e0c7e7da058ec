// The JSON is read directly: only six of its lists describe triangles, and every range has to be checked here anyway.
#include "io/gltf.h"

#include "io/mesh_files.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <type_traits>

namespace taffeta::io {

namespace {

using Json = nlohmann::json;

// Far above what can be simulated: a small file can name one mesh many times.
constexpr std::size_t max_vertices = std::size_t{1} << 24;
constexpr std::size_t max_triangles = 2 * max_vertices;

// The member of an object; null if there is none, or no object.
const Json& member(const Json& object, const char* key) {
    static const Json none;
    const auto found = object.is_object() ? object.find(key) : object.end();
    return object.is_object() && found != object.end() ? *found : none;
}

// "accessors[3]", as one would say in JavaScript.
std::string name_of(const char* list, std::uint64_t index) {
    return std::string(list) + "[" + std::to_string(index) + "]";
}

// A number of a file as an index into `count` entries.
std::optional<Index> as_index(double number, std::size_t count) {
    const bool is_index = number >= 0 && number < static_cast<double>(count) && std::floor(number) == number;
    return is_index ? std::optional(static_cast<Index>(number)) : std::nullopt;
}

struct Affine {
    std::array<Vec3d, 3> row = {Vec3d{1, 0, 0}, Vec3d{0, 1, 0}, Vec3d{0, 0, 1}};
    Vec3d translation;

    Vec3d rotate(const Vec3d& p) const { return {dot(row[0], p), dot(row[1], p), dot(row[2], p)}; }
    Vec3d operator*(const Vec3d& p) const { return rotate(p) + translation; }
    Affine operator*(const Affine& inner) const {
        const auto& r = inner.row;
        Affine product;
        product.translation = *this * inner.translation;
        for (std::size_t i = 0; i < 3; ++i) product.row[i] = r[0] * row[i].x + r[1] * row[i].y + r[2] * row[i].z;
        return product;
    }
    bool mirrors() const { return dot(row[0], cross(row[1], row[2])) < 0; }
};

// How the numbers of an accessor are stored.
struct Component {
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

class GltfReader {
public:
    GltfReader(const std::string& name, std::filesystem::path folder) : folder_(std::move(folder)), faults_(name) {}
    Result<Mesh> read(std::string_view bytes);

private:
    using Size = std::uint64_t;

    struct VertexRange {
        Index first, count;
    };

    // All of these answer nothing, or false, after adding a fault.
    bool parse(std::string_view bytes);
    bool split_container(std::string_view bytes, std::string_view& json);

    const Json* find(const char* list, Size index);
    std::optional<Size> as_size(const Json& value, const std::string& where);
    // The value keeps its default if the key is absent.
    bool get(const Json& object, const char* key, Size& value, const std::string& where);
    template <std::size_t n>
    bool get(const Json& object, const char* key, std::array<double, n>& values, const std::string& where);
    bool require(const Json& object, const char* key, Size& value, const std::string& where);
    std::vector<Size> get_indices(const Json& object, const char* key, const std::string& where);

    std::optional<std::string> load_uri(const std::string& uri, const std::string& where);
    std::optional<std::string_view> load_buffer(Size index);
    std::optional<std::string_view> find_view(Size index, Size& stride);
    bool read_component(const Json& source, const std::string& where, Component& component);
    bool read_elements(const Json& source, Component component, std::size_t components, Size count,
                       const std::string& where, std::vector<double>& values);
    bool read_accessor(Size index, std::size_t components, std::vector<double>& values);
    bool read_sparse(const Json& sparse, Component component, std::size_t components, const std::string& where,
                     std::vector<double>& values);

    std::vector<Size> find_roots();
    void visit_nodes();
    std::optional<Affine> read_transform(const Json& node, const std::string& where);
    void add_mesh(Size index, const Affine& to_world);
    void add_primitive(const Json& primitive, const Affine& to_world, const std::string& where,
                       std::map<Size, VertexRange>& ranges); // by the accessor of their positions
    std::optional<VertexRange> add_vertices(const Json& attributes, Size positions, const Affine& to_world,
                                            const std::string& where);
    bool is_too_large() const {
        return mesh_.positions.size() > max_vertices || mesh_.triangles.size() > max_triangles;
    }

    std::filesystem::path folder_;
    Json root_;
    std::optional<std::string_view> bin_; // the binary part of a .glb
    std::map<Size, std::optional<std::string>> buffers_;
    Size file_size_ = 0; // with the buffers loaded so far
    Mesh mesh_;
    FaultList faults_;
};

Result<Mesh> GltfReader::read(std::string_view bytes) {
    file_size_ = bytes.size();
    if (parse(bytes)) visit_nodes();
    if (faults_.empty() && mesh_.triangles.empty())
        faults_.add("has no triangles in its scene; is there a node with a mesh?");
    if (!faults_.empty()) return faults_.take();
    return std::move(mesh_);
}

// --- the file

bool GltfReader::parse(std::string_view bytes) {
    const bool is_binary = bytes.starts_with("glTF");
    std::string_view text = bytes;
    if (is_binary && !split_container(bytes, text)) return false;
    try {
        root_ = Json::parse(text);
    } catch (const Json::parse_error& error) {
        const std::size_t place = std::min(error.byte, text.size());
        const auto line = std::count(text.begin(), text.begin() + std::ptrdiff_t(place), '\n') + 1;
        faults_.add("is not valid JSON at byte " + std::to_string(place) + "; is the file damaged?",
                    is_binary ? 0 : static_cast<int>(line));
        return false;
    } catch (const Json::exception&) {
        faults_.add("has a number that is too large in its JSON; is the file damaged?");
        return false;
    }
    const Json& version = member(member(root_, "asset"), "version");
    if (version.is_string() && !version.get_ref<const std::string&>().starts_with("2")) {
        faults_.add("is of glTF version " + quote(version.get_ref<const std::string&>()) + "; only 2 can be read");
        return false;
    }
    // Without these the positions are not in the accessors. Other extensions change only the looks.
    for (const char* extension : {"KHR_draco_mesh_compression", "EXT_meshopt_compression", "EXT_mesh_gpu_instancing"}) {
        const Json& required = member(root_, "extensionsRequired");
        if (std::find(required.begin(), required.end(), extension) == required.end()) continue;
        faults_.add("needs the extension " + std::string(extension) + "; export it without");
        return false;
    }
    return true;
}

// A .glb: "glTF", version, length; then parts of length, type, bytes: the JSON, and a buffer if there is one.
bool GltfReader::split_container(std::string_view bytes, std::string_view& json) {
    const auto word = [&](std::size_t at) {
        std::uint32_t value = 0;
        std::memcpy(&value, bytes.data() + at, sizeof value);
        return value;
    };
    constexpr std::uint32_t json_type = 0x4e4f534a, bin_type = 0x004e4942;
    if (bytes.size() < 20 || word(8) > bytes.size()) {
        faults_.add("is cut off: it has " + std::to_string(bytes.size()) + " bytes" +
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
        faults_.add("is damaged: its first part is not JSON of " + std::to_string(word(12)) + " bytes");
        return false;
    }
    json = text->substr(0, text->find_last_not_of('\0') + 1); // some exporters fill up with zeros
    bin_ = take_part(bin_type);
    return true;
}

const Json* GltfReader::find(const char* list, Size index) {
    const Json& entries = member(root_, list);
    if (entries.is_array() && index < entries.size()) return &entries[index];
    faults_.add(name_of(list, index) + " does not exist; there are " +
                std::to_string(entries.is_array() ? entries.size() : 0));
    return nullptr;
}

std::optional<GltfReader::Size> GltfReader::as_size(const Json& value, const std::string& where) {
    constexpr double largest = 4294967295; // offset + count * stride of such numbers still fits
    const double number = value.is_number() ? value.get<double>() : -1;
    if (number >= 0 && number <= largest && std::floor(number) == number) return static_cast<Size>(number);
    faults_.add(
        where + " is " +
        quote(value.is_primitive() ? value.dump(-1, ' ', true, Json::error_handler_t::replace) : value.type_name()) +
        "; it must be a whole number from 0 to 4294967295");
    return std::nullopt;
}

bool GltfReader::get(const Json& object, const char* key, Size& value, const std::string& where) {
    const Json& found = member(object, key);
    if (found.is_null()) return true;
    const auto size = as_size(found, where + "." + key);
    if (size) value = *size;
    return size.has_value();
}

bool GltfReader::require(const Json& object, const char* key, Size& value, const std::string& where) {
    if (!member(object, key).is_null()) return get(object, key, value, where);
    faults_.add(where + " has no " + key);
    return false;
}

template <std::size_t n>
bool GltfReader::get(const Json& object, const char* key, std::array<double, n>& values, const std::string& where) {
    const Json& found = member(object, key);
    if (found.is_null()) return true;
    const bool fits = found.is_array() && found.size() == n &&
                      std::ranges::all_of(found, [](const Json& number) { return number.is_number(); });
    if (!fits) faults_.add(where + "." + key + " must be a list of " + std::to_string(n) + " numbers");
    if (fits) std::ranges::transform(found, values.begin(), [](const Json& number) { return number.get<double>(); });
    return fits;
}

// --- buffers and accessors

std::optional<std::string> GltfReader::load_uri(const std::string& uri, const std::string& where) {
    if (uri.starts_with("data:")) {
        constexpr std::string_view mark = ";base64,";
        const std::size_t found = uri.find(mark);
        auto bytes = found == std::string::npos ? std::nullopt
                                                : decode_base64(std::string_view(uri).substr(found + mark.size()));
        if (!bytes) faults_.add(where + " holds data that is not base64");
        return bytes;
    }
    const std::filesystem::path path = decode_percent(uri);
    if (path.is_absolute() || uri.find(':') != std::string::npos) {
        faults_.add(where + " is at " + quote(uri) + "; only files relative to this one are read");
        return std::nullopt;
    }
    Result<std::string> bytes = read_file(folder_ / path);
    if (bytes) return std::move(*bytes);
    faults_.add(where + " is in the file " + quote(uri) + ": " + bytes.faults().front().message);
    return std::nullopt;
}

std::optional<std::string_view> GltfReader::load_buffer(Size index) {
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
    faults_.add(where + " announces " + std::to_string(size) + " bytes, but has " +
                std::to_string(bytes ? bytes->size() : 0) + "; is the file cut off?");
    return std::nullopt;
}

std::optional<std::string_view> GltfReader::find_view(Size index, Size& stride) {
    const std::string where = name_of("bufferViews", index);
    const Json* view = find("bufferViews", index);
    Size buffer = 0, offset = 0, size = 0;
    if (!view || !require(*view, "buffer", buffer, where) || !require(*view, "byteLength", size, where) ||
        !get(*view, "byteOffset", offset, where) || !get(*view, "byteStride", stride, where))
        return std::nullopt;
    const auto bytes = load_buffer(buffer);
    if (!bytes) return std::nullopt;
    if (offset + size <= bytes->size()) return bytes->substr(offset, size);
    faults_.add(where + " ends at byte " + std::to_string(offset + size) + " of " + name_of("buffers", buffer) +
                ", which has " + std::to_string(bytes->size()));
    return std::nullopt;
}

bool GltfReader::read_elements(const Json& source, Component component, std::size_t components, Size count,
                               const std::string& where, std::vector<double>& values) {
    Size index = 0, offset = 0, stride = 0;
    if (!require(source, "bufferView", index, where) || !get(source, "byteOffset", offset, where)) return false;
    const auto view = find_view(index, stride);
    if (!view) return false;
    const Size size = component.size() * components;
    if (stride == 0) stride = size;
    const Size end = count == 0 ? 0 : offset + (count - 1) * stride + size;
    if (end > view->size()) {
        faults_.add(where + " ends at byte " + std::to_string(end) + " of " + name_of("bufferViews", index) +
                    ", which has " + std::to_string(view->size()));
        return false;
    }
    values.clear();
    for (Size i = 0; i < count; ++i)
        for (std::size_t c = 0; c < components; ++c)
            values.push_back(component.decode(view->data() + offset + i * stride + c * component.size()));
    return true;
}

bool GltfReader::read_accessor(Size index, std::size_t components, std::vector<double>& values) {
    const std::string where = name_of("accessors", index);
    const Json* accessor = find("accessors", index);
    Component component;
    Size count = 0;
    if (!accessor || !read_component(*accessor, where, component) || !require(*accessor, "count", count, where))
        return false;
    constexpr const char* types[] = {"", "SCALAR", "VEC2", "VEC3"};
    if (member(*accessor, "type") != types[components]) {
        faults_.add(where + " must be of the type " + types[components]);
        return false;
    }
    component.is_normalized = member(*accessor, "normalized") == true;
    if (!member(*accessor, "bufferView").is_null()) {
        if (!read_elements(*accessor, component, components, count, where, values)) return false;
    } else if (count <= file_size_) {
        values.assign(count * components, 0.0);
    } else { // a vertex in use costs a byte of indices at least
        faults_.add(where + " has " + std::to_string(count) + " entries without a bufferView; that cannot be right");
        return false;
    }
    const Json& sparse = member(*accessor, "sparse");
    return sparse.is_null() || read_sparse(sparse, component, components, where + ".sparse", values);
}

bool GltfReader::read_component(const Json& source, const std::string& where, Component& component) {
    if (!require(source, "componentType", component.type, where)) return false;
    if (component.is_known()) return true;
    faults_.add(where + ".componentType is " + std::to_string(component.type) +
                "; it must be 5120 to 5123, 5125 or 5126");
    return false;
}

bool GltfReader::read_sparse(const Json& sparse, Component component, std::size_t components, const std::string& where,
                             std::vector<double>& values) {
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
            faults_.add(where + ".indices names an entry that does not exist");
            return false;
        }
        std::copy_n(&replacements[i * components], components, &values[*place * components]);
    }
    return true;
}

// --- nodes and meshes

// A file without a default scene shows all scenes; one without scenes, all nodes.
std::vector<GltfReader::Size> GltfReader::find_roots() {
    std::vector<Size> roots;
    if (!member(root_, "scene").is_null()) {
        Size scene = 0;
        const Json* shown = get(root_, "scene", scene, "the file") ? find("scenes", scene) : nullptr;
        return shown ? get_indices(*shown, "nodes", name_of("scenes", scene)) : roots;
    }
    const Json& scenes = member(root_, "scenes");
    for (Size i = 0; i < (scenes.is_array() ? scenes.size() : 0); ++i)
        for (const Size node : get_indices(scenes[i], "nodes", name_of("scenes", i))) roots.push_back(node);
    if (!roots.empty()) return roots;

    const Json& nodes = member(root_, "nodes");
    std::vector<bool> is_root(nodes.is_array() ? nodes.size() : 0, true);
    for (Size i = 0; i < is_root.size(); ++i)
        for (const Size child : get_indices(nodes[i], "children", name_of("nodes", i)))
            if (child < is_root.size()) is_root[child] = false;
    for (Size i = 0; i < is_root.size(); ++i)
        if (is_root[i]) roots.push_back(i);
    return roots;
}

std::vector<GltfReader::Size> GltfReader::get_indices(const Json& object, const char* key, const std::string& where) {
    std::vector<Size> indices;
    const Json& list = member(object, key);
    if (!list.is_array()) return indices;
    for (const Json& entry : list)
        if (const auto index = as_size(entry, where + "." + key)) indices.push_back(*index);
    return indices;
}

// Parents before children, children in their order. On a stack of our own: files nest as deep as they like.
void GltfReader::visit_nodes() {
    struct Visit {
        Size node;
        Affine parent;
        bool is_root;
    };
    std::vector<Visit> stack;
    const auto push = [&](const std::vector<Size>& nodes, const Affine& parent, bool is_root) {
        std::for_each(nodes.rbegin(), nodes.rend(), [&](Size node) { stack.push_back({node, parent, is_root}); });
    };
    push(find_roots(), {}, true);
    std::vector<bool> is_seen(member(root_, "nodes").size());
    while (!stack.empty()) {
        const Visit visit = stack.back();
        stack.pop_back();
        const std::string where = name_of("nodes", visit.node);
        const Json* node = find("nodes", visit.node);
        if (!node) continue;
        if (is_seen[visit.node]) { // a root may well stand in several scenes
            if (!visit.is_root) faults_.add(where + " is a child of two nodes, or of itself; nodes must form a tree");
            continue;
        }
        is_seen[visit.node] = true;
        const auto transform = read_transform(*node, where);
        if (!transform) continue;
        const Affine to_world = visit.parent * *transform;
        Size mesh = 0;
        if (!member(*node, "mesh").is_null() && get(*node, "mesh", mesh, where)) add_mesh(mesh, to_world);
        if (is_too_large())
            return faults_.add("has more than " + std::to_string(max_vertices) + " vertices or " +
                               std::to_string(max_triangles) + " triangles; reduce it");
        push(get_indices(*node, "children", where), to_world, false);
    }
    if (!mesh_.uv.empty()) mesh_.uv.resize(mesh_.positions.size());
}

std::optional<Affine> GltfReader::read_transform(const Json& node, const std::string& where) {
    Affine transform;
    if (!member(node, "matrix").is_null()) {
        std::array<double, 16> m{}; // by columns
        if (!get(node, "matrix", m, where)) return std::nullopt;
        for (std::size_t i = 0; i < 3; ++i) transform.row[i] = {m[i], m[i + 4], m[i + 8]};
        transform.translation = {m[12], m[13], m[14]};
        return transform;
    }
    std::array<double, 3> translation{}, scale = {1, 1, 1};
    std::array<double, 4> rotation = {0, 0, 0, 1};
    if (!get(node, "translation", translation, where) || !get(node, "rotation", rotation, where) ||
        !get(node, "scale", scale, where))
        return std::nullopt;
    // Files round their quaternions, so s makes up for their length.
    const auto [x, y, z, w] = rotation;
    const double norm = x * x + y * y + z * z + w * w, s = norm > 0 ? 2 / norm : 0;
    const std::array<Vec3d, 3> turn = {Vec3d{1 - s * (y * y + z * z), s * (x * y - z * w), s * (x * z + y * w)},
                                       Vec3d{s * (x * y + z * w), 1 - s * (x * x + z * z), s * (y * z - x * w)},
                                       Vec3d{s * (x * z - y * w), s * (y * z + x * w), 1 - s * (x * x + y * y)}};
    for (std::size_t i = 0; i < 3; ++i)
        transform.row[i] = {turn[i].x * scale[0], turn[i].y * scale[1], turn[i].z * scale[2]};
    transform.translation = {translation[0], translation[1], translation[2]};
    return transform;
}

void GltfReader::add_mesh(Size index, const Affine& to_world) {
    const Json* mesh = find("meshes", index);
    if (!mesh) return;
    const Json& primitives = member(*mesh, "primitives");
    std::map<Size, VertexRange> ranges;
    for (Size i = 0; i < (primitives.is_array() ? primitives.size() : 0) && !is_too_large(); ++i)
        add_primitive(primitives[i], to_world, name_of("meshes", index) + "." + name_of("primitives", i), ranges);
}

void GltfReader::add_primitive(const Json& primitive, const Affine& to_world, const std::string& where,
                               std::map<Size, VertexRange>& ranges) {
    constexpr Size triangles = 4, strip = 5, fan = 6;
    const Json& attributes = member(primitive, "attributes");
    Size mode = triangles, positions = 0, indices = 0;
    if (!get(primitive, "mode", mode, where) || mode < triangles || mode > fan) return; // points and lines
    if (member(attributes, "POSITION").is_null() || !get(attributes, "POSITION", positions, where)) return;
    if (!ranges.contains(positions)) {
        const auto range = add_vertices(attributes, positions, to_world, where);
        if (!range) return;
        ranges[positions] = *range;
    }
    const VertexRange range = ranges[positions];

    std::vector<double> corners(range.count);
    std::iota(corners.begin(), corners.end(), 0.0);
    if (!member(primitive, "indices").is_null() &&
        (!get(primitive, "indices", indices, where) || !read_accessor(indices, 1, corners)))
        return;
    std::vector<Index> vertices;
    for (const double corner : corners) {
        const auto vertex = as_index(corner, range.count);
        if (!vertex) {
            faults_.add(where + " names vertex " + to_text(corner) + ", which does not exist; there are " +
                        std::to_string(range.count));
            return;
        }
        vertices.push_back(range.first + *vertex);
    }
    if (mode == triangles && vertices.size() % 3 != 0)
        return faults_.add(where + " has " + std::to_string(vertices.size()) +
                           " corners; for triangles it must be a multiple of 3");

    const bool flips = to_world.mirrors();
    const auto add = [&](Index a, Index b, Index c) {
        mesh_.triangles.push_back(flips ? Triangle{a, c, b} : Triangle{a, b, c});
    };
    const std::size_t n = vertices.size();
    if (mode == triangles)
        for (std::size_t i = 0; i + 2 < n; i += 3) add(vertices[i], vertices[i + 1], vertices[i + 2]);
    if (mode == fan)
        for (std::size_t i = 0; i + 2 < n; ++i) add(vertices[0], vertices[i + 1], vertices[i + 2]);
    if (mode == strip)
        for (std::size_t i = 0; i + 2 < n; ++i) {
            // Every second one is turned. Strips are joined by triangles without area, which are none.
            const Index a = vertices[i], b = vertices[i + 1 + i % 2], c = vertices[i + 2 - i % 2];
            if (a != b && b != c && c != a) add(a, b, c);
        }
}

std::optional<GltfReader::VertexRange> GltfReader::add_vertices(const Json& attributes, Size positions,
                                                                const Affine& to_world, const std::string& where) {
    std::vector<double> values;
    if (!read_accessor(positions, 3, values)) return std::nullopt;
    const VertexRange range = {static_cast<Index>(mesh_.positions.size()), static_cast<Index>(values.size() / 3)};
    for (std::size_t i = 0; i < range.count; ++i) {
        const Vec3d local = {values[3 * i], values[3 * i + 1], values[3 * i + 2]};
        const Vec3 p = vector_cast<float>(to_world * local);
        mesh_.positions.push_back(p);
        if (!is_finite(p))
            faults_.add(where + ": vertex " + std::to_string(i) + " is at " +
                        to_text(is_finite(local) ? p : vector_cast<float>(local)) + "; coordinates must be finite");
    }
    Size accessor = 0;
    if (member(attributes, "TEXCOORD_0").is_null()) return range;
    if (!get(attributes, "TEXCOORD_0", accessor, where) || !read_accessor(accessor, 2, values)) return std::nullopt;
    if (values.size() != 2 * std::size_t{range.count}) {
        faults_.add(where + " has " + std::to_string(values.size() / 2) + " texture coordinates for " +
                    std::to_string(range.count) + " vertices");
        return std::nullopt;
    }
    mesh_.uv.resize(range.first); // what came before had none
    for (std::size_t i = 0; i < range.count; ++i) {
        const std::array<float, 2> uv = {static_cast<float>(values[2 * i]), static_cast<float>(1 - values[2 * i + 1])};
        mesh_.uv.push_back(uv);
        if (!std::isfinite(uv[0]) || !std::isfinite(uv[1]))
            faults_.add(where + ": vertex " + std::to_string(i) + " has a texture coordinate that is not finite");
    }
    return range;
}

} // namespace

Result<Mesh> read_gltf(std::string_view bytes, const std::string& name, const std::filesystem::path& folder) {
    return GltfReader(name, folder).read(bytes);
}

} // namespace taffeta::io
