#include "io/mesh/gltf.h"

#include "io/mesh_testing.h"
#include "io/results/atomic_file.h"

#include <algorithm>

namespace taffeta::io {
namespace {

using taffeta::tests::expect_same;
using taffeta::tests::faults_of;
using taffeta::tests::TemporaryFolder;

// Texts with single quotes stand for JSON: {'a': 1}.
std::string json(std::string text) {
    std::ranges::replace(text, '\'', '"');
    return text;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const std::size_t found = text.find(json(from));
    EXPECT_NE(found, std::string::npos) << from;
    return text.replace(found, from.size(), json(to));
}

template <class T>
std::string bytes_of(std::initializer_list<T> values) {
    return {reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T)};
}

std::string glb(std::string text, std::string buffer) {
    text.resize((text.size() + 3) / 4 * 4, ' ');
    buffer.resize((buffer.size() + 3) / 4 * 4);
    const auto word = [](std::size_t n) { return bytes_of({static_cast<std::uint32_t>(n)}); };
    return "glTF" + word(2) + word(28 + text.size() + buffer.size()) + word(text.size()) + "JSON" + text +
           word(buffer.size()) + std::string("BIN\0", 4) + buffer;
}

std::string base64(const std::string& bytes) {
    constexpr std::string_view digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t bits = 0;
        for (std::size_t k = 0; k < 3; ++k)
            bits = bits << 8 | (i + k < bytes.size() ? static_cast<unsigned char>(bytes[i + k]) : 0u);
        for (std::size_t k = 0; k < 4; ++k) text += i + k <= bytes.size() ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    return text;
}

Result<Mesh> read_result(const std::string& bytes) {
    return read_gltf(bytes, "a.glb", "/nonexistent");
}

Mesh read(const std::string& bytes) {
    const Result<Mesh> mesh = read_result(bytes);
    EXPECT_TRUE(mesh) << faults_of(mesh);
    return mesh ? *mesh : Mesh{};
}

// Four points and one triangle without indices; tests change what they are about.
const std::string points = bytes_of<float>({0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0});
const std::vector<Vec3> corners = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
                        four = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
const std::string triangle =
    json("{'asset': {'version': '2.0'}, 'scene': 0, 'scenes': [{'nodes': [0]}], 'nodes': [{'mesh': 0}], "
         "'meshes': [{'primitives': [{'attributes': {'POSITION': 0}}]}], "
         "'accessors': [{'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3}], "
         "'bufferViews': [{'buffer': 0, 'byteLength': 48}], 'buffers': [{'byteLength': 48}]}");

// The same with a second accessor of the same buffer, at byte 48.
std::string with_accessor(const std::string& accessor, const std::string& primitive, const std::string& data,
                          int count = 4) {
    std::string text =
        replaced(triangle, "'count': 3}]", "'count': " + std::to_string(count) + "}, {" + accessor + "}]");
    text = replaced(text, "{'buffer': 0, 'byteLength': 48}",
                    "{'buffer': 0, 'byteLength': 48}, {'buffer': 0, 'byteOffset': 48, 'byteLength': " +
                        std::to_string(data.size()) + "}");
    text = replaced(text, "'buffers': [{'byteLength': 48}",
                    "'buffers': [{'byteLength': " + std::to_string(48 + data.size()) + "}");
    return glb(replaced(text, "'attributes': {'POSITION': 0}", primitive), points + data);
}

std::string with_indices(const std::string& mode, int component, std::size_t count, const std::string& data) {
    return with_accessor("'bufferView': 1, 'componentType': " + std::to_string(component) +
                             ", 'type': 'SCALAR', 'count': " + std::to_string(count),
                         "'attributes': {'POSITION': 0}, 'indices': 1" + mode, data);
}

TEST(Gltf, TrianglesWithoutIndicesFollowTheirPositions) {
    expect_same(read(glb(triangle, points)), {corners, {{0, 1, 2}}, {}});
}

TEST(Gltf, IndicesHaveOneTwoOrFourBytes) {
    const Mesh expected = {four, {{2, 1, 0}, {1, 2, 3}}, {}};
    expect_same(read(with_indices("", 5121, 6, bytes_of<std::uint8_t>({2, 1, 0, 1, 2, 3}))), expected);
    expect_same(read(with_indices("", 5123, 6, bytes_of<std::uint16_t>({2, 1, 0, 1, 2, 3}))), expected);
    expect_same(read(with_indices("", 5125, 6, bytes_of<std::uint32_t>({2, 1, 0, 1, 2, 3}))), expected);
}

TEST(Gltf, StripsTurnEverySecondTriangle) {
    const std::string order = bytes_of<std::uint8_t>({0, 1, 2, 3});
    EXPECT_EQ(read(with_indices(", 'mode': 5", 5121, 4, order)).triangles,
              (std::vector<Triangle>{{0, 1, 2}, {1, 3, 2}}));
}

TEST(Gltf, TrianglesThatOnlyJoinStripsAreDropped) {
    const std::string order = bytes_of<std::uint8_t>({0, 1, 2, 2, 3, 3, 1, 2});
    for (const Triangle& t : read(with_indices(", 'mode': 5", 5121, 8, order)).triangles)
        EXPECT_TRUE(t[0] != t[1] && t[1] != t[2] && t[2] != t[0]);
}

TEST(Gltf, FansShareTheirFirstCorner) {
    const std::string order = bytes_of<std::uint8_t>({3, 0, 1, 2});
    EXPECT_EQ(read(with_indices(", 'mode': 6", 5121, 4, order)).triangles,
              (std::vector<Triangle>{{3, 0, 1}, {3, 1, 2}}));
}

TEST(Gltf, PointsAndLinesAreNoSurface) {
    EXPECT_EQ(faults_of(read_result(with_indices(", 'mode': 1", 5121, 4, bytes_of<std::uint8_t>({3, 0, 1, 2})))),
              "a.glb: has no triangles in its scene; is there a node with a mesh?");
}

TEST(Gltf, TextureCoordinatesGrowUpwards) {
    const auto accessor = [](int component, const char* rest) {
        return "'bufferView': 1, 'type': 'VEC2', 'count': 4, 'componentType': " + std::to_string(component) + rest;
    };
    const std::string use = "'attributes': {'POSITION': 0, 'TEXCOORD_0': 1}, 'mode': 5";
    const std::vector<std::array<float, 2>> expected = {{0, 1}, {1, 1}, {0, 0}, {1, 0}};
    EXPECT_EQ(read(with_accessor(accessor(5126, ""), use, bytes_of<float>({0, 0, 1, 0, 0, 1, 1, 1}))).uv, expected);
    EXPECT_EQ(read(with_accessor(accessor(5121, ", 'normalized': true"), use,
                                 bytes_of<std::uint8_t>({0, 0, 255, 0, 0, 255, 255, 255})))
                  .uv,
              expected);
    EXPECT_EQ(read(with_accessor(accessor(5123, ", 'normalized': true"), use,
                                 bytes_of<std::uint16_t>({0, 0, 65535, 0, 0, 65535, 65535, 65535})))
                  .uv,
              expected);
}

TEST(Gltf, SparseAccessorsReplaceSomeEntries) {
    const std::string places = bytes_of<std::uint16_t>({1, 2}), values = bytes_of<float>({5, 0, 0, 0, 5, 0});
    const std::string sparse = ", 'sparse': {'count': 2, 'indices': {'bufferView': 1, 'componentType': 5123}, "
                               "'values': {'bufferView': 1, 'byteOffset': 4}}";
    const std::string based =
        with_accessor("'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3" + sparse,
                      "'attributes': {'POSITION': 1}", places + values);
    EXPECT_EQ(read(based).positions, (std::vector<Vec3>{{0, 0, 0}, {5, 0, 0}, {0, 5, 0}}));
    const std::string from_zero = with_accessor("'componentType': 5126, 'type': 'VEC3', 'count': 6" + sparse,
                                                "'attributes': {'POSITION': 1}", places + values);
    EXPECT_EQ(read(from_zero).positions, (std::vector<Vec3>{{0, 0, 0}, {5, 0, 0}, {0, 5, 0}, {}, {}, {}}));
}

TEST(Gltf, InterleavedArraysAreRead) {
    std::string text = replaced(triangle, "'byteLength': 48}]", "'byteLength': 48, 'byteStride': 16}]");
    const std::string buffer = bytes_of<float>({0, 0, 0, 9, 1, 0, 0, 9, 0, 1, 0, 9});
    EXPECT_EQ(read(glb(text, buffer)).positions, corners);
}

TEST(Gltf, NodesPlaceTheirMeshes) {
    const std::string trs =
        "{'mesh': 0, 'translation': [1, 2, 3], 'rotation': [0, 0, 0.70710678, 0.70710678], 'scale': [2, 3, 4]}";
    const Mesh placed = read(glb(replaced(triangle, "{'mesh': 0}", trs), points));
    const std::vector<Vec3> expected = {{1, 2, 3}, {1, 4, 3}, {-2, 2, 3}};
    for (std::size_t i = 0; i < 3; ++i) EXPECT_LT(length(placed.positions[i] - expected[i]), 1e-6f);
    EXPECT_EQ(placed.triangles, (std::vector<Triangle>{{0, 1, 2}}));

    const std::string matrix = "{'mesh': 0, 'matrix': [0, 2, 0, 0, -3, 0, 0, 0, 0, 0, 4, 0, 1, 2, 3, 1]}";
    EXPECT_EQ(read(glb(replaced(triangle, "{'mesh': 0}", matrix), points)).positions, expected);
}

TEST(Gltf, ChildrenFollowTheirParentsInPlaceAndOrder) {
    const std::string nodes =
        "{'translation': [10, 0, 0], 'children': [3, 1], 'mesh': 0}, {'mesh': 0, 'scale': [2, 2, 2]}, "
        "{'mesh': 0}, {'translation': [0, 5, 0], 'children': [2]}";
    const Mesh mesh = read(glb(replaced(triangle, "{'mesh': 0}", nodes), points));
    ASSERT_EQ(mesh.positions.size(), 9u);
    EXPECT_EQ(mesh.positions[1], (Vec3{11, 0, 0}));
    EXPECT_EQ(mesh.positions[4], (Vec3{11, 5, 0})) << "node 2, child of 3";
    EXPECT_EQ(mesh.positions[7], (Vec3{12, 0, 0})) << "node 1";
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 4, 5}, {6, 7, 8}}));
}

