#include "io/mesh/ply.h"

#include "io/mesh/mesh_files.h"
#include "io/results/atomic_file.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <span>

namespace taffeta::io {

namespace {

enum class Format { ascii, little_endian, big_endian };
enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

struct Property {
    std::string name;
    Scalar type;
    std::optional<Scalar> count_type; // of a list
};

struct Element {
    std::string name;
    std::uint64_t count = 0;
    std::vector<Property> properties;
};

std::optional<Scalar> scalar_from_name(std::string_view name) {
    struct Name {
        std::string_view old_name, new_name;
        Scalar type;
    };
    constexpr Name names[] = {{"char", "int8", Scalar::i8},      {"uchar", "uint8", Scalar::u8},
                              {"short", "int16", Scalar::i16},   {"ushort", "uint16", Scalar::u16},
                              {"int", "int32", Scalar::i32},     {"uint", "uint32", Scalar::u32},
                              {"float", "float32", Scalar::f32}, {"double", "float64", Scalar::f64}};
    for (const Name& n : names)
        if (name == n.old_name || name == n.new_name) return n.type;
    return std::nullopt;
}

std::size_t size_of(Scalar type) {
    constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
    return sizes[static_cast<std::size_t>(type)];
}

bool is_integer(Scalar type) {
    return type != Scalar::f32 && type != Scalar::f64;
}

template <class T>
double decode(const char* bytes) {
    T value;
    std::memcpy(&value, bytes, sizeof value);
    return static_cast<double>(value); // every PLY type fits
}

double decode(const char* bytes, Scalar type) {
    switch (type) {
    case Scalar::i8: return decode<std::int8_t>(bytes);
    case Scalar::u8: return decode<std::uint8_t>(bytes);
    case Scalar::i16: return decode<std::int16_t>(bytes);
    case Scalar::u16: return decode<std::uint16_t>(bytes);
    case Scalar::i32: return decode<std::int32_t>(bytes);
    case Scalar::u32: return decode<std::uint32_t>(bytes);
    case Scalar::f32: return decode<float>(bytes);
    case Scalar::f64: return decode<double>(bytes);
    }
    return 0;
}

// What follows the header: one value after the other, whatever the format.
class Body {
public:
    Body(std::string_view bytes, Format format, int line, FaultList& faults)
        : rest_(bytes), format_(format), line_(line), faults_(faults) {}

    // Nothing at the end of the file. Text that is no number is a fault and counts as 0.
    std::optional<double> next(Scalar type) { return format_ == Format::ascii ? next_word() : next_bytes(type); }

    // Whether so many entries can follow at all: no count of a header makes us allocate more than the file's size.
    bool can_hold(const Element& element) const {
        std::size_t size = 0; // of the smallest entry; in text a digit and a blank
        for (const Property& property : element.properties)
            size += format_ == Format::ascii ? 2 : size_of(property.count_type.value_or(property.type));
        return size == 0 || element.count <= (rest_.size() + 1) / size;
    }
    std::size_t size() const { return rest_.size(); }
    int line() const { return line_; } // 0: not text

private:
    std::optional<double> next_word() {
        constexpr std::string_view blanks = " \t\r\v\f\n";
        const std::size_t start = std::min(rest_.find_first_not_of(blanks), rest_.size());
        line_ += static_cast<int>(std::count(rest_.begin(), rest_.begin() + std::ptrdiff_t(start), '\n'));
        rest_.remove_prefix(start);
        const std::string_view word = rest_.substr(0, rest_.find_first_of(blanks));
        if (word.empty()) return std::nullopt;
        rest_.remove_prefix(word.size());
        const auto number = parse_number(word);
        if (!number) faults_.add(quote(word) + " is not a number", line_);
        return number.value_or(0);
    }
    std::optional<double> next_bytes(Scalar type) {
        const std::size_t size = size_of(type);
        if (rest_.size() < size) return std::nullopt;
        char bytes[8];
        std::copy_n(rest_.begin(), size, bytes);
        if (format_ == Format::big_endian) std::reverse(bytes, bytes + size);
        rest_.remove_prefix(size);
        return decode(bytes, type);
    }

    std::string_view rest_;
    Format format_;
    int line_;
    FaultList& faults_;
};

class PlyReader {
public:
    explicit PlyReader(const std::string& name) : faults_(name) {}
    Result<Mesh> read(std::string_view bytes);

private:
    // What a value is used for.
    enum Role : std::size_t { x, y, z, u, v, corners, nothing };

    void read_header(std::string_view& bytes);
    void read_header_line(std::string_view line);
    void read_property(std::string_view line);
    void check_header();
    const Element* find(std::string_view name) const;
    Role role_of(const Element& element, const Property& property) const;
    bool read_element(const Element& element, Body& body);
    bool read_list(const Property& property, Body& body, std::vector<double>* values);
    void add_vertex(std::span<const double> values, int line);
    void add_face(const std::vector<double>& list, std::size_t face, int line);

