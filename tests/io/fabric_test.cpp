// Fabric files: the built-in ones, those of users, and scenes that take them as presets.
#include "io/scene_testing.h"

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <set>
#include <string>

namespace taffeta::io {
namespace {

FabricFile fabric_of(const std::string& name) {
    auto file = open_fabric(name);
    if (file) return *file;
    ADD_FAILURE() << all_messages(file.errors());
    return {};
}

Errors fabric_errors(const std::string& text) {
    const auto file = read_fabric_text(text, "mine.toml");
    if (!file) return file.errors();
    ADD_FAILURE() << "read without an error:\n" << text;
    return {};
}

// --- the built-in ones

TEST(Fabrics, EveryBuiltinOneIsGoodAndSaysWhatItIsAndWhereItIsFrom) {
    EXPECT_GE(builtin_fabrics().size(), 12u);
    for (const BuiltinFabric& builtin : builtin_fabrics()) {
        SCOPED_TRACE(builtin.name);
        const FabricFile file = fabric_of(std::string(builtin.name));
        EXPECT_EQ(file.fabric.name, builtin.name);
        EXPECT_FALSE(file.description.empty());
        EXPECT_FALSE(file.source.empty());
        EXPECT_TRUE(file.source.find("Estimates: ") != std::string::npos) << "which numbers are estimates";
        EXPECT_TRUE(file.fabric.colour);
        // Nobody has measured fabrics beyond these.
        for (const float bend : file.fabric.bend) EXPECT_TRUE(bend > 1e-7f && bend < 1e-3f) << bend;
        EXPECT_TRUE(file.fabric.density > 0.01f && file.fabric.density < 1) << file.fabric.density;
        EXPECT_TRUE(file.fabric.thickness >= 5e-5f && file.fabric.thickness < 0.005f) << file.fabric.thickness;
    }
}

TEST(Fabrics, EveryBuiltinOneWorksWithEveryMethod) {
    for (const BuiltinFabric& builtin : builtin_fabrics())
        for (const std::string method : {"limits", "xpbd", "implicit"})
            scene_of("[solver]\nmethod = '" + method + "'\n[fabric.a]\npreset = '" + std::string(builtin.name) +
                     "'\n[[cloth]]");
}

// KES: B in gf cm^2/cm, 2HB in gf cm/cm, W in mg/cm^2, T in mm.
TEST(Fabrics, KesValuesAreThoseOfThePaper) {
    struct Kes {
        const char* name;
        float b, two_hb, w, t;
    };
    for (const Kes& kes : {Kes{"cotton_broadcloth", 0.118f, 0.124f, 12.38f, 0.497f},
                           Kes{"wool_tropical", 0.067f, 0.033f, 16.29f, 0.407f},
                           Kes{"polyester_tropical", 0.077f, 0.029f, 11.65f, 0.340f},
                           Kes{"polyester_faille", 0.019f, 0.007f, 10.43f, 0.226f}}) {
        SCOPED_TRACE(kes.name);
        const Fabric fabric = fabric_of(kes.name).fabric;
        for (const float bend : fabric.bend) EXPECT_NEAR(bend / (kes.b * 9.80665e-5f), 1, 1e-3);
        EXPECT_NEAR(fabric.bend_hysteresis / (kes.two_hb * 9.80665e-3f), 1, 1e-3);
        EXPECT_NEAR(fabric.density / (kes.w * 1e-2f), 1, 1e-3);
        EXPECT_NEAR(fabric.thickness / (kes.t * 1e-3f), 1, 1e-3);
    }
}

TEST(Fabrics, AWrittenOneReadsBackAsTheSame) {
    for (const BuiltinFabric& builtin : builtin_fabrics()) {
        const FabricFile file = fabric_of(std::string(builtin.name));
        const std::string text = fabric_to_toml(file);
        const auto again = read_fabric_text(text, std::string(builtin.name) + ".toml");
        ASSERT_TRUE(again) << all_messages(again.errors()) << text;
        EXPECT_TRUE(file == *again) << text;
    }
}

// --- files

TEST(Fabrics, ErrorsOfAFileHaveItsNameLineAndKey) {
    const Errors errors = fabric_errors("densty = 0.1\ndescription = 3\n\nstretch = [0, 100]\nbend = 1e-5\n"
                                        "poisson = 1\nweave = 'knit'\ncolour = 'red'\nsolver = {}\n");
    const std::vector<std::pair<int, std::string>> expected = {{1, "densty"}, {2, "description"}, {4, "stretch"},
                                                               {5, "bend"},   {6, "poisson"},     {7, "weave"},
                                                               {8, "colour"}, {9, "solver"}};
    ASSERT_EQ(errors.size(), expected.size()) << all_messages(errors);
    for (std::size_t k = 0; k < errors.size(); ++k) {
        EXPECT_EQ(errors[k].file, "mine.toml");
        EXPECT_EQ(errors[k].line, expected[k].first) << errors[k].message;
        EXPECT_EQ(errors[k].key, expected[k].second) << errors[k].message;
        EXPECT_EQ(errors[k].message.find(errors[k].key), 0u) << errors[k].message;
    }
    EXPECT_NE(errors[0].message.find("did you mean density?"), std::string::npos) << errors[0].message;
}

TEST(Fabrics, TextThatIsNotTomlIsOneError) {
    const Errors errors = fabric_errors("density = 0.1\nbend = [1, \n");
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].message.find("TOML"), std::string::npos);
    EXPECT_EQ(errors[0].file, "mine.toml");
}

