// `taffeta keys` and `taffeta fabrics`: tables for people and for the manual.
#include <gtest/gtest.h>

#include <array>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string output_of(const std::string& arguments) {
    std::string text;
    FILE* pipe = popen((TAFFETA_COMMAND " " + arguments).c_str(), "r");
    std::array<char, 4096> block;
    while (const std::size_t count = std::fread(block.data(), 1, block.size(), pipe)) text.append(block.data(), count);
    EXPECT_EQ(pclose(pipe), 0);
    return text;
}

TEST(Keys, ArePrintedWithUnitDefaultRangeAndMeaning) {
    const std::string text = output_of("keys");
    for (const std::string part : {"[solver]", "iterations", "1 to 100000", "kg/m^2", "0.15", "1e-6 to 10000",
                                   "[0, -9.81, 0]", "more blows harder"})
        EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

// Every table that a command prints for a page of the manual stands there.
void expect_tables(const std::string& command, const std::string& page, std::size_t tables) {
    const std::string printed = output_of(command + " --markdown");
    std::stringstream manual;
    manual << std::ifstream(TAFFETA_SOURCE_DIR "/docs/" + page).rdbuf();
    const std::string begin = "<!-- taffeta " + command, end = "<!-- end -->\n";
    std::size_t blocks = 0;
    for (std::size_t at = printed.find(begin); at != std::string::npos; at = printed.find(begin, at + 1)) {
        const std::string block = printed.substr(at, printed.find(end, at) + end.size() - at);
        EXPECT_NE(manual.str().find(block), std::string::npos)
            << "docs/" << page << " should have what `taffeta " << command << " --markdown` prints:\n"
            << block;
        ++blocks;
    }
    EXPECT_EQ(blocks, tables);
}

TEST(Keys, TheManualHasTheTablesThatTheToolPrints) {
    expect_tables("keys", "scene-format.md", 4);
}

TEST(Fabrics, TheManualHasTheTablesThatTheToolPrints) {
    expect_tables("fabrics", "fabrics.md", 2);
}

} // namespace
