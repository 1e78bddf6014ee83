#include "harness/quantised.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variants/quantise.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

constexpr std::int64_t kGroup = 8;

/// The mistakes that kernels are known for.
enum class Mistake { none, zero_point, permuted_groups, saturates, wrong_scale, adds_in_half };

/// Activations as uint8 around a zero point, by hand.
struct Bytes {
  at::Tensor values;
  double scale;
  double zero;
};

Bytes bytes_of(const at::Tensor& x) {
  const double low = std::min(0.0, x.min().item<double>());
  const double high = std::max(0.0, x.max().item<double>());
  const double scale = std::max((high - low) / 255, 1e-30);
  const double zero = std::round(-low / scale);
  return {((x.to(at::kDouble) / scale).round() + zero).clamp(0, 255), scale, zero};
}

/// Σ over pairs of neighbours, each limited to int16, as a kernel without VNNI adds them.
at::Tensor pairwise_int16(const at::Tensor& x, const at::Tensor& w) {
  const at::Tensor products = x.unsqueeze(1) * w.unsqueeze(0);
  return products.unflatten(2, {-1, 2}).sum(3).clamp(-32768, 32767).sum(2);
}

/// Σ with the running sum in float16, as ggml's for CPUs with AVX512-FP16.
at::Tensor summed_in_half(const at::Tensor& x, const at::Tensor& w) {
  at::Tensor sum = at::zeros({x.size(0), w.size(0)}, at::kHalf);
  for (std::int64_t k = 0; k < x.size(1); ++k) {
    sum = (sum.to(at::kDouble) + x.select(1, k).unsqueeze(1) * w.select(1, k)).to(at::kHalf);
  }
  return sum;
}

QuantisedProduct multiply(Mistake mistake, const at::Tensor& x, const at::Tensor& weight) {
  const IntegerWeight integers = symmetric_groups(weight, kGroup, 127);
  const Bytes bytes = bytes_of(x);
  IntegerWeight used = integers;
  used.scale = integers.scale.to(at::kDouble);
  if (mistake == Mistake::permuted_groups) used.scale = used.scale.roll(1, 1);
  if (mistake == Mistake::wrong_scale) used.scale = used.scale * 1.02;
  const double zero = bytes.zero + (mistake == Mistake::zero_point ? 1 : 0);
  at::Tensor y = at::linear((bytes.values - zero) * bytes.scale, used.dequantised());
  if (mistake == Mistake::saturates) {  // with one scale, 1/8, for all weights
    y = pairwise_int16(bytes.values, weight * 8) * (bytes.scale / 8) -
        zero * bytes.scale * weight.to(at::kDouble).sum(1);
  }
  if (mistake == Mistake::adds_in_half) {
    y = summed_in_half((bytes.values - zero) * bytes.scale, used.dequantised());
  }
  const bool says_so = mistake == Mistake::wrong_scale;  // a quantiser that is wrong, not a kernel
  return {y.to(x.scalar_type()),
          [=] {
            const at::Tensor step = at::scalar_tensor(bytes.scale, at::kDouble);
            return Rounding{x.to(at::kDouble), (bytes.values - bytes.zero) * step, step};
          },
          [=] {
            const IntegerWeight& kept = says_so ? used : integers;
            return Rounding{weight.to(at::kDouble), kept.dequantised(), kept.step()};
          }};
}

QuantisedKernel kernel_with(const std::string& name, Mistake mistake) {
  return {.name = name,
          .about = "planted",
          .refuses = [](const at::Tensor&, const at::Tensor& w) -> std::optional<std::string> {
            if (w.size(1) % kGroup == 0) return std::nullopt;
            return "columns in eights";
          },
          .multiply = [mistake](const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor&) { return multiply(mistake, x, weight); }};
}

const Register<Variant> sound{quantised_variant(kernel_with("test-sound", Mistake::none))};
const Register<Variant> zero_point{
    quantised_variant(kernel_with("test-zero-point", Mistake::zero_point))};
const Register<Variant> permuted{
    quantised_variant(kernel_with("test-permuted", Mistake::permuted_groups))};
const Register<Variant> saturates{
    quantised_variant(kernel_with("test-saturates", Mistake::saturates))};
const Register<Variant> wrong_scale{
    quantised_variant(kernel_with("test-wrong-scale", Mistake::wrong_scale))};
const Register<Variant> adds_in_half{
    quantised_variant(kernel_with("test-adds-in-half", Mistake::adds_in_half))};

Result judged(const std::string& variant, const Program& program, const Inputs& inputs) {
  Settings settings;
  settings.variant = variant;
  return evaluate({program, inputs, at::kFloat, {}}, settings).result;
}

Program linear() { return operator_program(*operator_named("aten::linear")); }

Inputs normal_inputs() {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(3);
  return {{"input", at::randn({5, 32}, generator)},
          {"weight", at::randn({16, 32}, generator)},
          {"bias", at::randn({16}, generator)}};
}

TEST(Quantised, ASoundKernelIsSoundAndItsQuantisationErrorIsAFigure) {
  const Result row = judged("test-sound", linear(), normal_inputs());
  EXPECT_EQ(row.verdict, Verdict::exact) << row.message;  // it computes in double
  ASSERT_EQ(row.tables.size(), 2U);
  EXPECT_EQ(row.tables[0].name, "quantisation error");
  const double error = std::get<double>(row.tables[0].rows[0][1]);
  EXPECT_GT(error, 1e-4);
  EXPECT_LT(error, 2e-2);
}