TEST(Gltf, MirroredTrianglesKeepTheirFront) {
    const Mesh mesh = read(glb(replaced(triangle, "{'mesh': 0}", "{'mesh': 0, 'scale': [-1, 1, 1]}"), points));
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 2, 1}}));
}

TEST(Gltf, PrimitivesThatShareTheirPositionsShareTheirVertices) {
    const std::string two = "{'attributes': {'POSITION': 0}}, {'attributes': {'POSITION': 0}}";
    const Mesh mesh = read(glb(replaced(triangle, "{'attributes': {'POSITION': 0}}", two), points));
    expect_same(mesh, {corners, {{0, 1, 2}, {0, 1, 2}}, {}});
}

TEST(Gltf, OnlyTheDefaultSceneIsShown) {
    const std::string text =
        replaced(triangle, "'scenes': [{'nodes': [0]}], 'nodes': [{'mesh': 0}]",
                 "'scenes': [{'nodes': [0]}, {'nodes': [0, 1]}], 'nodes': [{'mesh': 0}, {'mesh': 0}]");
    EXPECT_EQ(read(glb(text, points)).triangles.size(), 1u);
    EXPECT_EQ(read(glb(replaced(text, "'scene': 0, ", ""), points)).triangles.size(), 2u) << "all scenes";
    EXPECT_EQ(read(glb(replaced(replaced(text, "'scene': 0, ", ""), "'scenes'", "'others'"), points)).triangles.size(),
              2u)
        << "all nodes";
}

