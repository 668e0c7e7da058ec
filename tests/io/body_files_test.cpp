// Bodies of triangles from files: meshes, frames, skins; what is wrong with them, and that scenes with them can be
// written.
#include "collision/colliders/body_mesh.h"
#include "io/mesh/gltf_document.h"
#include "io/mesh/gltf_skin.h"
#include "io/results/glb_document.h"
#include "io/scene_testing.h"
#include "support/triangles.h"

#include <taffeta/simulation.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace taffeta::io {
namespace {

const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

std::vector<Vec3> placed(const BodyMesh& body, double time) {
    std::vector<Vec3> out(body_vertex_count(body));
    place_body_mesh(body, {}, time, out);
    return out;
}

void expect_near(const Vec3& found, const Vec3& expected) {
    EXPECT_LE(length(found - expected), 1e-6f) << found.x << ' ' << found.y << ' ' << found.z;
}

// A scene with one collider of these lines, in a folder.
Result<SceneDesc> read_collider(const Folder& folder, const std::string& lines, const std::string& header = "") {
    return read_scene_text(header + "[[cloth]]\n[[collider]]\nshape = 'mesh'\n" + lines, file_name, folder.path());
}

BodyMesh body_of(const Folder& folder, const std::string& lines, const std::string& header = "") {
    const Result<SceneDesc> scene = read_collider(folder, lines, header);
    EXPECT_TRUE(scene) << all_messages(scene.faults());
    return scene ? std::get<BodyMesh>(scene->colliders[0].shape) : BodyMesh{};
}

// The one fault of a scene with such a collider has these words.
void expect_fault(const Folder& folder, const std::string& lines, const std::vector<std::string>& words) {
    SCOPED_TRACE(lines);
    const Result<SceneDesc> scene = read_collider(folder, lines);
    ASSERT_FALSE(scene);
    EXPECT_EQ(scene.faults().size(), 1u) << all_messages(scene.faults());
    const std::string text = scene.faults()[0].to_string();
    for (const std::string& word : words)
        EXPECT_NE(text.find(word), std::string::npos) << word << " is not in: " << text;
}

// --- meshes

TEST(BodyFiles, AMeshIsReadInItsUnitsAndAxes) {
    const Folder folder;
    folder.write("a.obj", tetrahedron);
    const BodyMesh body = body_of(folder, "mesh = 'a.obj'");
    EXPECT_EQ(body.path, "a.obj");
    EXPECT_FALSE(body.deforms());
    EXPECT_EQ(body.mesh->positions.size(), 4u);
    EXPECT_EQ(body.mesh->triangles.size(), 4u);
    const BodyMesh turned = body_of(folder, "mesh = 'a.obj'", "units = 'cm'\nup_axis = 'z'\n");
    EXPECT_EQ(turned.mesh->positions[2], (Vec3{0, 0, -0.01f}));
    EXPECT_EQ(turned.mesh->positions[3], (Vec3{0, 0.01f, 0}));
}

TEST(BodyFiles, HolesAndDoubleFacesAreAllowed) {
    const Folder folder;
    folder.write("open.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\nf 3 1 2\nf 1 1 2\n");
    const Result<SceneDesc> scene = read_collider(folder, "mesh = 'open.obj'");
    ASSERT_TRUE(scene) << all_messages(scene.faults());
    const Result<Simulation> simulation = Simulation::create(*scene);
    ASSERT_TRUE(simulation);
    ASSERT_EQ(simulation->warnings().size(), 2u);
    EXPECT_NE(simulation->warnings()[0].find("open.obj\": 1 triangles have no area"), std::string::npos);
    EXPECT_NE(simulation->warnings()[1].find("1 triangles are there twice"), std::string::npos);
}

TEST(BodyFiles, FaultsOfMeshesSayWhatAndWhere) {
    const Folder folder;
    folder.write("none.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n");
    folder.write("nan.obj", "v 0 0 0\nv 1 nan 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("far.obj", "v 0 0 0\nv 1 1e30 0\nv 0 1 0\nf 1 2 3\n");
    folder.write("a.obj", tetrahedron);
    expect_fault(folder, "", {"test.toml:2", "collider.0 must have one of the keys mesh and frames"});
    expect_fault(folder, "mesh = 'b.obj'", {"test.toml:4", "collider.0.mesh", "there is no file", "b.obj"});
    expect_fault(folder, "mesh = 7", {"test.toml:4", "collider.0.mesh", "found 7"});
    expect_fault(folder, "mesh = 'none.obj'", {"none.obj", "no faces"});
    expect_fault(folder, "mesh = 'nan.obj'", {"nan.obj:2", "nan"});
    expect_fault(folder, "mesh = 'far.obj'", {"test.toml:4", "collider.0.mesh", "vertex 1", "not a finite place"});
    expect_fault(folder, "mesh = 'a.obj'\nclip = 'walk'", {"test.toml:5", "collider.0.clip", ".glb"});
    expect_fault(folder, "mesh = 'a.obj'\nframes = 'a_##.obj'", {"test.toml:5", "collider.0.frames", "mesh"});
    expect_fault(folder, "mesh = 'a.obj'\nframe_rate = 30", {"test.toml:5", "collider.0.frame_rate", "frames"});
    expect_fault(folder, "mesh = 'a.obj'\nradius = 1", {"test.toml:5", "collider.0.radius", "mesh"});
}

TEST(BodyFiles, KeysOfMeshesDoNotBelongToOtherShapes) {
    for (const std::string line : {"mesh = 'a.obj'", "frames = 'a_###.obj'", "frame_rate = 60", "clip = 'walk'"}) {
        const Faults faults = faults_of("[[cloth]]\n[[collider]]\n" + line);
        ASSERT_EQ(faults.size(), 1u) << all_messages(faults);
        EXPECT_NE(faults[0].to_string().find("test.toml:3"), std::string::npos);
        EXPECT_NE(faults[0].message.find("does not belong to the default shape"), std::string::npos);
    }
}

// --- frames

TEST(BodyFiles, FramesAreTakenInTheOrderOfTheirNumbers) {
    const Folder folder;
    for (int k = 8; k < 12; ++k)
        folder.write("walk_" + std::string(k < 10 ? "0" : "") + std::to_string(k) + ".obj",
                     tetrahedron + "v 5 5 " + std::to_string(k) + "\n");
    folder.write("walk_x9.obj", "nonsense");
    folder.write("walk_010.obj", "nonsense"); // has a digit more than it needs
    const BodyMesh body = body_of(folder, "frames = 'walk_##.obj'\nframe_rate = 10");
    const auto& frames = std::get<BodyFrames>(body.deformation);
    EXPECT_EQ(frames.frame_rate, 10.0f);
    ASSERT_EQ(frames.positions->size(), 4u);
    for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ((*frames.positions)[k][4].z, 8 + static_cast<float>(k));
    EXPECT_EQ(body.path, "walk_##.obj");
    expect_near(placed(body, 0.15)[4], {5, 5, 9.5f});
}

TEST(BodyFiles, FaultsOfFramesSayWhichFile) {
    const Folder folder;
    folder.write("gap_00.obj", tetrahedron), folder.write("gap_01.obj", tetrahedron);
    folder.write("gap_03.obj", tetrahedron);
    folder.write("other_0.obj", tetrahedron), folder.write("other_1.obj", tetrahedron);
    folder.write("other_2.obj", tetrahedron.substr(0, tetrahedron.rfind('f')) + "f 2 4 3\n");
    folder.write("more_0.obj", tetrahedron), folder.write("more_1.obj", "v 0 0 0\n" + tetrahedron);
    folder.write("nan_0.obj", tetrahedron), folder.write("nan_1.obj", "v 0 0 inf\n" + tetrahedron);
    folder.write("a_0.obj", tetrahedron);
    expect_fault(folder, "frames = 'gap_##.obj'", {"test.toml:4", "collider.0.frames", "gap_02.obj"});
    expect_fault(folder, "frames = 'b_##.obj'", {"test.toml:4", "collider.0.frames", "b_00.obj"});
    expect_fault(folder, "frames = 'no/b_##.obj'", {"test.toml:4", "collider.0.frames", "b_00.obj"});
    expect_fault(folder, "frames = 'a_0.obj'", {"test.toml:4", "collider.0.frames", "####"});
    expect_fault(folder, "frames = 'other_#.obj'", {"other_2.obj", "other vertices or triangles", "other_0.obj"});
    expect_fault(folder, "frames = 'more_#.obj'", {"more_1.obj", "5", "4"});
    expect_fault(folder, "frames = 'nan_#.obj'", {"nan_1.obj:1", "inf"});
    expect_fault(folder, "frames = 'a_#.obj'\nframe_rate = 0", {"test.toml:5", "collider.0.frame_rate"});
    expect_fault(folder, "frames = 'a_#.obj'\nclip = 'walk'", {"test.toml:5", "collider.0.clip", "frames"});
}

// --- skins

template <class T>
std::size_t add_numbers(GlbDocument& file, const std::vector<T>& values, const char* type,
                        GlbDocument::ComponentType component, std::size_t components) {
    return file.add_accessor(std::span<const T>(values), type, component, values.size() / components);
}
std::size_t add_floats(GlbDocument& file, const std::vector<float>& values, const char* type, std::size_t components) {
    return add_numbers(file, values, type, GlbDocument::f32, components);
}

const float sine = std::sqrt(0.5f); // of 45 degrees: half of a right angle

// Two bones of length 1 along X, the child before its parent. The node with the mesh is elsewhere, which must not
// matter. The vertices are at 0.5, 1.5 and 2 on X: on the first bone, on both in equal parts, on the second. "bend"
// turns the second bone by a right angle about Z within 2 s, "lift" raises the first by 3 m in 1 s.
GlbDocument two_bones() {
    GlbDocument file;
    file.root["scenes"][0]["nodes"] = {0, 2};
    file.root["nodes"] = {
        {{"mesh", 0}, {"skin", 0}, {"translation", {5, 5, 5}}}, {{"translation", {1, 0, 0}}}, {{"children", {1}}}};
    const std::size_t positions = file.add_positions(std::vector<Vec3>{{0.5f, 0, 0}, {1.5f, 0, 0}, {2, 0, 0}});
    const std::size_t joints =
        add_numbers<std::uint8_t>(file, {0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0}, "VEC4", GlbDocument::u8, 4);
    const std::size_t weights = add_floats(file, {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 1, 0, 0, 0}, "VEC4", 4);
    const std::vector<Triangle> triangles = {{0, 1, 2}};
    file.root["meshes"] = {{{"primitives",
                             {{{"attributes", {{"POSITION", positions}, {"JOINTS_0", joints}, {"WEIGHTS_0", weights}}},
                               {"indices", file.add_triangles(triangles, 3)}}}}}};
    const std::size_t binds = add_floats(file, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0,  0, 0, 1, //
                                                1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -1, 0, 0, 1},
                                         "MAT4", 16);
    file.root["skins"] = {{{"joints", {2, 1}}, {"inverseBindMatrices", binds}}};
    const auto clip = [&](const char* name, int node, const char* path, std::size_t times, std::size_t values) {
        return Json{{"name", name},
                    {"channels", {{{"sampler", 0}, {"target", {{"node", node}, {"path", path}}}}}},
                    {"samplers", {{{"input", times}, {"output", values}}}}};
    };
    const std::size_t turns = add_floats(file, {0, 0, 0, 1, 0, 0, sine, sine}, "VEC4", 4);
    const std::size_t rises = add_floats(file, {0, 0, 0, 0, 3, 0}, "VEC3", 3);
    const std::size_t slow = add_floats(file, {0, 2}, "SCALAR", 1), fast = add_floats(file, {0, 1}, "SCALAR", 1);
    file.root["animations"] = {clip("bend", 1, "rotation", slow, turns), clip("lift", 2, "translation", fast, rises)};
    return file;
}

// A file of two bones with something changed.
void write(
    const Folder& folder, const std::function<void(GlbDocument&)>& change = [](GlbDocument&) {}) {
    GlbDocument file = two_bones();
    change(file);
    ASSERT_TRUE(file.write(folder.path() / "a.glb"));
}

TEST(GltfSkin, VerticesFollowTheirJoints) {
    const Folder folder;
    write(folder);
    const BodyMesh body = body_of(folder, "mesh = 'a.glb'\nclip = 'bend'");
    EXPECT_TRUE(body.deforms());
    EXPECT_EQ(body.mesh->positions, placed(body, 0));
    const std::vector<Vec3> start = placed(body, 0), half = placed(body, 1), end = placed(body, 9);
    expect_near(start[2], {2, 0, 0});
    expect_near(half[0], {0.5f, 0, 0});
    expect_near(half[2], {1 + sine, sine, 0});
    expect_near(half[1], Vec3{1.5f + 1 + 0.5f * sine, 0.5f * sine, 0} * 0.5f);
    expect_near(end[2], {1, 1, 0});
    expect_near(placed(body_of(folder, "mesh = 'a.glb'\nclip = 'lift'"), 0.5)[2], {2, 1.5f, 0});
}

TEST(GltfSkin, WithoutAClipTheBonesAreAtRest) {
    const Folder folder;
    write(folder, [](GlbDocument& file) { file.root["nodes"][1]["rotation"] = {0, 0, 1, 0}; });
    const BodyMesh body = body_of(folder, "mesh = 'a.glb'");
    EXPECT_FALSE(body.deforms());
    expect_near(body.mesh->positions[2], {0, 0, 0}); // folded back
}

TEST(GltfSkin, EveryKindOfInterpolationIsRead) {
    const Folder folder;
    const auto height = [&](const char* kind, const std::vector<float>& values, double time) {
        write(folder, [&](GlbDocument& file) {
            Json& sampler = file.root["animations"][1]["samplers"][0];
            sampler["interpolation"] = kind;
            sampler["output"] = add_floats(file, values, "VEC3", 3);
        });
        return placed(body_of(folder, "mesh = 'a.glb'\nclip = 'lift'"), time)[0].y;
    };
    EXPECT_FLOAT_EQ(height("STEP", {0, 1, 0, 0, 3, 0}, 0.75), 1);
    EXPECT_FLOAT_EQ(height("LINEAR", {0, 1, 0, 0, 3, 0}, 0.75), 2.5f);
    // y = t^2 from its places and slopes at 0 and 1
    EXPECT_FLOAT_EQ(height("CUBICSPLINE", {0, 9, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 1, 0, 0, 9, 0}, 0.75), 0.5625f);
}

TEST(GltfSkin, MeshesWithoutSkinFollowTheirNode) {
    const Folder folder;
    write(folder, [](GlbDocument& file) { // the same mesh once more, at the end of the second bone and mirrored
        file.root["nodes"].push_back({{"mesh", 0}, {"translation", {1, 0, 0}}, {"scale", {1, 1, -1}}});
        file.root["nodes"][1]["children"] = {3};
    });
    const BodyMesh body = body_of(folder, "mesh = 'a.glb'\nclip = 'bend'");
    ASSERT_EQ(body.mesh->positions.size(), 6u);
    expect_near(placed(body, 2)[3], {1, 1.5f, 0});
    expect_near(placed(body, 2)[2], {1, 1, 0});
    EXPECT_EQ(body.mesh->triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 5, 4}}));
}

