#include "io/results/pc2.h"

#include "io/mesh/mesh_files.h"
#include "io/mesh_testing.h"

#include <cstring>

namespace taffeta::io {
namespace {

using taffeta::tests::TemporaryFolder;

template <class T>
T value_at(const std::string& bytes, std::size_t place) {
    T value;
    std::memcpy(&value, bytes.data() + place, sizeof value);
    return value;
}

TEST(Pc2, HeaderAndSamplesStandWhereReadersLook) {
    const TemporaryFolder folder;
    const std::vector<Vec3> frames[] = {{{0, 1, 2}, {3, 4, 5}}, {{6, 7, 8}, {9, 10, 11}}, {{12, 13, 14}, {15, 16, 17}}};
    Result<Pc2Writer> writer = Pc2Writer::create(folder / "a.pc2", 2);
    ASSERT_TRUE(writer);
    for (const auto& frame : frames) ASSERT_TRUE(writer->append(frame));
    ASSERT_TRUE(writer->commit());

    const std::string bytes = *read_file(folder / "a.pc2");
    ASSERT_EQ(bytes.size(), 32 + 3 * 2 * 3 * 4u);
    EXPECT_EQ(bytes.substr(0, 12), std::string("POINTCACHE2") + '\0');
    EXPECT_EQ(value_at<std::int32_t>(bytes, 12), 1);
    EXPECT_EQ(value_at<std::int32_t>(bytes, 16), 2) << "points";
    EXPECT_EQ(value_at<float>(bytes, 20), 0) << "first frame";
    EXPECT_EQ(value_at<float>(bytes, 24), 1) << "frames per sample";
    EXPECT_EQ(value_at<std::int32_t>(bytes, 28), 3) << "samples";
    for (std::size_t i = 0; i < 18; ++i) EXPECT_EQ(value_at<float>(bytes, 32 + 4 * i), static_cast<float>(i));
}

TEST(Pc2, WithoutCommitThereIsNoFile) {
    const TemporaryFolder folder;
    {
        Result<Pc2Writer> writer = Pc2Writer::create(folder / "a.pc2", 1);
        ASSERT_TRUE(writer->append(std::vector<Vec3>(1)));
    }
    EXPECT_EQ(folder.file_count(), 0u);
}

TEST(Pc2, AFolderIsNoTarget) {
    const TemporaryFolder folder;
    std::filesystem::create_directory(folder / "a.pc2");
    EXPECT_FALSE(Pc2Writer::create(folder / "a.pc2", 1));
}

} // namespace
} // namespace taffeta::io
