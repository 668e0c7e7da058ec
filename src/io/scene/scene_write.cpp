// Writing scenes, by the same description that reads them (scene_keys.h).
#include "io/scene/scene_keys.h"

#include <taffeta/io.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

namespace taffeta::io {

namespace {

std::string text_of(bool value) {
    return value ? "true" : "false";
}
std::string text_of(int value) {
    return std::to_string(value);
}
std::string text_of(Index value) {
    return std::to_string(value);
}
std::string text_of(float value) {
    return toml_text(value);
}
std::string text_of(double value) {
    return toml_text(value);
}
std::string text_of(const Colour& value) {
    return toml_text(value);
}
std::string text_of(const std::string& value) {
    return toml_text(value);
}
std::string text_of(const MeshShape& value) {
    return toml_text(value.path);
}
std::string text_of(const CornerPin& value) {
    return toml_text(value.corner);
}

// [a, b], or an entry per line if that gets too long.
std::string list_of(const std::vector<std::string>& entries) {
    constexpr std::size_t longest_line = 90;
    std::string line, lines;
    for (const std::string& entry : entries) {
        (line += line.empty() ? "" : ", ") += entry;
        lines += "    " + entry + ",\n";
    }
    return line.size() <= longest_line || entries.size() < 2 ? "[" + line + "]" : "[\n" + lines + "]";
}

std::string text_of(const Vec3& value) {
    return list_of({text_of(value.x), text_of(value.y), text_of(value.z)});
}
std::string text_of(const GrabDesc::Key& key) {
    return list_of({text_of(key.t), text_of(key.position.x), text_of(key.position.y), text_of(key.position.z)});
}
std::string text_of(const BoxPin& box) {
    return list_of({text_of(box.low), text_of(box.high)});
}
template <class T>
std::string text_of(const std::array<T, 2>& value) {
    return list_of({text_of(value[0]), text_of(value[1])});
}
template <class T>
std::string text_of(const std::vector<T>& values);
std::string text_of(const VertexPin& pin) {
    return text_of(pin.vertices);
}

// Everything else has keys of its own: { key = value, ... }.
template <class T>
    requires std::is_class_v<T> std::string text_of(const T& value);

template <class T>
bool is_chosen(const T& field, const T& value) {
    return field == value;
}
bool is_chosen(const std::string& field, std::string_view value) {
    return field == value;
}
bool is_chosen(const ColliderShape& field, const ColliderShape& value) {
    return field.index() == value.index();
}

// Collects the lines of one table and, below them, its sections.
class TableWriter {
public:
    template <class T>
    void value(std::string_view name, const T& field, std::string_view note = "") {
        lines_.push_back({std::string(name), text_of(field), std::string(note)});
    }
    template <class T>
    void value(std::string_view name, const std::optional<T>& field, std::string_view note = "") {
        if (field) value(name, *field, note);
    }

    template <class T, class Field, std::size_t n>
    void choice(std::string_view name, const Field& field, const Choice<T> (&choices)[n], std::string_view note = "",
                Names = {}) {
        const auto chosen =
            std::find_if(choices, choices + n, [&](const auto& choice) { return is_chosen(field, choice.value); });
        if (chosen == choices + n) return;
        const std::string word(chosen->word);
        std::string words;
        for (const auto& option : choices) (words += words.empty() ? "" : " | ") += option.word;
        if (!note.empty()) words = std::string(note) + ": " + words;
        lines_.push_back({std::string(name), is_boolean(word) ? word : toml_text(word), n > 1 ? words : ""});
    }

    template <class Variant>
    void either(Names names, const Variant& field, HowMany) {
        std::visit([&](const auto& alternative) { value(names.begin()[field.index()], alternative); }, field);
    }

    void exclusive(std::string_view, std::string_view) {}
    void belongs(Names, std::string_view) {}
    void preset(std::string_view, const Fabric&) {} // its values are written
    void body(const BodyMesh& body);

    template <class Describe>
    void section(std::string_view name, Describe&& describe_section) {
        add_section("[" + std::string(name) + "]", describe_section, Empty::left_out);
    }
    template <class T>
    void sections(std::string_view name, const std::vector<T>& list) {
        for (const T& entry : list)
            add_section(
                "[[" + std::string(name) + "]]", [&](auto& keys) { describe(keys, entry); }, Empty::written);
    }
    void named_sections(std::string_view name, const std::vector<Fabric>& list) {
        for (const Fabric& fabric : list)
            add_section(
                "[" + std::string(name) + "." + toml_key(fabric.name) + "]",
                [&](auto& keys) { describe(keys, fabric); }, Empty::written);
    }

    std::string inline_table() const;
    std::string block() const;

private:
    enum class Empty { left_out, written };
    struct Line {
        std::string key, value, note;
    };

    template <class Describe>
    void add_section(const std::string& header, Describe&& describe_section, Empty empty) {
        TableWriter writer;
        describe_section(writer);
        if (writer.lines_.empty() && empty == Empty::left_out) return;
        sections_ += "\n" + header + "\n" + writer.block();
    }

    std::vector<Line> lines_;
    std::string sections_;
};

void TableWriter::body(const BodyMesh& body) {
    BodyFiles files;
    const auto* frames = std::get_if<BodyFrames>(&body.deformation);
    (frames ? files.frames : files.mesh) = body.path;
    if (frames) files.frame_rate = frames->frame_rate;
    if (const auto* skin = std::get_if<BodySkin>(&body.deformation)) files.clip = skin->clip;
    describe(*this, files);
}

std::string TableWriter::inline_table() const {
    std::string text;
    for (const Line& line : lines_) text += (text.empty() ? "" : ", ") + line.key + " = " + line.value;
    return text.empty() ? "{}" : "{ " + text + " }";
}

// Equal signs below each other, and notes too where the values are short.
std::string TableWriter::block() const {
    constexpr std::size_t note_column = 18;
    std::size_t key_width = 0;
    for (const Line& line : lines_) key_width = std::max(key_width, line.key.size());
    std::string text;
    for (const Line& line : lines_) {
        text += line.key + std::string(key_width - line.key.size(), ' ') + " = " + line.value;
        if (!line.note.empty()) {
            const std::size_t used = std::min(line.value.size(), note_column);
            text += std::string(note_column - used, ' ') + "  # " + line.note;
        }
        text += "\n";
    }
    return text + sections_;
}

template <class T>
std::string text_of(const std::vector<T>& values) {
    std::vector<std::string> entries;
    for (const T& value : values) entries.push_back(text_of(value));
    return list_of(entries);
}

template <class T>
    requires std::is_class_v<T> std::string text_of(const T& value) {
        TableWriter keys;
        describe(keys, value);
        return keys.inline_table();
    }

} // namespace

std::string scene_to_toml(const SceneDesc& scene) {
    const FileHeader header;
    TableWriter keys;
    describe(keys, scene, header);
    return keys.block();
}

std::string fabric_to_toml(const FabricFile& file) {
    TableWriter keys;
    describe(keys, file);
    return keys.block();
}

} // namespace taffeta::io
