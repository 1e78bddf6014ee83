// The scenarios outside of eager: the same failure is shown, or a reason why it has no meaning
// there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/scenarios/arm_result.hpp"

namespace plumb {
namespace {

Result in_variant(const std::string& variant, const std::string& scenario, const std::string& arm,
                  const Params& params = {}) {
  return arm_result(scenario, arm, params, 0, variant);
}

TEST(ScenariosInVariants, RecordedGraphsShowTheSameFailures) {
  const auto verdict = [](const std::string& scenario, const std::string& arm) {
    return in_variant("jit", scenario, arm).verdict;
  };
  EXPECT_EQ(verdict("fp16-no-scaler", "faulty"), Verdict::invariant_broken);
  EXPECT_EQ(verdict("fp16-no-scaler", "fixed"), Verdict::stable);
  EXPECT_EQ(verdict("clipping-disabled", "faulty"), Verdict::nonfinite);
  EXPECT_EQ(verdict("misaligned-sequence", "faulty"), Verdict::fallback);
  EXPECT_EQ(verdict("misaligned-sequence", "fixed"), Verdict::stable);
  EXPECT_EQ(verdict("device-map-mismatch", "faulty"), Verdict::invariant_broken);
  EXPECT_EQ(verdict("device-map-mismatch", "fixed"), Verdict::stable);
}

/// The mutant's fault is in the program, so a graph recorded from it has it too.
TEST(ScenariosInVariants, RecordedGraphsKeepThePlantedFaults) {
  EXPECT_EQ(in_variant("jit", "fp16-no-scaler", "mutant").verdict, Verdict::invariant_broken);
  EXPECT_EQ(in_variant("jit", "misaligned-sequence", "mutant").verdict, Verdict::fallback);
}

TEST(ScenariosInVariants, QuantisedProductsAreJudgedWhereThereAreSome) {
  for (const char* variant : {"int8-dynamic", "int8-weight", "int4-weight", "fp8", "fp8-row"}) {
    const Result row = in_variant(variant, "device-map-mismatch", "fixed");
    if (row.verdict == Verdict::skipped && row.message.starts_with("this torch")) continue;
    EXPECT_EQ(row.verdict, Verdict::stable) << variant << ": " << row.message;
  }
}

TEST(ScenariosInVariants, WhatHasNoMeaningIsSkippedWithTheReason) {
  const Result training = in_variant("int8-dynamic", "fp16-no-scaler", "faulty");
  EXPECT_EQ(training.verdict, Verdict::skipped);
  EXPECT_EQ(training.message, "quantised kernels have no gradient");
  const Result attention = in_variant("fp8", "misaligned-sequence", "fixed");
  EXPECT_EQ(attention.verdict, Verdict::skipped);
  EXPECT_THAT(attention.message, testing::HasSubstr("no linear, mm, addmm or matmul"));
}

}  // namespace
}  // namespace plumb
