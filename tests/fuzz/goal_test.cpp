#include "fuzz/goal.hpp"

#include <gtest/gtest.h>

#include "harness/errors.hpp"

namespace plumb {
namespace {

Result row(Verdict verdict, bool ok = false) {
  Result row;
  row.verdict = verdict;
  row.ok = ok;
  return row;
}

TEST(Goal, TakesItsOwnVerdictsAndDeadWorkers) {
  const Goal& nonfinite = goal_or_usage_error("nonfinite");
  EXPECT_TRUE(nonfinite.wants(row(Verdict::nonfinite)));
  EXPECT_TRUE(nonfinite.wants(row(Verdict::crashed)));
  EXPECT_FALSE(nonfinite.wants(row(Verdict::unstable)));
  EXPECT_FALSE(nonfinite.wants(row(Verdict::nonfinite, /*ok=*/true)));  // documented
}

TEST(Goal, AnyIsEveryFailureButARefusal) {
  const Goal& any = goal_or_usage_error("any");
  for (const Verdict verdict : {Verdict::masked, Verdict::flushed, Verdict::unstable,
                                Verdict::relation_broken, Verdict::nondeterministic}) {
    EXPECT_TRUE(any.wants(row(verdict))) << to_string(verdict);
  }
  for (const Verdict verdict : {Verdict::error, Verdict::vacuous, Verdict::oracle_weak}) {
    EXPECT_FALSE(any.wants(row(verdict))) << to_string(verdict);
  }
  EXPECT_TRUE(goal_or_usage_error("error").wants(row(Verdict::error)));
}

TEST(Goal, KnowsItsNames) {
  EXPECT_EQ(goal_or_usage_error("relation").name, "relation");
  EXPECT_THROW(goal_or_usage_error("nonfinitee"), UsageError);
}

}  // namespace
}  // namespace plumb
