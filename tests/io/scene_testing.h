// Shared by the tests of scene files: texts to scenes or errors, and folders for files.
#pragma once

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace taffeta::io {

inline const std::string file_name = "test.toml";

inline Result<SceneDesc> read(const std::string& text, const std::vector<Override>& overrides = {}) {
    return read_scene_text(text, file_name, ".", overrides);
}

inline std::string all_messages(const Errors& errors) {
    std::string text;
    for (const Error& error : errors) text += error.to_string() + "\n";
    return text;
}

inline SceneDesc scene_of(const std::string& text, const std::vector<Override>& overrides = {}) {
    auto scene = read(text, overrides);
    if (scene) return *scene;
    ADD_FAILURE() << all_messages(scene.errors());
    return {};
}

inline Errors errors_of(const std::string& text, const std::vector<Override>& overrides = {}) {
    auto scene = read(text, overrides);
    if (!scene) return scene.errors();
    ADD_FAILURE() << "read without an error:\n" << text;
    return {};
}

// An empty folder of its own for each test, gone afterwards.
class Folder {
public:
    Folder() {
        const auto* test = testing::UnitTest::GetInstance()->current_test_info();
        path_ = std::filesystem::path(testing::TempDir()) / (std::string("taffeta_scene_") + test->name());
        std::filesystem::remove_all(path_);
        std::filesystem::create_directories(path_);
    }
    ~Folder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    std::filesystem::path write(const std::string& name, const std::string& text) const {
        std::ofstream(path_ / name, std::ios::binary) << text;
        return path_ / name;
    }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace taffeta::io
