#include "io/mesh/obj.h"

#include "io/mesh/mesh_files.h"
#include "io/mesh_testing.h"

namespace taffeta::io {
namespace {

using taffeta::tests::expect_same;
using taffeta::tests::faults_of;
using taffeta::tests::sample_meshes;
using taffeta::tests::TemporaryFolder;

const std::string three_vertices = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

Mesh read(const std::string& text) {
    const Result<Mesh> mesh = read_obj(text, "a.obj");
    EXPECT_TRUE(mesh) << faults_of(mesh);
    return mesh ? *mesh : Mesh{};
}

TEST(Obj, WrittenMeshesAreReadBackBitByBit) {
    const TemporaryFolder folder;
    for (const Mesh& mesh : sample_meshes()) {
        ASSERT_TRUE(write_obj(folder / "a.obj", mesh));
        expect_same(read(*read_file(folder / "a.obj")), mesh);
    }
}

TEST(Obj, EveryFormOfACornerNamesItsVertex) {
    for (const char* face : {"f 1 2 3", "f 1/1 2/1 3/1", "f 1//1 2//1 3//1", "f 1/1/1 2/1/1 3/1/1", "f 1/ 2/ 3//"}) {
        const Mesh mesh = read(three_vertices + "vt 0.25 0.5\nvn 0 0 1\n" + face);
        EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}})) << face;
    }
}

TEST(Obj, NegativeIndicesCountFromTheEnd) {
    const Mesh mesh =
        read(three_vertices + "vt 0.25 0\nvt 0.75 1\nf -3/-1 -2/-2 -1/-1\nv 1 1 0\nf -1/-1 -2/-1 -3/-1\n");
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {3, 2, 1}}));
    EXPECT_EQ(mesh.uv, (std::vector<std::array<float, 2>>{{0.75f, 1}, {0.25f, 0}, {0.75f, 1}, {0.75f, 1}}));
}

TEST(Obj, FacesMayStandBeforeTheirVertices) {
    EXPECT_EQ(read("f 1 2 3\n" + three_vertices).triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(Obj, PolygonsBecomeFans) {
    const Mesh mesh = read(three_vertices + "v 1 1 0\nv 2 2 0\nf 1 2 3 4 5\n");
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 3, 4}}));
}

TEST(Obj, ColoursAndWeightsOfVerticesAreIgnored) {
    const Mesh mesh = read("v 0 0 0 1\nv 1 0 0 0.5 0.5 0.5\nv 0 1 0 red\nf 1 2 3\n");
    EXPECT_EQ(mesh.positions, (std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}));
}

TEST(Obj, AVertexWithSeveralTextureCoordinatesKeepsTheFirst) {
    const Mesh mesh = read(three_vertices + "v 1 1 0\nvt 0 0\nvt 0.5\nvt 1 1\nf 1/1 2/2 3/3\nf 2/3 4 3/1\n");
    EXPECT_EQ(mesh.positions.size(), 4u);
    EXPECT_EQ(mesh.uv, (std::vector<std::array<float, 2>>{{0, 0}, {0.5f, 0}, {1, 1}, {0, 0}}));
}

TEST(Obj, TextureCoordinatesThatNoFaceUsesAreNone) {
    EXPECT_TRUE(read(three_vertices + "vt 0 0\nf 1 2 3\n").uv.empty());
}

TEST(Obj, CarriageReturnsTabsBlanksAndCommentsDoNotMatter) {
    const Mesh plain = read(three_vertices + "f 1 2 3\n");
    expect_same(
        read("\xef\xbb\xbf# from Windows\r\nv\t0 0 0\r\n  v 1  0 0 \t\r\nv 0 1 0 # the third\r\n\r\nf 1 2 3\r\n"),
        plain);
}

TEST(Obj, ABackslashJoinsLines) {
    const Mesh plain = read(three_vertices + "f 1 2 3\n");
    expect_same(read("v 0 \\\n0 0\nv 1 0 0\nv 0 1 0\nf 1 \\\r\n 2 \\  \n3"), plain);
    expect_same(read(three_vertices + "f 1 2 3 \\"), plain);
}

TEST(Obj, ABackslashInACommentJoinsNothing) {
    const Mesh plain = read(three_vertices + "f 1 2 3\n");
    expect_same(read("# C:\\meshes\\\n" + three_vertices + "f 1 2 3\n"), plain);
}

TEST(Obj, LinesThatSayNothingAboutTheSurfaceAreIgnored) {
    const Mesh plain = read(three_vertices + "f 1 2 3\n");
    expect_same(read("mtllib a.mtl\no shirt\ng front\nusemtl red\ns 1\nvn 0 0 1\nvp 0 1\n" + three_vertices +
                     "l 1 2\np 1\nf 1 2 3\ncurv 0 1 1 2\n"),
                plain);
}

