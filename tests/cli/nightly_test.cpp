// tools/nightly: what a night has seen is no news in the next.

#include <algorithm>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;

const std::string kNightly =
    std::string("PLUMB='") + PLUMB_PROGRAM + "' '" + PLUMB_SOURCE_DIR + "/tools/nightly' ";

std::set<std::string> lines_of(const std::string& file) {
  std::istringstream text(slurp(file));
  std::set<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.insert(line);
  return lines;
}

std::set<std::string> findings_in(const std::string& folder) {
  std::set<std::string> names;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored)) {
    names.insert(entry.path().filename());
  }
  return names;
}

TEST(Nightly, OnlyNewFailuresCount) {
  const ScratchFolder folder;
  const std::string night =
      kNightly + "state --families 1 --time 5m gelu sinc --runs 600 --dtype f32 --no-minimize";
  const Finished first = run_in(folder.path(), night);
  EXPECT_EQ(first.status, 1) << first.out << first.err;
  const auto seen = lines_of(folder / "state/seen");
  EXPECT_EQ(seen, findings_in(folder / "state/nights/00000/findings"));
  EXPECT_GE(seen.size(), 2U);
  EXPECT_FALSE(fs::is_empty(folder / "state/corpus/0/inputs"));
  EXPECT_FALSE(fs::exists(folder / "state/merged"));

  const Finished second = run_in(folder.path(), night);
  std::set<std::string> news = findings_in(folder / "state/nights/00001/findings");
  for (const std::string& name : seen) news.erase(name);
  EXPECT_EQ(second.status, news.empty() ? 0 : 1) << second.out << second.err;
  for (const std::string& name : seen) EXPECT_EQ(second.out.find("\n  " + name), std::string::npos);
  for (const std::string& name : news) EXPECT_NE(second.out.find("\n  " + name), std::string::npos);
}

TEST(Nightly, SaysWhatItExpects) {
  const ScratchFolder folder;
  EXPECT_EQ(run_in(folder.path(), kNightly).status, 2);
  EXPECT_EQ(run_in(folder.path(), kNightly + "--help").status, 0);
  EXPECT_EQ(run_in(folder.path(), kNightly + "state --families x").status, 2);
  for (const char* wrong : {"--time never", "--time", "--families", "--out x", "--seed=3"}) {
    const Finished run = run_in(folder.path(), kNightly + "state " + wrong);
    EXPECT_EQ(run.status, 2) << wrong;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
    EXPECT_FALSE(fs::exists(folder / "state")) << wrong;
  }
  folder.write("file", "");
  EXPECT_EQ(run_in(folder.path(), kNightly + "file").status, 2);
}

}  // namespace
}  // namespace plumb
