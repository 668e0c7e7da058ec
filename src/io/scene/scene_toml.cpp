// Reading scenes. The tables of the file are matched against the description in scene_keys.h; what the description
// does not know is a fault. Here only form is judged: types, lengths, words, files. Ranges are check()'s.
#include "io/mesh/mesh_files.h"
#include "io/scene/builtin_fabrics.h"
#include "io/scene/scene_document.h"
#include "io/scene/scene_keys.h"
#include "io/scene/scene_values.h"

#include <taffeta/io.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace taffeta::io {

namespace {

template <class T>
concept Scalar = requires(const toml::node& node, T& out) {
    convert(node, out);
};

template <class T>
constexpr bool is_optional = false;
template <class T>
constexpr bool is_optional<std::optional<T>> = true;
template <class T>
constexpr bool is_list = false;
template <class T>
constexpr bool is_list<std::vector<T>> = true;

std::string listed(std::span<const std::string_view> words, std::string_view last_joint = ", ") {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (i > 0) text += i + 1 == words.size() ? last_joint : ", ";
        text += words[i];
    }
    return text;
}

std::string quoted(std::string_view word) {
    return is_boolean(word) ? std::string(word) : toml_text(word);
}

// --- meshes

// To metres and Y up.
Affine to_scene(const FileHeader& header) {
    const double scale = header.units == Units::mm ? 0.001 : header.units == Units::cm ? 0.01 : 1.0;
    if (header.up_axis == UpAxis::z) return {{Vec3d{scale, 0, 0}, Vec3d{0, 0, scale}, Vec3d{0, -scale, 0}}, {}};
    return {{Vec3d{scale, 0, 0}, Vec3d{0, scale, 0}, Vec3d{0, 0, scale}}, {}};
}

// --- tables

// What all tables of one file share.
struct Reading {
    SceneDocument& document;
    const std::filesystem::path& folder;
    FileHeader header;
};

// Reads the keys of one table as they are described, then finds those that were not.
class TableReader {
public:
    TableReader(Reading& reading, const toml::table& table, std::string path)
        : reading_(reading), table_(table), path_(std::move(path)) {}

    template <class T>
    void value(std::string_view name, T& field, std::string_view note = "") {
        if (const toml::node* node = find(name)) read(*node, key(name), field, note);
    }

    template <class T, class Field, std::size_t n>
    void choice(std::string_view name, Field& field, const Choice<T> (&choices)[n], std::string_view note = "",
                Names planned = {});

    template <class Variant>
    void either(Names names, Variant& field, HowMany how_many);

    void exclusive(std::string_view name, std::string_view other);
    void belongs(Names names, std::string_view selector);
    void body(BodyMesh& body);
    void preset(std::string_view name, Fabric& fabric);

    template <class Describe>
    void section(std::string_view name, Describe&& describe_section) {
        const toml::node* node = find(name);
        if (node && expect_table(*node, key(name), "[" + std::string(name) + "]"))
            read_table(*node->as_table(), key(name), describe_section);
    }
    template <class T>
    void sections(std::string_view name, std::vector<T>& list);
    void named_sections(std::string_view name, std::vector<Fabric>& list);

    // Keys that no description asked for.
    void finish();

private:
    std::string key(std::string_view name) const {
        return path_.empty() ? std::string(name) : path_ + "." + std::string(name);
    }
    const toml::node* find(std::string_view name) {
        known_.push_back(name);
        return table_.get(name);
    }
    bool knows(std::string_view name) const { return std::find(known_.begin(), known_.end(), name) != known_.end(); }
    void fault(const std::string& key, const std::string& problem, const toml::node& found,
               const std::string& remedy = "") {
        reading_.document.add_fault(key, printable(key) + " " + problem + ", found " + value_text(found) +
                                             (remedy.empty() ? "" : "; " + remedy));
    }
    bool expect_table(const toml::node& node, const std::string& key, std::string_view form) {
        if (!node.is_table()) fault(key, "must be a table, " + std::string(form), node);
        return node.is_table();
    }
    template <class Describe>
    void read_table(const toml::table& table, const std::string& key, Describe&& describe_table) {
        TableReader reader(reading_, table, key);
        describe_table(reader);
        reader.finish();
    }
    template <class T>
    void read(const toml::node& node, const std::string& key, T& field, std::string_view note = "");
    template <class T>
    void read_scalar(const toml::node& node, const std::string& key, T& field, std::string_view note);
    void read_mesh_shape(const toml::node& node, const std::string& key, MeshShape& shape);
    bool read_body_files(const BodyFiles& files, BodyMesh& body);
    template <class Recipe>
    void make_body(Recipe recipe, Faults (*check_recipe)(const Recipe&), BodyMesh (*make)(const Recipe&),
                   BodyMesh& body);
    // The mesh file that a key names; nothing after a fault.
    std::optional<std::filesystem::path> find_mesh_file(const toml::node& node, const std::string& key,
                                                        const std::string& path);

