// How the library tells about the outside world's faults: a value, or every fault that was found.
//
// The library never prints, exits or throws.
#pragma once

#include <cassert>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace taffeta {

// One thing that is wrong: what, the value found, where, and what to do about it.
struct Fault {
    std::string message = {};
    std::string key = {};  // of a scene, e.g. "cloth.0.grid.cells"; empty if none
    std::string file = {}; // empty: not from a file
    int line = 0;          // from 1; 0: not known

    // "file:line: message", the form compilers use, so that editors can jump there.
    std::string to_string() const {
        std::string where = file;
        if (line > 0) where += (where.empty() ? "line " : ":") + std::to_string(line);
        return where.empty() ? message : where + ": " + message;
    }
};

using Faults = std::vector<Fault>;

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Fault fault) : content_(Faults{std::move(fault)}) {}
    Result(Faults faults) : content_(std::move(faults)) { assert(!this->faults().empty()); }

    explicit operator bool() const { return std::holds_alternative<T>(content_); }
    T& operator*() {
        assert(*this);
        return *std::get_if<T>(&content_);
    }
    const T& operator*() const {
        assert(*this);
        return *std::get_if<T>(&content_);
    }
    T* operator->() { return &**this; }
    const T* operator->() const { return &**this; }

    // Never empty when there is no value.
    const Faults& faults() const {
        assert(!*this);
        return *std::get_if<Faults>(&content_);
    }

private:
    std::variant<T, Faults> content_ = {};
};

struct Done {}; // the value of an action that returns nothing: Result<Done>

} // namespace taffeta