TEST(Gltf, ImagesAndMaterialsAreNotLookedAt) {
    const std::string extra =
        "{'asset': {'version': '2.0'}, 'images': [{'uri': 'none.png'}, {'bufferView': 77}], 'materials': 3, "
        "'extensionsRequired': ['KHR_texture_basisu'], ";
    expect_same(read(glb(replaced(triangle, "{'asset': {'version': '2.0'}, ", extra), points)),
                {corners, {{0, 1, 2}}, {}});
}

TEST(Gltf, BuffersMayBeInTheTextOrBesideIt) {
    const std::string buffer = "'buffers': [{'byteLength': 48";
    expect_same(read(replaced(triangle, buffer,
                              buffer + ", 'uri': 'data:application/octet-stream;base64," + base64(points) + "'")),
                {corners, {{0, 1, 2}}, {}});

    const TemporaryFolder folder;
    const std::string text = replaced(triangle, buffer, buffer + ", 'uri': 'my%20data.bin'");
    EXPECT_EQ(faults_of(read_gltf(text, "a.gltf", folder / "")),
              "a.gltf: buffers[0] is in the file \"my%20data.bin\": there is no such file");
    for (const auto& [name, bytes] : {std::pair{"my data.bin", points}, {"a.gltf", text}}) {
        Result<AtomicFile> file = AtomicFile::create(folder / name);
        file->write(bytes);
        ASSERT_TRUE(file->commit());
    }
    const Result<Mesh> mesh = read_mesh(folder / "a.gltf");
    ASSERT_TRUE(mesh) << faults_of(mesh);
    expect_same(*mesh, {corners, {{0, 1, 2}}, {}});
}

