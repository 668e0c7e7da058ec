// What the benchmark says: tables for people, one JSON document for machines.
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace taffeta::bench {

using Row = nlohmann::ordered_json; // an object: a value by column key

struct Column {
    std::string key;     // in the JSON document
    std::string heading; // in the table
    int width = 9;
    int decimals = 0;
};

// A number with a bound. A broken one is told; it is no failure of the benchmark, the machine may have been busy.
struct Bar {
    std::string what;
    double value = 0;
    enum class Kind { at_most, at_least, below } kind = Kind::at_most;
    double bound = 0;

    bool holds() const;
    const char* relation() const; // in words
    std::string to_string() const;
};

class Report {
public:
    Report(); // prints which machine this is

    // Tables and bounds that follow belong to this benchmark.
    void begin_benchmark(const std::string& name);
    // Rows that follow belong to this table. People see each row as soon as it is there.
    void begin_table(const std::string& key, const std::string& title, std::vector<Column> columns);
    void add(const Row& row); // columns without a value are shown as "-"; values without a column only in the document
    void add(const Bar& bar);
    void finish() const; // prints the bars

    // {"cpu", "threads", "benchmarks": [name], "tables": {key: {"benchmark", "title", "columns": [{"key", "heading",
    // "decimals"}], "rows": [row]}}, "bars": [{"benchmark", "what", ...}]}
    const Row& document() const { return document_; }

private:
    Row document_;
    std::string benchmark_;
    std::string table_;
    std::vector<Column> columns_ = {};
    std::vector<Bar> bars_ = {};
};

} // namespace taffeta::bench
