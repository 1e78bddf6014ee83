#include "findings/minimize_file.hpp"

#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "harness/errors.hpp"
#include "harness/json_fields.hpp"
#include "harness/replay.hpp"
#include "tests/findings/planted.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class MinimizeFile : public testing::Test {
 protected:
  FileMinimised run(const Json& stored, const Options& options = {}) {
    fs::create_directories(folder_);
    std::ofstream(file_) << stored;
    return minimize_file(*test_zygote(), file_.string(), options, 500, folder_);
  }

  void expect_refused(const Json& stored, const std::string& words) {
    const FileMinimised done = run(stored);
    EXPECT_FALSE(done.finding);
    EXPECT_THAT(done.refused, HasSubstr(words));
    EXPECT_FALSE(fs::exists(folder_ / "findings"));
  }

  void TearDown() override { fs::remove_all(folder_); }

  const fs::path folder_ =
      fs::temp_directory_path() / ("plumb-minimize-" + std::to_string(getpid()));
  const fs::path file_ = folder_ / "case.json";
};

const Json kGelu = {{"schema", "plumb.case/1"},
                    {"op", "aten::gelu"},
                    {"dtype", "float32"},
                    {"args", {{"self", {{"data", {0.5, 1, -5.5, 2}}}}}}};

TEST_F(MinimizeFile, LeavesAFindingThatReplays) {
  const FileMinimised done = run(kGelu);
  ASSERT_TRUE(done.finding) << done.refused;
  for (const char* name : {"case.json", "original.json", "finding.json", "repro.py", "repro.cpp"}) {
    EXPECT_TRUE(fs::exists(done.finding->folder / name)) << name;
  }
  EXPECT_EQ(read_json_file((done.finding->folder / "original.json").string()), kGelu);
  EXPECT_TRUE(replay_path(*test_zygote(), done.finding->folder.string(), {}).same);
}

TEST_F(MinimizeFile, ASecondTimeChangesNothing) {
  const FileMinimised first = run(kGelu);
  const Json once = read_json_file((first.finding->folder / "case.json").string());
  const FileMinimised second =
      minimize_file(*test_zygote(), first.finding->folder.string(), {}, 500, folder_);
  ASSERT_TRUE(second.finding) << second.refused;
  EXPECT_EQ(second.finding->folder, first.finding->folder);
  EXPECT_EQ(read_json_file((second.finding->folder / "case.json").string()), once);
}

TEST_F(MinimizeFile, ALostFailureIsRefused) {
  Json sound = kGelu;
  sound["op"] = "aten::exp";
  expect_refused(sound, "it does not fail: the verdict is ");
}

TEST_F(MinimizeFile, AFailureThatDiffersFromRunToRunIsRefused) {
  expect_refused(planted_case("differs_each_time", {1, 2}), "not deterministic");
}

TEST_F(MinimizeFile, WhatIsNoCaseIsAnInputError) {
  EXPECT_THROW(run({{"schema", "plumb.case/1"}, {"op", "aten::no_such"}}), InputError);
  EXPECT_THROW(run(Json::array()), InputError);
}

TEST_F(MinimizeFile, FlagsBecomePartOfTheCase) {
  const FileMinimised done = run(kGelu, {.seed = 9, .seed_given = true, .dtypes = {"bfloat16"}});
  ASSERT_TRUE(done.finding) << done.refused;
  EXPECT_EQ(done.finding->row.dtype, "bfloat16");
  EXPECT_THROW(run(kGelu, {.dtypes = {"float32", "float16"}}), UsageError);
}

TEST_F(MinimizeFile, TheSummaryEndsWithTheReplayLine) {
  const FileMinimised done = run(kGelu);
  const std::string text = text_of(*done.finding, "./plumb");
  EXPECT_THAT(text, HasSubstr("4 → 1 elements"));
  EXPECT_THAT(text, HasSubstr("gelu(-5.5)"));
  EXPECT_THAT(text, HasSubstr("fails while"));
  EXPECT_TRUE(text.ends_with("replay it: ./plumb replay " + done.finding->folder.string() + "\n"));
}

}  // namespace
}  // namespace plumb