    Reading& reading_;
    const toml::table& table_;
    std::string path_;
    std::vector<std::string_view> known_;
    std::vector<std::string_view> foreign_; // known, but of other alternatives: not to be suggested
};

template <class T>
void TableReader::read(const toml::node& node, const std::string& key, T& field, std::string_view note) {
    if constexpr (is_optional<T>) {
        read(node, key, field.emplace(), note);
    } else if constexpr (is_list<T>) {
        const toml::array* list = node.as_array();
        if (!list) return fault(key, "must be a list, [ ... ]", node);
        // An entry with a fault keeps its place, so that the numbers in later keys are those of the file.
        for (std::size_t i = 0; i < list->size(); ++i)
            read((*list)[i], key + "." + std::to_string(i), field.emplace_back());
    } else if constexpr (Scalar<T>) {
        read_scalar(node, key, field, note);
    } else if constexpr (std::same_as<T, MeshShape>) {
        read_mesh_shape(node, key, field);
    } else if (expect_table(node, key, "{ ... }")) {
        read_table(*node.as_table(), key, [&](TableReader& keys) { describe(keys, field); });
    }
}

template <class T>
void TableReader::read_scalar(const toml::node& node, const std::string& key, T& field, std::string_view note) {
    T value = field;
    const Fit fit = convert(node, value);
    if (fit == Fit::yes) {
        field = std::move(value);
        return;
    }
    std::string problem = (fit == Fit::out_of_range ? "is out of range: it must be " : "must be ") + wanted(field);
    if (!note.empty()) problem += " (" + std::string(note) + ")";
    if (fit == Fit::out_of_range) (problem += ", ") += limits(field);
    fault(key, problem, node);
}

void TableReader::read_mesh_shape(const toml::node& node, const std::string& key, MeshShape& shape) {
    if (!node.is_string()) return fault(key, "must be the path of a mesh file in quotes, like \"shirt.obj\"", node);
    shape.path = node.as_string()->get();
    const auto file = find_mesh_file(node, key, shape.path);
    if (!file) return;
    auto mesh = read_mesh(*file);
    if (!mesh) {
        for (const Fault& problem : mesh.faults()) reading_.document.pass_on(key, problem);
        return;
    }
    shape.mesh = std::move(*mesh);
    place_in_scene(to_scene(reading_.header), shape.mesh.positions);
}

std::optional<std::filesystem::path> TableReader::find_mesh_file(const toml::node& node, const std::string& key,
                                                                 const std::string& path) {
    const std::filesystem::path file = reading_.folder / path;
    std::error_code error;
    if (std::filesystem::is_regular_file(file, error)) return file;
    fault(key, "must be a mesh file (.obj, .ply, .glb or .gltf)", node,
          "there is no file " + printable(file.string()) + "; paths are relative to the scene file");
    return std::nullopt;
}

template <class Recipe>
void TableReader::make_body(Recipe recipe, Faults (*check_recipe)(const Recipe&), BodyMesh (*make)(const Recipe&),
                            BodyMesh& body) {
    describe(*this, recipe);
    const Faults faults = check_recipe(recipe);
    for (const Fault& problem : faults)
        if (reading_.document.is_trusted(key(problem.key)))
            reading_.document.add_fault(key(problem.key), printable(key(problem.message)));
    if (faults.empty())
        body = make(recipe);
    else
        reading_.document.distrust(key("mesh")); // check() finds no triangles
}

