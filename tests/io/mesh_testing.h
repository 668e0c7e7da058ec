// What the tests of mesh files share.
#pragma once

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace taffeta::tests {

// A folder of the running test, gone with it.
class TemporaryFolder {
public:
    TemporaryFolder() {
        const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::temp_directory_path() / (std::string("taffeta-") + info->test_suite_name() + "-" +
                                                          info->name() + "-" + std::to_string(getpid()));
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;
    ~TemporaryFolder() { std::filesystem::remove_all(path_); }

    std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
    std::size_t file_count() const {
        const auto files = std::filesystem::directory_iterator(path_);
        return static_cast<std::size_t>(std::distance(begin(files), end(files)));
    }

private:
    std::filesystem::path path_;
};

// A square of n x n cells with texture coordinates.
inline Mesh make_square(Index n) {
    Mesh mesh;
    for (Index j = 0; j <= n; ++j)
        for (Index i = 0; i <= n; ++i) {
            const float u = static_cast<float>(i) / static_cast<float>(n),
                        v = static_cast<float>(j) / static_cast<float>(n);
            mesh.positions.push_back({u, 0, v});
            mesh.uv.push_back({u, v});
        }
    for (Index j = 0; j < n; ++j)
        for (Index i = 0; i < n; ++i) {
            const Index a = j * (n + 1) + i, b = a + 1, c = a + n + 1, d = c + 1;
            mesh.triangles.push_back({a, c, b});
            mesh.triangles.push_back({b, c, d});
        }
    return mesh;
}

// Small and large, with and without texture coordinates, with the numbers that are hard to write.
inline std::vector<Mesh> sample_meshes() {
    using Limits = std::numeric_limits<float>;
    std::vector<Mesh> meshes = {make_square(1), make_square(7)};
    meshes.push_back({{{0.1f, -0.0f, 1e-30f},
                       {Limits::max(), Limits::lowest(), Limits::min()},
                       {Limits::denorm_min(), 1.0f / 3, 1.234567e8f}},
                      {{0, 1, 2}},
                      {}});
    std::mt19937 random(17);
    std::uniform_real_distribution<float> coordinate(-10, 10);
    Mesh soup;
    for (int i = 0; i < 300; ++i)
        soup.positions.push_back({coordinate(random), coordinate(random), coordinate(random)});
    for (Index i = 0; i < 200; ++i) soup.triangles.push_back({i, i * 7 % 300, 299 - i});
    meshes.push_back(soup);
    return meshes;
}

inline void expect_same(const Mesh& a, const Mesh& b) {
    EXPECT_EQ(a.positions, b.positions);
    EXPECT_EQ(a.triangles, b.triangles);
    EXPECT_EQ(a.uv, b.uv);
}

// All errors, one a line; empty if there are none.
template <class T>
std::string errors_of(const Result<T>& result) {
    std::string text;
    if (!result)
        for (const Error& error : result.errors()) (text += text.empty() ? "" : "\n") += error.to_string();
    return text;
}

} // namespace taffeta::tests
