#include <string>

#include <gtest/gtest.h>

#include "reports/reporter.hpp"
#include "tests/reports/sample.hpp"

namespace plumb {
namespace {

std::string markdown(const Report& report) {
  return Registry<Reporter>::instance().find("markdown")->render(report);
}

/// The first line that holds the text.
std::string line_with(const std::string& text, const std::string& part) {
  const std::size_t at = text.find(part);
  if (at == std::string::npos) return "";
  const std::size_t start = text.rfind('\n', at) + 1;
  return text.substr(start, text.find('\n', at) - start);
}

TEST(MarkdownReport, PutsWhatIsNotOkBeforeWhatWasExpected) {
  const std::string text = markdown(testing::sample_report());
  EXPECT_LT(text.find("## Not ok"), text.find("## Failures shown as expected"));
  EXPECT_LT(text.find("| crashed |"), text.find("| vacuous |"));
  EXPECT_EQ(text.find("## Not ok"), text.rfind("## Not ok"));
}

TEST(MarkdownReport, LeavesOutEmptySections) {
  const std::string text = markdown({{}, {{.id = "a", .verdict = Verdict::exact}}});
  EXPECT_EQ(text.find("## "), std::string::npos);
  EXPECT_NE(text.find("# Plumbline: the one result is ok"), std::string::npos);
}

TEST(MarkdownReport, NoTextBreaksOutOfItsCell) {
  const std::string text = markdown(
      {{},
       {{.name = "a|`b`", .verdict = Verdict::error, .ok = false, .message = "x | y\n<img> *z*"}}});
  EXPECT_NE(text.find("`a\\|'b'`"), std::string::npos);
  EXPECT_NE(text.find("x \\| y \\<img\\> \\*z\\*"), std::string::npos);
}

TEST(MarkdownReport, NoReplayLineEndsItsFence) {
  const std::string text = markdown(
      {{}, {{.name = "a", .verdict = Verdict::error, .ok = false, .replay = "plumb '```'  x"}}});
  EXPECT_NE(text.find("````sh\nplumb '```'  x\n````\n"), std::string::npos);
}

TEST(MarkdownReport, WhatHasOneCauseIsOneRowWithTheCount) {
  const Report report{
      {},
      {{.id = "a", .dtype = "float32", .ok = false, .where = "output 0", .r = 3.0},
       {.id = "b", .dtype = "float16", .ok = false, .where = "output 0", .r = 2.0}}};
  const std::string text = markdown(report);
  EXPECT_NE(text.find("| f32 f16 cpu | 2 | 3 | output 0 |"), std::string::npos) << text;
  EXPECT_EQ(text.find("float16"), std::string::npos) << text;
}

TEST(MarkdownReport, StaysShort) {
  Report report;
  for (int i = 0; i < 500; ++i) {
    const std::string id = std::to_string(i);
    report.results.push_back({.id = id, .name = id, .verdict = Verdict::error, .ok = false});
  }
  EXPECT_EQ(line_with(markdown(report), "more, in"), "and 450 more, in report.html.");
}

}  // namespace
}  // namespace plumb
