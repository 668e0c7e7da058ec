// The tool as people use it: the built program, run in a folder of its own.
#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace {

namespace fs = std::filesystem;
using namespace taffeta;

struct Outcome {
    int exit_code = -1;
    std::string out, err;
};

std::string read_text(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

class Cli : public ::testing::Test {
protected:
    void SetUp() override {
        folder_ = fs::temp_directory_path() / ("taffeta_cli_" + std::to_string(getpid()) + "_" +
                                               ::testing::UnitTest::GetInstance()->current_test_info()->name());
        fs::create_directories(folder_);
    }
    void TearDown() override { fs::remove_all(folder_); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
    fs::path path(const std::string& name) const { return folder_ / name; }
    bool exists(const std::string& name) const { return fs::exists(folder_ / name); }

    Outcome taffeta(const std::string& arguments) const {
        const std::string command =
            "cd '" + folder_.string() + "' && " TAFFETA_COMMAND " " + arguments + " >.stdout 2>.stderr </dev/null";
        const int status = std::system(command.c_str());
        return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_text(path(".stdout")), read_text(path(".stderr"))};
    }

    // Starts a long run in the background and waits until it has begun to write.
    pid_t start_long_run() const {
        const pid_t child = fork();
        if (child == 0) {
            if (chdir(folder_.c_str()) != 0) _exit(127);
            execl(TAFFETA_COMMAND, "taffeta", "run", "scene.toml", "-o", "out/", "-o", "out.glb", "--quiet", nullptr);
            _exit(127);
        }
        const auto begun = [&] {
            std::error_code ignored;
            for (const auto& entry : fs::directory_iterator(folder_ / "out", ignored))
                if (entry.is_regular_file(ignored)) return true;
            return false;
        };
        for (int wait = 0; wait < 1000 && !begun(); ++wait) std::this_thread::sleep_for(std::chrono::milliseconds(10));
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        return child;
    }

    fs::path folder_;
};

const std::string small_scene = "duration = 0.2\n[[cloth]]\ngrid = { size = [1, 1], cells = [5, 5] }\n";

TEST_F(Cli, VersionAndHelpExitWithZeroAndShowAnExample) {
    EXPECT_EQ(taffeta("--version").exit_code, 0);
    for (const std::string command : {"", "run", "scenes", "fabrics", "check", "bench", "lab", "lab fit"}) {
        const Outcome help = taffeta(command + " --help");
        EXPECT_EQ(help.exit_code, 0) << command;
        EXPECT_NE(help.out.find("Example: taffeta"), std::string::npos) << help.out;
    }
}

TEST_F(Cli, ListsEveryBuiltinSceneWithItsDescription) {
    const Outcome list = taffeta("scenes");
    EXPECT_EQ(list.exit_code, 0);
    for (const io::BuiltinScene& scene : io::builtin_scenes())
        EXPECT_NE(list.out.find(std::string(scene.name)), std::string::npos) << scene.name;
}

TEST_F(Cli, ListsEveryBuiltinFabricWithItsDescription) {
    const Outcome list = taffeta("fabrics"), json = taffeta("fabrics --json");
    EXPECT_EQ(list.exit_code, 0);
    EXPECT_EQ(json.exit_code, 0);
    for (const io::BuiltinFabric& fabric : io::builtin_fabrics()) {
        const std::string name(fabric.name);
        const auto file = io::open_fabric(name);
        ASSERT_TRUE(file) << name;
        EXPECT_NE(list.out.find("\n" + name + " "), std::string::npos) << name;
        EXPECT_NE(list.out.find(file->description), std::string::npos) << name;
        EXPECT_NE(json.out.find("\"name\": \"" + name + "\""), std::string::npos) << name;
    }
}

TEST_F(Cli, AFabricIsPrintedAsAFileThatCanBeUsed) {
    const Outcome denim = taffeta("fabrics denim");
    ASSERT_EQ(denim.exit_code, 0);
    EXPECT_NE(denim.out.find("Ramamoorthi 2011"), std::string::npos) << "its source: " << denim.out;
    write("my.toml", denim.out);
    const auto mine = io::read_fabric(path("my.toml"));
    ASSERT_TRUE(mine) << mine.errors().front().to_string();
    EXPECT_EQ(mine->fabric.bend, io::open_fabric("denim")->fabric.bend);
    EXPECT_EQ(taffeta("fabrics my.toml").out, denim.out);
    EXPECT_NE(taffeta("fabrics denim --json").out.find("\"bend_hysteresis\": 0.005"), std::string::npos);

    write("my.toml", "density = -1\n");
    const Outcome bad = taffeta("fabrics my.toml");
    EXPECT_EQ(bad.exit_code, 2);
    EXPECT_EQ(bad.err.find("my.toml:1: density = -1: must be"), 0u) << bad.err;
    EXPECT_NE(taffeta("fabrics denm").err.find("did you mean \"denim\"?"), std::string::npos);
}

TEST_F(Cli, TheResolvedSceneNeedsNoPreset) {
    write("mine.toml", "density = 0.3\nbend = [2e-5, 1e-5]\n");
    write("scene.toml", small_scene + "[fabric.a]\npreset = \"mine.toml\"\nfriction = 0.7\n");
    const Outcome run = taffeta("run scene.toml -o first/ --set solver.method=limits");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    EXPECT_NE(run.err.find("method \"limits\" takes density"), std::string::npos) << run.err;
    fs::remove(path("mine.toml"));
    const std::string text = read_text(path("first/scene.toml"));
    EXPECT_EQ(text.find("preset"), std::string::npos) << text;
    ASSERT_EQ(taffeta("run first/scene.toml -o second/").exit_code, 0);
    EXPECT_EQ(read_text(path("first/positions.npy")), read_text(path("second/positions.npy")));
    EXPECT_EQ(read_text(path("second/scene.toml")), text);
}

TEST_F(Cli, RunWritesEveryKindOfOutput) {
    write("scene.toml", small_scene);
    const Outcome run =
        taffeta("run scene.toml -o out/ -o a.glb -o a.pc2 -o last.obj -o last.ply -o 'frames/f_###.obj'");
    ASSERT_EQ(run.exit_code, 0) << run.err;
    for (const char* name : {"out/positions.npy", "out/rest.obj", "out/scene.toml", "out/report.json", "a.glb", "a.pc2",
                             "a.obj", "last.obj", "last.ply", "frames/f_000.obj", "frames/f_006.obj"})
        EXPECT_TRUE(exists(name)) << name;
    EXPECT_FALSE(exists("frames/f_007.obj"));

    const auto recording = io::read_recording(path("out"));
    ASSERT_TRUE(recording);
    ASSERT_EQ(recording->frames.size(), 7u);
    const auto last = io::read_mesh(path("last.obj"));
    ASSERT_TRUE(last);
    EXPECT_EQ(last->positions, recording->frames.back());
    EXPECT_EQ(io::read_mesh(path("last.ply"))->positions, recording->frames.back());
    EXPECT_EQ(io::read_mesh(path("frames/f_000.obj"))->positions, recording->frames.front());
}

TEST_F(Cli, TheResolvedSceneReproducesTheRun) {
    write("bag.obj", "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 4 3 2\n");
    write("scene.toml", "duration = 0.5\nunits = \"cm\"\nup_axis = \"z\"\n[[cloth]]\nmesh = \"bag.obj\"\nscale = 40\n"
                        "rotation = [10, 20, 30]\n[[cloth]]\ngrid = { size = [1, 1], cells = [6, 6] }\n"
                        "position = [0, 0.3, 0]\npins = [{ vertices = [0] }]\n[[collider]]\nshape = \"plane\"\n");
    ASSERT_EQ(taffeta("run scene.toml -o first/ --set solver.damping=0.5").exit_code, 0);
    const Outcome again = taffeta("run first/scene.toml -o second/");
    ASSERT_EQ(again.exit_code, 0) << again.err;
    EXPECT_EQ(read_text(path("first/positions.npy")), read_text(path("second/positions.npy")));
}

TEST_F(Cli, JsonIsPrintedOnStandardOutput) {
    write("scene.toml", small_scene);
    const Outcome run = taffeta("run scene.toml --json --threads 1");
    EXPECT_EQ(run.exit_code, 0);
    for (const char* key : {"\"frames\": 7", "\"vertices\": 36", "\"triangles\": 50", "\"threads\": 1", "\"hash\"",
                            "\"finite\": true", "\"seconds_by_stage\"", "\"max_stretch\"", "\"kinetic_energy\"",
                            "\"contacts\"", "\"self_contacts\"", "\"mean_stretch\"", "\"simulated_seconds\""})
        EXPECT_NE(run.out.find(key), std::string::npos) << key << "\n" << run.out;
}

TEST_F(Cli, QuietSaysNothing) {
    write("scene.toml", small_scene + "[fabric.a]\npreset = \"denim\"\n"); // which has a warning
    const Outcome run = taffeta("run scene.toml -o out/ --quiet --set solver.method=limits");
    EXPECT_EQ(run.exit_code, 0);
    EXPECT_EQ(run.out + run.err, "");
}

TEST_F(Cli, BadUsageExitsWithTwo) {
    write("scene.toml", small_scene);
    for (const char* arguments : {"",
                                  "fly",
                                  "run",
                                  "run scene.toml --fast",
                                  "run scene.toml --set nonsense",
                                  "run scene.toml --duration long",
                                  "run scene.toml --threads -1",
                                  "play missing.toml",
                                  "play --size 1",
                                  "run scene.toml -o x.xyz",
                                  "run scene.toml --size 5x5",
                                  "run scene.toml --size 640",
                                  "run scene.toml --camera 1,2",
                                  "run scene.toml --camera 1,2,3:1,2,3",
                                  "run scene.toml --camera 1,2,3:0,0,0:200",
                                  "run scene.toml --view x",
                                  "run scene.toml -o film.mp4 --size 641x480",
                                  "run missing.toml",
                                  "fabrics silkk",
                                  "fabrics missing.toml",
                                  "fabrics --json --markdown",
                                  "check missing.obj",
                                  "bench missing"}) {
        const Outcome outcome = taffeta(arguments);
        EXPECT_EQ(outcome.exit_code, 2) << arguments;
        EXPECT_NE(outcome.err, "") << arguments;
    }
}

TEST_F(Cli, PicturesHaveTheSizeAndTheViewAskedFor) {
    write("scene.toml", small_scene);
    for (const char* more : {"a.png", "b.png --view strain", "c.png --camera 0,1,2", "d.png --camera 0,1,2:0,0,0:50"})
        EXPECT_EQ(taffeta(std::string("run scene.toml --size 96x64 --quiet -o ") + more).exit_code, 0) << more;
    const std::string shaded = read_text(path("a.png"));
    ASSERT_GT(shaded.size(), 24u);
    EXPECT_EQ(shaded.substr(16, 8), std::string("\0\0\0\x60\0\0\0\x40", 8)); // width and height in the header
    EXPECT_NE(read_text(path("b.png")), shaded);
    EXPECT_NE(read_text(path("c.png")), shaded);
    EXPECT_NE(read_text(path("d.png")), read_text(path("c.png")));
}

TEST_F(Cli, AnOutputThatCannotBeWrittenEndsTheRunBeforeItBegins) {
    write("scene.toml", small_scene);
    write("file", "");
    for (const char* output : {"file/x.glb", "file/x.obj", "file/x/", "/proc/none/x.pc2"}) {
        const Outcome run = taffeta(std::string("run scene.toml -o ok.obj -o ") + output);
        EXPECT_EQ(run.exit_code, 2) << output;
        EXPECT_NE(run.err.find(output), std::string::npos) << run.err;
        EXPECT_FALSE(exists("ok.obj")) << output;
    }
}

// Each either runs with finite results or exits with 2 and says where and what.
TEST_F(Cli, StrangeInputNeverCrashes) {
    const std::string triangle = "v 0 0 0\nv 1 0 0\nv 0 0 1\n";
    const std::string square = triangle + "v 1 0 1\n";
    write("nan.obj", triangle + "v nan 0 0\nf 1 3 2\n");
    write("flat.obj", triangle + "v 0.5 0 0\nf 1 3 2\nf 1 4 2\n");
    write("twice.obj", triangle + "f 1 3 2\nf 1 3 2\n");
    write("lonely.obj", triangle + "v 5 5 5\nf 1 3 2\n");
    write("one.obj", triangle + "f 1 3 2\n");
    write("fan.obj", square + "v 1 1 0\nf 1 3 2\nf 1 2 4\nf 1 2 5\n");
    write("out_of_range.obj", triangle + "f 1 2 9\n");
    write("empty.obj", "");
    write("garbage.ply", "ply\nformat binary_little_endian 1.0\nelement vertex 4000000000\n");
    write("folder_is_a_file.glb", "glTF");
    write("empty.toml", "");

    struct Case {
        const char* scene;
        int exit_code;
        const char* message; // part of what is said
    };
    const std::string cloth = "duration = 0.3\n[[cloth]]\n";
    const std::array cases = {
        Case{"mesh = \"nan.obj\"", 2, "nan.obj:4"},
        Case{"mesh = \"flat.obj\"", 0, "triangle 1"},
        Case{"mesh = \"twice.obj\"", 0, "triangle 1"},
        Case{"mesh = \"lonely.obj\"", 0, "vertex 3"},
        Case{"mesh = \"one.obj\"", 0, ""},
        Case{"mesh = \"fan.obj\"", 0, "more than two triangles"},
        Case{"mesh = \"out_of_range.obj\"", 2, "out_of_range.obj:4"},
        Case{"mesh = \"empty.obj\"", 2, "empty.obj"},
        Case{"mesh = \"garbage.ply\"", 2, "garbage.ply"},
        Case{"mesh = \"folder_is_a_file.glb\"", 2, "folder_is_a_file.glb"},
        Case{"mesh = \"missing.obj\"", 2, "missing.obj"},
        Case{"grid = { size = [1, 1], cells = [3, 3] }\npins = [{ box = [[-9, -9, -9], [9, 9, 9]] }]", 0, ""},
        Case{"[solver]\nsubsteps = 0", 2, "solver.substeps"},
        Case{"[[collider]]\nshape = \"sphere\"\nmotion = [{ t = 0, position = [-1000, 0, 0] }, { t = 0.1, position = "
             "[99000, 0, 0] }]",
             0, ""},
        Case{
            "[[collider]]\nshape = \"plane\"\nmotion = [{ t = 0, position = [0, -1000, 0] }, { t = 0.1, position = [0, "
            "99000, 0] }]",
            0, ""},
    };
    for (const Case& one : cases) {
        write("scene.toml", cloth + one.scene + "\n");
        const Outcome run = taffeta("run scene.toml --json");
        EXPECT_EQ(run.exit_code, one.exit_code) << one.scene << "\n" << run.err;
        EXPECT_NE(run.err.find(one.message), std::string::npos) << one.scene << "\n" << run.err;
        if (one.exit_code == 0) {
            EXPECT_NE(run.out.find("\"finite\": true"), std::string::npos) << one.scene;
        }
    }
    EXPECT_EQ(taffeta("run empty.toml").exit_code, 2);
}

TEST_F(Cli, TenErrorsOfOneFileAreTenLines) {
    write("scene.toml", "version = 7\nduration = \"long\"\nframe_rate = -1\ngravity = [0, 1]\ncolour = \"red\"\n"
                        "[solver]\nsubsteps = 0\nmethod = \"woven\"\n[[cloth]]\nfabric = \"silk\"\nscale = 0\n"
                        "[[collider]]\nshape = \"cone\"\n");
    const Outcome run = taffeta("run scene.toml");
    EXPECT_EQ(run.exit_code, 2);
    for (const int line : {1, 2, 3, 4, 5, 7, 8, 10, 11, 13})
        EXPECT_NE(run.err.find("scene.toml:" + std::to_string(line) + ": "), std::string::npos) << line << "\n"
                                                                                                << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 10) << run.err;
}