void TableReader::body(BodyMesh& body) {
    const std::string shape = table_["shape"].value_or<std::string>("");
    if (shape == "figure") return make_body(Figure{}, check_figure, make_figure, body);
    if (shape == "ring") return make_body(Ring{}, check_ring, make_ring, body);
    BodyFiles files;
    describe(*this, files);
    if (!files.mesh && !files.frames)
        reading_.document.add_fault(path_, printable(path_) +
                                               " must have one of the keys mesh and frames, found none of them");
    if (files.frame_rate && !files.frames)
        fault(key("frame_rate"), "belongs to frames, which are not given", *table_.get("frame_rate"), "remove it");
    const Names sources = {"mesh", "clip", "frames"};
    const auto is_trusted = [&](std::string_view name) { return reading_.document.is_trusted(key(name)); };
    if (std::all_of(sources.begin(), sources.end(), is_trusted) && read_body_files(files, body)) return;
    for (const std::string_view name : sources) reading_.document.distrust(key(name)); // check() finds no triangles
}

bool TableReader::read_body_files(const BodyFiles& files, BodyMesh& body) {
    const std::string_view name = files.frames ? "frames" : "mesh";
    const std::string path = files.frames ? *files.frames : *files.mesh;
    const auto file = files.frames ? reading_.folder / path : find_mesh_file(*table_.get(name), key(name), path);
    if (!file) return false;
    const float frame_rate = files.frame_rate.value_or(BodyFrames{}.frame_rate);
    Result<BodyMesh> found = files.frames ? read_body_frames(*file, frame_rate, to_scene(reading_.header))
                                          : read_body(*file, files.clip, to_scene(reading_.header));
    if (found) {
        body = std::move(*found);
        body.path = path;
        return true;
    }
    for (const Fault& problem : found.faults()) {
        const std::string_view at = problem.key.empty() ? name : problem.key;
        if (problem.file.empty()) // the choice of files, not what is in one
            fault(key(at), printable(problem.message), *table_.get(at));
        else
            reading_.document.pass_on(key(name), problem);
    }
    return false;
}

template <class T, class Field, std::size_t n>
void TableReader::choice(std::string_view name, Field& field, const Choice<T> (&choices)[n], std::string_view,
                         Names planned) {
    const toml::node* node = find(name);
    if (!node) return;
    const std::optional<bool> boolean = node->value_exact<bool>();
    const std::string word = boolean ? (*boolean ? "true" : "false") : node->value_exact<std::string>().value_or("");
    std::vector<std::string> allowed;
    for (const Choice<T>& option : choices) {
        if (option.word == word && is_boolean(option.word) == boolean.has_value()) {
            field = option.value;
            return;
        }
        allowed.push_back(quoted(option.word));
    }
    const std::string words = listed(std::vector<std::string_view>(allowed.begin(), allowed.end()), " or ");
    if (!boolean && std::find(planned.begin(), planned.end(), word) != planned.end())
        reading_.document.add_fault(key(name), key(name) + " is not available in this version as " + toml_text(word) +
                                                   "; use " + words);
    else
        fault(key(name), "must be " + words, *node);
}

template <class Variant>
void TableReader::either(Names names, Variant& field, HowMany how_many) {
    std::string_view given;
    const toml::node* first = nullptr;
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string_view name = names.begin()[i];
        const toml::node* node = find(name);
        if (!node) continue;
        if (first) {
            fault(key(name), "must not be given together with " + std::string(given), *node,
                  "keep one of " + listed(names, " and "));
            continue;
        }
        first = node;
        given = name;
        [&]<std::size_t... nth>(std::index_sequence<nth...>) {
            (void)((nth == i && (field.template emplace<nth>(), true)) || ...);
        }
        (std::make_index_sequence<std::variant_size_v<Variant>>());
        std::visit([&](auto& alternative) { read(*node, key(name), alternative); }, field);
    }
    if (!first && how_many == HowMany::exactly_one)
        reading_.document.add_fault(path_, printable(path_) + " must have one of the keys " + listed(names, " and ") +
                                               ", found none of them");
}

