// Products by ggml itself, and by a build of it that is known to be wrong.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "tests/harness/variants/judged_linear.hpp"

namespace plumb {
namespace {

Result judged(const std::string& variant, const at::Tensor& x, const at::Tensor& weight) {
  return judged_linear(variant, at::kFloat, x, weight);
}

/// Why this CPU or build cannot run the variant; empty where it can.
std::string why_not(const std::string& variant) {
  const Program linear = operator_program(*operator_named("aten::linear"));
  return variant_or_usage_error(variant).unavailable(linear, at::kCPU).value_or("");
}

class Ggml : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const std::string why = why_not(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(Ggml, KeepsItsBoundOnOrdinaryNumbers) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(11);
  for (const c10::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const std::int64_t rows : {1, 3, 17}) {
      for (const std::int64_t columns : {256, 1024}) {
        const at::Tensor x = at::randn({rows, columns}, generator) + 0.3;
        const at::Tensor weight = at::randn({48, columns}, generator);
        const Result row = judged_linear(GetParam(), dtype, x, weight);
        EXPECT_TRUE(sound(row)) << GetParam() << " " << rows << "x" << columns << ": "
                                << row.message;
      }
    }
  }
}

TEST_P(Ggml, ZerosAreNothingToDivideBy) {
  const Result row = judged(GetParam(), at::zeros({2, 256}), at::zeros({16, 256}));
  EXPECT_EQ(row.verdict, Verdict::exact) << row.message;
}

INSTANTIATE_TEST_SUITE_P(All, Ggml,
                         testing::Values("ggml-f16", "ggml-q8_0", "ggml-q4_0", "ggml-q4_k",
                                         "ggml-q6_k"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(GgmlBlocks, ColumnsThatFillNoBlockAreRefusedInWords) {
  if (!why_not("ggml-q4_k").empty()) GTEST_SKIP() << why_not("ggml-q4_k");
  const Result row = judged("ggml-q4_k", at::ones({1, 96}), at::ones({2, 96}));
  EXPECT_EQ(row.verdict, Verdict::skipped);
  EXPECT_EQ(row.message, "ggml-q4_k takes columns in multiples of 256, not 96");
}

/// Q4_K stores these zeros as 15·scale - offset, and the kernel multiplies both parts: what is left
/// of the difference is rounding of the parts, not of the product.
TEST(GgmlBlocks, PartsThatCancelAreNoFaultOfTheKernel) {
  if (!why_not("ggml-q4_k").empty()) GTEST_SKIP() << why_not("ggml-q4_k");
  auto generator = at::make_generator<at::CPUGeneratorImpl>(3);
  at::Tensor weight = -at::rand({4, 256}, generator);
  weight.slice(1, 0, 256, 2).zero_();
  at::Tensor x = at::randn({8, 256}, generator);
  x.slice(1, 1, 256, 2).zero_();
  const Result row = judged("ggml-q4_k", x, weight);
  EXPECT_TRUE(sound(row)) << row.message;
}

/// A scale in float16: below 127·2^-25 activations have none, above 127·65504 it is infinite.
TEST(GgmlBlocks, ActivationsBeyondTheScaleAreNotFinite) {
  if (!why_not("ggml-q8_0").empty()) GTEST_SKIP() << why_not("ggml-q8_0");
  const at::Tensor weight = at::ones({2, 32});
  EXPECT_TRUE(sound(judged("ggml-q8_0", at::full({1, 32}, 8e6), weight)));
  EXPECT_EQ(judged("ggml-q8_0", at::full({1, 32}, 9e6), weight).verdict, Verdict::nonfinite);
}

/// Built for AVX512-FP16, and the same where the CPU has none and its instructions are emulated.
class GgmlNative : public Ggml {};

/// 256 products of 16 and 16 are 65,536, beyond float16.
TEST_P(GgmlNative, AddsInFloat16AndIsFound) {
  const at::Tensor x = at::full({2, 256}, 16.0);
  const at::Tensor weight = x.clone();  // a tensor times itself has no constant factor
  EXPECT_EQ(judged(GetParam(), x, weight).verdict, Verdict::nonfinite);
  EXPECT_TRUE(sound(judged("ggml-f16", x, weight)));
}

TEST_P(GgmlNative, IsFoundFromOrdinaryNumbersToo) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(2);
  const at::Tensor x = at::randn({4, 128}, generator);
  const at::Tensor weight = at::randn({8, 128}, generator);
  const Result row = judged(GetParam(), x, weight);
  EXPECT_EQ(row.verdict, Verdict::unstable);
  EXPECT_GT(*row.r, 10);
  EXPECT_TRUE(sound(judged("ggml-f16", x, weight)));
}

/// What does not reach a whole vector of 128 products is summed in float, as ggml's loop has it.
TEST_P(GgmlNative, LeavesTheRestOfAVectorAlone) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(2);
  const at::Tensor x = at::randn({4, 96}, generator);
  EXPECT_TRUE(sound(judged(GetParam(), x, at::randn({8, 96}, generator))));
}

INSTANTIATE_TEST_SUITE_P(Builds, GgmlNative,
                         testing::Values("ggml-f16-native", "ggml-f16-native-emulated"));

}  // namespace
}  // namespace plumb