TEST(Obj, FaultsNameFileLineValueAndRemedy) {
    const struct {
        std::string text, fault;
    } cases[] = {
        {three_vertices + "v 1 2 x3\nf 1 2 3\n", "a.obj:4: \"x3\" is not a number"},
        {three_vertices + "v 1,5 0 0\nf 1 2 3\n", "a.obj:4: \"1,5\" is not a number"},
        {three_vertices + "v 1 2\nf 1 2 3\n", "a.obj:4: a vertex has 2 numbers; it needs 3"},
        {three_vertices + "vt\nf 1 2 3\n", "a.obj:4: a texture coordinate has 0 numbers; it needs 1"},
        {three_vertices + "v nan 0 1\nf 1 2 3\n", "a.obj:4: vertex 4 is at (nan, 0, 1); coordinates must be finite"},
        {three_vertices + "v 0 -inf 1\nf 1 2 3\n", "a.obj:4: vertex 4 is at (0, -inf, 1); coordinates must be finite"},
        {three_vertices + "v 0 1e300 1\nf 1 2 3\n", "a.obj:4: vertex 4 is at (0, inf, 1); coordinates must be finite"},
        {three_vertices + "vt nan 0\nf 1 2 3\n", "a.obj:4: a texture coordinate is not finite"},
        {three_vertices + "f 1 2 0\n", "a.obj:4: vertex 0 does not exist; OBJ files count from 1"},
        {three_vertices + "f 1 2 4\n", "a.obj:4: vertex 4 does not exist; the file has 3"},
        {three_vertices + "f 1 2 -4\n", "a.obj:4: vertex -4 does not exist; there are 3 above this line"},
        {three_vertices + "f 1 2 3000000000000\n", "a.obj:4: vertex 3000000000000 does not exist; the file has 3"},
        {three_vertices + "f 1 2 c\n", "a.obj:4: \"c\" is not the number of a vertex"},
        {three_vertices + "f 1 2 /1\n", "a.obj:4: \"\" is not the number of a vertex"},
        {three_vertices + "f 1/1 2/1 3/1\n", "a.obj:4: texture coordinate 1 does not exist; the file has 0\n"
                                             "a.obj:4: texture coordinate 1 does not exist; the file has 0\n"
                                             "a.obj:4: texture coordinate 1 does not exist; the file has 0"},
        {three_vertices + "f 1/x 2 3\n", "a.obj:4: \"x\" is not the number of a texture coordinate"},
        {three_vertices + "f 1 2\n", "a.obj:4: a face has 2 corners; it needs 3 or more"},
        {three_vertices + "f\n", "a.obj:4: a face has 0 corners; it needs 3 or more"},
        {three_vertices, "a.obj: has no faces; a mesh needs lines such as \"f 1 2 3\""},
        {"", "a.obj: has no vertices; a mesh needs lines such as \"v 0 0 0\"\n"
             "a.obj: has no faces; a mesh needs lines such as \"f 1 2 3\""},
    };
    for (const auto& [text, fault] : cases) EXPECT_EQ(faults_of(read_obj(text, "a.obj")), fault) << text;
}

TEST(Obj, LinesAreCountedThroughContinuations) {
    EXPECT_EQ(faults_of(read_obj("v 0 \\\n 0 \\\n 0\nv 1 x 0\nf 1 1 1", "a.obj")), "a.obj:4: \"x\" is not a number");
}

TEST(Obj, AllFaultsAreReportedInOrder) {
    EXPECT_EQ(faults_of(read_obj("v a 0 0\nf 1 2 1\nv b 0 0\nv 0 0 0\nf 1 9 2\n", "a.obj")),
              "a.obj:1: \"a\" is not a number\na.obj:3: \"b\" is not a number\n"
              "a.obj:5: vertex 9 does not exist; the file has 3");
}

TEST(Obj, ManyFaultsAreCounted) {
    std::string text = three_vertices;
    for (int i = 0; i < 25; ++i) text += "f 1 2 0\n";
    const std::string faults = faults_of(read_obj(text, "a.obj"));
    EXPECT_EQ(std::count(faults.begin(), faults.end(), '\n'), 20);
    EXPECT_TRUE(faults.ends_with("\na.obj: ... and 5 more"));
}

TEST(Obj, NoPrefixOfAFileCrashes) {
    const std::string text = "# a\r\nv 0 0 0\nv 1 \\\n0 0\nv 0 1 0\nvt 0.5 1\nvn 0 0 1\ng a\nf -3/1/1 2/1/1 3//1\n";
    ASSERT_TRUE(read_obj(text, "a.obj"));
    for (std::size_t n = 0; n < text.size(); ++n) (void)read_obj(text.substr(0, n), "a.obj");
}

} // namespace
} // namespace taffeta::io
