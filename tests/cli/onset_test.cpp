// Where a scenario begins to fail.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

json results(const ScratchFolder& folder, const std::string& command, int status) {
  const Finished run = run_in(folder.path(), command + " --json");
  EXPECT_EQ(run.status, status) << run.err;
  return json::parse(run.out)["results"];
}

/// The value that the replay line of a row sets.
double set_in(const json& row, const std::string& parameter) {
  const std::string replay = row["replay"];
  return std::stod(replay.substr(replay.find(parameter + "=") + parameter.size() + 1));
}

/// Gradients of an unclipped net grow with gain^length: from a gain just below 1 on they end in
/// NaN. Both sides of the onset replay as they are told.
TEST(Onset, OfAGainWithoutClipping) {
  const ScratchFolder folder;
  const json rows =
      results(folder, "plumb fuzz clipping-disabled --set gain=0.5..2 --goal nonfinite", 0);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["verdict"], "nonfinite");
  EXPECT_NE(rows[1]["verdict"], "nonfinite");
  const double fails = set_in(rows[0], "gain"), holds = set_in(rows[1], "gain");
  EXPECT_GT(fails, holds);
  EXPECT_LE(fails - holds, 0.0016);
  EXPECT_GT(fails, 0.9);
  EXPECT_LT(fails, 1.1);
  EXPECT_THAT(rows[2]["message"].get<std::string>(),
              HasSubstr("gain of clipping-disabled/faulty: nonfinite from"));
  for (int i : {0, 1}) {
    const std::string replay = rows[i]["replay"];
    const Finished run = run_in(folder.path(), replay + " --json --out again");
    const json again = json::parse(run.out)["results"];
    EXPECT_EQ(again[0]["verdict"], rows[i]["verdict"]) << replay;
    EXPECT_EQ(again[0]["digest"], rows[i]["digest"]) << replay;
  }
}

/// Small factors underflow: it ceases to fail upward.
TEST(Onset, MayLieAtTheUpperEnd) {
  const ScratchFolder folder;
  const json rows =
      results(folder, "plumb fuzz fp16-no-scaler --set factor=1e-8..1 --set steps=5", 0);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_LT(set_in(rows[0], "factor"), set_in(rows[1], "factor"));
  EXPECT_THAT(rows[2]["message"].get<std::string>(), HasSubstr(" up to "));
}

TEST(Onset, OfACountIsWhole) {
  const ScratchFolder folder;
  const json rows =
      results(folder, "plumb fuzz clipping-disabled --set length=2..200 --goal nonfinite", 0);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(set_in(rows[0], "length"), set_in(rows[1], "length") + 1);
}

TEST(Onset, SaysWhereNothingFails) {
  const ScratchFolder folder;
  const json rows = results(
      folder, "plumb fuzz clipping-disabled --arm fixed --set gain=0.5..1 --goal nonfinite", 0);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_THAT(rows[0]["message"].get<std::string>(),
              HasSubstr("nothing fails from 0.5 to 1 (9 runs)"));
}

TEST(Onset, RefusesWhatItCannotSearch) {
  const ScratchFolder folder;
  const std::string fuzz = "plumb fuzz ";
  expect_refused(folder, fuzz + "clipping-disable --set lr=0..1",
                 {"nearest is 'clipping-disabled'"});
  expect_refused(folder, fuzz + "clipping-disabled --set lr=0.1", {"expected a range"});
  expect_refused(folder, fuzz + "clipping-disabled --set lr=1..0.1", {"from less to more"});
  expect_refused(folder, fuzz + "clipping-disabled --set lr=a..1", {"PARAM=NUMBER"});
  expect_refused(folder, fuzz + "clipping-disabled --set ls=0..1", {"no parameter 'ls'"});
  expect_refused(folder, fuzz + "clipping-disabled --set lr=0..1 --set gain=1..2", {"one range"});
  expect_refused(folder, fuzz + "exp sin --set lr=0..1", {"one scenario"});
}

}  // namespace
}  // namespace plumb
