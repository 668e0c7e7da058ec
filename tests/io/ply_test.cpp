#include "io/mesh/ply.h"

#include "io/mesh/mesh_files.h"
#include "io/mesh_testing.h"

#include <algorithm>
#include <bit>

namespace taffeta::io {
namespace {

using taffeta::tests::expect_same;
using taffeta::tests::faults_of;
using taffeta::tests::sample_meshes;
using taffeta::tests::TemporaryFolder;

Mesh read(const std::string& bytes) {
    const Result<Mesh> mesh = read_ply(bytes, "a.ply");
    EXPECT_TRUE(mesh) << faults_of(mesh);
    return mesh ? *mesh : Mesh{};
}

// Writes values as text or as bytes of either order, one after the other.
class Body {
public:
    explicit Body(std::string format) : format_(std::move(format)) {}

    template <class T>
    Body& add(T value) {
        if (format_ == "ascii") {
            char digits[64];
            std::snprintf(digits, sizeof digits, "%.17g ", static_cast<double>(value));
            bytes_ += digits;
            return *this;
        }
        std::string bytes(reinterpret_cast<const char*>(&value), sizeof value);
        if (format_ == "binary_big_endian") std::ranges::reverse(bytes);
        bytes_ += bytes;
        return *this;
    }
    const std::string& bytes() const { return bytes_; }

private:
    std::string format_, bytes_;
};

const std::vector<std::string> formats = {"ascii", "binary_little_endian", "binary_big_endian"};

const std::string header_start = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n"
                                 "property float z\nelement face 1\nproperty list uchar int vertex_indices\n";
const std::string header = header_start + "end_header\n"; // of 9 lines
const std::string three_vertices = "0 0 0\n1 0 0\n0 1 0\n";

TEST(Ply, WrittenMeshesAreReadBackBitByBit) {
    const TemporaryFolder folder;
    for (const Mesh& mesh : sample_meshes()) {
        ASSERT_TRUE(write_ply(folder / "a.ply", mesh));
        expect_same(read(*read_file(folder / "a.ply")), mesh);
    }
}

TEST(Ply, TextAndBothByteOrdersAgree) {
    for (const Mesh& mesh : sample_meshes())
        for (const std::string& format : formats) {
            Body body(format);
            for (const Vec3& p : mesh.positions) body.add(p.x).add(p.y).add(p.z);
            for (const Triangle& t : mesh.triangles) body.add(std::uint8_t{3}).add(t[0]).add(t[1]).add(t[2]);
            const Mesh found =
                read("ply\nformat " + format + " 1.0\nelement vertex " + std::to_string(mesh.positions.size()) +
                     "\nproperty float x\nproperty float y\nproperty float z\nelement face " +
                     std::to_string(mesh.triangles.size()) + "\nproperty list uchar uint vertex_indices\nend_header\n" +
                     body.bytes());
            expect_same(found, {mesh.positions, mesh.triangles, {}});
        }
}

// Whatever types a file chooses, the mesh is the same.
template <class Coordinate, class Count, class Corner>
void expect_triangle(const std::string& coordinate, const std::string& count, const std::string& corner) {
    for (const std::string& format : formats) {
        Body body(format);
        for (const int value : {0, 0, 0, 1, 0, 0, 0, 1, 0}) body.add(static_cast<Coordinate>(value));
        body.add(Count{3}).add(Corner{0}).add(Corner{1}).add(Corner{2});
        std::string text = "ply\nformat " + format + " 1.0\nelement vertex 3\n";
        for (const char* name : {" x\n", " y\n", " z\n"}) text += "property " + coordinate + name;
        text += "element face 1\nproperty list " + count + " " + corner + " vertex_index\nend_header\n";
        expect_same(read(text + body.bytes()), {{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}, {}});
    }
}

TEST(Ply, EveryTypeOfEveryPropertyIsRead) {
    expect_triangle<double, std::uint8_t, std::int32_t>("double", "uchar", "int");
    expect_triangle<float, std::int32_t, std::uint16_t>("float32", "int32", "uint16");
    expect_triangle<std::int8_t, std::int8_t, std::int8_t>("char", "int8", "char");
    expect_triangle<std::int16_t, std::uint16_t, std::uint32_t>("short", "ushort", "uint");
    expect_triangle<std::uint8_t, std::int16_t, std::uint8_t>("uint8", "int16", "uchar");
    expect_triangle<double, std::uint32_t, std::int16_t>("float64", "uint32", "short");
}

TEST(Ply, TextureCoordinatesHaveThreeNames) {
    for (const auto& [u, v] : {std::pair{"u", "v"}, {"s", "t"}, {"texture_u", "texture_v"}}) {
        std::string text =
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n";
        text += std::string("property float ") + u + "\nproperty float " + v + "\n";
        text += "element face 1\nproperty list uchar int vertex_indices\nend_header\n";
        const Mesh mesh = read(text + "0 0 0 0 0.5\n1 0 0 1 0.5\n0 1 0 0 1\n3 0 1 2\n");
        EXPECT_EQ(mesh.uv, (std::vector<std::array<float, 2>>{{0, 0.5f}, {1, 0.5f}, {0, 1}}));
    }
}

TEST(Ply, OtherElementsAndPropertiesAreSkipped) {
    for (const std::string& format : formats) {
        Body body(format);
        body.add(1.5).add(std::uint8_t{2}).add(7.0f).add(8.0f); // camera
        for (const float x : {0.0f, 1.0f, 2.0f})
            body.add(std::uint8_t{255}).add(x).add(0.0f).add(x * x).add(std::int16_t{9});
        body.add(std::uint8_t{1}).add(std::int32_t{5}).add(std::uint8_t{3}); // face: flags, corners, colour
        body.add(std::int32_t{2}).add(std::int32_t{1}).add(std::int32_t{0}).add(std::uint8_t{9});
        const Mesh mesh =
            read("ply\r\nformat " + format +
                 " 1.0\r\ncomment made by hand\r\nobj_info none\r\nelement camera 1\r\nproperty double f\r\n"
                 "property list uchar float views\r\nelement nothing 99999999999\r\nelement vertex 3\r\n"
                 "property uchar red\r\nproperty float x\r\nproperty float y\r\nproperty float z\r\n"
                 "property short quality\r\nelement face 1\r\nproperty list uchar int flags\r\n"
                 "property list uchar int vertex_indices\r\nproperty uchar blue\r\nend_header\r\n" +
                 body.bytes());
        expect_same(mesh, {{{0, 0, 0}, {1, 0, 1}, {2, 0, 4}}, {{2, 1, 0}}, {}});
    }
}

TEST(Ply, FacesMayStandBeforeVertices) {
    const Mesh mesh =
        read("ply\nformat ascii 1.0\nelement face 1\nproperty list uchar int vertex_indices\nelement vertex 3\n"
             "property float x\nproperty float y\nproperty float z\nend_header\n3 0 1 2\n" +
             three_vertices);
    EXPECT_EQ(mesh.triangles, (std::vector<Triangle>{{0, 1, 2}}));
}

TEST(Ply, PolygonsBecomeFans) {
    EXPECT_EQ(read(header + three_vertices + "5 0 1 2 1 0\n").triangles,
              (std::vector<Triangle>{{0, 1, 2}, {0, 2, 1}, {0, 1, 0}}));
}

TEST(Ply, HeaderFaultsNameTheLine) {
    const std::string body = three_vertices + "3 0 1 2\n";
    const struct {
        std::string bytes, fault;
    } cases[] = {
        {"", "a.ply: does not begin with the line \"ply\"; is it a PLY file?"},
        {"solid\n", "a.ply: does not begin with the line \"ply\"; is it a PLY file?"},
        {"ply\nformat ascii 1.0\n", "a.ply:2: the header has no \"end_header\"; is the file cut off?"},
        {"ply\nformat binary 1.0\n" + header.substr(21) + body,
         "a.ply:2: the format \"binary\" is not known; it can be ascii, binary_little_endian or binary_big_endian"},
        {"ply\n" + header.substr(21) + body, "a.ply: the header has no line \"format\""},
        {header_start + "colour red\nend_header\n" + body, "a.ply:9: \"colour\" is not a word of PLY headers"},
        {header_start + "element extra -3\nend_header\n" + body, "a.ply:9: \"-3\" is not a number of entries"},
        {header_start + "element vertex 3\nend_header\n" + body, "a.ply:9: the element \"vertex\" comes twice"},
        {header_start + "property half w\nend_header\n" + body, "a.ply:9: \"half\" is not a type of PLY files"},
        {header_start + "property list float int w\nend_header\n" + body,
         "a.ply:9: lists cannot be counted in \"float\"; use an integer type"},
        {"ply\nproperty float x\n" + header.substr(4) + body, "a.ply:2: a property stands before the first element"},
        {"ply\nformat ascii 1.0\nend_header\n", "a.ply: has no vertices\na.ply: has no faces"},
        {"ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty list uchar float y\nproperty float z\n"
         "element face 1\nproperty list uchar float vertex_indices\nend_header\n",
         "a.ply: the vertices need the properties x, y and z, each a number\n"
         "a.ply: the faces need the property vertex_indices, a list of integers"},
    };
    for (const auto& [bytes, fault] : cases) EXPECT_EQ(faults_of(read_ply(bytes, "a.ply")), fault) << bytes;
}

TEST(Ply, BodyFaultsNameLineAndEntry) {
    const struct {
        std::string body, fault;
    } cases[] = {
        {"0 0 0\n1 x 0\n0 1 0\n3 0 1 2\n", "a.ply:11: \"x\" is not a number"},
        {"0 0 0\n1 0 nan\n0 inf 0\n3 0 1 2\n", "a.ply:11: vertex 1 is at (1, 0, nan); coordinates must be finite\n"
                                               "a.ply:12: vertex 2 is at (0, inf, 0); coordinates must be finite"},
        {three_vertices + "3 0 1 3\n",
         "a.ply:13: face 0 names vertex 3, which does not exist; there are 3, counted from 0"},
        {three_vertices + "3 0 -1 2\n",
         "a.ply:13: face 0 names vertex -1, which does not exist; there are 3, counted from 0"},
        {three_vertices + "3 0 1.5 2\n",
         "a.ply:13: face 0 names vertex 1.5, which does not exist; there are 3, counted from 0"},
        {three_vertices + "2 0 1\n", "a.ply:13: face 0 has 2 corners; it needs 3 or more"},
        {three_vertices + "3 0 1\n",
         "a.ply:14: entry 0 of \"face\" is not complete; the file is cut off or a list is miscounted"},
        {three_vertices + "-3 0 1 2\n",
         "a.ply:13: entry 0 of \"face\" is not complete; the file is cut off or a list is miscounted"},
        {"0 0 0\n1 0 0\n",
         "a.ply: the header announces 3 entries of \"vertex\", but only 12 bytes follow; is the file cut off?"},
        {"0 0 0\n1 0 0        \n",
         "a.ply:12: entry 2 of \"vertex\" is not complete; the file is cut off or a list is miscounted"},
    };
    for (const auto& [body, fault] : cases) EXPECT_EQ(faults_of(read_ply(header + body, "a.ply")), fault) << body;
}

TEST(Ply, InfiniteTextureCoordinatesAreAFault) {
    EXPECT_EQ(faults_of(read_ply("ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\n"
                                 "property float z\nproperty float s\nproperty float t\nelement face 1\n"
                                 "property list uchar int vertex_indices\nend_header\n0 0 0 inf 0\n3 0 0 0\n",
                                 "a.ply")),
              "a.ply:12: vertex 0 has a texture coordinate that is not finite");
}

TEST(Ply, HugeCountsAreRefusedBeforeMemoryIsTaken) {
    for (const std::string& format : formats)
        for (const char* count : {"1000000000000", "9223372036854775807"}) {
            const std::string faults = faults_of(
                read_ply("ply\nformat " + format + " 1.0\nelement other " + count +
                             "\nproperty float q\nelement vertex 3\nproperty float x\nproperty float y\n"
                             "property float z\nelement face 1\nproperty list uint int vertex_indices\nend_header\n"
                             "0000000000000000",
                         "a.ply"));
            EXPECT_NE(faults.find(std::string("announces ") + count + " entries of \"other\""), std::string::npos)
                << faults;
        }
    EXPECT_EQ(faults_of(read_ply(header + three_vertices + "4000000000 0 1 2\n", "a.ply")),
              "a.ply:14: entry 0 of \"face\" is not complete; the file is cut off or a list is miscounted");
}

TEST(Ply, NoPrefixOfAFileCrashesOrIsTakenForTheWhole) {
    const TemporaryFolder folder;
    ASSERT_TRUE(write_ply(folder / "a.ply", taffeta::tests::make_square(1)));
    const std::string bytes = *read_file(folder / "a.ply");
    ASSERT_TRUE(read_ply(bytes, "a.ply"));
    for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(read_ply(bytes.substr(0, n), "a.ply")) << n;
    const std::string text = header + three_vertices + "3 0 1 2";
    ASSERT_TRUE(read_ply(text, "a.ply"));
    for (std::size_t n = 0; n < text.size(); ++n) EXPECT_FALSE(read_ply(text.substr(0, n), "a.ply")) << n;
}

} // namespace
} // namespace taffeta::io