void TableReader::exclusive(std::string_view name, std::string_view other) {
    const toml::node* node = table_.get(name);
    if (!node || !table_.contains(other)) return;
    fault(key(name), "must not be given together with " + std::string(other), *node, "remove one of them");
    reading_.document.distrust(key(other));
}

void TableReader::belongs(Names names, std::string_view selector) {
    std::vector<std::string_view> own;
    std::copy_if(names.begin(), names.end(), std::back_inserter(own), [&](auto name) { return knows(name); });
    const bool is_selected = reading_.document.is_trusted(key(selector));
    const toml::node* selected = table_.get(selector);
    for (const std::string_view name : names) {
        if (knows(name)) continue;
        const toml::node* node = table_.get(name);
        foreign_.push_back(name);
        known_.push_back(name);
        if (!node || !is_selected) continue;
        const std::string owner =
            selected ? std::string(selector) + " " + value_text(*selected) : "the default " + std::string(selector);
        fault(key(name), "does not belong to " + owner + ", which has " + listed(own, " and "), *node, "remove it");
    }
}

void TableReader::preset(std::string_view name, Fabric& fabric) {
    const toml::node* node = find(name);
    if (!node) return;
    const std::string at = key(name);
    if (!node->is_string())
        return fault(at, "must be the name of a built-in fabric or the path of a fabric file, in quotes", *node);
    std::string wish = node->as_string()->get();
    if (is_fabric_path(wish)) {
        const std::filesystem::path file = reading_.folder / wish;
        std::error_code error;
        if (!std::filesystem::is_regular_file(file, error))
            return fault(at, "must be a built-in fabric or a fabric file", *node,
                         "there is no file " + printable(file.string()) + "; paths are relative to the scene file");
        wish = file.string();
    }
    const Result<FabricFile> file = open_fabric(wish);
    if (file) {
        std::string own_name = std::move(fabric.name);
        fabric = file->fabric;
        fabric.name = std::move(own_name);
        return;
    }
    for (const Fault& problem : file.faults()) {
        if (problem.file.empty()) // no such fabric
            reading_.document.add_fault(at, printable(at) + " " + problem.message);
        else
            reading_.document.pass_on(at, problem);
    }
}

template <class T>
void TableReader::sections(std::string_view name, std::vector<T>& list) {
    const toml::node* node = find(name);
    if (!node) return;
    const std::string header = std::string(name);
    if (!node->is_array())
        return fault(header, "must be a list of tables, each under the header [[" + header + "]]", *node);
    read(*node, header, list);
}

void TableReader::named_sections(std::string_view name, std::vector<Fabric>& list) {
    const toml::node* node = find(name);
    if (!node || !expect_table(*node, key(name), "[" + std::string(name) + ".NAME]")) return;

    // The parser sorts tables by name; the scene has them in the order of the file.
    struct Entry {
        std::string name;
        const toml::node* node;
        std::int64_t order;
    };
    std::vector<Entry> entries;
    for (const auto& [entry_key, entry] : *node->as_table()) {
        const std::string entry_name(entry_key.str());
        entries.push_back({entry_name, &entry, reading_.document.order_of(key(name) + "." + entry_name)});
    }
    std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
    for (const Entry& entry : entries) {
        list.emplace_back().name = entry.name;
        read(*entry.node, key(name) + "." + entry.name, list.back());
    }
}

void TableReader::finish() {
    std::vector<std::string_view> allowed;
    std::copy_if(known_.begin(), known_.end(), std::back_inserter(allowed),
                 [&](auto name) { return std::find(foreign_.begin(), foreign_.end(), name) == foreign_.end(); });
    for (const auto& [entry_name, node] : table_) {
        const std::string_view name = entry_name.str();
        if (knows(name)) continue;
        const std::string_view meant = closest(name, allowed);
        const std::string advice = meant.empty() ? "" : "did you mean " + printable(key(meant)) + "? ";
        fault(key(name), "is not a known key", node, advice + "allowed here: " + listed(allowed));
    }
}

// --- scenes

