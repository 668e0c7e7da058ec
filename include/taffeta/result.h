// How the library reports errors of the outside world: a Result holds a value, or every error that was found.
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
struct Error {
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

using Errors = std::vector<Error>;

template <class T>
class [[nodiscard]] Result {
public:
    Result(T value) : content_(std::move(value)) {}
    Result(Error error) : content_(Errors{std::move(error)}) {}
    Result(Errors errors) : content_(std::move(errors)) { assert(!this->errors().empty()); }

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
    const Errors& errors() const {
        assert(!*this);
        return *std::get_if<Errors>(&content_);
    }

private:
    std::variant<T, Errors> content_ = {};
};

// The result of an action that returns no value.
template <>
class [[nodiscard]] Result<void> {
public:
    Result() = default;
    Result(Error error) : errors_{std::move(error)} {}
    Result(Errors errors) : errors_(std::move(errors)) { assert(!errors_.empty()); }

    explicit operator bool() const { return errors_.empty(); }
    const Errors& errors() const {
        assert(!*this);
        return errors_;
    }

private:
    Errors errors_ = {};
};

} // namespace taffeta
