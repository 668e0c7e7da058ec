// The parameters of scenes, from the same table that reads, checks and shows them.
#include "commands.h"

#include <taffeta/parameters.h>

#include <algorithm>
#include <array>
#include <cstdio>

namespace taffeta::cli {

namespace {

enum Column { key, type, unit, standard, allowed, meaning, columns };
using Row = std::array<std::string, columns>;

struct Table {
    std::string name, header; // "solver", "[solver]"
    std::vector<Row> rows;
};

// As short as people write it: 1e6, not 1e+06.
std::string text_of(double number) {
    std::array<char, 32> digits;
    std::snprintf(digits.data(), digits.size(), "%g", number);
    std::string text = digits.data();
    std::erase(text, '+');
    if (const std::size_t exponent = text.find('e'); exponent != std::string::npos)
        text.erase(text.find('0', exponent), 1); // all of ours are below ten
    return text;
}
std::string text_of(int value) {
    return std::to_string(value);
}
std::string text_of(float value) {
    return text_of(static_cast<double>(value));
}
std::string text_of(const std::optional<float>& value) {
    return value ? text_of(*value) : "none";
}
std::string text_of(const std::array<float, 2>& value) {
    return "[" + text_of(value[0]) + ", " + text_of(value[1]) + "]";
}
std::string text_of(const Vec3& value) {
    return "[" + text_of(value.x) + ", " + text_of(value.y) + ", " + text_of(value.z) + "]";
}

const char* type_of(int) {
    return "integer";
}
const char* type_of(float) {
    return "number";
}
const char* type_of(const std::optional<float>&) {
    return "number";
}
const char* type_of(const std::array<float, 2>&) {
    return "2 numbers";
}
const char* type_of(const Vec3&) {
    return "3 numbers";
}

template <class Owner>
Table make_table(const char* name, const char* header, std::span<const Parameter<Owner>> parameters) {
    static const Owner owner = {}; // static: else g++ warns of alternatives that this owner does not have
    Table table = {name, header, {}};
    for (const Parameter<Owner>& parameter : parameters) {
        Row& row = table.rows.emplace_back();
        row[key] = parameter.key;
        row[unit] = parameter.unit;
        row[allowed] = parameter.high >= 2147483647 ? text_of(parameter.low) + " or more"
                                                    : text_of(parameter.low) + " to " + text_of(parameter.high);
        row[meaning] = parameter.meaning;
        const auto add_default = [&](auto field) {
            row[type] = type_of(owner.*field);
            row[standard] = text_of(owner.*field);
        };
        std::visit(add_default, parameter.field);
    }
    return table;
}

void print_for_people(const std::vector<Table>& tables) {
    constexpr std::array shown = {key, unit, standard, allowed};
    std::array<int, columns> width = {};
    for (const Table& table : tables)
        for (const Row& row : table.rows)
            for (const Column column : shown)
                width[column] = std::max(width[column], static_cast<int>(row[column].size()));
    for (const Table& table : tables) {
        std::printf("%s%s\n", &table == tables.data() ? "" : "\n", table.header.c_str());
        for (const Row& row : table.rows) {
            for (const Column column : shown)
                std::printf("%s%-*s", column == key ? "  " : "   ", width[column], row[column].c_str());
            std::printf("   %s\n", row[meaning].c_str());
        }
    }
}

// As in docs/scene-format.md.
void print_markdown(const std::vector<Table>& tables) {
    for (const Table& table : tables) {
        std::printf("<!-- taffeta keys --markdown: %s -->\n", table.name.c_str());
        std::printf("| key | type | unit | default | allowed | meaning |\n|---|---|---|---|---|---|\n");
        for (const Row& row : table.rows) {
            std::string si = row[unit];
            if (si.ends_with("^2")) si.replace(si.size() - 2, 2, "²");
            const std::string value = row[type].ends_with(" numbers") ? "`" + row[standard] + "`" : row[standard];
            std::printf("| `%s` | %s | %s | %s | %s | %s |\n", row[key].c_str(), row[type].c_str(), si.c_str(),
                        value.c_str(), row[allowed].c_str(), row[meaning].c_str());
        }
        std::printf("<!-- end -->\n");
    }
}

} // namespace

int list_keys(bool markdown) {
    const std::vector<Table> tables = {
        make_table("scene", "the scene", scene_parameters()), make_table("solver", "[solver]", solver_parameters()),
        make_table("fabric", "[fabric.NAME]", fabric_parameters()), make_table("wind", "[wind]", wind_parameters())};
    markdown ? print_markdown(tables) : print_for_people(tables);
    return exit_done;
}

} // namespace taffeta::cli