TEST(Gltf, NodesInACircleAreAFault) {
    EXPECT_EQ(faults_of(read_result(
                  glb(replaced(triangle, "{'mesh': 0}", "{'children': [1]}, {'mesh': 0, 'children': [0]}"), points))),
              "a.glb: nodes[0] is a child of two nodes, or of itself; nodes must form a tree");
}

TEST(Gltf, NodesMayNestVeryDeep) {
    std::string nodes;
    const int depth = 100000;
    for (int i = 1; i < depth; ++i) nodes += "{'children': [" + std::to_string(i) + "]}, ";
    EXPECT_EQ(read(glb(replaced(triangle, "{'mesh': 0}", nodes + "{'mesh': 0}"), points)).triangles.size(), 1u);
    const std::string brackets = std::string(depth, '[') + std::string(depth, ']');
    EXPECT_EQ(read(glb(replaced(triangle, "{'mesh': 0}", "{'mesh': 0, 'extras': " + brackets + "}"), points))
                  .triangles.size(),
              1u);
}

TEST(Gltf, ASmallFileCannotUnfoldWithoutEnd) {
    std::string nodes, roots;
    for (int i = 0; i < 6000; ++i) {
        nodes += (i == 0 ? "{'mesh': 0}" : ", {'mesh': 0}");
        roots += (i == 0 ? "" : ", ") + std::to_string(i);
    }
    std::string text = replaced(triangle, "'nodes': [{'mesh': 0}]", "'nodes': [" + nodes + "]");
    text = replaced(text, "'nodes': [0]", "'nodes': [" + roots + "]");
    text = replaced(text, "'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3",
                    "'componentType': 5126, 'type': 'VEC3', 'count': 90000");
    EXPECT_EQ(faults_of(read_result(glb(text, points))),
              "a.glb: has more than 16777216 vertices or 33554432 triangles; reduce it");
}

