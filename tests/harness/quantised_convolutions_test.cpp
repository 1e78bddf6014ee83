#include "harness/quantised.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"
#include "harness/variants/byte_grid.hpp"

namespace plumb {
namespace {

using testing::HasSubstr;

/// The mistakes that kernels are known for.
enum class Mistake { none, pads_with_byte_zero, permuted_scales };

/// Padding is the zero point, which stands for 0; the byte 0 stands for -zero·scale.
QuantisedProduct convolve(Mistake mistake, const at::Tensor& x, const at::Tensor& weight,
                          const at::Tensor& bias, const Geometry& geometry) {
  const ByteGrid grid = byte_grid(x, false);
  const IntegerWeight integers = symmetric_channels(weight, 127);
  IntegerWeight used = integers;
  if (mistake == Mistake::permuted_scales) used.scale = used.scale.roll(1, 0);
  const double outside =
      mistake == Mistake::pads_with_byte_zero ? -static_cast<double>(grid.zero) * grid.scale : 0;
  std::vector<std::int64_t> ends;
  for (auto p = geometry.padding.rbegin(); p != geometry.padding.rend(); ++p) {
    ends.insert(ends.end(), 2, *p);
  }
  const at::Tensor padded = at::constant_pad_nd(grid.rounding(x).rounded, ends, outside);
  const at::Tensor y = at::convolution(
      padded, used.dequantised(), bias.defined() ? bias.to(at::kDouble) : bias, geometry.stride,
      std::vector<std::int64_t>(ends.size() / 2, 0), geometry.dilation, false,
      std::vector<std::int64_t>(ends.size() / 2, 0), geometry.groups);
  return {y.to(x.scalar_type()), [=] { return grid.rounding(x); }, roundings_of(weight, integers)};
}

QuantisedKernel kernel_with(const std::string& name, Mistake mistake) {
  return {.name = name,
          .about = "planted",
          .multiply = {},
          .takes_bias = true,
          .convolve = [mistake](const at::Tensor& x, const at::Tensor& weight,
                                const at::Tensor& bias, const Geometry& geometry) {
            return convolve(mistake, x, weight, bias, geometry);
          }};
}

const Register<Variant> sound{quantised_variant(kernel_with("test-conv", Mistake::none))};
const Register<Variant> padding{
    quantised_variant(kernel_with("test-conv-padding", Mistake::pads_with_byte_zero))};
const Register<Variant> permuted{
    quantised_variant(kernel_with("test-conv-permuted", Mistake::permuted_scales))};

Result judged(const std::string& variant, const Program& program, const Inputs& inputs) {
  Settings settings;
  settings.variant = variant;
  return evaluate({program, inputs, at::kFloat, {}}, settings).result;
}

Program conv2d() { return operator_program(*operator_named("aten::conv2d")); }

std::vector<std::int64_t> both(std::int64_t number) { return {number, number}; }

/// Groups, a stride, padding and a zero point inside of the range, all at once.
Inputs normal_inputs() {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(3);
  return {{"input", at::randn({2, 4, 7, 7}, generator) + 0.3},
          {"weight", at::randn({6, 2, 3, 3}, generator)},
          {"bias", at::randn({6}, generator)},
          {"stride", both(2)},
          {"padding", both(1)},
          {"groups", std::int64_t{2}}};
}

TEST(QuantisedConvolutions, ASoundKernelIsSoundAndItsQuantisationErrorIsAFigure) {
  const Result row = judged("test-conv", conv2d(), normal_inputs());
  EXPECT_EQ(row.verdict, Verdict::exact) << row.message;  // it computes in double
  const double error = std::get<double>(row.tables[0].rows[0][1]);
  EXPECT_GT(error, 1e-4);
  EXPECT_LT(error, 2e-2);
}

TEST(QuantisedConvolutions, PaddingThatForgetsTheZeroPointIsFound) {
  const Result row = judged("test-conv-padding", conv2d(), normal_inputs());
  EXPECT_EQ(row.verdict, Verdict::unstable);
  Inputs unpadded = normal_inputs();
  unpadded.set("padding", both(0));
  EXPECT_EQ(judged("test-conv-padding", conv2d(), unpadded).verdict, Verdict::exact);
}

TEST(QuantisedConvolutions, PermutedScalesOfTheChannelsAreFound) {
  EXPECT_EQ(judged("test-conv-permuted", conv2d(), normal_inputs()).verdict, Verdict::unstable);
}

/// Number of convolutions that the kernel took over; the answer is near the program's.
std::size_t taken_over(const std::string& op, const Inputs& inputs) {
  const Program program = operator_program(*operator_named(op));
  const Execution execution =
      variant_or_usage_error("test-conv").execute(program, inputs, c10::kCPU);
  const at::Tensor right = execute(program, inputs).front().tensor;
  const at::Tensor& y = execution.outputs.front().tensor;
  EXPECT_EQ(y.sizes(), right.sizes()) << op;
  EXPECT_TRUE(y.allclose(right, 0.05, 0.2)) << op;
  return execution.parts.size();
}

TEST(QuantisedConvolutions, EveryFormIsTakenOver) {
  const at::Tensor bias = at::randn({3});
  EXPECT_EQ(taken_over("aten::conv1d", {{"input", at::randn({2, 4, 9})},
                                        {"weight", at::randn({3, 4, 3})},
                                        {"bias", bias},
                                        {"dilation", std::vector<std::int64_t>{2}}}),
            1u);
  EXPECT_EQ(taken_over("aten::conv3d", {{"input", at::randn({4, 5, 5, 5})},  // no batch
                                        {"weight", at::randn({3, 4, 2, 2, 2})},
                                        {"stride", std::vector<std::int64_t>{2, 1, 2}}}),
            1u);
  EXPECT_EQ(taken_over("aten::conv2d.padding", {{"input", at::randn({2, 4, 6, 6})},
                                                {"weight", at::randn({3, 4, 3, 3})},
                                                {"padding", "same"}}),
            1u);
  EXPECT_EQ(taken_over("aten::convolution", {{"input", at::randn({2, 4, 6, 6})},
                                             {"weight", at::randn({3, 4, 3, 3})},
                                             {"bias", bias},
                                             {"stride", both(1)},
                                             {"padding", both(1)},
                                             {"dilation", both(1)},
                                             {"transposed", false},
                                             {"output_padding", both(0)},
                                             {"groups", std::int64_t{1}}}),
            1u);
}

std::string why_not(const std::string& variant, const std::string& op, const Inputs& inputs) {
  const Result row = judged(variant, operator_program(*operator_named(op)), inputs);
  EXPECT_EQ(row.verdict, Verdict::skipped);
  return row.message;
}

TEST(QuantisedConvolutions, WhatNoKernelTakesIsSkippedInWords) {
  EXPECT_EQ(why_not("test-conv", "aten::conv_transpose2d.input",
                    {{"input", at::randn({1, 4, 5, 5})}, {"weight", at::randn({4, 3, 2, 2})}}),
            "test-conv has no kernel for a transposed convolution");
  EXPECT_EQ(
      why_not(
          "test-conv", "aten::conv1d.padding",
          {{"input", at::randn({1, 4, 6})}, {"weight", at::randn({3, 4, 2})}, {"padding", "same"}}),
      "test-conv pads both ends alike, which this padding 'same' does not");
  EXPECT_EQ(why_not("int8-weight", "aten::conv2d", normal_inputs()),
            "int8-weight has no kernel for a convolution");
}

TEST(QuantisedConvolutions, AWeightThatTheProgramComputesIsNoConstant) {
  const Program program = native_program("program", [](const Inputs& in) {
    return at::conv2d(in["x"], in["x"].exp().slice(2, 0, 1).slice(3, 0, 1));
  });
  const Result row = judged("test-conv", program, {{"x", at::randn({2, 2, 3, 3})}});
  EXPECT_EQ(row.verdict, Verdict::skipped);
  EXPECT_THAT(row.message, HasSubstr("or convolution with a constant weight"));
}

}  // namespace
}  // namespace plumb
