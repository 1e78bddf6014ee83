#include "findings/reduce.hpp"

#include <cstdlib>
#include <random>

#include <gtest/gtest.h>

#include <ATen/ATen.h>
#include <torch/library.h>

#include "findings/draft.hpp"
#include "findings/failure.hpp"
#include "tests/findings/planted.hpp"
#include "tests/workers.hpp"

namespace plumb {
namespace {

at::Tensor aborts_above_5(const at::Tensor& x) {
  if (x.gt(5).any().item<bool>()) std::abort();
  return x.clone();
}

/// Wrong by an eighth where an element is above 5; smaller inputs kill the process.
at::Tensor wrong_above_5(const at::Tensor& x) {
  if (x.numel() < 3) std::abort();
  return x.scalar_type() == at::kFloat ? at::where(x.gt(5), x * 1.125, x) : x.clone();
}

at::Tensor differs_each_time(const at::Tensor& x) {
  return x.scalar_type() == at::kFloat ? x + static_cast<double>(std::random_device()())
                                       : x.clone();
}

TORCH_LIBRARY(findings_planted, library) {
  library.def("aborts_above_5(Tensor self) -> Tensor", &aborts_above_5);
  library.def("wrong_above_5(Tensor self) -> Tensor", &wrong_above_5);
  library.def("differs_each_time(Tensor self) -> Tensor", &differs_each_time);
}

Reduced reduce_one(const Json& stored, ReduceOptions options = {}) {
  const Result row = judged_alone(*test_zygote(), stored, "test", Alarm{}.flags, options.limits);
  return reduce(*test_zygote(), {{stored, "test", row}}, options).front();
}

TEST(Reduce, ACaseThatCrashesIsMadeSmallerAWorkerACandidate) {
  const Reduced result = reduce_one(planted_case("aborts_above_5", {1, 2, 3, 4, 5, 6, 7, 8}),
                                    {.effort = {.triggers = 0}});
  EXPECT_EQ(result.why_not, "");
  EXPECT_EQ(result.minimised.row.verdict, Verdict::crashed);
  EXPECT_EQ(result.minimised.row.op, "findings_planted::aborts_above_5");
  EXPECT_EQ(element_count(result.minimised.stored), 1);
}

TEST(Reduce, ACandidateThatKillsTheWorkerIsNoFailure) {
  const Reduced result = reduce_one(planted_case("wrong_above_5", {1, 2, 3, 4, 5, 6, 1, 2}),
                                    {.effort = {.triggers = 0}});
  EXPECT_EQ(result.why_not, "");
  EXPECT_EQ(result.minimised.row.verdict, Verdict::unstable);
  EXPECT_EQ(element_count(result.minimised.stored), 3);
}

TEST(Reduce, WhatIsSmallerMustFailAgainInAnotherProcess) {
  const Reduced result = reduce_one(planted_case("differs_each_time", {1, 2}));
  EXPECT_NE(result.why_not, "");
  EXPECT_EQ(result.minimised.stored, planted_case("differs_each_time", {1, 2}));
}

TEST(Reduce, WithoutEvaluationsTheCaseStaysAndIsObserved) {
  const Json stored = planted_case("wrong_above_5", {1, 2, 6});
  const Reduced result = reduce_one(stored, {.effort = {.evaluations = 0}});
  EXPECT_EQ(result.minimised.stored, stored);
  EXPECT_EQ(result.seen["got"], 6.75);
}

TEST(Reduce, SeveralAtOnceComeOutAsOneByOne) {
  std::vector<Alarm> alarms;
  for (const int last : {6, 7, 8}) {
    const Json stored = planted_case("wrong_above_5", {1, 2, 3, last});
    alarms.push_back(
        {stored, "test", judged_alone(*test_zygote(), stored, "test", Alarm{}.flags, {})});
  }
  const auto together = reduce(*test_zygote(), alarms, {.jobs = 2});
  for (std::size_t i = 0; i < alarms.size(); ++i) {
    const auto alone = reduce(*test_zygote(), {alarms[i]}, {}).front();
    EXPECT_EQ(together[i].minimised.stored, alone.minimised.stored);
  }
}

}  // namespace
}  // namespace plumb
