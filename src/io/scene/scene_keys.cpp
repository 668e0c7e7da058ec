#include "io/scene/scene_keys.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

namespace taffeta::io {

namespace {

template <class T>
std::string shortest(T value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
    std::array<char, 32> digits;
    // Exponents only where people would use them.
    const T size = std::abs(value);
    const bool is_plain = size == 0 || (size >= T(1e-4) && size < T(1e7));
    const auto format = is_plain ? std::chars_format::fixed : std::chars_format::scientific;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, format).ptr;
    std::string text(digits.data(), end);
    // TOML tells floats from integers by their point or exponent.
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

// Control characters as TOML escapes them; `quotes` also escapes what ends or changes a text in quotes.
std::string escaped(std::string_view text, bool quotes) {
    std::string out;
    for (const char c : text) {
        const auto code = static_cast<unsigned char>(c);
        if (c == '\n') {
            out += "\\n";
        } else if (c == '\t') {
            out += "\\t";
        } else if (c == '\r') {
            out += "\\r";
        } else if (code < 0x20 || code == 0x7f) {
            constexpr std::string_view hex = "0123456789ABCDEF";
            out += "\\u00";
            out += hex[code >> 4];
            out += hex[code & 15];
        } else {
            if (quotes && (c == '"' || c == '\\')) out += '\\';
            out += c;
        }
    }
    return out;
}

// Least number of letters to insert, delete or replace (Levenshtein), row by row of the usual table.
std::size_t edit_distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t replaced = diagonal + (a[i] == b[j] ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({replaced, row[j] + 1, diagonal + 1});
        }
    }
    return row.back();
}

} // namespace

std::string toml_text(float value) {
    // Of all floats only this one lacks digits when its shortest form is read as a double and rounded again.
    if (std::abs(value) == 7.038531e-26f) return value < 0 ? "-7.03853069e-26" : "7.03853069e-26";
    return shortest(value);
}

std::string toml_text(double value) {
    return shortest(value);
}

std::string toml_text(const Colour& colour) {
    constexpr std::string_view hex = "0123456789abcdef";
    std::string text = "#";
    for (const float part : {colour.r, colour.g, colour.b}) {
        const auto level = static_cast<std::size_t>(std::lround(std::clamp(part, 0.0f, 1.0f) * 255));
        text += hex[level / 16];
        text += hex[level % 16];
    }
    return toml_text(text);
}

std::string toml_text(std::string_view text) {
    return '"' + escaped(text, true) + '"';
}

std::string toml_key(std::string_view name) {
    const auto is_bare = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
    };
    return !name.empty() && std::all_of(name.begin(), name.end(), is_bare) ? std::string(name) : toml_text(name);
}

std::string printable(std::string_view text) {
    return escaped(text, false);
}

std::string_view closest(std::string_view name, const std::vector<std::string_view>& names) {
    // A third of the letters wrong, and two in any case, still looks like the word that was meant.
    std::size_t least = std::max<std::size_t>(2, name.size() / 3) + 1;
    std::string_view best;
    if (name.size() > 64) return best;
    for (const std::string_view candidate : names) {
        const std::size_t distance = edit_distance(name, candidate);
        if (distance < least && distance < candidate.size()) {
            least = distance;
            best = candidate;
        }
    }
    return best;
}

} // namespace taffeta::io
