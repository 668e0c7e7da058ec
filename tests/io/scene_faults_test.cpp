// Every error of a scene file has its file, line, key, value and what is allowed instead.
#include "io/scene_testing.h"

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

namespace taffeta::io {
namespace {

// A text with exactly one error, which has this place and says all of these words.
struct Case {
    std::string text;
    int line;
    std::string key;
    std::vector<std::string> words;
};

void expect_error(const Case& c) {
    SCOPED_TRACE(c.text);
    const Errors errors = errors_of(c.text);
    ASSERT_EQ(errors.size(), 1u) << all_messages(errors);
    EXPECT_EQ(errors[0].file, file_name);
    EXPECT_EQ(errors[0].line, c.line) << errors[0].message;
    EXPECT_EQ(errors[0].key, c.key) << errors[0].message;
    EXPECT_NE(errors[0].message.find(c.key), std::string::npos) << errors[0].message;
    for (const std::string& word : c.words)
        EXPECT_NE(errors[0].message.find(word), std::string::npos) << word << " is not in: " << errors[0].message;
}

TEST(SceneToml, EmptyFileAsksForAClothAndShowsOne) {
    for (const std::string text : {"", "# nothing\n", "name = 'x'\n", "cloth = []\n"}) {
        const Errors errors = errors_of(text);
        ASSERT_EQ(errors.size(), 1u) << all_messages(errors);
        EXPECT_NE(errors[0].message.find("[[cloth]]"), std::string::npos);
        EXPECT_EQ(errors[0].key, "cloth");
        EXPECT_EQ(errors[0].file, file_name);
    }
}

TEST(SceneToml, SyntaxErrorsHaveTheirLine) {
    for (const std::string text : {"[[cloth]]\nname = \n", "[[cloth]]\nname = \"open\n", "[[cloth]]\nscale = 1 2\n",
                                   "[[cloth]]\nname = 'a'\nname = 'b'\n", "[[cloth]]\nname = '\xff'\n"}) {
        SCOPED_TRACE(text);
        const Errors errors = errors_of(text);
        ASSERT_EQ(errors.size(), 1u);
        EXPECT_EQ(errors[0].file, file_name);
        EXPECT_GE(errors[0].line, 2);
        EXPECT_LE(errors[0].line, 3);
        EXPECT_NE(errors[0].message.find("TOML"), std::string::npos);
    }
}

TEST(SceneToml, UnknownKeysAreErrorsWithTheKeyThatWasMeant) {
    expect_error({"[[cloth]]\n[solver]\nsubstep = 3", 3, "solver.substep", {"3", "did you mean solver.substeps"}});
    expect_error({"duraton = 3\n[[cloth]]", 1, "duraton", {"did you mean duration", "frame_rate"}});
    expect_error({"[[cloth]]\n[[cloth]]\ngrid = { sizes = [1, 1] }", 3, "cloth.1.grid.sizes", {"cloth.1.grid.size?"}});
    expect_error({"[[cloth]]\n[fabric.silk]\nfrictoin = 1", 3, "fabric.silk.frictoin", {"fabric.silk.friction?"}});
    expect_error({"[[cloth]]\n[view]\ncamera = { form = [0, 0, 0] }", 3, "view.camera.form", {"view.camera.from?"}});
    expect_error({"[[cloth]]\n[[collider]]\nmotion = [ { t = 0 },\n { time = 1 } ]",
                  4,
                  "collider.0.motion.1.time",
                  {"allowed", "t, position, rotation"}});
    expect_error({"[[cloth]]\nxyzzy = 'plugh'", 2, "cloth.0.xyzzy", {"\"plugh\"", "position", "self_collision"}});
    const Errors errors = errors_of("[[cloth]]\nxyzzy = 1\n");
    EXPECT_EQ(errors.at(0).message.find("did you mean"), std::string::npos) << "nothing is spelled like xyzzy";
}

TEST(SceneToml, WrongTypesNameTheValueAndWhatIsAllowed) {
    const std::vector<Case> cases = {
        {"duration = '4'\n[[cloth]]", 1, "duration", {"a number", "(s)", "\"4\""}},
        {"name = 4\n[[cloth]]", 1, "name", {"text", "found 4"}},
        {"gravity = -9.81\n[[cloth]]", 1, "gravity", {"list of 3 numbers", "found -9.81"}},
        {"gravity = [0, 1]\n[[cloth]]", 1, "gravity", {"list of 3 numbers", "found [0, 1]"}},
        {"gravity = [0, 1, 'x']\n[[cloth]]", 1, "gravity", {"list of 3 numbers", "\"x\""}},
        {"[[cloth]]\n[solver]\nsubsteps = 4.0", 3, "solver.substeps", {"an integer", "found 4.0"}},
        {"[[cloth]]\nweld = 'yes'", 2, "cloth.0.weld", {"true or false", "\"yes\""}},
        {"[[cloth]]\ngrid = 31", 2, "cloth.0.grid", {"table", "found 31"}},
        {"[[cloth]]\ngrid = { cells = [31, 3.5] }", 2, "cloth.0.grid.cells", {"2 integers", "[31, 3.5]"}},
        {"[[cloth]]\nwarp = 'x'", 2, "cloth.0.warp", {"list of 3 numbers", "\"x\""}},
        {"[[cloth]]\n[fabric.silk]\nbend = 1e-5", 3, "fabric.silk.bend", {"2 numbers", "N m", "found 1e-05"}},
        {"[[cloth]]\n[fabric.silk]\nbend = { 0 = 1 }", 3, "fabric.silk.bend", {"2 numbers", "found a table"}},
        {"[[cloth]]\n[fabric.silk]\nstretch = [1, 2, 3]", 3, "fabric.silk.stretch", {"2 numbers", "[1, 2, 3]"}},
        {"[[cloth]]\n[fabric.silk]\nshear = [50, 50]", 3, "fabric.silk.shear", {"a number", "[50, 50]"}},
        {"[[cloth]]\nmesh = 3", 2, "cloth.0.mesh", {"path", "found 3"}},
        {"[[cloth]]\npins = 'all'", 2, "cloth.0.pins", {"list", "\"all\""}},
        {"[[cloth]]\npins = [ 1 ]", 2, "cloth.0.pins.0", {"table", "found 1"}},
        {"[[cloth]]\npins = [ { vertices = 1 } ]", 2, "cloth.0.pins.0.vertices", {"list of vertex", "found 1"}},
        {"[[cloth]]\npins = [ { box = [[0, 0, 0]] } ]", 2, "cloth.0.pins.0.box", {"corners", "[[...]]"}},
        {"[[cloth]]\npins = [ { corner = 1 } ]", 2, "cloth.0.pins.0.corner", {"+x+z", "found 1"}},
        {"[[cloth]]\npins = [ { corner = '+x', follow = 'box' } ]", 2, "cloth.0.pins.0.follow", {"integer", "\"box\""}},
        {"[[cloth]]\npins = [ { corner = '+x', follow = 2 } ]", 2, "cloth.0.pins.0.follow", {"no colliders", "2"}},
        {"[[cloth]]\npins = [ { corner = '+x', motion = [ 1 ] } ]", 2, "cloth.0.pins.0.motion.0", {"table", "found 1"}},
        {"[[cloth]]\ntrousers = { particles = 'many' }", 2, "cloth.0.trousers.particles", {"integer", "\"many\""}},
        {"[[cloth]]\n[[collider]]\nshape = 'figure'\nsteps = -1", 4, "collider.0.steps", {"from 0", "-1"}},
        {"[[cloth]]\n[[collider]]\nshape = 'figure'\npace = 'slow'", 4, "collider.0.pace", {"number", "\"slow\""}},
        {"[[cloth]]\n[[collider]]\nshape = 'figure'\nmesh = 'a.obj'", 4, "collider.0.mesh", {"steps and pace"}},
        {"[[cloth]]\n[[collider]]\nshape = 'ring'\ntube = 0.3", 4, "collider.0.tube", {"less than", "0.3"}},
        {"[[cloth]]\n[[collider]]\nshape = 'ring'\nradius = 0", 4, "collider.0.radius", {"above 0"}},
        {"[[cloth]]\n[[collider]]\nshape = 'sphere'\ntube = 1", 4, "collider.0.tube", {"does not belong", "radius"}},
        {"[[cloth]]\npins = [ {} ]", 2, "cloth.0.pins.0", {"vertices, box and corner", "none"}},
        {"[[cloth]]\n[[grab]]\npath = [ [0, 1, 2] ]", 3, "grab.0.path.0", {"t, x, y, z", "[0, 1, 2]"}},
        {"[[cloth]]\n[[grab]]\nvertex = 1.5\npath = [[0, 0, 0, 0], [1, 0, 0, 0]]", 3, "grab.0.vertex", {"1.5"}},
        {"[[cloth]]\n[[collider]]\nmotion = [ { t = 1979-05-27 } ]", 3, "collider.0.motion.0.t", {"a date"}},
        {"solver = 3\n[[cloth]]", 1, "solver", {"table", "[solver]", "found 3"}},
        {"fabric = 'silk'\n[[cloth]]\nfabric = 'silk'", 1, "fabric", {"[fabric.NAME]", "\"silk\""}},
        {"[[cloth]]\n[fabric]\nsilk = 3", 3, "fabric.silk", {"table", "found 3"}},
        {"[cloth]\nname = 'x'", 1, "cloth", {"[[cloth]]", "found a table"}},
        {"cloth = 3", 1, "cloth", {"[[cloth]]", "found 3"}},
        {"view = { camera = 3 }\n[[cloth]]", 1, "view.camera", {"table", "found 3"}},
    };
    for (const Case& c : cases) expect_error(c);
}

TEST(SceneToml, WordsOutsideAChoiceListTheChoice) {
    expect_error({"units = \"inch\"\n[[cloth]]", 1, "units", {"\"m\", \"cm\" or \"mm\"", "\"inch\""}});
    expect_error({"up_axis = \"x\"\n[[cloth]]", 1, "up_axis", {"\"y\" or \"z\"", "\"x\""}});
    expect_error({"[[cloth]]\n[solver]\nmethod = \"magic\"", 3, "solver.method", {"\"limits\"", "\"magic\""}});
    expect_error({"[[cloth]]\ngrid = { diagonals = 'up' }", 2, "cloth.0.grid.diagonals", {"\"alternate\"", "\"up\""}});
    expect_error({"[[cloth]]\nself_collision = 'false'", 2, "cloth.0.self_collision", {"true or false"}});
    expect_error(
        {"[[cloth]]\n[[collider]]\nshape = 'cube'\nheight = 1", 3, "collider.0.shape", {"\"box\"", "\"cube\""}});
    expect_error({"version = 2\n[[cloth]]", 1, "version", {"must be 1", "found 2"}});
}

TEST(SceneToml, ColoursAreSixHexadecimalDigits) {
    for (const std::string wrong : {"'red'", "'#12345'", "'#1234567'", "'123456'", "'#12345g'", "'#-12345'", "7"})
        expect_error({"[[cloth]]\n[view]\nbackground = " + wrong, 3, "view.background", {"a colour like \"#c8102e\""}});
}

TEST(SceneToml, NumbersThatNoFloatOrIntegerHoldsAreOutOfRange) {
    expect_error({"duration = nan\n[[cloth]]", 1, "duration", {"out of range", "nan"}});
    expect_error({"duration = -inf\n[[cloth]]", 1, "duration", {"out of range", "-inf"}});
    expect_error({"duration = 1e300\n[[cloth]]", 1, "duration", {"out of range", "1e+300", "3.4e38"}});
    expect_error({"gravity = [0, inf, 0]\n[[cloth]]", 1, "gravity", {"out of range", "[0, inf, 0]"}});
    expect_error({"[[cloth]]\n[solver]\nthreads = 4000000000", 3, "solver.threads", {"2147483647", "4000000000"}});
    expect_error({"[[cloth]]\npins = [{ vertices = [-1] }]", 2, "cloth.0.pins.0.vertices", {"from 0", "[-1]"}});
}

TEST(SceneToml, RangesOfCheckGetFileAndLineOfTheirKey) {
    const std::vector<Case> cases = {
        {"[[cloth]]\n\n[fabric.cotton]\nfriction = 0.5\ndensity = -1", 5, "fabric.cotton.density", {"-1"}},
        {"[[cloth]]\n[solver]\niterations = 3\nsubsteps = 0", 4, "solver.substeps", {"0"}},
        {"[[cloth]]\n[[cloth]]\nname = 'b'\ngrid = { cells = [0, 4] }", 4, "cloth.1.grid.cells", {"0"}},
        {"[[cloth]]\n[[collider]]\n[[collider]]\nradius = -2", 4, "collider.1.radius", {"-2"}},
        {"duration = -1\n[[cloth]]", 1, "duration", {"-1"}},
    };
    for (const Case& c : cases) expect_error(c);
}

TEST(SceneToml, NamesWithDotsHaveLinesToo) {
    expect_error({"[[cloth]]\n[fabric.\"a.b\"]\nfriction = 0.5\ndensity = 'x'", 4, "fabric.a.b.density", {"\"x\""}});
}

TEST(SceneToml, KeysThatExcludeEachOtherAreErrors) {
    expect_error({"[[cloth]]\n[solver]\nvelocity_factor = 0.9\ndamping = 1", 3, "solver.velocity_factor", {"damping"}});
    expect_error({"[[cloth]]\n[[grab]]\nnear = [0, 0, 0]\nvertex = 3\npath = [[0, 0, 0, 0], [1, 0, 0, 0]]",
                  4,
                  "grab.0.vertex",
                  {"near"}});
    expect_error({"[[cloth]]\ngrid = {}\ndisk = {}", 3, "cloth.0.disk", {"grid", "mesh"}});
    expect_error(
        {"[[cloth]]\npins = [ { vertices = [0], corner = '+x+z' } ]", 2, "cloth.0.pins.0.corner", {"vertices"}});
}

TEST(SceneToml, KeysOfAnotherShapeAreErrors) {
    expect_error({"[[cloth]]\n[[collider]]\nheight = 1", 3, "collider.0.height", {"default shape", "radius"}});
    expect_error(
        {"[[cloth]]\n[[collider]]\nshape = 'sphere'\nheight = 1", 4, "collider.0.height", {"sphere", "radius"}});
    expect_error({"[[cloth]]\n[[collider]]\nshape = 'box'\nradius = 1", 4, "collider.0.radius", {"box", "size"}});
    expect_error({"[[cloth]]\n[[collider]]\nshape = 'plane'\nsize = [1, 1, 1]", 4, "collider.0.size", {"normal"}});
    expect_error({"[[cloth]]\n[[collider]]\nshape = 'capsule'\nnormal = [0, 1, 0]",
                  4,
                  "collider.0.normal",
                  {"radius and height"}});
}

TEST(SceneToml, KeysAndValuesOfLaterVersionsSaySo) {
    const std::string later = " is not available in this version";
    for (const std::string method : {"springs", "woven"})
        expect_error({"[[cloth]]\n[solver]\nmethod = '" + method + "'",
                      3,
                      "solver.method",
                      {"solver.method" + later, method, "use \"xpbd\", \"implicit\" or \"limits\""}});
}

TEST(SceneToml, TenErrorsGiveTenMessagesInTheOrderOfTheFile) {
    const Errors errors = errors_of("version = 3\n"
                                    "duraton = 3\n"
                                    "gravity = [0, 1]\n"
                                    "units = 'inch'\n"
                                    "[solver]\n"
                                    "substeps = 0\n" // from check(), the others from the reader
                                    "method = 'woven'\n"
                                    "[fabric.silk]\n"
                                    "density = nan\n"
                                    "[[cloth]]\n"
                                    "mesh = 'no such file.obj'\n"
                                    "weld = 1\n"
                                    "[[collider]]\n"
                                    "height = 3\n");
    std::vector<std::string> keys;
    for (const Error& error : errors) keys.push_back(error.key);
    const std::vector<std::string> expected = {"version",
                                               "duraton",
                                               "gravity",
                                               "units",
                                               "solver.substeps",
                                               "solver.method",
                                               "fabric.silk.density",
                                               "cloth.0.mesh",
                                               "cloth.0.weld",
                                               "collider.0.height"};
    EXPECT_EQ(keys, expected) << all_messages(errors);
    EXPECT_TRUE(std::is_sorted(errors.begin(), errors.end(), [](auto& a, auto& b) { return a.line < b.line; }));
}

TEST(SceneToml, MessagesStayOnOneLine) {
    for (const Error& error :
         errors_of("\"a\\nb\" = 1\nname = [\"x\\ny\"]\nduration = \"" + std::string(5000, 'x') + "\""))
        EXPECT_TRUE(error.to_string().find('\n') == std::string::npos && error.message.size() < 300) << error.message;
}

TEST(SceneToml, DeepNestingIsAErrorAndNoCrash) {
    const auto repeated = [](const std::string& text, int n) {
        std::string all;
        for (int i = 0; i < n; ++i) all += text;
        return all;
    };
    constexpr int deep = 200'000;
    const std::vector<std::string> texts = {
        "a = " + repeated("[", deep),
        "a = " + repeated("{ a = ", deep),
        "a" + repeated(".a", deep) + " = 1",
        "[a" + repeated(".a", deep) + "]",
        "[[a" + repeated(".'a'", deep) + "]]",
        "a = " + repeated("{ a.a.a.a.a.a.a.a.a.a = ", 200) + "1" + repeated("}", 200),
        "a = " + repeated("[", 200) + repeated("]", 200),
    };
    for (const std::string& text : texts) EXPECT_FALSE(errors_of("[[cloth]]\n" + text).empty());
    EXPECT_FALSE(errors_of("[[cloth]]", {{"a" + repeated(".a", deep), "1"}}).empty());
    EXPECT_FALSE(errors_of("[[cloth]]", {{"a", "{ a" + repeated(".a", deep) + " = 1 }"}}).empty());
}

TEST(SceneToml, DotsOutsideKeysAreNotNesting) {
    const std::string dots(100, '.');
    EXPECT_EQ(scene_of("name = '" + dots + "' # " + dots + "\ndescription = \"\"\"\\\"" + dots + "\n" + dots +
                       "\"\"\"\n[[cloth]]")
                  .name,
              dots);
}

TEST(SceneToml, AnyBytesGiveAnAnswer) {
    const std::string seed =
        scene_to_toml(scene_of("[fabric.a]\n[[cloth]]\npins = [{ corner = '+x+z' }]\n[[collider]]\n"
                               "[[grab]]\npath = [[0, 0, 0, 0], [1, 0, 0, 0]]"));
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        std::string text = seed;
        for (int j = 0; j < 5; ++j) text[random() % text.size()] = static_cast<char>(random());
        const auto scene = read(text);
        EXPECT_TRUE(scene || !scene.errors().empty());
    }
}

} // namespace
} // namespace taffeta::io
