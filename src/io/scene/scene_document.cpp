#include "io/scene/scene_document.h"

#include "io/scene/scene_keys.h"
#include "io/scene/scene_values.h"

#include <algorithm>
#include <charconv>
#include <exception>
#include <limits>
#include <optional>
#include <utility>

namespace taffeta::io {

namespace {

constexpr std::int64_t after_all_lines = std::numeric_limits<std::int64_t>::max();

// Tables nest as deep as keys have dots, and their destructors recurse: unlimited depth overflows the stack.
// The format itself needs four levels; the parser limits lists and inline tables by itself.
constexpr int max_key_dots = 16;

// Index just after the string that starts at `at`; `line` counts the line breaks within it.
std::size_t skip_string(std::string_view text, std::size_t at, int& line) {
    const char quote = text[at];
    const std::string triple(3, quote);
    const bool is_long = text.substr(at, 3) == triple;
    at += is_long ? 3 : 1;
    for (; at < text.size(); ++at) {
        if (text[at] == '\\' && quote == '"') {
            ++at;
            if (at < text.size() && text[at] == '\n') ++line;
        } else if (text[at] == '\n') {
            if (!is_long) return at;
            ++line;
        } else if (is_long ? text.substr(at, 3) == triple : text[at] == quote) {
            at += is_long ? 3 : 1;
            // A long string may end in up to two more quotes that belong to it.
            for (int extra = 0; is_long && extra < 2 && at < text.size() && text[at] == quote; ++extra) ++at;
            return at;
        }
    }
    return at;
}

// The line of the first key with too many dots, if any.
std::optional<int> find_deep_key(std::string_view text) {
    int line = 1;
    int dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        if (c == '"' || c == '\'') {
            at = skip_string(text, at, line);
            continue;
        }
        if (c == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (c == '\n') ++line;
        if (c == '.' && ++dots > max_key_dots) return line;
        if (std::string_view("\n,=[]{}").find(c) != std::string_view::npos) dots = 0;
        ++at;
    }
    return std::nullopt;
}

Result<toml::table> parse_toml(std::string_view text, const std::string& name) {
    if (const auto line = find_deep_key(text))
        return Fault{"a key has more than " + std::to_string(max_key_dots) + " dots; no key of a scene nests that deep",
                     "", name, *line};
    try {
        return toml::parse(text, name);
    } catch (const toml::parse_error& error) {
        return Fault{"this is not TOML: " + printable(error.description()), "", name,
                     static_cast<int>(error.source().begin.line)};
    } catch (const std::exception& error) {
        return Fault{"cannot parse this as TOML: " + printable(error.what()), "", name, 0};
    }
}

bool is_number(std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> split_key(std::string_view key) {
    std::vector<std::string> parts(1);
    for (const char c : key) {
        if (c == '.')
            parts.emplace_back();
        else
            parts.back() += c;
    }
    return parts;
}

// The child of a table or list by its name or number; null if there is none.
const toml::node* find_child(const toml::node& node, std::string_view name) {
    if (const toml::table* table = node.as_table()) return table->get(name);
    const toml::array* list = node.as_array();
    if (!list || !is_number(name)) return nullptr;
    std::size_t index = list->size();
    std::from_chars(name.data(), name.data() + name.size(), index);
    return list->get(index);
}

toml::node* find_child(toml::node& node, std::string_view name) {
    return const_cast<toml::node*>(find_child(std::as_const(node), name));
}

// The child named by the start of `key`, which loses that part and its dot.
const toml::node* descend(const toml::node& node, std::string_view& key) {
    const auto starts_key = [&](std::string_view name) {
        return key.starts_with(name) && (key.size() == name.size() || key[name.size()] == '.');
    };
    std::string_view part = key.substr(0, key.find('.'));
    const toml::node* child = find_child(node, part);
    if (const toml::table* table = node.as_table(); table && !child) {
        // A name in quotes may itself contain dots.
        for (const auto& [name, entry] : *table) {
            if (!starts_key(name.str())) continue;
            part = name.str();
            child = &entry;
        }
    }
    key.remove_prefix(std::min(key.size(), part.size() + 1));
    return child;
}

// Why `node`, which stands at `key`, has no place for an entry `name`.
std::string no_such_entry(const toml::node& node, const std::string& key, const std::string& name) {
    const std::string entry = printable(key.empty() ? name : key + "." + name);
    if (node.is_table()) return entry + " is not in the file and so has no entries; add it there, or set it as a whole";
    const toml::array* list = node.as_array();
    if (!list) return entry + " cannot be set; " + printable(key) + " is not a table, found " + value_text(node);
    const std::string range = list->empty() ? "without entries" : "from 0 to " + std::to_string(list->size() - 1);
    return entry + " does not exist; " + printable(key) + " is a list " + range;
}

} // namespace

Result<SceneDocument> SceneDocument::parse(std::string_view text, const std::string& name) {
    auto root = parse_toml(text, name);
    if (!root) return root.faults();
    SceneDocument document;
    document.name_ = name;
    document.root_ = std::move(*root);
    return document;
}

void SceneDocument::set(const Override& change) {
    const std::vector<std::string> parts = split_key(change.key);
    if (std::find(parts.begin(), parts.end(), "") != parts.end() || parts.size() > max_key_dots)
        return reject(change, "this is not the key of a value; it should look like solver.iterations=8");

    // Nodes of the value carry this name as their file, so that faults in them are told from those of the scene.
    const std::string source = "--set " + printable(change.key + "=" + change.value);
    auto holder = parse_toml("value = " + change.value, source);
    if (!holder || holder->size() != 1) {
        holder = parse_toml("value = " + toml_text(change.value), source);
        if (!holder) return reject(change, holder.faults().front().message);
    }

    toml::node* parent = &root_;
    std::string path;
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        toml::node* child = find_child(*parent, parts[i]);
        toml::table* table = parent->as_table();
        const bool names_last_entry = i + 2 == parts.size(); // a list of numbers keeps its other entries
        if (!child && table && (!is_number(parts[i + 1]) || names_last_entry))
            child = &table->insert_or_assign(parts[i], std::move(*parse_toml("", source))).first->second;
        if (!child) return reject(change, no_such_entry(*parent, path, parts[i]));
        path += (path.empty() ? "" : ".") + parts[i];
        parent = child;
    }
    if (!parent->is_table() && !find_child(*parent, parts.back()))
        return reject(change, no_such_entry(*parent, path, parts.back()));
    std::move(*holder->get("value")).visit([&](auto&& value) {
        if (toml::table* table = parent->as_table()) {
            table->insert_or_assign(parts.back(), std::forward<decltype(value)>(value));
        } else {
            toml::array& list = *parent->as_array();
            list.replace(list.cbegin() + std::stol(parts.back()), std::forward<decltype(value)>(value));
        }
    });
}

void SceneDocument::reject(const Override& change, std::string message) {
    const std::string source = "--set " + printable(change.key + "=" + change.value);
    faults_.push_back({Fault{std::move(message), change.key, source, 0}, after_all_lines});
}

SceneDocument::Place SceneDocument::locate(std::string_view key) const {
    Place place{name_, 1, 0};
    const toml::node* node = &root_;
    while (!key.empty() && (node = descend(*node, key))) {
        const toml::source_region& source = node->source();
        place.file = source.path ? *source.path : name_;
        const bool is_override = place.file != name_;
        place.line = is_override ? 0 : static_cast<int>(source.begin.line);
        place.order = is_override ? after_all_lines : (std::int64_t{source.begin.line} << 32) + source.begin.column;
    }
    return place;
}

void SceneDocument::add_fault(const std::string& key, std::string message) {
    Place place = locate(key);
    pass_on(key, Fault{std::move(message), key, std::move(place.file), place.line});
}

void SceneDocument::pass_on(const std::string& key, Fault fault) {
    fault.key = key;
    faults_.push_back({std::move(fault), order_of(key)});
    distrust(key);
}

bool SceneDocument::is_trusted(const std::string& key) const {
    const auto below = distrusted_.lower_bound(key + ".");
    if (below != distrusted_.end() && below->starts_with(key + ".")) return false;
    for (std::string_view above = key; !above.empty();) {
        if (distrusted_.contains(above)) return false;
        const std::size_t dot = above.rfind('.');
        above = above.substr(0, dot == std::string_view::npos ? 0 : dot);
    }
    return true;
}

Faults SceneDocument::take_faults() {
    std::stable_sort(faults_.begin(), faults_.end(), [](const auto& a, const auto& b) { return a.order < b.order; });
    Faults faults;
    for (PlacedFault& placed : faults_) faults.push_back(std::move(placed.fault));
    faults_.clear();
    return faults;
}

} // namespace taffeta::io
