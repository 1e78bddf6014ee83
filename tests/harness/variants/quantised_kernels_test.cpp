// Every quantised kernel of torch on inputs of ordinary and of awkward kinds.

#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "tests/harness/variants/judged_linear.hpp"

namespace plumb {
namespace {

const char* const kKernels[] = {"int8-dynamic",
                                "int8-dynamic-onednn",
                                "int8-dynamic-fbgemm",
                                "int8-pt2e",
                                "int8-weight",
                                "int4-weight",
                                "fp8",
                                "fp8-row"};

class QuantisedKernel : public testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (const auto why = why_not_here(GetParam())) GTEST_SKIP() << *why;
  }
};

TEST_P(QuantisedKernel, KeepsItsBoundOnOrdinaryNumbers) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(11);
  for (const c10::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const std::int64_t rows : {1, 3, 4, 17}) {
      for (const std::int64_t columns : {32, 64, 96, 256}) {
        const at::Tensor x = at::randn({rows, columns}, generator) + 0.3;
        const at::Tensor weight = at::randn({48, columns}, generator);
        const Result row = judged_linear(GetParam(), dtype, x, weight);
        EXPECT_TRUE(sound(row)) << GetParam() << " " << rows << "x" << columns << ": "
                                << row.message;
      }
    }
  }
}

TEST_P(QuantisedKernel, ZerosAreNothingToDivideBy) {
  const Result row = judged_linear(GetParam(), at::kFloat, at::zeros({2, 32}), at::zeros({16, 32}));
  EXPECT_EQ(row.verdict, Verdict::exact) << row.message;
}

/// A row without a number has a scale all the same, and does not disturb its neighbours.
TEST_P(QuantisedKernel, ARowOfZerosIsARowOfZeros) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(11);
  const at::Tensor x = at::randn({3, 64}, generator);
  const at::Tensor weight = at::randn({16, 64}, generator);
  weight[5].zero_();
  x[1].zero_();
  const Result row = judged_linear(GetParam(), at::kFloat, x, weight);
  EXPECT_TRUE(sound(row)) << row.message;
}

/// Where sums of two products are kept in int16, 255·127 + 255·127 are not (pytorch/pytorch#44939).
TEST_P(QuantisedKernel, PairsOfTheGreatestNumbersAddUp) {
  for (const float sign : {1.0F, -1.0F}) {
    const Result row =
        judged_linear(GetParam(), at::kFloat, at::ones({2, 64}), at::full({16, 64}, sign));
    EXPECT_TRUE(sound(row)) << row.message;
  }
}

/// What half a step of each operand may change: s_x/2·Σ|w| + s_w/2·Σ|x| + Σ s_x·s_w/4, and what
/// float loses besides.
TEST_P(QuantisedKernel, TheWholeIsOffByNoMoreThanHalfAStepOfEachOperand) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(12);
  const at::Tensor x = at::randn({5, 64}, generator);
  const at::Tensor weight = at::randn({16, 64}, generator);
  const Execution execution = variant_or_usage_error(GetParam())
                                  .execute(operator_program(*operator_named("aten::linear")),
                                           {{"input", x}, {"weight", weight}}, c10::kCPU);
  const auto operands = execution.parts.front().operands();
  const Rounding& of_x = operands[0].second;
  const Rounding& of_weight = operands[1].second;
  const at::Tensor half_x = (of_x.step / 2).expand_as(of_x.value);
  const at::Tensor half_weight = (of_weight.step / 2).expand_as(of_weight.value);
  const at::Tensor size_x = of_x.value.abs();
  const at::Tensor size_weight = of_weight.value.abs();
  const at::Tensor limit = at::linear(half_x, size_weight) + at::linear(size_x, half_weight) +
                           at::linear(half_x, half_weight) + at::linear(size_x, size_weight) * 1e-5;
  const at::Tensor off =
      (execution.outputs.front().tensor.to(at::kDouble) - at::linear(of_x.value, of_weight.value))
          .abs();
  EXPECT_TRUE(off.le(limit).all().item<bool>()) << (off / limit).max().item<double>();
}

