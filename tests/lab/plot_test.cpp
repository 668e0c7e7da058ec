#include "lab/plot.h"

#include <taffeta/lab.h>

#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace {

namespace fs = std::filesystem;
using namespace taffeta;
using namespace taffeta::lab;

class LabFiles : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("taffeta_lab_" + std::to_string(getpid()) + "_" +
                                               ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }
    fs::path folder_;
};

Report small_report() {
    Report report;
    report.test = "small";
    report.rows = {{"length", 1.02, 1.0, "m", 0.01}, {"angle", 0.0, 0.0, "deg", 0.1}, {"free", 3.0, {}, "", {}}};
    report.plot = {.title = "Small", .x_label = "x", .y_label = "y", .logarithmic_x = true};
    report.plot.curves = {{.label = "line", .points = {{1, 1}, {10, 2}, {100, 1}}},
                          {.label = "marks", .points = {{0, 1}, {20, 1.5}}, .style = Curve::Style::marks}};
    return report;
}

TEST(LabPlot, TicksAreRoundNumbersWithinTheRange) {
    EXPECT_EQ(ticks(0, 10, 5, false), (std::vector<double>{0, 2, 4, 6, 8, 10}));
    EXPECT_EQ(ticks(0.8, 25, 5, true), (std::vector<double>{1, 2, 5, 10, 20}));
    EXPECT_EQ(ticks(0.5, 50000, 5, true), (std::vector<double>{1, 10, 100, 1000, 10000}));
    for (const double tick : ticks(-0.0314, 0.0271, 6, false)) {
        EXPECT_GE(tick, -0.0314);
        EXPECT_LE(tick, 0.0271);
    }
}

TEST(LabPlot, DrawsLinesMarksAndWords) {
    const Result<io::Image> image = draw_plot(small_report().plot, 600, 400);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->rgb.size(), 600u * 400u * 3u);
    std::size_t dark = 0;
    for (std::size_t k = 0; k < image->rgb.size(); k += 3) dark += image->rgb[k] < 128 ? 1 : 0;
    EXPECT_GT(dark, 500u);   // something is drawn
    EXPECT_LT(dark, 40000u); // and most of it is paper
}

TEST(LabPlot, EmptyPlotsAreDrawnToo) {
    EXPECT_TRUE(draw_plot(Plot{}, 300, 200));
    Plot bad;
    bad.curves = {{.label = "", .points = {{std::nan(""), 1}, {1, std::numeric_limits<double>::infinity()}}}};
    EXPECT_TRUE(draw_plot(bad, 300, 200));
}

TEST_F(LabFiles, ReportsBecomeAPictureAndJson) {
    ASSERT_TRUE(write_report(folder_.string(), small_report()));
    std::ifstream png(folder_ / "small.png", std::ios::binary);
    std::string head(8, '\0');
    png.read(head.data(), 8);
    EXPECT_EQ(head, "\x89PNG\r\n\x1a\n");
    std::ifstream json(folder_ / "small.json");
    const std::string text((std::istreambuf_iterator<char>(json)), std::istreambuf_iterator<char>());
    for (const char* key : {"\"quantity\": \"length\"", "\"expected\": 1.0", "\"within\": false", "\"curves\""})
        EXPECT_NE(text.find(key), std::string::npos) << key;
}

TEST_F(LabFiles, AFailureLeavesNoHalfFile) {
    fs::create_directories(folder_ / "small.png"); // a folder stands in the way of the picture
    EXPECT_FALSE(write_report(folder_.string(), small_report()));
    EXPECT_FALSE(fs::exists(folder_ / "small.json"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()), 1);
}

TEST(LabReport, TheTableMarksWhatIsBeyondItsBound) {
    const Report report = small_report();
    EXPECT_FALSE(report.rows[0].is_within());
    EXPECT_TRUE(report.rows[1].is_within());
    EXPECT_TRUE(report.rows[2].is_within());
    EXPECT_NEAR(report.rows[0].error(), 0.02, 1e-12);
    const std::string text = report_to_text(report);
    EXPECT_NE(text.find("+2 %"), std::string::npos) << text;
    EXPECT_NE(text.find("beyond 0.01"), std::string::npos) << text;
}

TEST(LabReport, NoNumberIsNeverWithin) {
    EXPECT_FALSE((Row{"x", std::nan(""), 1.0, "", 0.5}).is_within());
}

TEST(LabReport, AnUnknownTestNamesTheOthers) {
    const Result<Report> report = run_test("dance", {});
    ASSERT_FALSE(report);
    for (const TestInfo& info : tests())
        EXPECT_NE(report.errors()[0].message.find(info.name), std::string::npos) << info.name;
}

} // namespace
