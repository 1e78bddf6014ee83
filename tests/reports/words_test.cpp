#include "reports/words.hpp"

#include <limits>

#include <gtest/gtest.h>

namespace plumb {
namespace {

const Result kStable{.id = "a", .verdict = Verdict::stable};
const Result kFaulty{.id = "b", .verdict = Verdict::nonfinite, .expected = {"nonfinite"}};
const Result kBroken{.id = "c", .verdict = Verdict::unstable, .ok = false};
const Result kSkipped{.id = "d", .verdict = Verdict::skipped};
const Result kUnsupported{.id = "e", .verdict = Verdict::unsupported};

/// The text beside a label, or "" where there is none.
std::string fact(const Result& result, std::string_view label) {
  for (const Evidence& item : evidence(result)) {
    if (item.label == label) return item.text;
  }
  return "";
}

TEST(Words, StatusTellsHealthFromAFailureThatWasAskedFor) {
  EXPECT_EQ(status(kStable), Status::ok);
  EXPECT_EQ(status(kFaulty), Status::as_expected);
  EXPECT_EQ(status(kBroken), Status::not_ok);
  EXPECT_EQ(status(kSkipped), Status::not_judged);
  EXPECT_EQ(status({.verdict = Verdict::stable, .ok = false}), Status::not_ok);
  EXPECT_EQ(status({.verdict = Verdict::ill_conditioned, .expected = {"ill-conditioned"}}),
            Status::ok);
}

TEST(Words, HeadlineSaysTheWorst) {
  EXPECT_EQ(headline({}), "no results");
  EXPECT_EQ(headline({{}, {kBroken, kStable}}), "1 of 2 results is not ok");
  EXPECT_EQ(headline({{}, {kBroken, kBroken, kStable}}), "2 of 3 results are not ok");
  EXPECT_EQ(headline({{}, {kFaulty, kStable}}), "all 2 results are ok");
  EXPECT_EQ(headline({{}, {kStable, kStable, kSkipped}}), "all 2 judged results are ok");
  EXPECT_EQ(headline({{}, {kStable}}), "the one result is ok");
  EXPECT_EQ(headline({{}, {kSkipped, kSkipped}}), "nothing was judged: 2 results skipped");
  EXPECT_EQ(headline({{}, {kUnsupported}}), "nothing was judged: 1 result unsupported");
  EXPECT_EQ(headline({{}, {kSkipped, kUnsupported}}),
            "nothing was judged: 1 result skipped, 1 result unsupported");
}

TEST(Words, TalliesCountEachStatusWorstVerdictFirst) {
  const std::vector<Tally> lines = tallies({{}, {kStable, kBroken, kStable, kFaulty}});
  ASSERT_EQ(lines.size(), 4u);
  EXPECT_EQ(lines[0].verdicts, "1 unstable");
  EXPECT_EQ(lines[1].verdicts, "1 nonfinite");
  EXPECT_EQ(lines[2].count, 2);
  EXPECT_EQ(lines[3].verdicts, "none");
}

TEST(Words, ExitMeaningFollowsTheExitCode) {
  EXPECT_EQ(exit_meaning({{}, {kStable}}), "exit 0: every result is ok");
  EXPECT_EQ(exit_meaning({{}, {kBroken}}), "exit 1: a result is not ok");
  EXPECT_EQ(exit_meaning({{}, {kSkipped, kUnsupported}}),
            "exit 0: nothing was judged, so nothing failed");
  EXPECT_EQ(exit_meaning({{}, {kSkipped}}), "exit 77: everything selected was skipped");
}

TEST(Words, EnvironmentLeavesOutWhatIsNotThere) {
  EXPECT_EQ(environment_line({.plumb = "0.1.0", .torch = "2.15.0", .threads = 2, .seed = 7}),
            "torch 2.15.0 · 2 threads · seed 7 · plumb 0.1.0");
}

TEST(Words, EvidenceExplainsR) {
  EXPECT_EQ(fact({.r = 0.0}, "r"), "0: no error");
  EXPECT_EQ(fact({.r = 0.31}, "r"), "0.31 of the error bound");
  EXPECT_EQ(fact({.r = 1024.0}, "r"), "1024 times the error bound (10 bits beyond it)");
  EXPECT_EQ(fact({.r = std::numeric_limits<double>::infinity()}, "r"), "inf times the error bound");
  EXPECT_EQ(fact({.r = std::numeric_limits<double>::quiet_NaN()}, "r"),
            "NaN times the error bound");
  EXPECT_EQ(fact({}, "r"), "");
}

TEST(Words, RIsNoPraiseWhereAValueIsOfTheWrongClass) {
  for (const Verdict verdict : {Verdict::nonfinite, Verdict::masked}) {
    const Result result{.verdict = verdict, .r = 0.0, .r_eager = 0.0};
    EXPECT_EQ(r_text(result), "–");
    EXPECT_EQ(fact(result, "r").find("no error"), std::string::npos);
    EXPECT_EQ(fact(result, "r of eager"), "");
  }
  EXPECT_EQ(r_text({.verdict = Verdict::exact, .r = 0.0}), "0");
  EXPECT_EQ(r_text({.verdict = Verdict::nonfinite}), "–");
  EXPECT_EQ(r_text({.verdict = Verdict::crashed}), "");
}

TEST(Words, RDecidesNoVerdictThatIsAboutSomethingElse) {
  EXPECT_TRUE(r_decides({.verdict = Verdict::unstable, .r = 2.0}));
  EXPECT_TRUE(r_decides({.verdict = Verdict::exact, .r = 0.0}));
  for (const Verdict verdict : {Verdict::relation_broken, Verdict::fallback, Verdict::vacuous,
                                Verdict::nondeterministic, Verdict::nonfinite}) {
    EXPECT_FALSE(r_decides({.verdict = verdict, .r = 0.0})) << to_string(verdict);
  }
}

TEST(Words, EvidenceSaysWhetherTheExpectationWasMet) {
  EXPECT_EQ(fact(kFaulty, "expected"), "nonfinite; met");
  EXPECT_EQ(fact({.verdict = Verdict::stable, .expected = {"nonfinite", "masked"}, .ok = false},
                 "expected"),
            "nonfinite or masked; came out stable");
  EXPECT_EQ(fact({.verdict = Verdict::stable, .expected = {"stable"}, .ok = false}, "expected"),
            "stable; met, but not all of the expectation holds");
  EXPECT_EQ(fact({.verdict = Verdict::skipped, .expected = {"stable"}}, "expected"),
            "stable; not tried");
}

TEST(Words, EvidenceNamesThePlaceAndTheDistances) {
  const Result result{.where = "grad:x", .max_abs = 0.5, .max_ulp = 1, .worst_index = {3, 17}};
  EXPECT_EQ(fact(result, "worst element"), "grad:x [3, 17]");
  EXPECT_EQ(fact(result, "error"), "max abs 0.5, max 1 ulp");
}

TEST(Words, ByCauseJoinsFailuresOfOnePlaceAndLeavesTheRestAlone) {
  const auto row = [](const char* id, Verdict verdict, const char* where, double severity) {
    return Result{.id = id,
                  .verdict = verdict,
                  .ok = verdict == Verdict::stable,
                  .where = where,
                  .severity = severity};
  };
  const Report report{
      {},
      {row("a", Verdict::unstable, "output 0", 1), row("b", Verdict::unstable, "grad:x", 4),
       row("c", Verdict::unstable, "output 0", 5), row("d", Verdict::flushed, "output 0", 2),
       row("e", Verdict::stable, "output 0", 0), row("f", Verdict::stable, "output 0", 0)}};
  std::vector<std::string> lines;
  for (const Group& group : by_cause(report)) {
    std::string line;
    for (const Result* result : group) line += result->id;
    lines.push_back(line);
  }
  EXPECT_EQ(lines, (std::vector<std::string>{"d", "ca", "b", "e", "f"}));
}

TEST(Words, DtypesAreThoseThatFlagsAcceptEachOnce) {
  const Result half{.dtype = "bfloat16"}, single{.dtype = "float32"}, whole{.dtype = "int64"};
  EXPECT_EQ(dtypes_of({&half, &single, &half, &whole}), "bf16 f32 int64");
}

TEST(Words, ByUrgencyPutsTheWorstFirstAndKeepsTheReport) {
  const Report report{{}, {kStable, kFaulty, kBroken}};
  const std::vector<const Result*> order = by_urgency(report);
  EXPECT_EQ(order, (std::vector<const Result*>{&report.results[2], &report.results[1],
                                               &report.results[0]}));
}

}  // namespace
}  // namespace plumb
