#include "io/mesh/obj.h"

#include "io/mesh/mesh_files.h"
#include "io/results/atomic_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace taffeta::io {

namespace {

// The lines of a text. A line that ends in a backslash goes on in the next one, unless that stands in a comment
// ("# exported to C:\models\").
class Lines {
public:
    explicit Lines(std::string_view text) : rest_(text) {}

    bool next() {
        if (rest_.empty()) return false;
        number_ = next_number_;
        line_ = take_physical_line();
        if (goes_on(line_)) {
            joined_.clear();
            std::string_view piece = line_;
            for (; goes_on(piece); piece = take_physical_line()) {
                joined_ += piece.substr(0, piece.rfind('\\'));
                joined_ += ' ';
            }
            joined_ += piece;
            line_ = joined_;
        }
        line_ = line_.substr(0, line_.find('#'));
        return true;
    }
    std::string_view line() const { return line_; } // without its comment
    int number() const { return number_; }          // of its first physical line

private:
    std::string_view take_physical_line() {
        const std::size_t end = rest_.find('\n');
        const std::string_view line = rest_.substr(0, end);
        rest_.remove_prefix(end == std::string_view::npos ? rest_.size() : end + 1);
        ++next_number_;
        return line;
    }
    static bool goes_on(std::string_view line) {
        const std::size_t last = line.find_last_not_of(" \t\r\v\f");
        return last != std::string_view::npos && line[last] == '\\' && line.find('#') == std::string_view::npos;
    }

    std::string_view rest_, line_;
    std::string joined_;
    int number_ = 0, next_number_ = 1;
};

class ObjReader {
public:
    explicit ObjReader(const std::string& name) : faults_(name) {}
    Result<Mesh> read(std::string_view text);

private:
    static constexpr std::int64_t none = -1;
    struct Corner {
        std::int64_t vertex, texture; // from 0, or none
    };
    struct Face {
        int line;
        std::size_t first_corner;
    };

    // From 0. Files count from 1, or from the end of what has been read so far if negative; `none` if at fault.
    std::int64_t read_index(std::string_view word, std::size_t count, const char* what);
    template <std::size_t n>
    std::array<float, n> read_numbers(std::string_view line, std::size_t needed, const char* what);
    void read_vertex(std::string_view line);
    void read_texture_coordinate(std::string_view line);
    void read_face(std::string_view line);
    // Indices may name what stands further down, so they are looked up at the end.
    void build_triangles();
    bool exists(std::int64_t index, std::size_t count, int line, const char* what);

