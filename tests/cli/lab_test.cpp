// `taffeta lab` as people use it.
#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;

struct Outcome {
    int exit_code = -1;
    std::string out, err;
};

class LabCli : public ::testing::Test {
protected:
    void SetUp() override {
#ifndef TAFFETA_LAB
        GTEST_SKIP() << "built without the laboratory";
#endif
        folder_ = fs::temp_directory_path() / ("taffeta_lab_cli_" + std::to_string(getpid()) + "_" +
                                               ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(folder_);
    }
    void TearDown() override {
        fs::remove_all(folder_);
    }

    std::string read(const std::string& name) const {
        std::ifstream in(folder_ / name, std::ios::binary);
        std::stringstream text;
        text << in.rdbuf();
        return text.str();
    }
    Outcome lab(const std::string& arguments) const {
        const std::string command =
            "cd '" + folder_.string() + "' && " TAFFETA_COMMAND " lab " + arguments + " >.stdout 2>.stderr </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read(".stdout"), read(".stderr")};
    }

    fs::path folder_;
};

TEST_F(LabCli, PrintsATableAndWritesFilesOnlyWhenAsked) {
    const Outcome table = lab("catenary --cells 8 --threads 1");
    EXPECT_EQ(table.exit_code, 0) << table.err;
    EXPECT_NE(table.out.find("sag/L at span/L 0.5"), std::string::npos) << table.out;
    EXPECT_FALSE(fs::exists(folder_ / "catenary.json"));
    const Outcome written = lab("catenary --cells 8 --threads 1 -o out --quiet");
    EXPECT_EQ(written.exit_code, 0) << written.err;
    EXPECT_EQ(written.out, "");
    EXPECT_TRUE(fs::exists(folder_ / "out/catenary.json"));
    EXPECT_EQ(read("out/catenary.png").substr(1, 3), "PNG");
}

TEST_F(LabCli, PrintsJson) {
    const Outcome json = lab("catenary --cells 8 --threads 1 --json");
    EXPECT_EQ(json.exit_code, 0) << json.err;
    EXPECT_EQ(json.out.front(), '{');
    EXPECT_NE(json.out.find("\"test\": \"catenary\""), std::string::npos);
}

TEST_F(LabCli, WrongWordsAreAnsweredWithTheRightOnes) {
    for (const auto& [arguments, answer] :
         {std::pair{"", "cantilever"}, std::pair{"dance", "the tests are cantilever, drape"},
          std::pair{"swing --fabric dneim", "denim"}, std::pair{"swing --method magic", "implicit"},
          std::pair{"swing --cells 0", "between 4 and"}, std::pair{"fit --weight 0.1", "--overhang"},
          std::pair{"fit --weight -1 --overhang 0.06", "kg/m^2"},
          std::pair{"fit --weight 0.1 --overhang 0.06 --tensile 5", "STRAIN:LOAD"}}) {
        const Outcome wrong = lab(arguments);
        EXPECT_EQ(wrong.exit_code, 2) << arguments;
        EXPECT_NE(wrong.err.find(answer), std::string::npos) << arguments << "\n" << wrong.err;
    }
}

TEST_F(LabCli, FitsAFabricThatCanBeUsed) {
    const Outcome fit = lab("fit --weight 0.15 --overhang 0.06 --tensile 0.01:5,0.02:11 -o mine.toml");
    ASSERT_EQ(fit.exit_code, 0) << fit.err;
    EXPECT_NE(read("mine.toml").find("stretch = [540, 540]"), std::string::npos) << read("mine.toml");
    const Outcome used = lab("catenary --cells 8 --threads 1 --fabric mine.toml");
    EXPECT_EQ(used.exit_code, 0) << used.err;
    EXPECT_NE(used.out.find("fabric mine"), std::string::npos) << used.out;
}

TEST_F(LabCli, AFolderThatCannotBeWrittenIsAFailure) {
    std::ofstream(folder_ / "file") << "in the way";
    const Outcome failed = lab("catenary --cells 8 --threads 1 -o file/below");
    EXPECT_EQ(failed.exit_code, 1);
    EXPECT_NE(failed.err.find("file/below"), std::string::npos) << failed.err;
}

} // namespace