TEST(Gltf, FaultsSayWhatAndWhere) {
    const struct {
        std::string from, to, fault;
    } cases[] = {
        {"'version': '2.0'", "'version': '1.0'", "is of glTF version \"1.0\"; only 2 can be read"},
        {"'scene': 0,", "'extensionsRequired': ['KHR_draco_mesh_compression'],",
         "needs the extension KHR_draco_mesh_compression; export it without"},
        {"'scene': 0,", "'scene': 1,", "scenes[1] does not exist; there are 1"},
        {"'scene': 0,", "'scene': -1,", "the file.scene is \"-1\"; it must be a whole number from 0 to 4294967295"},
        {"'nodes': [0]", "'nodes': [1]", "nodes[1] does not exist; there are 1"},
        {"'nodes': [0]", "'nodes': ['a']",
         "scenes[0].nodes is \"\"a\"\"; it must be a whole number from 0 to 4294967295"},
        {"{'mesh': 0}", "{'mesh': 7}", "meshes[7] does not exist; there are 1"},
        {"{'mesh': 0}", "{'mesh': 0, 'matrix': [1, 2]}", "nodes[0].matrix must be a list of 16 numbers"},
        {"{'mesh': 0}", "{'mesh': 0, 'scale': [1, 2, 'x']}", "nodes[0].scale must be a list of 3 numbers"},
        {"{'mesh': 0}", "{'mesh': 0, 'scale': [1e30, 1e300, 1]}",
         "meshes[0].primitives[0]: vertex 2 is at (0, inf, 0); coordinates must be finite"},
        {"'POSITION': 0", "'POSITION': 3", "accessors[3] does not exist; there are 1"},
        {"'POSITION': 0", "'POSITION': 0, 'TEXCOORD_0': 0", "accessors[0] must be of the type VEC2"},
        {"'POSITION': 0}", "'POSITION': 0}, 'indices': 0", "accessors[0] must be of the type SCALAR"},
        {"'componentType': 5126", "'componentType': 5124",
         "accessors[0].componentType is 5124; it must be 5120 to 5123, 5125 or 5126"},
        {"'componentType': 5126, ", "", "accessors[0] has no componentType"},
        {"'type': 'VEC3'", "'type': 'VEC4'", "accessors[0] must be of the type VEC3"},
        {"'count': 3", "'count': 5", "accessors[0] ends at byte 60 of bufferViews[0], which has 48"},
        {"'count': 3", "'count': 4", "meshes[0].primitives[0] has 4 corners; for triangles it must be a multiple of 3"},
        {"'count': 3", "'count': 1.5", "accessors[0].count is \"1.5\"; it must be a whole number from 0 to 4294967295"},
        {"'count': 3", "'count': 1e300",
         "accessors[0].count is \"1e+300\"; it must be a whole number from 0 to 4294967295"},
        {"'bufferView': 0, ", "'bufferView': 0, 'byteOffset': 16, ",
         "accessors[0] ends at byte 52 of bufferViews[0], which has 48"},
        {"'bufferView': 0", "'bufferView': 2", "bufferViews[2] does not exist; there are 1"},
        {"'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3",
         "'componentType': 5126, 'type': 'VEC3', 'count': 900000",
         "accessors[0] has 900000 entries without a bufferView; that cannot be right"},
        {"'buffer': 0", "'buffer': 0, 'byteOffset': 1", "bufferViews[0] ends at byte 49 of buffers[0], which has 48"},
        {"'buffer': 0", "'buffer': 1", "buffers[1] does not exist; there are 1"},
        {"'buffer': 0, 'byteLength': 48", "'buffer': 0", "bufferViews[0] has no byteLength"},
        {"'buffers': [{'byteLength': 48", "'buffers': [{'byteLength': 52",
         "buffers[0] announces 52 bytes, but has 48; is the file cut off?"},
        {"'buffers': [{'byteLength': 48", "'buffers': [{'byteLength': 48, 'uri': 'data:;base64,%'",
         "buffers[0] holds data that is not base64"},
        {"'buffers': [{'byteLength': 48", "'buffers': [{'byteLength': 48, 'uri': '/etc/passwd'",
         "buffers[0] is at \"/etc/passwd\"; only files relative to this one are read"},
        {"'buffers': [{'byteLength': 48", "'buffers': [{'byteLength': 48, 'uri': 'http://a/b.bin'",
         "buffers[0] is at \"http://a/b.bin\"; only files relative to this one are read"},
    };
    for (const auto& [from, to, fault] : cases)
        EXPECT_EQ(faults_of(read_result(glb(replaced(triangle, from, to), points))), "a.glb: " + fault);
    EXPECT_EQ(faults_of(read_result(with_indices("", 5121, 3, bytes_of<std::uint8_t>({0, 1, 4})))),
              "a.glb: meshes[0].primitives[0] names vertex 4, which does not exist; there are 4");
    EXPECT_EQ(faults_of(read_result(glb(triangle, bytes_of<float>({0, 0, 0, 0, NAN, 0, 0, 0, 0, 0, 0, 0})))),
              "a.glb: meshes[0].primitives[0]: vertex 1 is at (0, nan, 0); coordinates must be finite");
}

