#include "render/picture_testing.h"
#include "support/pictures.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <unistd.h>

namespace taffeta::render {
namespace {

namespace fs = std::filesystem;

class Films : public ::testing::Test {
protected:
    Films() : folder_(fs::temp_directory_path() / ("taffeta_films_" + std::to_string(getpid()))) {
        fs::create_directories(folder_);
    }
    ~Films() override {
        std::error_code ignored;
        fs::remove_all(folder_, ignored);
    }
    static std::string output_of(const std::string& command) {
        std::string text;
        std::FILE* pipe = popen(command.c_str(), "r");
        std::array<char, 256> line;
        while (pipe != nullptr && std::fgets(line.data(), static_cast<int>(line.size()), pipe) != nullptr)
            text += line.data();
        if (pipe != nullptr) pclose(pipe);
        return text;
    }
    std::size_t file_count() const {
        return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
    }
    const fs::path folder_;
};

TEST_F(Films, ARunWritesFilmAndPictureOfTheirSizes) {
    Result<SceneDesc> scene = io::open_scene("tabletop_held");
    ASSERT_TRUE(scene);
    scene->duration = 0.3f;
    const fs::path film = folder_ / "cloth.mp4", picture = folder_ / "cloth.png", numbered = folder_ / "frame_##.png";
    const auto run = io::run(*scene, {.outputs = {film.string(), picture.string(), numbered.string()},
                                      .pictures = picture_outputs({.size = {160, 120}})});
    ASSERT_TRUE(run) << run.errors().front().to_string();
    EXPECT_TRUE(run->write_errors.empty()) << run->write_errors.front().to_string();
    EXPECT_EQ(output_of("ffprobe -v error -count_frames -select_streams v:0 -show_entries "
                        "stream=width,height,r_frame_rate,nb_read_frames,codec_name,pix_fmt -of csv=p=0 " +
                        film.string()),
              "h264,160,120,yuv420p,30/1,10\n");
    const auto image = taffeta::test::read_png(picture);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->width, 160);
    const auto last = taffeta::test::read_png(folder_ / "frame_09.png");
    ASSERT_TRUE(last);
    EXPECT_EQ(image->rgb, last->rgb);
    EXPECT_EQ(file_count(), 12u); // and nothing temporary
}

TEST_F(Films, AFilmThatIsNotFinishedLeavesNothing) {
    {
        auto film = io::FilmWriter::create(folder_ / "cloth.mp4", 64, 48, 30);
        ASSERT_TRUE(film);
        EXPECT_TRUE(film->append({64, 48, std::vector<std::uint8_t>(64 * 48 * 3)}));
    }
    EXPECT_EQ(file_count(), 0u);
}

TEST_F(Films, WithoutFfmpegTheMessageSaysWhatToInstall) {
    const std::string path = std::getenv("PATH");
    setenv("PATH", folder_.c_str(), 1);
    const auto film = io::FilmWriter::create(folder_ / "cloth.mp4", 64, 48, 30);
    setenv("PATH", path.c_str(), 1);
    ASSERT_FALSE(film);
    EXPECT_NE(film.errors().front().message.find("install it"), std::string::npos);
    EXPECT_EQ(file_count(), 0u);
}

TEST_F(Films, OddSizesAndUnwritablePlacesAreErrorsBeforeTheFirstFrame) {
    EXPECT_FALSE(io::FilmWriter::create(folder_ / "cloth.mp4", 63, 48, 30));
    EXPECT_FALSE(io::FilmWriter::create(folder_, 64, 48, 30));
    EXPECT_EQ(file_count(), 0u);
}

TEST_F(Films, AnEncoderThatDiesIsAError) {
    // A program by that name that reads nothing and fails.
    std::FILE* script = std::fopen((folder_ / "ffmpeg").c_str(), "w");
    std::fputs("#!/bin/sh\necho 'no such codec' >&2\nexit 3\n", script);
    std::fclose(script);
    fs::permissions(folder_ / "ffmpeg", fs::perms::owner_all);
    const std::string path = std::getenv("PATH");
    setenv("PATH", (folder_.string() + ":" + path).c_str(), 1);
    auto film = io::FilmWriter::create(folder_ / "cloth.mp4", 640, 480, 30);
    setenv("PATH", path.c_str(), 1);
    ASSERT_TRUE(film);
    const io::Image image = {640, 480, std::vector<std::uint8_t>(640 * 480 * 3)};
    std::string message;
    for (int k = 0; k < 20 && message.empty(); ++k)
        if (const auto done = film->append(image); !done) message = done.errors().front().message;
    if (message.empty())
        if (const auto done = film->commit(); !done) message = done.errors().front().message;
    EXPECT_NE(message.find("no such codec"), std::string::npos) << message;
    EXPECT_EQ(file_count(), 1u); // the script
}

} // namespace
} // namespace taffeta::render
