// A scene file as a TOML tree that knows where everything stands, and the faults found in it.
#pragma once

#include <taffeta/io.h>
#include <taffeta/result.h>

#include <toml++/toml.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace taffeta::io {

class SceneDocument {
public:
    // `name` stands for the file in messages. Text that is not TOML is one fault.
    static Result<SceneDocument> parse(std::string_view text, const std::string& name);

    const toml::table& root() const { return root_; }

    // Puts the value of one `--set` into the tree; makes tables on the way, but no entries of lists. A single entry
    // of a list that the file does not have becomes a table, { 0 = value }: scene_values.h reads it.
    void set(const Override& change);

    // Something is wrong with the value of this key; the fault gets its file and line.
    void add_fault(const std::string& key, std::string message);
    // The same, for a fault that has a place of its own, such as a line of a mesh file.
    void pass_on(const std::string& key, Fault fault);
    // The value of this key is not what the file meant, though the fault is another key's.
    void distrust(const std::string& key) { distrusted_.insert(key); }
    // False if the key, one above or one below it has a fault already.
    bool is_trusted(const std::string& key) const;
    bool has_faults() const { return !faults_.empty(); }
    // In the order of the file; those of overrides come last.
    Faults take_faults();

    // Grows with the place in the file; overrides come after it.
    std::int64_t order_of(std::string_view key) const { return locate(key).order; }

private:
    struct Place {
        std::string file;
        int line = 0; // 0: an override
        std::int64_t order = 0;
    };
    struct PlacedFault {
        Fault fault;
        std::int64_t order = 0;
    };

    // Of the key, or of the part of it that exists: "cloth.0.grid" if there is no "cloth.0.grid.cells".
    Place locate(std::string_view key) const;
    void reject(const Override& change, std::string message);

    std::string name_;
    toml::table root_;
    std::vector<PlacedFault> faults_;
    std::set<std::string, std::less<>> distrusted_;
};

} // namespace taffeta::io