// Faults of values, but for those of keys that have one already.
void add_new_faults(SceneDocument& document, Faults faults) {
    std::erase_if(faults, [&](const Fault& fault) { return !document.is_trusted(fault.key); });
    for (const Fault& fault : faults) document.add_fault(fault.key, printable(fault.message));
}

// check() cannot know what the reader could not read: faults that only follow from those already found are dropped.
void add_range_faults(SceneDocument& document, const SceneDesc& scene) {
    const bool are_fabrics_known = document.is_trusted("fabric") || !scene.fabrics.empty();
    bool are_vertices_known = true;
    for (std::size_t i = 0; i < scene.cloths.size(); ++i) {
        const std::string cloth = "cloth." + std::to_string(i);
        if (!are_fabrics_known) document.distrust(cloth + ".fabric");
        for (const char* shape : {".grid", ".disk", ".mesh", ".trousers"}) {
            if (document.is_trusted(cloth + shape)) continue;
            document.distrust(cloth + ".pins");
            are_vertices_known = false;
        }
    }
    for (std::size_t i = 0; i < scene.grabs.size() && !are_vertices_known; ++i)
        document.distrust("grab." + std::to_string(i) + ".vertex");

    add_new_faults(document, check(scene));
}

// The text of a file that should hold a scene or a fabric.
Result<std::string> read_text(const std::filesystem::path& file, const std::string& kind) {
    constexpr std::size_t most_bytes = std::size_t{64} << 20; // of any file that could be one
    const std::string name = file.string();
    std::error_code error;
    if (std::filesystem::is_directory(file, error))
        return Fault{"this is a folder, not a " + kind + " file; give the path of a .toml file", "", name, 0};
    std::ifstream stream(file, std::ios::binary);
    if (!stream) return Fault{"cannot open the " + kind + " file; check its path and that it may be read", "", name, 0};
    std::string text;
    std::array<char, 1 << 16> block;
    while (stream.read(block.data(), block.size()) || stream.gcount() > 0) {
        text.append(block.data(), static_cast<std::size_t>(stream.gcount()));
        if (text.size() > most_bytes)
            return Fault{"the file is larger than 64 MiB; this is not a " + kind, "", name, 0};
    }
    if (stream.bad()) return Fault{"cannot read the " + kind + " file to its end", "", name, 0};
    return text;
}

} // namespace

Result<SceneDesc> read_scene_text(std::string_view text, const std::string& name, const std::filesystem::path& folder,
                                  const std::vector<Override>& overrides) {
    auto document = SceneDocument::parse(text, name);
    if (!document) return document.faults();
    for (const Override& change : overrides) document->set(change);

    SceneDesc scene;
    Reading reading{*document, folder, {}};
    TableReader keys(reading, document->root(), "");
    describe(keys, scene, reading.header);
    keys.finish();

    if (reading.header.version != 1)
        document->add_fault("version", "version must be 1, the only one there is, found " +
                                           std::to_string(reading.header.version));
    add_range_faults(*document, scene);
    if (document->has_faults()) return document->take_faults();
    return scene;
}

Result<SceneDesc> read_scene(const std::filesystem::path& file, const std::vector<Override>& overrides) {
    const Result<std::string> text = read_text(file, "scene");
    if (!text) return text.faults();
    return read_scene_text(*text, file.string(), file.parent_path(), overrides);
}

// --- fabrics

Result<FabricFile> read_fabric_text(std::string_view text, const std::string& name) {
    auto document = SceneDocument::parse(text, name);
    if (!document) return document.faults();
    FabricFile file;
    file.fabric.name = std::filesystem::path(name).stem().string();
    const std::filesystem::path no_folder;
    Reading reading{*document, no_folder, {}};
    TableReader keys(reading, document->root(), "");
    describe(keys, file);
    keys.finish();
    add_new_faults(*document, check_fabric(file.fabric));
    if (document->has_faults()) return document->take_faults();
    return file;
}

Result<FabricFile> read_fabric(const std::filesystem::path& file) {
    const Result<std::string> text = read_text(file, "fabric");
    if (!text) return text.faults();
    return read_fabric_text(*text, file.string());
}

} // namespace taffeta::io
