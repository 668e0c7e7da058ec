#include "io/mesh/mesh_files.h"

#include "io/mesh/gltf.h"
#include "io/mesh/obj.h"
#include "io/mesh/ply.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <memory>
#include <system_error>

namespace taffeta::io {

namespace {

namespace fs = std::filesystem;

Fault unknown_ending(const fs::path& file, const std::string& verb, const std::string& endings) {
    const std::string found = ending(file);
    const std::string what = found.empty() ? "the name has no ending that tells the format"
                                           : "meshes cannot be " + verb + " as " + quote(found);
    return {what + "; use " + endings, {}, file.string()};
}

template <class Number>
std::optional<Number> parse(std::string_view word) {
    if (word.starts_with('+') && !word.starts_with("+-")) word.remove_prefix(1);
    Number number{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    if (error != std::errc{} || end != word.data() + word.size()) return std::nullopt;
    return number;
}

} // namespace

std::string ending(const fs::path& file) {
    std::string text = file.extension().string();
    std::ranges::transform(text, text.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
    return text;
}

Result<std::string> read_file(const fs::path& file) {
    const auto fault = [&](const std::string& message) { return Fault{message, {}, file.string()}; };
    std::error_code error;
    const fs::file_status status = fs::status(file, error);
    if (!fs::exists(status)) return fault("there is no such file");
    if (!fs::is_regular_file(status)) return fault("is not a file that can be read");

    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "rb"), std::fclose);
    if (!stream) return fault("cannot be opened: " + std::generic_category().message(errno));
    std::string bytes;
    if (const auto size = fs::file_size(file, error); !error) bytes.reserve(static_cast<std::size_t>(size));
    char block[65536];
    while (const std::size_t n = std::fread(block, 1, sizeof block, stream.get())) bytes.append(block, n);
    if (std::ferror(stream.get())) return fault("cannot be read to its end: " + std::generic_category().message(errno));
    return bytes;
}

std::optional<double> parse_number(std::string_view word) {
    return parse<double>(word);
}

std::optional<std::int64_t> parse_integer(std::string_view word) {
    return parse<std::int64_t>(word);
}

std::string_view take_word(std::string_view& text) {
    constexpr std::string_view blanks = " \t\r\v\f";
    text.remove_prefix(std::min(text.find_first_not_of(blanks), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(blanks));
    text.remove_prefix(word.size());
    return word;
}

std::string quote(std::string_view word) {
    constexpr std::size_t longest = 40;
    std::string text(word.substr(0, longest));
    std::ranges::replace_if(
        text, [](char c) { return (c >= 0 && c < ' ') || c == '\x7f'; }, '?');
    return '"' + text + (word.size() > longest ? "...\"" : "\"");
}

std::string to_text(double number) {
    char text[32];
    const auto [end, error] = std::to_chars(text, text + sizeof text, number, std::chars_format::general, 10);
    return {text, end};
}

std::string to_text(const Vec3& p) {
    const auto text = [](float number) { return to_text(static_cast<double>(number)); };
    return "(" + text(p.x) + ", " + text(p.y) + ", " + text(p.z) + ")";
}

void FaultList::add(std::string message, int line) {
    if (faults_.size() < max_faults)
        faults_.push_back({std::move(message), {}, file_, line});
    else
        ++left_out_;
}

Faults FaultList::take() {
    std::ranges::stable_sort(faults_, {}, &Fault::line);
    if (left_out_ > 0) faults_.push_back({"... and " + std::to_string(left_out_) + " more", {}, file_});
    return std::move(faults_);
}

void place_in_scene(const Affine& to_scene, std::vector<Vec3>& positions) {
    if (to_scene == Affine{}) return;
    for (Vec3& p : positions) p = vector_cast<float>(to_scene * vector_cast<double>(p));
}

Result<Mesh> read_mesh(const fs::path& file) {
    const std::string format = ending(file);
    const bool is_gltf = format == ".glb" || format == ".gltf";
    if (format != ".obj" && format != ".ply" && !is_gltf)
        return unknown_ending(file, "read", ".obj, .ply, .glb or .gltf");
    const Result<std::string> bytes = read_file(file);
    if (!bytes) return bytes.faults();
    if (is_gltf) return read_gltf(*bytes, file.string(), file.parent_path());
    return format == ".obj" ? read_obj(*bytes, file.string()) : read_ply(*bytes, file.string());
}

Result<Done> write_mesh(const fs::path& file, const Mesh& mesh) {
    const std::string format = ending(file);
    if (format == ".obj") return write_obj(file, mesh);
    if (format == ".ply") return write_ply(file, mesh);
    return unknown_ending(file, "written", ".obj or .ply");
}

} // namespace taffeta::io
