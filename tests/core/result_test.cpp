// Errors and results, and the hash that runs are compared by.
#include "core/hash.h"

#include <taffeta/result.h>

#include <gtest/gtest.h>

#include <bit>
#include <set>

namespace taffeta {
namespace {

TEST(Error, ReadsLikeACompilersMessage) {
    EXPECT_EQ((Error{.message = "no", .file = "a.toml", .line = 3}).to_string(), "a.toml:3: no");
    EXPECT_EQ((Error{.message = "no", .file = "a.toml"}).to_string(), "a.toml: no");
    EXPECT_EQ((Error{.message = "no", .line = 3}).to_string(), "line 3: no");
    EXPECT_EQ((Error{.message = "no"}).to_string(), "no");
}

TEST(Result, HoldsAValueOrAllErrors) {
    const Result<int> good = 7;
    ASSERT_TRUE(good);
    EXPECT_EQ(*good, 7);
    const Result<int> bad = Errors{{.message = "one"}, {.message = "two"}};
    ASSERT_FALSE(bad);
    ASSERT_EQ(bad.errors().size(), 2u);
    EXPECT_EQ(bad.errors()[1].message, "two");
    const Result<int> single = Error{.message = "one"};
    ASSERT_FALSE(single);
    EXPECT_EQ(single.errors().size(), 1u);
}

TEST(Hash, SeesEveryBitAndTheOrder) {
    const auto hash_of = [](std::initializer_list<float> numbers) {
        Hash hash;
        for (const float number : numbers) hash.add(number);
        return hash.value();
    };
    std::set<std::uint64_t> seen = {hash_of({1.5f, 2})};
    for (std::uint32_t bit = 0; bit < 32; ++bit) {
        const float flipped = std::bit_cast<float>(std::bit_cast<std::uint32_t>(1.5f) ^ (1u << bit));
        EXPECT_TRUE(seen.insert(hash_of({flipped, 2})).second) << "bit " << bit;
    }
    EXPECT_TRUE(seen.insert(hash_of({2, 1.5f})).second);
    EXPECT_NE(hash_of({0.0f}), hash_of({-0.0f}));
    EXPECT_EQ(hash_of({1.5f, 2}), hash_of({1.5f, 2}));
}

} // namespace
} // namespace taffeta
