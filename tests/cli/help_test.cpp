// What --help and `list` say: only what is accepted, in lines that a terminal shows whole.

#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string help_of(const std::string& command) {
  const ScratchFolder folder;
  return run_in(folder.path(), "plumb " + command + " --help").out;
}

TEST(Help, ListsWhatTheCommandHeedsAndNothingElse) {
  EXPECT_THAT(help_of("check"), HasSubstr("--repeat"));
  EXPECT_THAT(help_of("sweep"), Not(HasSubstr("--repeat")));
  for (const char* flag : {"--repeat", "--contract", "--jobs"}) {
    EXPECT_THAT(help_of("minimize"), Not(HasSubstr(flag)));
  }
  EXPECT_THAT(help_of("run"), Not(HasSubstr("--reference")));
  EXPECT_THAT(help_of("replay"), Not(HasSubstr("--jobs")));
}

TEST(Help, HasLinesOfAHundredColumnsAtMostInTwoThatAreAligned) {
  for (const char* command : {"run", "check", "sweep", "replay", "minimize", "report", "list"}) {
    const std::string help = help_of(command);
    std::istringstream text(help.substr(std::min(help.size(), help.find("Options:"))));
    for (std::string line; std::getline(text, line);) {
      EXPECT_LE(line.size(), 100u) << command;
      if (!line.starts_with("  -")) continue;
      EXPECT_EQ(line.find_first_not_of(' ', line.find("  ", 2)), 30u) << command << ": " << line;
    }
  }
}

}  // namespace
}  // namespace plumb
