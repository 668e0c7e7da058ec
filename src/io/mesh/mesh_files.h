// What the readers of files share.
#pragma once

#include <taffeta/io.h>

#include <cstdint>
#include <optional>

namespace taffeta::io {

// The whole file.
Result<std::string> read_file(const std::filesystem::path& file);

// ".obj" of "a.OBJ".
std::string ending(const std::filesystem::path& file);

// Numbers as C writes them, whatever the locale; the whole word must be one. Magnitudes no double holds are none.
std::optional<double> parse_number(std::string_view word);
std::optional<std::int64_t> parse_integer(std::string_view word);

// Takes the next word off the front of `text`; empty at its end. Words are separated by blanks, not by line ends.
std::string_view take_word(std::string_view& text);

// A word of a file for a message: in quotes, on one line, not too long.
std::string quote(std::string_view word);
std::string to_text(double number); // "1.5"
std::string to_text(const Vec3& p); // "(1, nan, 0)"

// The faults of one file. Past `max_faults` they are only counted: nobody reads more.
class FaultList {
public:
    static constexpr std::size_t max_faults = 20;

    explicit FaultList(std::string file) : file_(std::move(file)) {}
    void add(std::string message, int line = 0);
    bool empty() const { return faults_.empty(); }
    Faults take(); // by line; "... and 3 more" at the end

private:
    std::string file_;
    Faults faults_;
    std::size_t left_out_ = 0;
};

// To the units and axes of a scene.
void place_in_scene(const Affine& to_scene, std::vector<Vec3>& positions);

// Adds the polygon (c0, c1, c2, ...) as the fan (c0, c1, c2), (c0, c2, c3), ...
template <class Corners>
void add_fan(const Corners& corners, std::vector<Triangle>& triangles) {
    for (std::size_t i = 2; i < corners.size(); ++i) triangles.push_back({corners[0], corners[i - 1], corners[i]});
}

} // namespace taffeta::io
