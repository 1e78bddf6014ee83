#include "harness/io/mapped_file.hpp"

#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"
#include "tests/harness/io/temporary_file.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;

std::string text(const MappedFile& file) {
  return {reinterpret_cast<const char*>(file.bytes().data()), file.bytes().size()};
}

std::string complaint(const std::filesystem::path& path) {
  try {
    MappedFile::open(path);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(MappedFile, HoldsTheBytesOfTheFile) {
  const TemporaryFile file("some bytes");
  EXPECT_EQ(text(MappedFile::open(file.path())), "some bytes");
}

TEST(MappedFile, AnEmptyFileHasNoBytes) {
  const TemporaryFile file("");
  EXPECT_TRUE(MappedFile::open(file.path()).bytes().empty());
}

TEST(MappedFile, KeepsItsBytesWhenMoved) {
  const TemporaryFile one("one");
  const TemporaryFile two("two");
  MappedFile a = MappedFile::open(one.path());
  MappedFile b = MappedFile::open(two.path());
  b = std::move(a);
  EXPECT_EQ(text(b), "one");
  const MappedFile c(std::move(b));
  EXPECT_EQ(text(c), "one");
  EXPECT_EQ(c.path(), one.path());
}

TEST(MappedFile, NamesWhatItCannotOpen) {
  EXPECT_EQ(complaint("/nowhere/x"), "/nowhere/x: cannot be read: No such file or directory");
  EXPECT_THAT(complaint("/tmp"), HasSubstr("/tmp: is not a regular file"));
  EXPECT_THAT(complaint("/dev/null"), HasSubstr("/dev/null: is not a regular file"));
}

}  // namespace
}  // namespace plumb