TEST(Gltf, RangesDoNotOverflow) {
    std::string text = replaced(triangle, "'count': 3", "'byteOffset': 4294967295, 'count': 4294967295");
    text = replaced(text, "'byteLength': 48}]", "'byteLength': 48, 'byteStride': 4294967295}]");
    EXPECT_EQ(faults_of(read_result(glb(text, points))),
              "a.glb: accessors[0] ends at byte 18446744065119617037 of bufferViews[0], which has 48");
    text = replaced(triangle, "'buffer': 0, 'byteLength': 48",
                    "'buffer': 0, 'byteOffset': 4294967295, 'byteLength': 4294967295");
    EXPECT_EQ(faults_of(read_result(glb(text, points))),
              "a.glb: bufferViews[0] ends at byte 8589934590 of buffers[0], which has 48");
}

TEST(Gltf, SparseEntriesMustExist) {
    const std::string data = bytes_of<std::uint16_t>({3, 0}) + bytes_of<float>({5, 0, 0});
    const std::string bytes = with_accessor(
        "'bufferView': 0, 'componentType': 5126, 'type': 'VEC3', 'count': 3, 'sparse': {'count': 1, "
        "'indices': {'bufferView': 1, 'componentType': 5123}, 'values': {'bufferView': 1, 'byteOffset': 4}}",
        "'attributes': {'POSITION': 1}", data);
    EXPECT_EQ(faults_of(read_result(bytes)), "a.glb: accessors[1].sparse.indices names an entry that does not exist");
}

TEST(Gltf, TextThatIsNotJsonNamesTheLine) {
    EXPECT_EQ(faults_of(read_gltf("{\n\"asset\": }", "a.gltf", "")),
              "a.gltf:2: is not valid JSON at byte 12; is the file damaged?");
    EXPECT_EQ(faults_of(read_gltf("", "a.gltf", "")), "a.gltf:1: is not valid JSON at byte 0; is the file damaged?");
    EXPECT_EQ(faults_of(read_gltf("{\"a\": 1e999}", "a.gltf", "")),
              "a.gltf: has a number that is too large in its JSON; is the file damaged?");
    EXPECT_EQ(faults_of(read_gltf("[]", "a.gltf", "")),
              "a.gltf: has no triangles in its scene; is there a node with a mesh?");
}

TEST(Gltf, NoPrefixOfABinaryFileIsTakenForTheWhole) {
    const std::string bytes = glb(triangle, points);
    ASSERT_TRUE(read_result(bytes));
    for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(read_result(bytes.substr(0, n))) << n;
    EXPECT_EQ(faults_of(read_result(bytes.substr(0, 100))),
              "a.glb: is cut off: it has 100 bytes of " + std::to_string(bytes.size()));
}

TEST(Gltf, NoDamagedByteCrashes) {
    const std::string bytes = with_indices("", 5121, 6, bytes_of<std::uint8_t>({2, 1, 0, 1, 2, 3}));
    for (std::size_t i = 0; i < bytes.size(); ++i)
        for (const char damage : {'\0', '9', '\xff'}) {
            std::string damaged = bytes;
            damaged[i] = damage;
            (void)read_result(damaged);
        }
}

} // namespace
} // namespace taffeta::io
