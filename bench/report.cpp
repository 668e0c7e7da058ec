#include "report.h"

#include <cstdio>
#include <fstream>
#include <thread>

namespace taffeta::bench {
namespace {

std::string cpu_model() {
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
    return "unknown CPU";
}

std::string cell(const Row& row, const Column& column) {
    const auto found = row.find(column.key);
    if (found == row.end()) return "-";
    if (found->is_string()) return found->get<std::string>();
    char text[32];
    std::snprintf(text, sizeof text, "%.*f", column.decimals, found->get<double>());
    return text;
}

// The first column is text and starts at the left, numbers end at the right.
void print_cell(const std::string& text, const Column& column, bool is_first) {
    std::printf("%*s", is_first ? -column.width : column.width, text.c_str());
}

} // namespace

bool Bar::holds() const {
    switch (kind) {
    case Kind::at_most: return value <= bound;
    case Kind::at_least: return value >= bound;
    case Kind::below: return value < bound;
    }
    return false;
}

const char* Bar::relation() const {
    return kind == Kind::at_most ? "at most" : kind == Kind::at_least ? "at least" : "below";
}

std::string Bar::to_string() const {
    char text[256];
    std::snprintf(text, sizeof text, "%s: %s: %.5g (%s %g)", holds() ? "holds" : "fails", what.c_str(), value,
                  relation(), bound);
    return text;
}

Report::Report() {
    const std::string cpu = cpu_model();
    const unsigned threads = std::thread::hardware_concurrency();
    document_ = {{"cpu", cpu},
                 {"threads", threads},
                 {"benchmarks", Row::array()},
                 {"tables", Row::object()},
                 {"bars", Row::array()}};
    std::printf("%s, %u threads\n", cpu.c_str(), threads);
}

void Report::begin_benchmark(const std::string& name) {
    benchmark_ = name;
    document_["benchmarks"].push_back(name);
}

void Report::begin_table(const std::string& key, const std::string& title, std::vector<Column> columns) {
    table_ = key;
    columns_ = std::move(columns);
    Row described = Row::array();
    for (const Column& column : columns_)
        described.push_back({{"key", column.key}, {"heading", column.heading}, {"decimals", column.decimals}});
    document_["tables"][table_] = {
        {"benchmark", benchmark_}, {"title", title}, {"columns", described}, {"rows", Row::array()}};

    std::printf("\n%s\n", title.c_str());
    for (std::size_t k = 0; k < columns_.size(); ++k) print_cell(columns_[k].heading, columns_[k], k == 0);
    std::printf("\n");
    std::fflush(stdout);
}

void Report::add(const Row& row) {
    document_["tables"][table_]["rows"].push_back(row);
    for (std::size_t k = 0; k < columns_.size(); ++k) print_cell(cell(row, columns_[k]), columns_[k], k == 0);
    std::printf("\n");
    std::fflush(stdout);
}

void Report::add(const Bar& bar) {
    bars_.push_back(bar);
    const Row row = {{"benchmark", benchmark_},    {"what", bar.what},   {"value", bar.value},
                     {"relation", bar.relation()}, {"bound", bar.bound}, {"holds", bar.holds()}};
    document_["bars"].push_back(row);
}

void Report::finish() const {
    std::printf("\n");
    for (const Bar& bar : bars_) std::printf("%s\n", bar.to_string().c_str());
}

} // namespace taffeta::bench