TEST(Fabrics, FilesThatCannotBeReadAreErrors) {
    const Folder folder;
    const auto missing = read_fabric(folder.path() / "none.toml");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.errors()[0].file, (folder.path() / "none.toml").string());
    const auto directory = read_fabric(folder.path());
    ASSERT_FALSE(directory);
    EXPECT_NE(directory.errors()[0].message.find("folder"), std::string::npos);
}

TEST(Fabrics, AnyBytesGiveAnAnswer) {
    const std::string seed = fabric_to_toml(fabric_of("denim"));
    std::mt19937 random(1);
    for (int i = 0; i < 500; ++i) {
        std::string text = seed;
        for (int j = 0; j < 5; ++j) text[random() % text.size()] = static_cast<char>(random());
        const auto file = read_fabric_text(text, "mine.toml");
        EXPECT_TRUE(file || !file.errors().empty());
    }
}

// --- presets of scenes

TEST(Presets, GiveTheValuesThatTheTableDoesNot) {
    const SceneDesc scene =
        scene_of("[fabric.jeans]\ndensity = 0.4\npreset = 'denim'\nbend = [1e-4, 2e-4]\n[[cloth]]\nfabric = 'jeans'");
    Fabric expected = fabric_of("denim").fabric;
    expected.name = "jeans";
    expected.density = 0.4f;
    expected.bend = {1e-4f, 2e-4f};
    EXPECT_TRUE(scene.fabrics.at(0) == expected);
}

TEST(Presets, MayBeFilesBesideTheScene) {
    const Folder folder;
    folder.write("mine.toml", "description = 'My own.'\ndensity = 0.33\nshear = 7\n");
    const auto scene = read_scene(folder.write("scene.toml", "[fabric.a]\npreset = 'mine.toml'\nshear = 8\n[[cloth]]"));
    ASSERT_TRUE(scene) << all_messages(scene.errors());
    EXPECT_EQ(scene->fabrics.at(0), (Fabric{.name = "a", .density = 0.33f, .shear = 8}));
}

TEST(Presets, MayBeSetFromOutside) {
    EXPECT_EQ(scene_of("[[cloth]]", {{"fabric.a.preset", "paper"}}).fabrics.at(0).density, 0.1f);
}

TEST(Presets, UnknownNamesListTheKnownOnes) {
    const Errors errors = errors_of("[[cloth]]\n[fabric.a]\npreset = 'cotton_broadclth'");
    ASSERT_EQ(errors.size(), 1u) << all_messages(errors);
    EXPECT_EQ(errors[0].file, file_name);
    EXPECT_EQ(errors[0].line, 3);
    EXPECT_EQ(errors[0].key, "fabric.a.preset");
    for (const std::string word : {"fabric.a.preset must be", "found \"cotton_broadclth\"",
                                   "did you mean \"cotton_broadcloth\"?", "denim", "wool_tropical", ".toml"})
        EXPECT_NE(errors[0].message.find(word), std::string::npos) << word << ": " << errors[0].message;
    EXPECT_NE(errors_of("[[cloth]]\n[fabric.a]\npreset = 'wool'").at(0).message.find("mean \"wool_tropical\"?"),
              std::string::npos);
}

TEST(Presets, OfAnotherTypeOrWithoutAFileAreErrors) {
    Errors errors = errors_of("[[cloth]]\n[fabric.a]\npreset = 3");
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_NE(errors[0].message.find("fabric.a.preset must be the name of a built-in fabric"), std::string::npos);
    errors = errors_of("[[cloth]]\n[fabric.a]\npreset = 'none.toml'");
    ASSERT_EQ(errors.size(), 1u);
    EXPECT_EQ(errors[0].line, 3);
    EXPECT_NE(errors[0].message.find("relative to the scene file"), std::string::npos) << errors[0].message;
}

TEST(Presets, ErrorsOfTheirFilesArePassedOn) {
    const Folder folder;
    folder.write("mine.toml", "density = 0.1\nshear = -3\nbnd = 1\n");
    const auto scene =
        read_scene_text("[[cloth]]\n[fabric.a]\npreset = 'mine.toml'\nfriction = 'x'\n", file_name, folder.path());
    ASSERT_FALSE(scene);
    const auto file = read_fabric(folder.path() / "mine.toml");
    ASSERT_FALSE(file);
    ASSERT_EQ(scene.errors().size(), 3u) << all_messages(scene.errors());
    for (std::size_t k = 0; k < 2; ++k) {
        EXPECT_EQ(scene.errors()[k].to_string(), file.errors()[k].to_string());
        EXPECT_EQ(scene.errors()[k].key, "fabric.a.preset");
    }
    EXPECT_EQ(scene.errors()[2].key, "fabric.a.friction");
}

TEST(Presets, AreNotPartOfFabricFiles) {
    EXPECT_EQ(fabric_errors("preset = 'denim'").at(0).key, "preset");
}

TEST(Presets, AreWrittenAsValues) {
    const SceneDesc scene = scene_of("[fabric.a]\npreset = 'denim'\n[[cloth]]\nfabric = 'a'");
    const std::string text = scene_to_toml(scene);
    EXPECT_EQ(text.find("preset"), std::string::npos) << text;
    EXPECT_TRUE(scene_of(text) == scene) << text;
}

} // namespace
} // namespace taffeta::io