    Format format_ = Format::ascii;
    std::vector<Element> elements_;
    bool has_format_ = false, has_uv_ = false;
    int line_ = 0; // of the header
    std::uint64_t vertex_count_ = 0;
    Mesh mesh_;
    FaultList faults_;
};

Result<Mesh> PlyReader::read(std::string_view bytes) {
    read_header(bytes);
    if (!faults_.empty()) return faults_.take();
    Body body(bytes, format_, format_ == Format::ascii ? line_ + 1 : 0, faults_);
    for (const Element& element : elements_)
        if (!read_element(element, body)) break;
    if (!faults_.empty()) return faults_.take();
    return std::move(mesh_);
}

// Leaves in `bytes` what follows the header.
void PlyReader::read_header(std::string_view& bytes) {
    if (!bytes.starts_with("ply\n") && !bytes.starts_with("ply\r"))
        return faults_.add("does not begin with the line \"ply\"; is it a PLY file?");
    for (;;) {
        const std::size_t end = bytes.find('\n');
        if (end == std::string_view::npos)
            return faults_.add("the header has no \"end_header\"; is the file cut off?", line_);
        std::string_view line = bytes.substr(0, end);
        bytes.remove_prefix(end + 1);
        ++line_;
        std::string_view rest = line;
        if (take_word(rest) == "end_header") break;
        if (line_ > 1) read_header_line(line);
    }
    check_header();
}

void PlyReader::read_header_line(std::string_view line) {
    const std::string_view keyword = take_word(line);
    if (keyword == "format") {
        const std::string_view format = take_word(line);
        has_format_ = true;
        if (format == "ascii")
            format_ = Format::ascii;
        else if (format == "binary_little_endian")
            format_ = Format::little_endian;
        else if (format == "binary_big_endian")
            format_ = Format::big_endian;
        else
            faults_.add("the format " + quote(format) +
                            " is not known; it can be ascii, binary_little_endian or binary_big_endian",
                        line_);
    } else if (keyword == "element") {
        const std::string_view name = take_word(line), word = take_word(line);
        const auto count = parse_integer(word);
        if (!count || *count < 0) faults_.add(quote(word) + " is not a number of entries", line_);
        if (find(name)) faults_.add("the element " + quote(name) + " comes twice", line_);
        elements_.push_back(
            {std::string(name), static_cast<std::uint64_t>(std::max<std::int64_t>(count.value_or(0), 0)), {}});
    } else if (keyword == "property") {
        read_property(line);
    } else if (!keyword.empty() && keyword != "comment" && keyword != "obj_info") {
        faults_.add(quote(keyword) + " is not a word of PLY headers", line_);
    }
}

void PlyReader::read_property(std::string_view line) {
    std::string_view type_name = take_word(line), count_name;
    if (type_name == "list") count_name = take_word(line), type_name = take_word(line);
    const auto type = scalar_from_name(type_name), count_type = scalar_from_name(count_name);
    if (!type) return faults_.add(quote(type_name) + " is not a type of PLY files", line_);
    if (!count_name.empty() && (!count_type || !is_integer(*count_type)))
        return faults_.add("lists cannot be counted in " + quote(count_name) + "; use an integer type", line_);
    if (elements_.empty()) return faults_.add("a property stands before the first element", line_);
    elements_.back().properties.push_back({std::string(take_word(line)), *type, count_type});
}

const Element* PlyReader::find(std::string_view name) const {
    const auto found = std::ranges::find(elements_, name, &Element::name);
    return found == elements_.end() ? nullptr : &*found;
}

void PlyReader::check_header() {
    if (!has_format_) faults_.add("the header has no line \"format\"");
    const auto uses = [&](const Element* element, Role role) {
        return element && std::ranges::any_of(element->properties, [&](const Property& property) {
                   return role_of(*element, property) == role;
               });
    };
    const Element* vertices = find("vertex");
    vertex_count_ = vertices ? vertices->count : 0;
    if (vertex_count_ == 0)
        faults_.add("has no vertices");
    else if (!uses(vertices, x) || !uses(vertices, y) || !uses(vertices, z))
        faults_.add("the vertices need the properties x, y and z, each a number");
    if (vertex_count_ > std::numeric_limits<Index>::max())
        faults_.add("has " + std::to_string(vertex_count_) + " vertices; more than 2^32 - 1 cannot be read");
    const Element* faces = find("face");
    if (!faces || faces->count == 0)
        faults_.add("has no faces");
    else if (!uses(faces, corners))
        faults_.add("the faces need the property vertex_indices, a list of integers");
    has_uv_ = uses(vertices, u) && uses(vertices, v);
}

PlyReader::Role PlyReader::role_of(const Element& element, const Property& property) const {
    if (element.name == "face") {
        const bool is_corners = property.name == "vertex_indices" || property.name == "vertex_index";
        return is_corners && property.count_type && is_integer(property.type) ? corners : nothing;
    }
    if (element.name != "vertex" || property.count_type) return nothing;
    constexpr std::pair<std::string_view, Role> names[] = {
        {"x", x}, {"y", y}, {"z", z}, {"u", u}, {"v", v}, {"s", u}, {"t", v}, {"texture_u", u}, {"texture_v", v},
    };
    for (const auto& [name, role] : names)
        if (property.name == name) return role;
    return nothing;
}

bool PlyReader::read_element(const Element& element, Body& body) {
    if (!body.can_hold(element)) {
        faults_.add("the header announces " + std::to_string(element.count) + " entries of " + quote(element.name) +
                    ", but only " + std::to_string(body.size()) + " bytes follow; is the file cut off?");
        return false;
    }
    std::vector<Role> roles;
    for (const Property& property : element.properties) roles.push_back(role_of(element, property));
    // An element without properties has no bytes, however many there are.
    const std::size_t count = roles.empty() ? 0 : static_cast<std::size_t>(element.count);
    if (element.name == "vertex") mesh_.positions.reserve(count);
    if (element.name == "face") mesh_.triangles.reserve(count);

    std::array<double, nothing + 1> values{}; // by role
    std::vector<double> list;
    for (std::size_t entry = 0; entry < count; ++entry) {
        for (std::size_t i = 0; i < roles.size(); ++i) {
            const Property& property = element.properties[i];
            bool is_complete = false;
            if (property.count_type) {
                is_complete = read_list(property, body, roles[i] == corners ? &list : nullptr);
            } else if (const auto value = body.next(property.type)) {
                values[roles[i]] = *value;
                is_complete = true;
            }
            if (is_complete) continue;
            faults_.add("entry " + std::to_string(entry) + " of " + quote(element.name) +
                            " is not complete; the file is cut off or a list is miscounted",
                        body.line());
            return false;
        }
        if (element.name == "vertex") add_vertex(values, body.line());
        if (element.name == "face") add_face(list, entry, body.line());
    }
    return true;
}

bool PlyReader::read_list(const Property& property, Body& body, std::vector<double>* values) {
    if (values) values->clear();
    const auto count = body.next(*property.count_type);
    if (!count || !(*count >= 0) || std::floor(*count) != *count) return false;
    for (double i = 0; i < *count; ++i) {
        const auto value = body.next(property.type);
        if (!value) return false;
        if (values) values->push_back(*value);
    }
    return true;
}

void PlyReader::add_vertex(std::span<const double> values, int line) {
    const auto value = [&](Role role) { return static_cast<float>(values[role]); };
    const Vec3 p = {value(x), value(y), value(z)};
    const std::string vertex = "vertex " + std::to_string(mesh_.positions.size());
    if (!is_finite(p)) faults_.add(vertex + " is at " + to_text(p) + "; coordinates must be finite", line);
    mesh_.positions.push_back(p);
    if (!has_uv_) return;
    if (!std::isfinite(value(u)) || !std::isfinite(value(v)))
        faults_.add(vertex + " has a texture coordinate that is not finite", line);
    mesh_.uv.push_back({value(u), value(v)});
}

void PlyReader::add_face(const std::vector<double>& list, std::size_t face, int line) {
    const std::string name = "face " + std::to_string(face);
    if (list.size() < 3)
        faults_.add(name + " has " + std::to_string(list.size()) + " corners; it needs 3 or more", line);
    std::vector<Index> polygon;
    for (const double corner : list) {
        if (corner >= 0 && corner < static_cast<double>(vertex_count_) && std::floor(corner) == corner) {
            polygon.push_back(static_cast<Index>(corner));
            continue;
        }
        faults_.add(name + " names vertex " + to_text(corner) + ", which does not exist; there are " +
                        std::to_string(vertex_count_) + ", counted from 0",
                    line);
    }
    add_fan(polygon, mesh_.triangles);
}

} // namespace

Result<Mesh> read_ply(std::string_view bytes, const std::string& name) {
    return PlyReader(name).read(bytes);
}

Result<Done> write_ply(const std::filesystem::path& file, const Mesh& mesh) {
    std::string bytes = "ply\nformat binary_little_endian 1.0\ncomment Taffeta\nelement vertex " +
                        std::to_string(mesh.positions.size()) +
                        "\nproperty float x\nproperty float y\nproperty float z\n";
    if (!mesh.uv.empty()) bytes += "property float s\nproperty float t\n";
    bytes += "element face " + std::to_string(mesh.triangles.size()) +
             "\nproperty list uchar int vertex_indices\nend_header\n";
    const auto append = [&](const auto& value) { bytes.append(reinterpret_cast<const char*>(&value), sizeof value); };
    for (std::size_t i = 0; i < mesh.positions.size(); ++i) {
        append(mesh.positions[i]);
        if (!mesh.uv.empty()) append(mesh.uv[i]);
    }
    for (const Triangle& triangle : mesh.triangles) {
        bytes += '\3';
        append(triangle);
    }
    Result<AtomicFile> out = AtomicFile::create(file);
    if (!out) return out.faults();
    out->write(bytes);
    return out->commit();
}

} // namespace taffeta::io
