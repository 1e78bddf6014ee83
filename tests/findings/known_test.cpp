#include "findings/known.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "findings/failure.hpp"
#include "harness/errors.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/findings/gelu_row.hpp"

namespace plumb {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

Result failure() {
  Result row = unstable_gelu(12);
  row.ok = false;
  row.message = "r 12";
  return row;
}

std::string file_with(const ScratchFolder& folder, const std::string& entries) {
  return folder.write("known.json", R"({"schema":"plumb.known/1","known":[)" + entries + "]}");
}

std::string entry(const std::string& name, const std::string& expires = "2027-02-28") {
  return R"({"fingerprint":")" + name + R"(","reason":"issue 7","expires":")" + expires + "\"}";
}

constexpr std::chrono::sys_days kLastDay = 2027y / 2 / 28;

TEST(Known, WhatIsNotOkGetsItsFingerprint) {
  Result row = failure();
  KnownIssues().mark(row, kLastDay);
  EXPECT_FALSE(row.ok);
  EXPECT_THAT(row.tags, ElementsAre("fingerprint: " + fingerprint(failure())));
  KnownIssues().mark(row, kLastDay);  // as of a run that is merged
  EXPECT_EQ(row.tags.size(), 1U);
  EXPECT_EQ(fingerprint_of(row), fingerprint(failure()));
  Result right = failure();
  right.ok = true;
  KnownIssues().mark(right, kLastDay);
  EXPECT_TRUE(right.tags.empty());
}

TEST(Known, IsAnExpectedFailureToTheLastDay) {
  const ScratchFolder folder;
  const KnownIssues known(file_with(folder, entry(fingerprint(failure()))));
  Result row = failure();
  known.mark(row, kLastDay);
  EXPECT_TRUE(row.ok);
  EXPECT_TRUE(is_ok(row));
  EXPECT_THAT(row.expected, ElementsAre("unstable"));
  EXPECT_THAT(row.tags, testing::Contains("known until 2027-02-28: issue 7"));
  Result late = failure();
  known.mark(late, kLastDay + std::chrono::days(1));
  EXPECT_FALSE(late.ok);
  EXPECT_EQ(late.message, "r 12; was known until 2027-02-28: issue 7");
}

TEST(Known, AnotherFailureOfTheOperatorIsNews) {
  const ScratchFolder folder;
  const KnownIssues known(file_with(folder, entry(fingerprint(failure()))));
  Result row = failure();
  row.verdict = Verdict::nonfinite;
  known.mark(row, kLastDay);
  EXPECT_FALSE(row.ok);
}

std::string refusal(const ScratchFolder& folder, const std::string& entries) {
  try {
    KnownIssues(file_with(folder, entries));
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Known, WhatIsNoSuchFileIsRefusedByField) {
  const ScratchFolder folder;
  const std::string good = "0123456789abcdef";
  EXPECT_EQ(refusal(folder, entry(good)), "no error");
  EXPECT_THAT(refusal(folder, "7"), HasSubstr("known[0]"));
  EXPECT_THAT(refusal(folder, entry("0123")), HasSubstr("known[0].fingerprint: expected 16"));
  EXPECT_THAT(refusal(folder, entry("0123456789ABCDEF")), HasSubstr("lower case"));
  EXPECT_THAT(refusal(folder, entry(good) + "," + entry(good)), HasSubstr("known[1].fingerprint"));
  for (const char* day : {"", "2027", "2027-02-29", "2027-13-01", "2027-2-28x", "28.2.2027",
                          "2027-0 -01", "-027-01-01"}) {
    EXPECT_THAT(refusal(folder, entry(good, day)), HasSubstr("known[0].expires: expected a day"))
        << day;
  }
  EXPECT_THAT(refusal(folder, R"({"fingerprint":"0123456789abcdef","expires":"2027-01-01"})"),
              HasSubstr("reason"));
  EXPECT_THAT(
      refusal(folder, R"({"fingerprint":"0123456789abcdef","reason":"","expires":"2027-01-01"})"),
      HasSubstr("known[0].reason: expected why"));
  EXPECT_THAT(refusal(folder, R"({"name":"x"})"), HasSubstr("name"));
}

}  // namespace
}  // namespace plumb
