#include "harness/trial.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/errors.hpp"
#include "harness/scenario.hpp"

namespace plumb {
namespace {

Trial trial(c10::ScalarType dtype = at::kFloat) { return {Settings{}, dtype, {{"knob", 2.0}}}; }

TEST(Trial, AnArmThatChecksNothingIsVacuous) {
  EXPECT_EQ(trial().finish().verdict, Verdict::vacuous);
}

TEST(Trial, ABrokenInvariantOutranksOnesThatHold) {
  Trial t = trial();
  t.require("first", true, "fine");
  t.require("second", false, "27 of 27 are zero");
  t.require("third", true, "fine");
  const Result result = t.finish();
  EXPECT_EQ(result.verdict, Verdict::invariant_broken);
  EXPECT_EQ(result.where, "second");
  EXPECT_EQ(result.message, "second: 27 of 27 are zero");
}

TEST(Trial, TheWorstVerdictWinsWhateverTheOrder) {
  Trial t = trial();
  t.conclude(Verdict::fallback, "path", "by another way");
  t.conclude(Verdict::nonfinite, "output", "NaN");
  t.conclude(Verdict::stable, "", "");
  EXPECT_EQ(t.finish().verdict, Verdict::nonfinite);
}

TEST(Trial, JudgesInItsDtypeAndPutsOutputsInTheDigest) {
  Trial t = trial(at::kHalf);
  const Program program = native_program("exp", [](const Inputs& in) { return in["x"].exp(); });
  const Outputs outputs = t.judge(program, {{"x", at::ones({4})}});
  EXPECT_EQ(outputs.at(0).tensor.scalar_type(), at::kHalf);
  const Result result = t.finish();
  EXPECT_GE(result.verdict, Verdict::ill_conditioned);
  EXPECT_EQ(result.dtype, "float16");
  EXPECT_TRUE(result.digest.starts_with("sha256:"));
}

TEST(Trial, AnIndexBelongsToThePlaceThatWasJudged) {
  Trial t = trial();
  const Program off = native_program("off", [](const Inputs& in) { return (in["x"] + 1e6) - 1e6; });
  t.judge(off, {{"x", at::full({4}, 0.3)}});
  t.conclude(Verdict::nonfinite, "elsewhere", "NaN");
  const Result result = t.finish();
  EXPECT_EQ(result.where, "elsewhere");
  EXPECT_TRUE(result.worst_index.empty());
}

const Register<Scenario> planted{{
    .name = "test-planted",
    .about = "planted for this test",
    .op = "nothing",
    .params = {{"knob", 1, "what the faulty arm breaks at"}},
    .faulty = {.run = [](Trial& t) { t.require("knob", t.param("knob") > 1, "too small"); },
               .expect = {Verdict::invariant_broken}},
    .fixed = {.run =
                  [](Trial& t) {
                    at::mm(at::ones({2, 3}), at::ones({2, 3}));
                    t.note("");
                  },
              .expect = {Verdict::stable}},
}};

TEST(Scenario, AnArmIsOkWhenItEndsAsExpected) {
  const Result result = run_arm({.scenario = "test-planted", .arm = "faulty"});
  EXPECT_TRUE(result.ok);
  EXPECT_EQ(result.replay, "plumb run test-planted --arm faulty");
}

TEST(Scenario, ParametersReachTheArmTheIdAndTheReplayLine) {
  const Result plain = run_arm({.scenario = "test-planted", .arm = "faulty"});
  const Result set =
      run_arm({.scenario = "test-planted", .arm = "faulty", .params = {{"knob", 3}}});
  EXPECT_EQ(set.verdict, Verdict::stable);
  EXPECT_FALSE(set.ok);
  EXPECT_NE(set.id, plain.id);
  EXPECT_EQ(set.replay, "plumb run test-planted --arm faulty --set knob=3");
}

TEST(Scenario, WhatTorchRaisesIsTheVerdictError) {
  const Result result = run_arm({.scenario = "test-planted", .arm = "fixed"});
  EXPECT_EQ(result.verdict, Verdict::error);
  EXPECT_FALSE(result.ok);
}

TEST(Scenario, UnknownNamesAreUsageErrors) {
  EXPECT_THROW(run_arm({.scenario = "test-plantd", .arm = "faulty"}), UsageError);
  EXPECT_THROW(run_arm({.scenario = "test-planted", .arm = "broken"}), UsageError);
  EXPECT_THROW(run_arm({.scenario = "test-planted", .arm = "faulty", .params = {{"nob", 1}}}),
               UsageError);
}

}  // namespace
}  // namespace plumb
