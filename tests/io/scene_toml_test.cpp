// What scene files say reaches the scene: keys, meshes, overrides. Their errors: scene_errors_test.cpp.
#include "io/scene_testing.h"

#include <taffeta/io.h>

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace taffeta::io {
namespace {

const std::string one_triangle = "v 0 0 0\nv 100 0 0\nv 0 200 300\nf 1 2 3\n";

// --- what is read

TEST(SceneToml, OneClothIsASceneWithTheDocumentedDefaults) {
    const SceneDesc scene = scene_of("[[cloth]]\n");
    EXPECT_EQ(scene.name, "");
    EXPECT_EQ(scene.duration, 4.0f);
    EXPECT_EQ(scene.frame_rate, 30.0f);
    EXPECT_EQ(scene.gravity, (Vec3{0, -9.81f, 0}));
    EXPECT_EQ(scene.solver.method, "xpbd");
    EXPECT_EQ(scene.solver.substeps, 4);
    EXPECT_EQ(scene.solver.iterations, 4);
    EXPECT_EQ(scene.solver.damping, 0.0f);
    EXPECT_FALSE(scene.solver.velocity_factor);
    EXPECT_EQ(scene.solver.threads, 0);
    EXPECT_TRUE(scene.fabrics.empty());
    EXPECT_TRUE(scene.colliders.empty());
    EXPECT_TRUE(scene.grabs.empty());
    EXPECT_FALSE(scene.view.camera);
    ASSERT_EQ(scene.cloths.size(), 1u);
    const ClothDesc& cloth = scene.cloths[0];
    const auto* grid = std::get_if<GridShape>(&cloth.shape);
    ASSERT_TRUE(grid);
    EXPECT_EQ(grid->size, (std::array<float, 2>{1, 1}));
    EXPECT_EQ(grid->cells, (std::array<int, 2>{31, 31}));
    EXPECT_EQ(grid->diagonals, Diagonals::alternate);
    EXPECT_EQ(cloth.scale, 1.0f);
    EXPECT_EQ(cloth.self_collision, SelfCollision::automatic);
    EXPECT_EQ(cloth.self_distance, 0.0f);
    EXPECT_TRUE(cloth.weld);
    EXPECT_TRUE(cloth.pins.empty());
}

TEST(SceneToml, EveryKeyReachesItsField) {
    const SceneDesc scene = scene_of(R"(
version     = 1
name        = "tablecloth"
description = "A round cloth falls over a round table."
duration    = 2.5
frame_rate  = 60
gravity     = [0, -1.62, 0]
units       = "m"
up_axis     = "y"

[solver]
method          = "limits"
substeps        = 8
iterations      = 6
velocity_factor = 0.99
threads         = 2

[fabric.wool]
density     = 0.3
thickness   = 0.002
friction    = 0.6
max_stretch = 1.1
min_stretch = 0.9
bend_limit  = 0.5
stretch     = [700, 600]
poisson     = 0.25
shear       = 35
bend        = [7e-6, 6e-6]
bend_hysteresis = 3e-4
strain_limit    = 0.08
stretch_damping = 0.002
bend_damping    = 0.005

[fabric.cotton]

[[cloth]]
name     = "top"
fabric   = "wool"
grid     = { size = [2.0, 1.5], cells = [20, 15], diagonals = "cross" }
position = [0, 1, 0]
rotation = [0, 45, 0]
scale    = 0.5
velocity = [1, 0, 0]
pins     = [ { vertices = [0, 20] }, { box = [[-1, 0.9, -1], [1, 1.1, 1]] }, { corner = "+x+z" } ]
self_collision = false
self_distance  = 0.01
warp     = [0, 0, 1]
weld     = false

[[cloth]]
disk = { radius = 0.7, particles = 500 }
self_collision = true

[[collider]]
shape    = "sphere"
radius   = 0.2
position = [0, 0.5, 0]
rotation = [10, 20, 30]
friction = 0.4
reflection = 0.2
motion   = [ { t = 0, position = [0, 0, 0] }, { t = 2, rotation = [0, 90, 0] } ]

[[collider]]
shape = "box"
size  = [1, 2, 3]

[[collider]]
shape  = "plane"
normal = [0, 1, 1]

[[collider]]
shape  = "capsule"
radius = 0.05
height = 0.4

[[collider]]
shape  = "cylinder"
radius = 0.3
height = 0.7

[[grab]]
cloth  = "top"
near   = [0.6, 1, 0]
radius = 0.1
path   = [ [0.0, 0.6, 1.0, 0.0], [1.5, 0.0, 1.6, 0.0] ]

[[grab]]
vertex = 17
path   = [ [0.5, 0, 1, 0], [1, 0, 2, 0] ]

[view]
camera = { from = [1, 2, 3], at = [0, 1, 0], fov = 50 }
background = "#102030"
light = { from = [0, 1, 0], strength = 2, colour = "#FF8000", ambient = 0.5 }
floor = -0.25

[wind]
velocity = [2, 0, 1]
turbulence = 0.75
seed = 9
)");
    EXPECT_EQ(scene.name, "tablecloth");
    EXPECT_EQ(scene.description, "A round cloth falls over a round table.");
    EXPECT_EQ(scene.duration, 2.5f);
    EXPECT_EQ(scene.frame_rate, 60.0f);
    EXPECT_EQ(scene.gravity, (Vec3{0, -1.62f, 0}));
    EXPECT_EQ(scene.solver.substeps, 8);
    EXPECT_EQ(scene.solver.iterations, 6);
    EXPECT_EQ(scene.solver.velocity_factor, 0.99f);
    EXPECT_EQ(scene.solver.threads, 2);

    ASSERT_EQ(scene.fabrics.size(), 2u);
    const Fabric& wool = scene.fabrics[0]; // in the order of the file, not of the alphabet
    EXPECT_EQ(wool.name, "wool");
    EXPECT_EQ(wool.density, 0.3f);
    EXPECT_EQ(wool.thickness, 0.002f);
    EXPECT_EQ(wool.friction, 0.6f);
    EXPECT_EQ(wool.max_stretch, 1.1f);
    EXPECT_EQ(wool.min_stretch, 0.9f);
    EXPECT_EQ(wool.bend_limit, 0.5f);
    EXPECT_EQ(wool.stretch, (std::array<float, 2>{700, 600}));
    EXPECT_EQ(wool.poisson, 0.25f);
    EXPECT_EQ(wool.shear, 35.0f);
    EXPECT_EQ(wool.bend, (std::array<float, 2>{7e-6f, 6e-6f}));
    EXPECT_EQ(wool.bend_hysteresis, 3e-4f);
    EXPECT_EQ(wool.strain_limit, 0.08f);
    EXPECT_EQ(wool.stretch_damping, 0.002f);
    EXPECT_EQ(wool.bend_damping, 0.005f);
    EXPECT_EQ(scene.fabrics[1].name, "cotton");
    EXPECT_EQ(scene.fabrics[1].density, 0.15f);

    ASSERT_EQ(scene.cloths.size(), 2u);
    const ClothDesc& top = scene.cloths[0];
    EXPECT_EQ(top.name, "top");
    EXPECT_EQ(top.fabric, "wool");
    EXPECT_EQ(std::get<GridShape>(top.shape).size, (std::array<float, 2>{2, 1.5f}));
    EXPECT_EQ(std::get<GridShape>(top.shape).cells, (std::array<int, 2>{20, 15}));
    EXPECT_EQ(std::get<GridShape>(top.shape).diagonals, Diagonals::cross);
    EXPECT_EQ(top.position, (Vec3{0, 1, 0}));
    EXPECT_EQ(top.rotation, (Vec3{0, 45, 0}));
    EXPECT_EQ(top.scale, 0.5f);
    EXPECT_EQ(top.velocity, (Vec3{1, 0, 0}));
    ASSERT_EQ(top.pins.size(), 3u);
    EXPECT_EQ(std::get<VertexPin>(top.pins[0].which).vertices, (std::vector<Index>{0, 20}));
    EXPECT_EQ(std::get<BoxPin>(top.pins[1].which).low, (Vec3{-1, 0.9f, -1}));
    EXPECT_EQ(std::get<BoxPin>(top.pins[1].which).high, (Vec3{1, 1.1f, 1}));
    EXPECT_EQ(std::get<CornerPin>(top.pins[2].which).corner, "+x+z");
    EXPECT_EQ(top.self_collision, SelfCollision::none);
    EXPECT_EQ(top.self_distance, 0.01f);
    EXPECT_EQ(top.warp, (Vec3{0, 0, 1}));
    EXPECT_FALSE(scene.cloths[1].warp);
    EXPECT_FALSE(top.weld);
    EXPECT_EQ(std::get<DiskShape>(scene.cloths[1].shape).radius, 0.7f);
    EXPECT_EQ(std::get<DiskShape>(scene.cloths[1].shape).particles, 500);
    EXPECT_EQ(scene.cloths[1].self_collision, SelfCollision::automatic);

    ASSERT_EQ(scene.colliders.size(), 5u);
    const ColliderDesc& ball = scene.colliders[0];
    EXPECT_EQ(std::get<Sphere>(ball.shape).radius, 0.2f);
    EXPECT_EQ(ball.position, (Vec3{0, 0.5f, 0}));
    EXPECT_EQ(ball.rotation, (Vec3{10, 20, 30}));
    EXPECT_EQ(ball.friction, 0.4f);
    EXPECT_EQ(ball.reflection, 0.2f);
    ASSERT_EQ(ball.motion.size(), 2u);
    EXPECT_EQ(ball.motion[0].position, (Vec3{0, 0, 0}));
    EXPECT_FALSE(ball.motion[0].rotation);
    EXPECT_EQ(ball.motion[1].t, 2.0f);
    EXPECT_FALSE(ball.motion[1].position);
    EXPECT_EQ(ball.motion[1].rotation, (Vec3{0, 90, 0}));
    EXPECT_EQ(std::get<Box>(scene.colliders[1].shape).size, (Vec3{1, 2, 3}));
    EXPECT_FALSE(scene.colliders[1].friction);
    EXPECT_FALSE(scene.colliders[1].reflection);
    EXPECT_EQ(std::get<Plane>(scene.colliders[2].shape).normal, (Vec3{0, 1, 1}));
    EXPECT_EQ(std::get<Capsule>(scene.colliders[3].shape).radius, 0.05f);
    EXPECT_EQ(std::get<Capsule>(scene.colliders[3].shape).height, 0.4f);
    EXPECT_EQ(std::get<Cylinder>(scene.colliders[4].shape).radius, 0.3f);
    EXPECT_EQ(std::get<Cylinder>(scene.colliders[4].shape).height, 0.7f);

    ASSERT_EQ(scene.grabs.size(), 2u);
    EXPECT_EQ(scene.grabs[0].cloth, "top");
    EXPECT_EQ(scene.grabs[0].near, (Vec3{0.6f, 1, 0}));
    EXPECT_EQ(scene.grabs[0].radius, 0.1f);
    ASSERT_EQ(scene.grabs[0].path.size(), 2u);
    EXPECT_EQ(scene.grabs[0].path[1].t, 1.5);
    EXPECT_EQ(scene.grabs[0].path[1].position, (Vec3{0, 1.6f, 0}));
    EXPECT_EQ(scene.grabs[1].vertex, 17u);
    ASSERT_TRUE(scene.view.camera);
    EXPECT_EQ(scene.view.camera->from, (Vec3{1, 2, 3}));
    EXPECT_EQ(scene.view.camera->at, (Vec3{0, 1, 0}));
    EXPECT_EQ(scene.view.camera->fov, 50.0f);
    EXPECT_EQ(scene.view.background, (Colour{16.0f / 255, 32.0f / 255, 48.0f / 255}));
    EXPECT_EQ(scene.view.light.from, (Vec3{0, 1, 0}));
    EXPECT_EQ(scene.view.light.strength, 2.0f);
    EXPECT_EQ(scene.view.light.colour, (Colour{1, 128.0f / 255, 0}));
    EXPECT_EQ(scene.view.light.ambient, 0.5f);
    EXPECT_EQ(scene.view.floor, -0.25f);
    EXPECT_EQ(scene.wind, (WindDesc{{2, 0, 1}, 0.75f, 9}));
}

TEST(SceneToml, ListsOfTablesMayBeInline) {
    const SceneDesc scene = scene_of("cloth = [ { name = 'a' }, { name = 'b', disk = {} } ]\n"
                                     "fabric = { z = { density = 1 }, a = { density = 2 } }\n");
    ASSERT_EQ(scene.cloths.size(), 2u);
    EXPECT_EQ(scene.cloths[1].name, "b");
    ASSERT_EQ(scene.fabrics.size(), 2u);
    EXPECT_EQ(scene.fabrics[0].name, "z");
}

TEST(SceneToml, LinesMayEndInCrLf) {
    const SceneDesc scene = scene_of("name = \"a\"\r\n[[cloth]]\r\nscale = 2\r\n");
    EXPECT_EQ(scene.name, "a");
    EXPECT_EQ(scene.cloths.at(0).scale, 2.0f);
    EXPECT_EQ(errors_of("[[cloth]]\r\n\r\nscale = 'x'\r\n").at(0).line, 3);
}

TEST(SceneToml, NamesMayBeUtf8OrContainDots) {
    const SceneDesc scene = scene_of("[fabric.\"grüne Seide\"]\n[fabric.\"a.b\"]\n[[cloth]]\nname = \"布\"\nfabric = "
                                     "\"grüne Seide\"\n");
    EXPECT_EQ(scene.cloths.at(0).name, "布");
    EXPECT_EQ(scene.fabrics.at(0).name, "grüne Seide");
    EXPECT_EQ(scene.fabrics.at(1).name, "a.b");
}

TEST(SceneToml, TheExampleOfTheManualIsAScene) {
    std::ifstream manual(std::string(TAFFETA_SOURCE_DIR) + "/docs/scene-format.md");
    const std::string text(std::istreambuf_iterator<char>(manual), {});
    const std::string fence = "```toml\n";
    const std::size_t begin = text.find(fence);
    ASSERT_NE(begin, std::string::npos);
    const std::string example = text.substr(begin + fence.size(), text.find("```", begin + 3) - begin - fence.size());
    EXPECT_EQ(scene_of(example).cloths.at(0).pins.size(), 2u) << example;
}

// --- meshes

TEST(SceneToml, MeshesArePathsRelativeToTheSceneFile) {
    const Folder folder;
    folder.write("flag.obj", one_triangle);
    const auto scene = read_scene(folder.write("scene.toml", "[[cloth]]\nmesh = \"flag.obj\"\n"));
    ASSERT_TRUE(scene) << all_messages(scene.errors());
    const auto& shape = std::get<MeshShape>(scene->cloths.at(0).shape);
    EXPECT_EQ(shape.path, "flag.obj");
    ASSERT_EQ(shape.mesh.positions.size(), 3u);
    EXPECT_EQ(shape.mesh.positions[2], (Vec3{0, 200, 300}));
}

TEST(SceneToml, UnitsAndUpAxisConvertMeshesToMetresAndYUp) {
    const Folder folder;
    folder.write("flag.obj", one_triangle);
    const auto read_with = [&](const std::string& keys) {
        auto scene = read_scene_text(keys + "[[cloth]]\nmesh = \"flag.obj\"\n", file_name, folder.path());
        EXPECT_TRUE(scene);
        return std::get<MeshShape>(scene->cloths.at(0).shape).mesh.positions.at(2);
    };
    EXPECT_EQ(read_with("units = \"cm\"\n"), (Vec3{0, 2, 3}));
    EXPECT_EQ(read_with("units = \"mm\"\n"), (Vec3{0, 0.2f, 0.3f}));
    EXPECT_EQ(read_with("up_axis = \"z\"\n"), (Vec3{0, 300, -200}));
    EXPECT_EQ(read_with("units = \"cm\"\nup_axis = \"z\"\n"), (Vec3{0, 3, -2}));
}

TEST(SceneToml, MissingMeshNamesSceneLineKeyAndThePathSearched) {
    const Folder folder;
    const auto scene =
        read_scene_text("[[cloth]]\n\nmesh = 'shirt.obj'\npins = [ { vertices = [7] } ]\n", file_name, folder.path());
    ASSERT_FALSE(scene);
    ASSERT_EQ(scene.errors().size(), 1u) << all_messages(scene.errors());
    const Error& error = scene.errors()[0];
    EXPECT_EQ(error.file, file_name);
    EXPECT_EQ(error.line, 3);
    EXPECT_EQ(error.key, "cloth.0.mesh");
    EXPECT_NE(error.message.find("cloth.0.mesh"), std::string::npos);
    EXPECT_NE(error.message.find((folder.path() / "shirt.obj").string()), std::string::npos) << error.message;
}

TEST(SceneToml, ErrorsOfAMeshFileArePassedOn) {
    const Folder folder;
    folder.write("bad.obj", "v 0 0 zero\n");
    const auto scene = read_scene_text("[[cloth]]\nmesh = 'bad.obj'\n", file_name, folder.path());
    ASSERT_FALSE(scene);
    const auto mesh = read_mesh(folder.path() / "bad.obj");
    ASSERT_FALSE(mesh);
    ASSERT_EQ(scene.errors().size(), mesh.errors().size()) << all_messages(scene.errors());
    EXPECT_EQ(scene.errors()[0].to_string(), mesh.errors()[0].to_string());
    EXPECT_EQ(scene.errors()[0].key, "cloth.0.mesh");
}

TEST(SceneToml, FilesThatCannotBeReadAreErrors) {
    const Folder folder;
    const auto missing = read_scene(folder.path() / "none.toml");
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.errors()[0].file, (folder.path() / "none.toml").string());
    const auto directory = read_scene(folder.path());
    ASSERT_FALSE(directory);
    EXPECT_NE(directory.errors()[0].message.find("folder"), std::string::npos);
}

// --- overrides

TEST(SceneToml, OverridesReplaceValues) {
    const std::string text = "[solver]\niterations = 4\n[fabric.silk]\n[[cloth]]\nposition = [1, 2, 3]\n[[cloth]]\n"
                             "[[collider]]\nshape = 'plane'\n[[collider]]\nradius = 1\n";
    const SceneDesc scene = scene_of(text, {{"solver.iterations", "8"},
                                            {"cloth.0.fabric", "silk"}, // a bare word
                                            {"cloth.1.name", "\"in quotes\""},
                                            {"cloth.0.position.1", "7.5"},
                                            {"collider.1.position", "[0, 1, 0]"},
                                            {"name", "two words"}});
    EXPECT_EQ(scene.solver.iterations, 8);
    EXPECT_EQ(scene.cloths.at(0).fabric, "silk");
    EXPECT_EQ(scene.cloths.at(1).name, "in quotes");
    EXPECT_EQ(scene.cloths.at(0).position, (Vec3{1, 7.5f, 3}));
    EXPECT_EQ(scene.colliders.at(1).position, (Vec3{0, 1, 0}));
    EXPECT_EQ(scene.name, "two words");
}

TEST(SceneToml, OverridesMakeMissingTables) {
    const SceneDesc scene = scene_of("[[cloth]]", {{"solver.substeps", "2"},
                                                   {"fabric.silk.density", "0.05"},
                                                   {"cloth.0.disk.radius", "0.5"},
                                                   {"view.camera.fov", "60"},
                                                   {"collider", "[{ shape = 'box' }]"},
                                                   {"collider.0.size", "[1, 2, 3]"}});
    EXPECT_EQ(scene.solver.substeps, 2);
    EXPECT_EQ(scene.fabrics.at(0).name, "silk");
    EXPECT_EQ(scene.fabrics.at(0).density, 0.05f);
    EXPECT_EQ(std::get<DiskShape>(scene.cloths.at(0).shape).radius, 0.5f);
    ASSERT_TRUE(scene.view.camera);
    EXPECT_EQ(scene.view.camera->fov, 60.0f);
    EXPECT_EQ(std::get<Box>(scene.colliders.at(0).shape).size, (Vec3{1, 2, 3}));
}

TEST(SceneToml, OverridesOfEntriesKeepTheOthers) {
    const SceneDesc scene = scene_of("[fabric.a]\nbend = [3e-5, 4e-5]\n[fabric.b]\npreset = 'denim'\n[[cloth]]",
                                     {{"fabric.a.bend.0", "2e-5"},  // in the file
                                      {"fabric.a.stretch.1", "70"}, // the default
                                      {"fabric.b.bend.1", "5e-5"},  // of a preset
                                      {"fabric.b.stretch.0", "1"},
                                      {"fabric.b.stretch.1", "2"},
                                      {"cloth.0.position.1", "7"},
                                      {"gravity.1", "-1.62"}});
    EXPECT_EQ(scene.fabrics.at(0).bend, (std::array<float, 2>{2e-5f, 4e-5f}));
    EXPECT_EQ(scene.fabrics.at(0).stretch, (std::array<float, 2>{500, 70}));
    EXPECT_EQ(scene.fabrics.at(1).bend, (std::array<float, 2>{6.42e-5f, 5e-5f}));
    EXPECT_EQ(scene.fabrics.at(1).stretch, (std::array<float, 2>{1, 2}));
    EXPECT_EQ(scene.cloths.at(0).position, (Vec3{0, 7, 0}));
    EXPECT_EQ(scene.gravity, (Vec3{0, -1.62f, 0}));
}

TEST(SceneToml, ErrorsOfOverridesNameTheOverride) {
    struct BadOverride {
        Override change;
        std::vector<std::string> words;
    };
    const std::vector<BadOverride> cases = {
        {{"cloth.1.fabric", "silk"}, {"cloth.1", "0 to 0"}},                // no such entry
        {{"cloth.first.fabric", "silk"}, {"cloth.first", "list"}},          // not a number
        {{"collider.0.radius", "1"}, {"collider", "not in the file"}},      // no such list
        {{"solver.iterations", "many"}, {"solver.iterations", "\"many\""}}, // wrong type
        {{"solver.substeps", "0"}, {"solver.substeps", "0"}},               // out of range, from check()
        {{"solver.substep", "3"}, {"did you mean solver.substeps"}},        // unknown key
        {{"duration.x", "3"}, {"duration", "not a table"}},                 // below a number
        {{"fabric.a.bend.2", "1"}, {"2 numbers", "{ 2 = 1 }"}},             // no such entry
        {{"fabric.a.bend.x", "1"}, {"2 numbers", "{ x = 1 }"}},             // not a number
        {{"fabric.a.bend.0", "soft"}, {"2 numbers", "\"soft\""}},           // wrong type
        {{"fabric.a.preset", "dnim"}, {"fabric.a.preset", "\"denim\""}},    // no such fabric
        {{"cloth.0.position", "[0, 1"}, {"list of 3", "\"[0, 1\""}},        // broken TOML is a word
        {{"solver..substeps", "3"}, {"solver.iterations=8"}},
        {{"", "3"}, {"solver.iterations=8"}},
    };
    for (const auto& [change, words] : cases) {
        SCOPED_TRACE(change.key);
        const Errors errors = errors_of("duration = 1\n[[cloth]]\n", {change});
        ASSERT_EQ(errors.size(), 1u) << all_messages(errors);
        EXPECT_EQ(errors[0].file, "--set " + change.key + "=" + change.value);
        EXPECT_EQ(errors[0].line, 0);
        for (const std::string& word : words)
            EXPECT_NE(errors[0].message.find(word), std::string::npos) << errors[0].message;
    }
}

} // namespace
} // namespace taffeta::io
