#include "harness/atomic_file.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <thread>
#include <vector>
#include <sys/stat.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

class AtomicFile : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  static std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  static std::string error_of(const fs::path& path) {
    try {
      write_file_atomically(path, "text");
    } catch (const InputError& error) {
      return error.what();
    }
    return "no error";
  }

  std::size_t entries() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }

  const fs::path folder_ = fs::temp_directory_path() / ("plumb-atomic-" + std::to_string(getpid()));
};

TEST_F(AtomicFile, WritesTheBytesAndMakesTheFolders) {
  const std::string bytes("a\0b\n", 4);
  write_file_atomically(folder_ / "x" / "y" / "f.bin", bytes);
  EXPECT_EQ(text_of(folder_ / "x" / "y" / "f.bin"), bytes);
}

TEST_F(AtomicFile, ReplacesAnOlderFileAndLeavesNothingElse) {
  write_file_atomically(folder_ / "f", "a longer first text");
  write_file_atomically(folder_ / "f", "second");
  EXPECT_EQ(text_of(folder_ / "f"), "second");
  EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, LeavesTheUsualPermissions) {
  const mode_t mask = umask(022);
  write_file_atomically(folder_ / "f", "x");
  umask(mask);
  struct stat status {};
  ASSERT_EQ(stat((folder_ / "f").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0644u);
}

TEST_F(AtomicFile, SaysWhyItCannotWriteAndLeavesNothing) {
  const std::string file = (folder_ / "file").string();
  write_file_atomically(file, "x");
  EXPECT_EQ(error_of(file + "/sub/f"), "cannot write '" + file + "/sub/f': cannot make folder '" +
                                           file + "/sub': Not a directory");
  EXPECT_EQ(error_of(folder_), "cannot write '" + folder_.string() + "': it is a folder");
  EXPECT_NE(error_of(folder_ / std::string(300, 'n')).find("File name too long"),
            std::string::npos);
  EXPECT_EQ(entries(), 1u);
}

TEST_F(AtomicFile, WritesThroughALink) {
  write_file_atomically(folder_ / "target", "old");
  fs::create_symlink("target", folder_ / "link");
  write_file_atomically(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(text_of(folder_ / "target"), "new");
  fs::create_symlink("nowhere", folder_ / "dangling");
  EXPECT_NE(error_of(folder_ / "dangling").find("a link to nothing"), std::string::npos);
}

TEST_F(AtomicFile, NeverReplacesADevice) {
  write_file_atomically("/dev/null", "text");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(error_of("/dev/full"), "cannot write '/dev/full': No space left on device");
}

TEST_F(AtomicFile, AReaderSeesOneTextOrTheOther) {
  const std::string a(100000, 'a'), b(100000, 'b');
  write_file_atomically(folder_ / "f", a);
  std::vector<std::thread> writers;
  for (const std::string* text : {&a, &b}) {
    writers.emplace_back([this, text] {
      for (int i = 0; i < 50; ++i) write_file_atomically(folder_ / "f", *text);
    });
  }
  for (int i = 0; i < 200; ++i) {
    const std::string seen = text_of(folder_ / "f");
    EXPECT_TRUE(seen == a || seen == b);
  }
  for (std::thread& writer : writers) writer.join();
  EXPECT_EQ(entries(), 1u);
}

}  // namespace
}  // namespace plumb