TEST_F(Cli, CheckExitsWithOneIfTrianglesCross) {
    write("crossing.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nv 0.2 -1 0.2\nv 0.2 1 0.2\nv 0.3 1 0.9\nf 1 2 3\nf 4 5 6\n");
    write("clean.obj", "v 0 0 0\nv 1 0 0\nv 0 0 1\nf 1 2 3\n");
    EXPECT_EQ(taffeta("check clean.obj").exit_code, 0);
    const Outcome crossing = taffeta("check clean.obj crossing.obj --json");
    EXPECT_EQ(crossing.exit_code, 1);
    EXPECT_NE(crossing.out.find("\"intersections\": 1"), std::string::npos) << crossing.out;
    EXPECT_EQ(taffeta("check missing.obj crossing.obj").exit_code, 2);
}

// Nothing keeps the cloth of these from the body: it is pinned, and the body comes to it.
TEST_F(Cli, CheckCountsWhereClothPassesThroughBodies) {
    const std::string scene =
        "duration = 0.4\nframe_rate = 10\ngravity = [0, 0, 0]\n"
        "[[cloth]]\ngrid = { size = [1, 1], cells = [2, 2] }\n"
        "pins = [{ box = [[-1, -1, -1], [1, 1, 1]] }]\n[[collider]]\n"
        "motion = [{ t = 0, position = [0.2, -2, 0.05] }, { t = 0.4, position = [0.2, 2, 0.05] }]\n";
    write("body.obj", "v -0.1 -0.1 0\nv 0.1 -0.1 0\nv 0 0.1 0\nf 1 2 3\n");
    write("box.toml", scene + "shape = \"box\"\nsize = [0.2, 0.4, 0.2]\n");
    write("body.toml", scene + "shape = \"mesh\"\nmesh = \"body.obj\"\n");
    write("sphere.toml", scene + "shape = \"sphere\"\nradius = 0.2\n");
    write("plane.toml", scene + "shape = \"plane\"\nnormal = [0, -1, 0]\n");
    for (const std::string name : {"box", "body", "sphere", "plane"})
        ASSERT_EQ(taffeta("run " + name + ".toml -o " + name + "/").exit_code, 0) << name;

    const Outcome box = taffeta("check box/ --frames");
    EXPECT_EQ(box.exit_code, 1);
    EXPECT_NE(box.out.find(" 0 triangle pairs of cloth and body in the last of 5 frames, at worst "), std::string::npos)
        << box.out;
    EXPECT_EQ(std::count(box.out.begin(), box.out.end(), '\n'), 2) << box.out; // one frame has any
    EXPECT_NE(box.out.find("\n  frame 2: 0 of cloth, "), std::string::npos) << box.out;

    const Outcome body = taffeta("check body/ --json --frames");
    EXPECT_EQ(body.exit_code, 1);
    EXPECT_NE(body.out.find("\"worst_body_intersections\": 1"), std::string::npos) << body.out;
    EXPECT_NE(body.out.find("\"worst_body_frame\": 2"), std::string::npos) << body.out;
    EXPECT_NE(body.out.find("\"body_intersections\": 0"), std::string::npos) << body.out;

    const Outcome sphere = taffeta("check sphere/ --json"); // its equator is in the plane of the sheet
    EXPECT_EQ(sphere.exit_code, 1);
    EXPECT_NE(sphere.out.find("\"worst_body_frame\": 2"), std::string::npos) << sphere.out;

    const Outcome plane = taffeta("check plane/ --json --frames"); // at the height of the cloth in frame 2
    EXPECT_EQ(plane.exit_code, 1);
    EXPECT_NE(plane.out.find("\"worst_body_intersections\": 8"), std::string::npos) << plane.out;
    EXPECT_NE(plane.out.find("\"worst_body_frame\": 0"), std::string::npos) << plane.out;
    EXPECT_NE(plane.out.find("\"body_intersections\": 0"), std::string::npos) << plane.out;
    std::filesystem::remove(path("body/scene.toml"));
    EXPECT_EQ(taffeta("check body/").exit_code, 2); // nobody knows of the bodies
}

TEST_F(Cli, ARunThatIsInterruptedKeepsItsFrames) {
    write("scene.toml", "duration = 100000\n[[cloth]]\ngrid = { size = [1, 1], cells = [20, 20] }\n");
    const pid_t child = start_long_run();
    kill(child, SIGINT);
    int status = 0;
    waitpid(child, &status, 0);
    ASSERT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 1);
    const auto recording = io::read_recording(path("out"));
    ASSERT_TRUE(recording);
    EXPECT_GT(recording->frames.size(), 1u);
    EXPECT_TRUE(exists("out/report.json"));
    EXPECT_TRUE(io::read_mesh(path("out.glb")));
}

TEST_F(Cli, ARunThatIsKilledLeavesNothingUnderTheFinalNames) {
    write("scene.toml", "duration = 100000\n[[cloth]]\ngrid = { size = [1, 1], cells = [20, 20] }\n");
    fs::create_directories(path("out"));
    write("out/report.json", "old");
    write("out.glb", "old");
    const pid_t child = start_long_run();
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    EXPECT_FALSE(exists("out/positions.npy"));
    EXPECT_EQ(read_text(path("out/report.json")), "old");
    EXPECT_EQ(read_text(path("out.glb")), "old");
}

} // namespace
