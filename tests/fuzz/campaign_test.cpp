#include "fuzz/campaign.hpp"

#include <chrono>
#include <filesystem>
#include <fstream>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/failure.hpp"
#include "fuzz/caught.hpp"
#include "fuzz/driver.hpp"
#include "fuzz/features.hpp"
#include "fuzz/worker.hpp"
#include "harness/errors.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

std::uint8_t cells[Features::kCells];

/// Dies in its first life although no case is to blame.
void search_and_die_once(const DriverRun& run) {
  const std::string marker = run.corpus + "/died";
  const bool first = !std::filesystem::exists(marker);
  if (first) std::ofstream(marker) << "once";
  Registry<Driver>::instance().find("random")->run(run);
  if (first) std::abort();
}

/// Dies half way in its first life.
void search_in_two_lives(const DriverRun& run) {
  const bool first = !std::filesystem::exists(run.corpus + "/died");
  if (!first) return Registry<Driver>::instance().find("random")->run(run);
  DriverRun half = run;
  half.runs /= 2;
  search_and_die_once(half);
}

/// Has a corpus that takes longer to replay than one execution may.
void search_after_a_long_replay(const DriverRun& run) {
  const auto start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < std::chrono::seconds(4)) {
    run.replay(std::vector<std::uint8_t>{1, 2, 3});
  }
  Registry<Driver>::instance().find("random")->run(run);
}

const Register<Driver> long_replay{{.name = "long-replay",
                                    .cells = [] { return std::span(cells); },
                                    .run = search_after_a_long_replay}};
const Register<Driver> two_lives{
    {.name = "two-lives", .cells = [] { return std::span(cells); }, .run = search_in_two_lives}};
const Register<Driver> mortal{
    {.name = "mortal", .cells = [] { return std::span(cells); }, .run = search_and_die_once}};

class CampaignTest : public testing::Test {
 protected:
  std::vector<Result> run(const std::string& op, const char* driver = "random",
                          std::uint64_t runs = 400) {
    CampaignPlan plan{.ops = {op},
                      .dtypes = {"float32"},
                      .goal = goal_or_usage_error("any"),
                      .driver = driver,
                      .corpus = folder_ / "campaign",
                      .runs = runs,
                      .deadline = 2,
                      .backward = false,
                      .evaluations = 60};
    Options options;
    options.limits.timeout_seconds = 2;  // of what is run again
    return run_campaign(*test_zygote(), plan, options, folder_.path(), [](const Result&) {});
  }

  /// Of the row of the campaign, which is the last.
  static std::string said(const std::vector<Result>& rows) { return rows.back().message; }

  ScratchFolder folder_;
};

TEST_F(CampaignTest, SavesWhatItFindsWithProgramsThatShowIt) {
  const auto rows = run("planted::window", "random", 1500);
  ASSERT_GE(rows.size(), 2u) << said(rows);
  EXPECT_EQ(rows[0].verdict, Verdict::nonfinite);
  EXPECT_FALSE(rows[0].ok);
  EXPECT_THAT(rows[0].replay, HasSubstr("plumb replay "));
  const std::filesystem::path found = folder_ / "findings";
  ASSERT_TRUE(std::filesystem::exists(found));
  const auto folder = std::filesystem::directory_iterator(found)->path();
  for (const char* file : {"case.json", "finding.json", "repro.py", "repro.cpp"}) {
    EXPECT_TRUE(std::filesystem::exists(folder / file)) << file;
  }
  EXPECT_THAT(said(rows), HasSubstr("1500 executions"));
  EXPECT_EQ(rows.back().series.front().y.back(), static_cast<double>(rows.size() - 1));
}

TEST_F(CampaignTest, SaysNothingOfASoundOperator) {
  const auto rows = run("planted::sound");
  ASSERT_EQ(rows.size(), 1u) << rows.front().message;
  EXPECT_TRUE(rows[0].ok);
  EXPECT_THAT(said(rows), HasSubstr("400 executions"));
}

TEST_F(CampaignTest, SurvivesACrashAndSavesIt) {
  const auto rows = run("planted::crash");
  ASSERT_EQ(rows.size(), 2u) << said(rows);
  EXPECT_EQ(rows[0].verdict, Verdict::crashed);
  EXPECT_THAT(rows[0].message, HasSubstr("SIGABRT"));
}

TEST_F(CampaignTest, WhatIsReplayedIsNoExecutionAndNoHang) {
  const auto rows = run("planted::sound", "long-replay", 100);
  ASSERT_EQ(rows.size(), 1u) << rows.front().message;
  EXPECT_THAT(said(rows), HasSubstr("100 executions"));
}

/// A worker that begins anew knows what was caught before it.
TEST_F(CampaignTest, CatchesAFailureOnceForAllLives) {
  const auto rows = run("planted::window", "two-lives", 3000);
  EXPECT_THAT(said(rows), HasSubstr("3000 executions"));
  std::vector<Caught> caught;
  read_caught(folder_ / "campaign/failures-0-0", caught);
  std::set<std::string> distinct;
  for (const Caught& found : caught) distinct.insert(fingerprint(found.row));
  EXPECT_GE(distinct.size(), 1u);
  EXPECT_EQ(distinct.size(), caught.size());
}

TEST_F(CampaignTest, SurvivesAnExitAndSavesIt) {
  const auto rows = run("planted::leave");
  ASSERT_EQ(rows.size(), 2u) << said(rows);
  EXPECT_EQ(rows[0].verdict, Verdict::crashed);
  EXPECT_THAT(rows[0].message, HasSubstr("exit code 0"));
}

TEST_F(CampaignTest, SurvivesAHangAndSavesIt) {
  const auto rows = run("planted::hang", "random", 100);
  ASSERT_EQ(rows.size(), 2u) << said(rows);
  EXPECT_EQ(rows[0].verdict, Verdict::hung);
}

TEST_F(CampaignTest, SetsApartWhatDoesNotShowAgain) {
  const auto rows = run("planted::sound", "mortal", 200);
  ASSERT_EQ(rows.size(), 2u) << said(rows);
  EXPECT_THAT(rows[0].tags, testing::Contains("flaky"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "findings"));
}

TEST(LastInput, IsReadBackAndNothingOfNone) {
  const ScratchFolder folder;
  const std::string file = folder / "last";
  LastInput last(file);
  EXPECT_FALSE(LastInput::read(file).has_value());
  last.write(std::vector<std::uint8_t>{1, 2, 3});
  last.write(std::vector<std::uint8_t>{4, 5});
  last.write(std::vector<std::uint8_t>{6}, /*counts=*/false);
  const auto read = LastInput::read(file);
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->executions, 2u);
  EXPECT_EQ(read->bytes, (std::vector<std::uint8_t>{6}));
  EXPECT_FALSE(LastInput::read(folder / "none").has_value());
}

TEST(SearchedOperators, AreSharedAmongShards) {
  const auto all = searched_operators({"soft*"}, 0, 1);
  const auto first = searched_operators({"soft*"}, 0, 2);
  const auto second = searched_operators({"soft*"}, 1, 2);
  EXPECT_EQ(first.size() + second.size(), all.size());
  EXPECT_NE(first, second);
  EXPECT_EQ(searched_operators({"aten::exp"}, 3, 8), searched_operators({"aten::exp"}, 0, 8));
  EXPECT_THROW(searched_operators({"no_such_operator"}, 0, 1), UsageError);
}

}  // namespace
}  // namespace plumb
