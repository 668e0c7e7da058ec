#include "io/mesh/mesh_files.h"

#include "io/mesh_testing.h"
#include "io/results/atomic_file.h"

namespace taffeta::io {
namespace {

using taffeta::tests::faults_of;
using taffeta::tests::TemporaryFolder;

void write_text(const std::filesystem::path& file, std::string_view text) {
    Result<AtomicFile> out = AtomicFile::create(file);
    ASSERT_TRUE(out);
    out->write(text);
    ASSERT_TRUE(out->commit());
}

TEST(MeshFiles, TheEndingTellsTheFormatInAnyCase) {
    const TemporaryFolder folder;
    write_text(folder / "a.OBJ", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    const Result<Mesh> mesh = read_mesh(folder / "a.OBJ");
    ASSERT_TRUE(mesh) << faults_of(mesh);
    for (const char* name : {"b.Ply", "b.Obj"}) {
        ASSERT_TRUE(write_mesh(folder / name, *mesh));
        taffeta::tests::expect_same(*read_mesh(folder / name), *mesh);
    }
}

TEST(MeshFiles, UnknownEndingsNameTheKnownOnes) {
    EXPECT_EQ(faults_of(read_mesh("shirt.fbx")),
              "shirt.fbx: meshes cannot be read as \".fbx\"; use .obj, .ply, .glb or .gltf");
    EXPECT_EQ(faults_of(read_mesh("shirt")),
              "shirt: the name has no ending that tells the format; use .obj, .ply, .glb or .gltf");
    EXPECT_EQ(faults_of(write_mesh("shirt.glb", {})),
              "shirt.glb: meshes cannot be written as \".glb\"; use .obj or .ply");
}

TEST(MeshFiles, MissingFilesAndFoldersAreNoMeshes) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "folder.obj");
    EXPECT_EQ(faults_of(read_mesh(folder / "none.obj")), (folder / "none.obj").string() + ": there is no such file");
    EXPECT_EQ(faults_of(read_mesh(folder / "folder.obj")),
              (folder / "folder.obj").string() + ": is not a file that can be read");
}

TEST(MeshFiles, FaultsCarryThePath) {
    const TemporaryFolder folder;
    write_text(folder / "a.obj", "v 0 0 zero\nf 1 1 1\n");
    EXPECT_EQ(faults_of(read_mesh(folder / "a.obj")), (folder / "a.obj").string() + ":1: \"zero\" is not a number");
}

TEST(MeshFiles, NumbersAreReadWhole) {
    EXPECT_EQ(parse_number("+1.5e-3"), 1.5e-3);
    EXPECT_EQ(parse_number("-.5"), -0.5);
    EXPECT_EQ(parse_number("1e-320"), 1e-320);
    for (const char* word : {"", "+", "+-1", "1,5", "0x10", "1 ", "1e999", "--1"})
        EXPECT_FALSE(parse_number(word)) << word;
    EXPECT_EQ(parse_integer("-12"), -12);
    for (const char* word : {"", "1.0", "99999999999999999999"}) EXPECT_FALSE(parse_integer(word)) << word;
}

TEST(MeshFiles, QuotedWordsStayOnOneShortLine) {
    EXPECT_EQ(quote("a\n\x1b[0m"), "\"a??[0m\"");
    EXPECT_EQ(quote(std::string(100, 'x')), '"' + std::string(40, 'x') + "...\"");
}

TEST(MeshFiles, FaultsAreSortedByLineAndEndAtTwenty) {
    FaultList faults("a.obj");
    for (int line = 30; line > 0; --line) faults.add("bad", line);
    const Faults taken = faults.take();
    ASSERT_EQ(taken.size(), 21u);
    EXPECT_EQ(taken.front().line, 11);
    EXPECT_EQ(taken.back().to_string(), "a.obj: ... and 10 more");
}

} // namespace
} // namespace taffeta::io
