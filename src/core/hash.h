// A hash of bits, for comparing whole runs.
#pragma once

#include <bit>
#include <cstdint>

namespace taffeta {

// 64-bit FNV-1a over 32-bit words.
class Hash {
public:
    void add(std::uint32_t word) { value_ = (value_ ^ word) * 0x100000001b3ULL; }
    void add(float number) { add(std::bit_cast<std::uint32_t>(number)); }
    std::uint64_t value() const { return value_; }

private:
    std::uint64_t value_ = 0xcbf29ce484222325ULL;
};

} // namespace taffeta
