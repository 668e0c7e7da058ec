#include "io/results/npy.h"

#include "io/mesh/mesh_files.h"
#include "io/mesh_testing.h"

namespace taffeta::io {
namespace {

using taffeta::tests::faults_of;
using taffeta::tests::TemporaryFolder;

const std::vector<Vec3> first_frame = {{0, 1, 2}, {0.1f, -0.0f, 1e-40f}}, second_frame = {{3, 4, 5}, {6, 7, 8}};

std::string write_two_frames(const std::filesystem::path& file) {
    Result<NpyWriter> writer = NpyWriter::create(file, 2);
    EXPECT_TRUE(writer && writer->append(first_frame) && writer->append(second_frame) && writer->commit());
    return *read_file(file);
}

std::string npy(const std::string& header, std::size_t data_size) {
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(header.size()) + '\0' + header +
           std::string(data_size, '\0');
}

TEST(Npy, WrittenFramesAreReadBackBitByBit) {
    const TemporaryFolder folder;
    (void)write_two_frames(folder / "a.npy");
    const Result<Trajectory> read = read_npy(folder / "a.npy");
    ASSERT_TRUE(read) << faults_of(read);
    EXPECT_EQ(read->frames, 2u);
    EXPECT_EQ(read->vertices, 2u);
    EXPECT_TRUE(std::ranges::equal(read->frame(0), first_frame));
    EXPECT_TRUE(std::ranges::equal(read->frame(1), second_frame));
}

TEST(Npy, TheHeaderIsThatOfNumPy) {
    const TemporaryFolder folder;
    const std::string bytes = write_two_frames(folder / "a.npy");
    const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }";
    ASSERT_EQ(bytes.size(), 128 + 2 * 2 * 3 * 4u);
    EXPECT_EQ(bytes.substr(0, 128), std::string("\x93NUMPY\x01\x00\x76\x00", 10) + dictionary +
                                        std::string(117 - dictionary.size(), ' ') + "\n");
}

TEST(Npy, ARunOfNoFramesIsValid) {
    const TemporaryFolder folder;
    ASSERT_TRUE(NpyWriter::create(folder / "a.npy", 5)->commit());
    const Result<Trajectory> read = read_npy(folder / "a.npy");
    ASSERT_TRUE(read) << faults_of(read);
    EXPECT_EQ(read->frames, 0u);
    EXPECT_EQ(read->vertices, 5u);
}

TEST(Npy, WithoutCommitThereIsNoFile) {
    const TemporaryFolder folder;
    {
        Result<NpyWriter> writer = NpyWriter::create(folder / "a.npy", 2);
        ASSERT_TRUE(writer->append(first_frame));
    }
    EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Npy, LaterVersionsOfTheHeaderAreRead) {
    const std::string header = "{'shape': (1, 2, 3), 'fortran_order': False, 'descr': '<f4'}\n";
    const std::string bytes = std::string("\x93NUMPY\x02\x00", 8) + static_cast<char>(header.size()) +
                              std::string(3, '\0') + header + std::string(24, '\0');
    const Result<Trajectory> read = read_npy(bytes, "a.npy");
    ASSERT_TRUE(read) << faults_of(read);
    EXPECT_EQ(read->vertices, 2u);
}

TEST(Npy, FaultsSayWhatIsExpected) {
    const struct {
        std::string bytes, fault;
    } cases[] = {
        {"", "a.npy: is not a .npy file, or it is cut off"},
        {"PK\3\4 some archive", "a.npy: is not a .npy file, or it is cut off"},
        {npy("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 3), }", 24),
         "a.npy: must hold little-endian float32, '<f4'; its type is \"'<f8', 'fortran_order': False, 'shape': ...\""},
        {npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1, 3), }", 12),
         "a.npy: must be in C order; fortran_order is \"True, 'shape': (1, 1, 3), }\""},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 3), }", 36),
         "a.npy: must have the shape (frames, vertices, 3); its shape is \"(3, 3), }\""},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1, 2), }", 36),
         "a.npy: must have the shape (frames, vertices, 3); its shape is \"(1, 1, 2), }\""},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, -1, 3), }", 36),
         "a.npy: must have the shape (frames, vertices, 3); its shape is \"(1, -1, 3), }\""},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 2, 3), }", 47),
         "a.npy: announces 2 frames of 2 vertices, but holds only 3 positions; is it cut off?"},
        {npy("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296, 4294967296, 3), }", 48),
         "a.npy: announces 4294967296 frames of 4294967296 vertices, but holds only 4 positions; is it cut off?"},
        {npy("", 0) + "x", "a.npy: is not a .npy file, or it is cut off"},
        {npy(std::string(100, ' '), 0).substr(0, 60), "a.npy: is cut off in its header"},
    };
    for (const auto& [bytes, fault] : cases) EXPECT_EQ(faults_of(read_npy(bytes, "a.npy")), fault);
}

TEST(Npy, NoPrefixOfAFileIsTakenForTheWhole) {
    const TemporaryFolder folder;
    const std::string bytes = write_two_frames(folder / "a.npy");
    for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(read_npy(bytes.substr(0, n), "a.npy")) << n;
}

} // namespace
} // namespace taffeta::io
