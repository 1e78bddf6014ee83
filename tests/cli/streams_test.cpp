// Standard streams: full, closed, piped.

#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/cli/run_program.hpp"

namespace plumb {
namespace {

using nlohmann::json;
using testing::HasSubstr;

class Streams : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.write("x.json",
                  R"({"schema":"plumb.case/1","op":"aten::exp","args":{"self":{"data":[1]}}})");
    folder_.write("bad.json",
                  R"({"schema":"plumb.case/1","op":"aten::gelu","args":{"self":{"data":[-5.5]}}})");
    folder_.write("f64.json", R"({"schema":"plumb.case/1","op":"aten::linalg_det",
                  "args":{"A":{"data":[[1,2],[3,4]]}},"dtype":"float64"})");
  }
  Finished run(const std::string& command) const { return run_in(folder_.path(), command); }

  ScratchFolder folder_;
};

TEST_F(Streams, AFullOutputIsAnErrorInOneSentence) {
  for (const char* command :
       {"plumb list", "plumb list ops --json", "plumb --help", "plumb check x.json",
        "plumb check x.json --json", "plumb replay x.json"}) {
    const Finished full = run(std::string(command) + " >/dev/full");
    EXPECT_EQ(full.status, 3) << command;
    EXPECT_THAT(full.err, HasSubstr("plumb: what it printed could not be written")) << command;
    EXPECT_EQ(std::count(full.err.begin(), full.err.end(), '\n'), 1) << full.err;
  }
}

TEST_F(Streams, ClosedOnesHarmNobody) {
  for (const char* closed : {"<&-", ">&-", "2>&-", "<&- >&- 2>&-"}) {
    std::filesystem::remove_all(folder_ / "out");
    EXPECT_EQ(run(std::string("plumb check x.json ") + closed).status, 0) << closed;
    const json rows = json::parse(slurp(folder_ / "out/results.json"))["results"];
    EXPECT_EQ(rows[0]["verdict"], "exact") << closed;
  }
}

TEST_F(Streams, APipeGetsOneLinePerResultAndThenTheCounts) {
  const Finished piped = run("plumb check x.json bad.json");
  EXPECT_EQ(piped.status, 1);
  std::istringstream text(piped.out);
  int good = 0, bad = 0;
  for (std::string line; std::getline(text, line);) {
    good += line.find("aten::exp") != std::string::npos;
    bad += line.find("aten::gelu") != std::string::npos;
    EXPECT_FALSE(line.ends_with(" ")) << line;
  }
  EXPECT_EQ(good, 1) << piped.out;
  EXPECT_EQ(bad, 1) << piped.out;
  EXPECT_THAT(piped.out, HasSubstr("1 of 2 results is not ok"));
}

TEST_F(Streams, APipeGetsTheSameTextFromTheSameRunWhateverEndedFirst) {
  const std::string sweep =
      "plumb sweep sinc 'softm*' gelu --dtype f32,bf16 --cases 5 --no-minimize --jobs 2";
  const Finished piped = run(sweep);
  EXPECT_EQ(piped.out, run(sweep).out);
  EXPECT_TRUE(piped.out.starts_with("not ok  ")) << piped.out;
  EXPECT_EQ(piped.err, "");
}

TEST_F(Streams, AReportMayGoToStandardOutput) {
  run("plumb check x.json");
  const Finished report = run("plumb report out/results.json --markdown - --junit j.xml");
  EXPECT_EQ(report.status, 0) << report.err;
  EXPECT_EQ(report.out, slurp(folder_ / "out/summary.md"));
  EXPECT_FALSE(std::filesystem::exists(folder_ / "-"));
  EXPECT_TRUE(std::filesystem::exists(folder_ / "j.xml"));
}

TEST_F(Streams, QuietLeavesWhatIsNotOk) {
  const Finished quiet = run("plumb check x.json bad.json --quiet");
  EXPECT_EQ(quiet.out.find("aten::exp"), std::string::npos);
  EXPECT_THAT(quiet.out, HasSubstr("bad  gelu"));
}

TEST_F(Streams, ARunThatJudgedNothingSaysSo) {
  const Finished idle = run("plumb check f64.json");
  EXPECT_EQ(idle.status, 0);
  EXPECT_THAT(idle.out, HasSubstr("nothing was judged: 1 result unsupported"));
  EXPECT_THAT(idle.out, HasSubstr("no oracle wider than f64"));
}

TEST_F(Streams, TheReplayLineWorksFromTheCurrentFolderWithoutThePath) {
  const std::string program = PLUMB_PROGRAM;
  const std::string bin = std::filesystem::path(program).parent_path().string();
  EXPECT_THAT(run("PATH=/usr/bin:/bin " + program + " check bad.json").out,
              HasSubstr("replay it: " + program + " replay bad.json"));
  EXPECT_THAT(run("cd '" + bin + "' && PATH=/usr/bin:/bin ./plumb check '" +
                  (folder_ / "bad.json") + "' --out '" + (folder_ / "out") + "'")
                  .out,
              HasSubstr("replay it: ./plumb replay "));
  EXPECT_THAT(run("plumb check bad.json").out, HasSubstr("replay it: plumb replay bad.json"));
}

TEST_F(Streams, WhatTorchRemarksStaysOut) {
  folder_.write("beta.json", R"({"schema":"plumb.case/1","op":"aten::index_reduce","args":{
    "self":{"data":[1,2]},"dim":0,"index":{"dtype":"int64","data":[0]},"source":{"data":[3]},
    "reduce":"prod"}})");
  EXPECT_EQ(run("plumb check beta.json").err, "");
}

TEST_F(Streams, ListsHaveNoTrailingSpaces) {
  const Finished list = run("plumb list ops");
  EXPECT_GT(list.out.size(), 10000u);
  EXPECT_EQ(list.out.find(" \n"), std::string::npos);
}

}  // namespace
}  // namespace plumb