    Mesh mesh_;
    std::vector<std::array<float, 2>> texture_coordinates_;
    std::vector<Corner> corners_;
    std::vector<Face> faces_;
    int line_ = 0;
    FaultList faults_;
};

Result<Mesh> ObjReader::read(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf")) text.remove_prefix(3); // the mark some editors put before UTF-8
    for (Lines lines(text); lines.next();) {
        std::string_view line = lines.line();
        line_ = lines.number();
        const std::string_view keyword = take_word(line);
        if (keyword == "v") read_vertex(line);
        if (keyword == "vt") read_texture_coordinate(line);
        if (keyword == "f") read_face(line);
    }
    if (mesh_.positions.empty()) faults_.add("has no vertices; a mesh needs lines such as \"v 0 0 0\"");
    if (faces_.empty()) faults_.add("has no faces; a mesh needs lines such as \"f 1 2 3\"");
    build_triangles();
    if (!faults_.empty()) return faults_.take();
    return std::move(mesh_);
}

template <std::size_t n>
std::array<float, n> ObjReader::read_numbers(std::string_view line, std::size_t needed, const char* what) {
    std::array<float, n> numbers{};
    for (std::size_t i = 0; i < n; ++i) {
        const std::string_view word = take_word(line);
        if (word.empty()) {
            if (i < needed)
                faults_.add(std::string(what) + " has " + std::to_string(i) + " numbers; it needs " +
                                std::to_string(needed),
                            line_);
            break;
        }
        const auto number = parse_number(word);
        if (!number) {
            faults_.add(quote(word) + " is not a number", line_);
            break;
        }
        numbers[i] = static_cast<float>(*number);
    }
    return numbers;
}

void ObjReader::read_vertex(std::string_view line) {
    const auto [x, y, z] = read_numbers<3>(line, 3, "a vertex");
    const Vec3 p = {x, y, z};
    mesh_.positions.push_back(p); // also if it is at fault, so that later indices count right
    if (!is_finite(p))
        faults_.add("vertex " + std::to_string(mesh_.positions.size()) + " is at " + to_text(p) +
                        "; coordinates must be finite",
                    line_);
}

void ObjReader::read_texture_coordinate(std::string_view line) {
    const auto uv = read_numbers<2>(line, 1, "a texture coordinate");
    texture_coordinates_.push_back(uv);
    if (!std::isfinite(uv[0]) || !std::isfinite(uv[1])) faults_.add("a texture coordinate is not finite", line_);
}

std::int64_t ObjReader::read_index(std::string_view word, std::size_t count, const char* what) {
    const auto number = parse_integer(word);
    if (!number)
        faults_.add(quote(word) + " is not the number of a " + what, line_);
    else if (*number == 0)
        faults_.add(std::string(what) + " 0 does not exist; OBJ files count from 1", line_);
    else if (*number < -static_cast<std::int64_t>(count))
        faults_.add(std::string(what) + " " + std::to_string(*number) + " does not exist; there are " +
                        std::to_string(count) + " above this line",
                    line_);
    else
        return *number > 0 ? *number - 1 : static_cast<std::int64_t>(count) + *number;
    return none;
}

void ObjReader::read_face(std::string_view line) {
    faces_.push_back({line_, corners_.size()});
    for (std::string_view word = take_word(line); !word.empty(); word = take_word(line)) {
        // v, v/vt, v//vn or v/vt/vn; normals are not needed
        const std::size_t slash = word.find('/');
        Corner corner = {read_index(word.substr(0, slash), mesh_.positions.size(), "vertex"), none};
        word.remove_prefix(std::min(slash, word.size() - 1) + 1);
        const std::string_view texture = word.substr(0, word.find('/'));
        if (!texture.empty()) corner.texture = read_index(texture, texture_coordinates_.size(), "texture coordinate");
        corners_.push_back(corner);
    }
    const std::size_t n = corners_.size() - faces_.back().first_corner;
    if (n < 3) faults_.add("a face has " + std::to_string(n) + " corners; it needs 3 or more", line_);
}

bool ObjReader::exists(std::int64_t index, std::size_t count, int line, const char* what) {
    if (index == none) return false;
    if (index < static_cast<std::int64_t>(count)) return true;
    faults_.add(std::string(what) + " " + std::to_string(index + 1) + " does not exist; the file has " +
                    std::to_string(count),
                line);
    return false;
}

void ObjReader::build_triangles() {
    std::vector<bool> has_uv(mesh_.positions.size());
    if (!texture_coordinates_.empty()) mesh_.uv.resize(mesh_.positions.size());
    std::vector<Index> polygon;
    for (std::size_t f = 0; f < faces_.size(); ++f) {
        const std::size_t end = f + 1 < faces_.size() ? faces_[f + 1].first_corner : corners_.size();
        polygon.clear();
        for (std::size_t c = faces_[f].first_corner; c < end; ++c) {
            const auto [vertex, texture] = corners_[c];
            if (!exists(vertex, mesh_.positions.size(), faces_[f].line, "vertex")) continue;
            const auto v = static_cast<Index>(vertex);
            polygon.push_back(v);
            if (!exists(texture, texture_coordinates_.size(), faces_[f].line, "texture coordinate") || has_uv[v])
                continue;
            mesh_.uv[v] = texture_coordinates_[static_cast<std::size_t>(texture)];
            has_uv[v] = true;
        }
        add_fan(polygon, mesh_.triangles);
    }
    if (std::ranges::find(has_uv, true) == has_uv.end()) mesh_.uv.clear();
}

void append_number(std::string& text, float number) {
    char digits[32];
    // Nine digits tell any two floats apart.
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, number, std::chars_format::general, 9);
    text += ' ';
    text.append(digits, end);
}

} // namespace

Result<Mesh> read_obj(std::string_view text, const std::string& name) {
    return ObjReader(name).read(text);
}

Result<Done> write_obj(const std::filesystem::path& file, const Mesh& mesh) {
    std::string text = "# Taffeta\n";
    for (const Vec3& p : mesh.positions) {
        text += 'v';
        for (const float number : {p.x, p.y, p.z}) append_number(text, number);
        text += '\n';
    }
    for (const auto& uv : mesh.uv) {
        text += "vt";
        for (const float number : uv) append_number(text, number);
        text += '\n';
    }
    for (const Triangle& triangle : mesh.triangles) {
        text += 'f';
        for (const Index vertex : triangle) {
            const std::string number = std::to_string(vertex + 1);
            text += ' ' + number;
            if (!mesh.uv.empty()) text += '/' + number;
        }
        text += '\n';
    }
    Result<AtomicFile> out = AtomicFile::create(file);
    if (!out) return out.faults();
    out->write(text);
    return out->commit();
}

} // namespace taffeta::io
