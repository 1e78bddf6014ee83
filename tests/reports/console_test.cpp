#include "reports/console.hpp"

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/reports/sample.hpp"

namespace plumb {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

Result result(const std::string& name, Verdict verdict, bool ok = true) {
  return {.id = name,
          .name = name,
          .op = "aten::exp",
          .dtype = "float32",
          .verdict = verdict,
          .ok = ok,
          .replay = "plumb run " + name};
}

TEST(Console, EndsWithTheCommandThatReplaysTheWorst) {
  const auto lines = lines_of(summary(
      {{}, {result("mild", Verdict::unstable, false), result("bad", Verdict::crashed, false)}}));
  EXPECT_EQ(lines.front().substr(0, 34), "not ok       crashed           bad");
  EXPECT_EQ(lines.back(), "replay the worst: plumb run bad");
}

TEST(Console, ShowsEveryResultThatIsNotOkButNotEveryOther) {
  Report report;
  for (int i = 0; i < 40; ++i) {
    report.results.push_back(result("b" + std::to_string(i), Verdict::error, false));
  }
  for (int i = 0; i < 40; ++i) report.results.push_back(result("g", Verdict::stable));
  const auto lines = lines_of(summary(report));
  EXPECT_EQ(std::count_if(lines.begin(), lines.end(),
                          [](const std::string& line) { return line.starts_with("not ok  "); }),
            40);
  EXPECT_NE(std::find(lines.begin(), lines.end(), "… and 40 more that are ok"), lines.end());
}

TEST(Console, KeepsToTheWidthAndAligns) {
  Result long_name = result("a-very-long-name-of-a-scenario/faulty", Verdict::stable);
  long_name.op = "aten::scaled_dot_product_attention";
  long_name.r = 0.5;
  Result short_name = result("ρ", Verdict::exact);
  short_name.r = 0.25;
  const auto lines = lines_of(summary({{}, {long_name, short_name}}, {.width = 80}));
  const auto columns = [](const std::string& line, std::size_t bytes) {
    return std::count_if(line.begin(), line.begin() + static_cast<std::ptrdiff_t>(bytes),
                         [](char c) { return (c & 0xc0) != 0x80; });
  };
  EXPECT_LE(columns(lines[0], lines[0].size()), 80);
  EXPECT_EQ(columns(lines[0], lines[0].find("r 0.5")), columns(lines[1], lines[1].find("r 0.25")));
}

TEST(Console, FitsNarrowTerminals) {
  const Report report = testing::sample_report();
  for (const std::size_t width : {60, 70, 80, 99, 120}) {
    std::istringstream stream(summary(report, {.width = width}));
    for (std::string line; std::getline(stream, line) && !line.starts_with("replay");) {
      if (line.starts_with("             plumb ")) continue;  // to be pasted, so never cut
      const auto columns =
          std::count_if(line.begin(), line.end(), [](char c) { return (c & 0xc0) != 0x80; });
      EXPECT_LE(columns, static_cast<std::ptrdiff_t>(width)) << line;
      if (line.find("  invariant-broken  ") != std::string::npos) {
        EXPECT_NE(line.find("/faulty"), std::string::npos) << line;
      }
    }
  }
}

TEST(Console, SaysWhyNothingWasJudged) {
  Result idle = result("f64", Verdict::unsupported);
  idle.message = "no oracle wider than f64";
  const auto lines = lines_of(summary({{}, {idle}}));
  EXPECT_EQ(lines.at(1), "             no oracle wider than f64");
}

TEST(Console, RIsNoPraiseWhereAValueIsOfTheWrongClass) {
  Result r = result("n", Verdict::nonfinite, false);
  r.r = 0;
  EXPECT_EQ(lines_of(summary({{}, {r}})).front(),
            "not ok       nonfinite         n  exp  f32  r –");
  EXPECT_EQ(result_line(r), "not ok       nonfinite         n  r –");
}

TEST(Console, APipeGetsEachResultOnceWorstFirst) {
  const auto lines = lines_of(
      summary({{}, {result("good", Verdict::exact), result("bad", Verdict::crashed, false)}},
              {.listed = true, .program = "./p"}));
  EXPECT_EQ(lines, (std::vector<std::string>{"not ok       crashed           bad",
                                             "ok           exact             good", "",
                                             "1 of 2 results is not ok", "  not ok       1 crashed",
                                             "  ok           1 exact", "replay it: ./p run bad"}));
}

TEST(Console, WhatHasOneCauseIsOneLineWithTheCountAndTheWorst) {
  Result worst = result("a", Verdict::unstable, false), mild = worst;
  worst.severity = 3;
  worst.r = 8;
  worst.dtype = "bfloat16";
  worst.replay = "plumb replay worst";
  const Report report{{}, {mild, worst, result("z", Verdict::unstable, false)}};
  const std::vector<std::string> failures = {
      "not ok       unstable          a  exp  bf16 f32  r 8  ×2", "             ./p replay worst",
      "not ok       unstable          z  exp  f32", "             ./p run z"};
  auto lines = lines_of(summary(report, {.program = "./p"}));
  EXPECT_EQ(std::vector<std::string>(lines.begin(), lines.begin() + 4), failures);
  EXPECT_EQ(lines.back(), "replay the worst: ./p replay worst");
  lines = lines_of(summary(report, {.listed = true, .program = "./p"}));
  ASSERT_GT(lines.size(), 9u);
  EXPECT_EQ(lines[0], "not ok       unstable          a  r 8");
  EXPECT_EQ(std::vector<std::string>(lines.begin() + 5, lines.begin() + 9), failures);
}

TEST(Console, ColoursOnlyWhenAsked) {
  const Report report = testing::sample_report();
  EXPECT_EQ(summary(report).find('\x1b'), std::string::npos);
  EXPECT_NE(summary(report, {.colour = true}).find("\x1b[1;31mnot ok"), std::string::npos);
  for (const Result& r : report.results) {
    EXPECT_EQ(result_line(r).find_first_of("\x1b\n"), std::string::npos);
  }
}

TEST(Console, ALineNamesStatusVerdictIdAndEvidence) {
  Result r = result("n/case/op", Verdict::unstable, false);
  r.r = 4;
  r.where = "output 0";
  r.worst_index = {3};
  r.message = "NaN\nsecond";
  EXPECT_EQ(result_line(r),
            "not ok       unstable          n/case/op  r 4  output 0 [3]: NaN second");
}

TEST(Console, SaysSoWhenThereIsNothing) { EXPECT_EQ(summary({}), "no results\n"); }

}  // namespace
}  // namespace plumb
