#include "io/results/atomic_file.h"

#include "io/mesh/mesh_files.h"
#include "io/mesh_testing.h"

#include <sys/resource.h>

#include <csignal>

namespace taffeta::io {
namespace {

namespace fs = std::filesystem;
using taffeta::tests::faults_of;
using taffeta::tests::TemporaryFolder;

TEST(AtomicFile, NothingStandsUnderTheNameBeforeCommit) {
    const TemporaryFolder folder;
    Result<AtomicFile> file = AtomicFile::create(folder / "a.txt");
    ASSERT_TRUE(file);
    file->write("half");
    EXPECT_FALSE(fs::exists(folder / "a.txt"));
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(*read_file(folder / "a.txt"), "half");
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFile, WithoutCommitTheOldFileStaysAndNoTraceIsLeft) {
    const TemporaryFolder folder;
    Result<AtomicFile> old = AtomicFile::create(folder / "a.txt");
    old->write("old");
    ASSERT_TRUE(old->commit());
    {
        Result<AtomicFile> file = AtomicFile::create(folder / "a.txt");
        file->write("new");
        EXPECT_EQ(folder.file_count(), 2u);
    }
    EXPECT_EQ(*read_file(folder / "a.txt"), "old");
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFile, CommitReplacesTheOldFile) {
    const TemporaryFolder folder;
    for (const char* text : {"a long old text", "new"}) {
        Result<AtomicFile> file = AtomicFile::create(folder / "a.txt");
        file->write(text);
        ASSERT_TRUE(file->commit());
    }
    EXPECT_EQ(*read_file(folder / "a.txt"), "new");
}

TEST(AtomicFile, TwoWritersOfOneNameDoNotDisturbEachOther) {
    const TemporaryFolder folder;
    Result<AtomicFile> first = AtomicFile::create(folder / "a.txt"), second = AtomicFile::create(folder / "a.txt");
    ASSERT_TRUE(first && second);
    first->write("first");
    second->write("second");
    ASSERT_TRUE(second->commit());
    ASSERT_TRUE(first->commit());
    EXPECT_EQ(*read_file(folder / "a.txt"), "first");
    EXPECT_EQ(folder.file_count(), 1u);
}

TEST(AtomicFile, SeekOverwritesTheHeader) {
    const TemporaryFolder folder;
    Result<AtomicFile> file = AtomicFile::create(folder / "a.txt");
    file->write("?? frames");
    file->seek(0);
    file->write("12");
    ASSERT_TRUE(file->commit());
    EXPECT_EQ(*read_file(folder / "a.txt"), "12 frames");
}

TEST(AtomicFile, MissingFoldersAreMade) {
    const TemporaryFolder folder;
    Result<AtomicFile> file = AtomicFile::create(folder / "x/y/a.txt");
    ASSERT_TRUE(file);
    ASSERT_TRUE(file->commit());
    EXPECT_TRUE(fs::is_regular_file(folder / "x/y/a.txt"));
}

TEST(AtomicFile, ALinkStaysALink) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "elsewhere");
    ASSERT_TRUE(AtomicFile::create(folder / "elsewhere/a.txt")->commit());
    fs::create_symlink(folder / "elsewhere/a.txt", folder / "link.txt");
    Result<AtomicFile> file = AtomicFile::create(folder / "link.txt");
    file->write("text");
    ASSERT_TRUE(file->commit());
    EXPECT_TRUE(fs::is_symlink(folder / "link.txt"));
    EXPECT_EQ(*read_file(folder / "elsewhere/a.txt"), "text");
}

TEST(AtomicFile, AFolderIsNoTarget) {
    const TemporaryFolder folder;
    fs::create_directory(folder / "a.obj");
    EXPECT_EQ(faults_of(AtomicFile::create(folder / "a.obj")),
              (folder / "a.obj").string() + ": is a folder; give the name of a file");
    EXPECT_EQ(faults_of(AtomicFile::create(folder / "b/")),
              (folder / "b/").string() + ": is not the name of a file; give a name in a folder");
}

TEST(AtomicFile, ADeviceIsNoTarget) {
    EXPECT_EQ(faults_of(AtomicFile::create("/dev/null")), "/dev/null: is not an ordinary file; give another name");
}

TEST(AtomicFile, AWriteProtectedFileIsNotReplaced) {
    const TemporaryFolder folder;
    ASSERT_TRUE(AtomicFile::create(folder / "a.txt")->commit());
    fs::permissions(folder / "a.txt", fs::perms::owner_read);
    EXPECT_EQ(faults_of(AtomicFile::create(folder / "a.txt")),
              (folder / "a.txt").string() + ": is write-protected; give another name or allow writing");
}

TEST(AtomicFile, AFolderThatCannotBeMadeIsNamed) {
    const TemporaryFolder folder;
    ASSERT_TRUE(AtomicFile::create(folder / "file")->commit());
    EXPECT_EQ(faults_of(AtomicFile::create(folder / "file/a.txt")), (folder / "file/a.txt").string() + ": the folder " +
                                                                        (folder / "file").string() +
                                                                        " cannot be made: Not a directory");
}

TEST(AtomicFile, ANameThatCannotBeOpenedSaysWhy) {
    const TemporaryFolder folder;
    const std::string name(300, 'a');
    EXPECT_NE(faults_of(AtomicFile::create(folder / name)).find("cannot be written: File name too long"),
              std::string::npos);
}

// No file of this process may grow beyond so many bytes: as good as a full disk.
class SizeLimit {
public:
    explicit SizeLimit(rlim_t bytes) {
        handler_ = std::signal(SIGXFSZ, SIG_IGN);
        getrlimit(RLIMIT_FSIZE, &before_);
        const rlimit limit = {bytes, before_.rlim_max};
        setrlimit(RLIMIT_FSIZE, &limit);
    }
    SizeLimit(const SizeLimit&) = delete;
    SizeLimit& operator=(const SizeLimit&) = delete;
    ~SizeLimit() {
        setrlimit(RLIMIT_FSIZE, &before_);
        std::signal(SIGXFSZ, handler_);
    }

private:
    rlimit before_{};
    void (*handler_)(int);
};

TEST(AtomicFile, AFullDiskIsToldAndTheOldFileStays) {
    const TemporaryFolder folder;
    Result<AtomicFile> old = AtomicFile::create(folder / "a.txt");
    old->write("old");
    ASSERT_TRUE(old->commit());
    for (const std::size_t size : {std::size_t{2000}, std::size_t{1000000}}) { // found by commit(), found by write()
        Result<AtomicFile> file = AtomicFile::create(folder / "a.txt");
        {
            const SizeLimit limit(1000);
            file->write(std::string(size, 'x'));
            EXPECT_EQ(bool(file->status()), size == 2000) << "small writes are held back";
            EXPECT_EQ(faults_of(file->commit()),
                      (folder / "a.txt").string() + ": cannot be written: File too large; see that there is space left "
                                                    "and that the folder may be written");
        }
    }
    EXPECT_EQ(*read_file(folder / "a.txt"), "old");
    EXPECT_EQ(folder.file_count(), 1u);
}

} // namespace
} // namespace taffeta::io