TEST(GltfSkin, WeightsAreScaledToOneAndVerticesWithoutAnyHangOnTheNode) {
    const Folder folder;
    write(folder, [](GlbDocument& file) {
        file.root["meshes"][0]["primitives"][0]["attributes"]["WEIGHTS_0"] =
            add_floats(file, {4, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0}, "VEC4", 4);
    });
    const std::vector<Vec3> x = placed(body_of(folder, "mesh = 'a.glb'\nclip = 'bend'"), 2);
    expect_near(x[0], {0.5f, 0, 0});
    expect_near(x[1], {1.25f, 0.25f, 0});
    expect_near(x[2], {7, 5, 5});
}

TEST(GltfSkin, SecondSetsOfJointsCountToo) {
    const Folder folder;
    write(folder, [](GlbDocument& file) {
        Json& attributes = file.root["meshes"][0]["primitives"][0]["attributes"];
        attributes["WEIGHTS_0"] = add_floats(file, {1, 0, 0, 0, 0.5f, 0.5f, 0, 0, 0.5f, 0, 0, 0}, "VEC4", 4);
        attributes["JOINTS_1"] = attributes["JOINTS_0"]; // of which the last vertex names the second bone once more
        attributes["WEIGHTS_1"] = add_floats(file, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0.5f, 0, 0}, "VEC4", 4);
    });
    const std::vector<Vec3> x = placed(body_of(folder, "mesh = 'a.glb'\nclip = 'bend'"), 2);
    expect_near(x[2], {1.5f, 0.5f, 0});
}