TEST(Quantised, AWrongZeroPointIsFound) {
  EXPECT_EQ(judged("test-zero-point", linear(), normal_inputs()).verdict, Verdict::unstable);
}

TEST(Quantised, ASumInFloat16IsFoundWhereItOverflowsAndWhereNot) {
  EXPECT_EQ(judged("test-adds-in-half", linear(), normal_inputs()).verdict, Verdict::unstable);
  const at::Tensor sixteens = at::full({2, 256}, 16.0);
  const Inputs large{{"input", sixteens}, {"weight", sixteens.clone()}};
  EXPECT_EQ(judged("test-adds-in-half", linear(), large).verdict, Verdict::nonfinite);
}

TEST(Quantised, APermutedGroupIndexIsFound) {
  EXPECT_EQ(judged("test-permuted", linear(), normal_inputs()).verdict, Verdict::unstable);
}

/// 211·71 + 171·107 = 33278 is beyond int16 (pytorch/pytorch#44939). The scales are 1 and 1/8, so
/// that nothing is rounded: 255 and 127/8 are in the matrices, where they multiply zeros.
TEST(Quantised, ASaturatingPairIsFound) {
  const auto verdict_with = [](float second) {
    const at::Tensor x = at::zeros({1, 8});
    x[0].slice(0, 0, 4).copy_(at::tensor({211.0F, second, 255.0F, 0.0F}));
    const at::Tensor weight = at::zeros({1, 8});
    weight[0].slice(0, 0, 4).copy_(at::tensor({71.0F, 107.0F, 0.0F, 127.0F}) / 8);
    return judged("test-saturates", linear(), {{"input", x}, {"weight", weight}}).verdict;
  };
  EXPECT_EQ(verdict_with(171), Verdict::unstable);
  EXPECT_EQ(verdict_with(100), Verdict::exact);  // 25681
}

TEST(Quantised, AQuantiserFurtherOffThanHalfAStepIsFound) {
  const Result row = judged("test-wrong-scale", linear(), normal_inputs());
  EXPECT_EQ(row.verdict, Verdict::invariant_broken);
  EXPECT_THAT(row.message, HasSubstr("the quantiser: weight ["));
}

TEST(Quantised, EveryProductWithAGivenMatrixIsTakenOver) {
  const Program program = native_program("two products", [](const Inputs& in) {
    return at::addmm(in["bias"], in["x"].mm(in["w"].t()).relu(), in["v"]);
  });
  const Inputs inputs = {{"x", at::randn({3, 8})},
                         {"w", at::randn({16, 8})},
                         {"v", at::randn({16, 8})},
                         {"bias", at::randn({8})}};
  const Execution execution =
      variant_or_usage_error("test-sound").execute(program, inputs, c10::kCPU);
  ASSERT_EQ(execution.parts.size(), 2U);
  EXPECT_EQ(execution.parts[0].name, "aten::mm");
  EXPECT_EQ(execution.parts[1].name, "aten::addmm 2");
  const at::Tensor right = execute(program, inputs).front().tensor;
  EXPECT_TRUE(execution.outputs.front().tensor.allclose(right, 0.05, 0.2));
}

TEST(Quantised, WhatTheProgramComputesIsNoConstant) {
  const auto why_not = [](const std::function<at::Tensor(const Inputs&)>& function) {
    const Result row =
        judged("test-sound", native_program("program", function), {{"x", at::randn({8, 8})}});
    EXPECT_EQ(row.verdict, Verdict::skipped);
    return row.message;
  };
  EXPECT_THAT(why_not([](const Inputs& in) { return in["x"].mm(in["x"].exp()); }),
              HasSubstr("no linear, mm, addmm or matmul with a constant matrix"));
  EXPECT_THAT(why_not([](const Inputs& in) { return in["x"].mm(in["x"].t()); }),
              HasSubstr("no linear, mm, addmm or matmul with a constant matrix"));
}

TEST(Quantised, WhatTheKernelRefusesIsSkippedInItsWords) {
  const Result row =
      judged("test-sound", linear(), {{"input", at::randn({2, 9})}, {"weight", at::randn({4, 9})}});
  EXPECT_EQ(row.verdict, Verdict::skipped);
  EXPECT_EQ(row.message, "columns in eights");
}

/// The recording of the graph runs the program too, and is no part of it.
TEST(Quantised, ThePathIsThatOfTheKernel) {
  const Result row = judged("fp8", linear(), normal_inputs());
  EXPECT_THAT(row.path, testing::Contains("aten::_scaled_mm"));
  EXPECT_THAT(row.path, testing::Not(testing::Contains("aten::linear")));
  EXPECT_THAT(row.message, HasSubstr("quantisation costs 0.0"));
}

TEST(Quantised, ThereIsNoGradient) {
  Program program = linear();
  program.grad = {"input"};
  EXPECT_EQ(judged("test-sound", program, normal_inputs()).verdict, Verdict::skipped);
}

}  // namespace
}  // namespace plumb