INSTANTIATE_TEST_SUITE_P(All, QuantisedKernel, testing::ValuesIn(kKernels), [](const auto& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

/// k products up to 127·127, or 255·127 on a CPU whose kernels take eight bits, leave int32 from
/// k = 133,145 or 66,312 on, and the engines add on.
TEST(QuantisedKernels, SumsOfInt8LeaveInt32) {
  for (const char* variant :
       {"int8-dynamic", "int8-dynamic-onednn", "int8-dynamic-fbgemm", "int8-pt2e"}) {
    const auto of_length = [variant](std::int64_t k) {
      return judged_linear(variant, at::kFloat, at::ones({1, k}), at::ones({2, k}));
    };
    EXPECT_TRUE(sound(of_length(66000))) << variant;
    const Result row = of_length(140000);
    EXPECT_EQ(row.verdict, Verdict::unstable) << variant;
    EXPECT_GT(row.r.value_or(0), 1e4) << variant;
  }
}

TEST(QuantisedKernels, LongSumsInFloatStay) {
  for (const char* variant : {"int8-weight", "int4-weight", "fp8", "fp8-row"}) {
    if (why_not_here(variant)) continue;
    const Result row =
        judged_linear(variant, at::kFloat, at::ones({1, 140000}), at::ones({16, 140000}));
    EXPECT_TRUE(sound(row)) << variant << ": " << row.message;
  }
}

TEST(QuantisedKernels, ColumnsThatAreNotInGroupsAreRefusedInWords) {
  for (const auto& [rows, columns] : {std::pair{16, 48}, std::pair{17, 64}, std::pair{8, 32}}) {
    const Result row =
        judged_linear("int4-weight", at::kFloat, at::ones({2, columns}), at::ones({rows, columns}));
    EXPECT_EQ(row.verdict, Verdict::skipped);
    EXPECT_EQ(row.message,
              "int4-weight takes rows in multiples of 16 and columns in multiples of "
              "32, not " +
                  std::to_string(rows) + "x" + std::to_string(columns));
  }
}

/// What a number that is none does to the row it is in and to the other one.
TEST(QuantisedKernels, NumbersThatAreNone) {
  const auto with = [](const char* variant, float number) {
    const at::Tensor x = at::ones({2, 32});
    x[0][0] = number;
    return judged_linear(variant, at::kFloat, x, at::ones({16, 32}));
  };
  for (const char* variant :
       {"int8-dynamic", "int8-dynamic-onednn", "int8-dynamic-fbgemm", "int8-pt2e"}) {
    EXPECT_EQ(with(variant, NAN).verdict, Verdict::error)
        << variant;  // there is no least and greatest
  }
  for (const char* variant : {"int8-dynamic", "int8-dynamic-onednn", "int8-dynamic-fbgemm"}) {
    EXPECT_EQ(with(variant, INFINITY).verdict, Verdict::nonfinite) << variant;  // in both rows
  }
  for (const char* variant : {"int8-weight", "int4-weight"}) {  // they take activations as they are
    EXPECT_TRUE(sound(with(variant, NAN))) << variant;
    EXPECT_TRUE(sound(with(variant, INFINITY))) << variant;
  }
}

TEST(QuantisedKernels, OneNaNPoisonsARowThatSharesItsScale) {
  if (const auto why = why_not_here("fp8-row")) GTEST_SKIP() << *why;
  const at::Tensor x = at::ones({2, 32});
  x[0][0] = NAN;
  EXPECT_EQ(judged_linear("fp8", at::kFloat, x, at::ones({16, 32})).verdict, Verdict::nonfinite);
  EXPECT_TRUE(sound(judged_linear("fp8-row", at::kFloat, x, at::ones({16, 32}))));
}

}  // namespace
}  // namespace plumb
