#include "harness/writable_folder.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>

#include "harness/errors.hpp"
#include "tests/harness/io/temporary_file.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

std::string refusal(const fs::path& folder) {
  try {
    check_folder_writable(folder);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

std::size_t entries(const fs::path& folder) {
  return static_cast<std::size_t>(
      std::distance(fs::recursive_directory_iterator(folder), fs::recursive_directory_iterator()));
}

TEST(WritableFolder, OneThatIsThereOrCanBeMadeIsFineAndNothingIsLeft) {
  const TemporaryFile file("text");
  EXPECT_EQ(refusal(file.folder()), "");
  EXPECT_EQ(refusal(file.folder() / "new/and/deeper"), "");
  EXPECT_EQ(refusal(file.folder() / "new/../other/"), "");
  EXPECT_EQ(entries(file.folder()), 1U);
}

TEST(WritableFolder, WhatCannotBeAFolderIsNamed) {
  const TemporaryFile file("text");
  EXPECT_THAT(refusal(file.path()), AllOf(HasSubstr(file.path().string()), HasSubstr("is a file")));
  EXPECT_THAT(refusal(file.path() / "below"), HasSubstr("is a file"));
  const std::string longest(300, 'x');
  EXPECT_THAT(refusal(file.folder() / "new" / longest),
              AllOf(HasSubstr(longest), HasSubstr("File name too long")));
  EXPECT_THAT(refusal("/proc/plumb"), HasSubstr("'/proc/plumb'"));
  EXPECT_EQ(entries(file.folder()), 1U);
}

// Tasks of one job start at the same moment, each with its folder below a parent that nobody has
// made yet: none may take away, or stumble over, what another makes.
TEST(WritableFolder, SiblingsThatAreAskedForAtOnceAreFine) {
  const TemporaryFile file("text");
  std::atomic<int> refused = 0;
  std::vector<std::jthread> tasks;
  for (int task = 0; task < 8; ++task) {
    tasks.emplace_back([&, task] {
      for (int i = 0; i < 500; ++i) {
        if (!refusal(file.folder() / "out" / std::to_string(task)).empty()) ++refused;
      }
    });
  }
  tasks.clear();
  EXPECT_EQ(refused, 0);
}

}  // namespace
}  // namespace plumb
