#include "harness/trial.hpp"

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/errors.hpp"
#include "harness/scenario.hpp"
#include "harness/variant.hpp"

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

Trial trial_in(const std::string& variant) {
  Settings settings;
  settings.variant = variant;
  return {settings, at::kFloat, {}};
}

TEST(Trial, WhatRunsNothingInTheVariantSaysNothingOfIt) {
  Trial t = trial_in("jit");
  t.require("map", false, "x is elsewhere");
  EXPECT_EQ(t.finish().verdict, Verdict::skipped);
}

TEST(Trial, APreparedProgramRunsInTheVariant) {
  const Program program = native_program("exp", [](const Inputs& in) { return in["x"].exp(); });
  for (const char* variant : {"eager", "jit"}) {
    Trial t = trial_in(variant);
    const auto run = t.prepare(program, {{"x", at::zeros({2})}});
    EXPECT_TRUE(run({{"x", at::ones({2})}}).front().tensor.equal(at::ones({2}).exp()));
    t.require("ran", true, "it ran");
    EXPECT_EQ(t.finish().verdict, Verdict::stable);
  }
}

TEST(Trial, AVariantThatHasNoMeaningSaysWhy) {
  Program program = native_program("square", [](const Inputs& in) { return in["x"].square(); });
  program.grad = {"x"};
  const Inputs inputs = {{"x", at::ones({2})}};
  EXPECT_THROW(trial_in("int8-weight").prepare(program, inputs), CannotRun);
  EXPECT_THROW(trial_in("int8-weight").judge(program, inputs), CannotRun);
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