TEST(GltfSkin, UnitsAndAxesActOnAllThatMoves) {
    const Folder folder;
    write(folder);
    const BodyMesh body = body_of(folder, "mesh = 'a.glb'\nclip = 'bend'", "units = 'cm'\nup_axis = 'z'\n");
    expect_near(placed(body, 2)[2], {0.01f, 0, -0.01f});
}

TEST(GltfSkin, FaultsSayWhatAndWhere) {
    const Folder folder;
    const std::string clip = "mesh = 'a.glb'\nclip = 'bend'";
    const auto expect = [&](const std::vector<std::string>& words, const std::function<void(GlbDocument&)>& change) {
        write(folder, change);
        expect_fault(folder, clip, words);
    };
    const auto attributes = [](GlbDocument& file) -> Json& {
        return file.root["meshes"][0]["primitives"][0]["attributes"];
    };
    const auto sampler = [](GlbDocument& file) -> Json& { return file.root["animations"][0]["samplers"][0]; };
    const auto target = [](GlbDocument& file) -> Json& { return file.root["animations"][0]["channels"][0]["target"]; };
    constexpr float nan = std::numeric_limits<float>::quiet_NaN();

    write(folder);
    expect_fault(folder, "mesh = 'a.glb'\nclip = 'run'",
                 {"test.toml:5", "collider.0.clip", "\"bend\", \"lift\"", "run"});
    expect({"test.toml:5", "it has none"}, [&](GlbDocument& file) { file.root.erase("animations"); });
    expect({"a.glb", "no triangles"}, [&](GlbDocument& file) { file.root["nodes"][0].erase("mesh"); });
    expect({"a.glb", "meshes[0].primitives[0]: vertex 1", "joint 7", "the skin has 2"}, [&](GlbDocument& file) {
        attributes(file)["JOINTS_0"] =
            add_numbers<std::uint8_t>(file, {0, 0, 0, 0, 0, 7, 0, 0, 1, 0, 0, 0}, "VEC4", GlbDocument::u8, 4);
    });
    expect({"a.glb", "vertex 0", "weight nan"}, [&](GlbDocument& file) {
        attributes(file)["WEIGHTS_0"] = add_floats(file, {nan, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 4);
    });
    expect({"a.glb", "weight -1"}, [&](GlbDocument& file) {
        attributes(file)["WEIGHTS_0"] = add_floats(file, {2, -1, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0}, "VEC4", 4);
    });
    expect({"a.glb", "JOINTS_0 and WEIGHTS_0", "3 vertices"}, [&](GlbDocument& file) {
        attributes(file)["WEIGHTS_0"] = add_floats(file, {1, 0, 0, 0}, "VEC4", 4);
    });
    expect({"a.glb", "has no WEIGHTS_0"}, [&](GlbDocument& file) { attributes(file).erase("WEIGHTS_0"); });
    expect({"a.glb", "skins[3] does not exist"}, [&](GlbDocument& file) { file.root["nodes"][0]["skin"] = 3; });
    expect({"a.glb", "skins[0].joints", "nodes[9]"}, [&](GlbDocument& file) {
        file.root["skins"][0]["joints"] = {2, 9};
    });
    expect({"a.glb", "2 inverse bind matrices for 3 joints"}, [&](GlbDocument& file) {
        file.root["skins"][0]["joints"] = {2, 1, 0};
    });
    expect({"a.glb", "child of two nodes"}, [&](GlbDocument& file) { file.root["nodes"][0]["children"] = {1}; });
    expect({"a.glb", "its own ancestor"}, [&](GlbDocument& file) {
        file.root["nodes"][1]["children"] = {2};
        file.root["scenes"][0]["nodes"] = {0};
    });
    expect({"a.glb", "clip that moves nothing"}, [&](GlbDocument& file) { target(file).erase("node"); });
    expect({"a.glb", "channels[0]", "morph"}, [&](GlbDocument& file) { target(file)["path"] = "weights"; });
    expect({"a.glb", "channels[0].target.path"}, [&](GlbDocument& file) { target(file)["path"] = "colour"; });
    expect({"a.glb", "channels[0]", "nodes[9]"}, [&](GlbDocument& file) { target(file)["node"] = 9; });
    expect({"a.glb", "nodes[1]", "matrix"}, [&](GlbDocument& file) {
        file.root["nodes"][1] = {{"matrix", {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1}}};
    });
    expect({"a.glb", "STEP, LINEAR or CUBICSPLINE"}, [&](GlbDocument& file) { sampler(file)["interpolation"] = "X"; });
    expect({"a.glb", "2 times for 2 values"},
           [&](GlbDocument& file) { sampler(file)["interpolation"] = "CUBICSPLINE"; });
    expect({"a.glb", "do not rise"}, [&](GlbDocument& file) {
        sampler(file)["input"] = add_floats(file, {1, 1}, "SCALAR", 1);
    });
    expect({"a.glb", "not finite"}, [&](GlbDocument& file) {
        sampler(file)["input"] = add_floats(file, {0, nan}, "SCALAR", 1);
    });
    expect({"a.glb", "not finite"}, [&](GlbDocument& file) {
        sampler(file)["output"] = add_floats(file, {0, 0, 0, 1, 0, 0, nan, 1}, "VEC4", 4);
    });
}

// --- written scenes

TEST(BodyFiles, ARunWritesItsBodiesSuchThatItCanBeRepeated) {
    const Folder folder;
    write(folder);
    folder.write("a_0.obj", tetrahedron), folder.write("a_1.obj", tetrahedron);
    const std::string text = "units = 'cm'\nup_axis = 'z'\nduration = 0.1\n[[cloth]]\ngrid = { cells = [2, 2] }\n"
                             "[[collider]]\nshape = 'mesh'\nmesh = 'a_0.obj'\nposition = [0.1, 0.2, 0.3]\n"
                             "[[collider]]\nshape = 'mesh'\nframes = 'a_#.obj'\nframe_rate = 24\n"
                             "[[collider]]\nshape = 'mesh'\nmesh = 'a.glb'\nclip = 'bend'\n"
                             "[[collider]]\nshape = 'ring'\nradius = 0.1\nposition = [3, 0, 0]\n"
                             "[[collider]]\nshape = 'figure'\nsteps = 2\nposition = [5, 0, 0]\n";
    const Result<SceneDesc> scene = read_scene_text(text, file_name, folder.path());
    ASSERT_TRUE(scene) << all_messages(scene.faults());
    ASSERT_TRUE(run(*scene, {.outputs = {(folder.path() / "out/").string()}}));
    std::filesystem::remove(folder.path() / "a.glb");
    Result<SceneDesc> again = read_scene(folder.path() / "out/scene.toml");
    ASSERT_TRUE(again) << all_messages(again.faults());
    ASSERT_EQ(again->colliders.size(), 5u);
    const auto figure = placed(std::get<BodyMesh>(scene->colliders[4].shape), 0.4);
    const auto read = placed(std::get<BodyMesh>(again->colliders[4].shape), 0.4);
    ASSERT_EQ(figure.size(), read.size());
    for (std::size_t v = 0; v < figure.size(); ++v) ASSERT_LT(length(figure[v] - read[v]), 1e-6f);
    for (std::size_t k = 0; k < 4; ++k) {
        auto& body = std::get<BodyMesh>(again->colliders[k].shape);
        body.path = std::get<BodyMesh>(scene->colliders[k].shape).path;
        EXPECT_TRUE(again->colliders[k] == scene->colliders[k]) << k;
    }
}

TEST(BodyFiles, BodiesThatDeformAreMorphedInGlbFiles) {
    const Folder folder;
    write(folder);
    const std::string text = "duration = 0.2\nframe_rate = 10\n[[cloth]]\ngrid = { cells = [2, 2] }\n"
                             "[[collider]]\nshape = 'mesh'\nmesh = 'a.glb'\nclip = 'lift'\nposition = [4, 0, 0]\n";
    const Result<SceneDesc> scene = read_scene_text(text, file_name, folder.path());
    ASSERT_TRUE(scene) << all_messages(scene.faults());
    const std::filesystem::path written = folder.path() / "out.glb";
    ASSERT_TRUE(run(*scene, {.outputs = {written.string()}}));

    const Result<std::string> bytes = read_file(written);
    ASSERT_TRUE(bytes);
    GltfDocument file(written.string(), folder.path());
    ASSERT_TRUE(file.parse(*bytes));
    EXPECT_EQ(file.root()["nodes"].size(), 2u);
    EXPECT_EQ(file.root()["nodes"][1]["name"], "collider1");
    const Json& body = file.root()["meshes"][1]["primitives"][0];
    std::vector<double> start, move;
    ASSERT_TRUE(file.read_accessor(body["attributes"]["POSITION"], 3, start));
    ASSERT_EQ(body["targets"].size(), 2u);
    ASSERT_TRUE(file.read_accessor(body["targets"][1]["POSITION"], 3, move));
    EXPECT_NEAR(start[0], 4.5, 1e-6);
    EXPECT_NEAR(move[1], 0.6, 1e-6); // 3 m/s for 0.2 s
    EXPECT_NEAR(move[0], 0, 1e-6);
}

// --- a real body; it is no part of the project

TEST(Walker, WalksWithoutJumps) {
    const std::filesystem::path file = std::filesystem::path(TAFFETA_SOURCE_DIR) / "../shared/data/walker/walker.glb";
    if (!std::filesystem::exists(file)) GTEST_SKIP() << "needs walker.glb, which is not there";
    const Result<BodyMesh> body = read_body(file, "walk", {});
    ASSERT_TRUE(body) << all_messages(body.faults());
    EXPECT_EQ(body->mesh->positions.size(), 13380u);
    EXPECT_EQ(body->mesh->triangles.size(), 26756u);

    std::vector<Vec3> before = placed(*body, 0);
    const auto [lowest, highest] = std::ranges::minmax_element(before, {}, &Vec3::y);
    EXPECT_NEAR(lowest->y, 0, 1e-3);
    EXPECT_NEAR(highest->y, 1.666, 2e-3);
    constexpr double step = 0.05;
    for (double t = step; t < 6.5; t += step) {
        const std::vector<Vec3> x = placed(*body, t);
        float farthest = 0, low = 1;
        for (std::size_t v = 0; v < x.size(); ++v) {
            farthest = std::max(farthest, length(x[v] - before[v]));
            low = std::min(low, x[v].y);
        }
        EXPECT_LT(farthest, 6 * step) << t; // no part of a walker is faster than 6 m/s
        EXPECT_NEAR(low, 0, 0.01) << t;     // and one foot is on the ground
        before = x;
    }
    const auto nearest = std::ranges::min_element(before, {}, &Vec3::z);
    EXPECT_GT(nearest->z, 6); // it has come forward

    // Whatever was asked before.
    EXPECT_EQ(placed(*body, 0), body->mesh->positions);
}

TEST(Walker, WearsATunicThatNothingPassesThrough) {
    const std::filesystem::path folder = std::filesystem::path(TAFFETA_SOURCE_DIR) / "../shared/data/walker";
    for (const char* file : {"walker.glb", "tunic.obj"})
        if (!std::filesystem::exists(folder / file)) GTEST_SKIP() << "needs " << file << ", which is not there";
    const Result<BodyMesh> body = read_body(folder / "walker.glb", "walk", {});
    ASSERT_TRUE(body) << all_messages(body.faults());
    const Result<Mesh> tunic = read_mesh(folder / "tunic.obj");
    ASSERT_TRUE(tunic) << all_messages(tunic.faults());

    SceneDesc scene;
    scene.solver.threads = 1;
    scene.cloths = {ClothDesc{.shape = MeshShape{.mesh = *tunic}}};
    scene.colliders = {{.shape = *body}};
    Simulation simulation = test::make_simulation(scene);
    EXPECT_TRUE(simulation.warnings().empty());
    const test::Watched watched = test::watch(simulation, 1.0 / 3);
    EXPECT_EQ(watched.crossings, 0u);
    EXPECT_EQ(watched.all.unresolved, 0);
    EXPECT_GT(watched.all.self_contacts, 0);
}

} // namespace
} // namespace taffeta::io
