// Convolutions in int8 by torch's kernels.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ATen/ATen.h>

#include "harness/overloads.hpp"
#include "harness/run.hpp"

namespace plumb {
namespace {

using Numbers = std::vector<std::int64_t>;

Result judged(const std::string& variant, c10::ScalarType dtype, int dimensions, Inputs inputs) {
  Settings settings;
  settings.variant = variant;
  const Program conv =
      operator_program(*operator_named("aten::conv" + std::to_string(dimensions) + "d"));
  return evaluate({conv, cast(inputs, dtype), dtype, {}}, settings).result;
}

bool sound(const Result& row) {
  return row.verdict == Verdict::stable || row.verdict == Verdict::exact;
}

/// Stride, padding, dilation and groups of a layer.
struct Layer {
  std::int64_t stride = 1;
  std::int64_t padding = 0;
  std::int64_t dilation = 1;
  std::int64_t groups = 1;
};

/// The mean is off zero, so that the zero point is none of the ends of its range.
Inputs layer_inputs(std::size_t dimensions, const Layer& layer) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(5);
  Numbers sizes(dimensions + 2, 7);
  sizes[0] = 2;
  sizes[1] = 4;
  Numbers window(dimensions + 2, 3);
  window[0] = 8;
  window[1] = 4 / layer.groups;
  return {{"input", at::randn(sizes, generator) + 0.3},
          {"weight", at::randn(window, generator)},
          {"bias", at::randn({8}, generator)},
          {"stride", Numbers(dimensions, layer.stride)},
          {"padding", Numbers(dimensions, layer.padding)},
          {"dilation", Numbers(dimensions, layer.dilation)},
          {"groups", layer.groups}};
}

TEST(Int8Convolutions, OfOneDnnKeepTheirBoundOnOrdinaryNumbers) {
  for (const c10::ScalarType dtype : {at::kFloat, at::kBFloat16, at::kHalf}) {
    for (const int dimensions : {1, 2, 3}) {
      for (const Layer& layer :
           {Layer{}, Layer{.padding = 1}, Layer{.dilation = 2},
            Layer{.stride = 2, .padding = 1, .groups = 2}, Layer{.padding = 2, .groups = 4}}) {
        const Result row = judged("int8-pt2e", dtype, dimensions,
                                  layer_inputs(static_cast<std::size_t>(dimensions), layer));
        EXPECT_TRUE(sound(row)) << dimensions << " dimensions, groups " << layer.groups << ": "
                                << row.message;
      }
    }
  }
}

TEST(Int8Convolutions, ZerosAreNothingToDivideBy) {
  const Result row = judged("int8-pt2e", at::kFloat, 2,
                            {{"input", at::zeros({1, 2, 4, 4})},
                             {"weight", at::zeros({3, 2, 3, 3})},
                             {"padding", Numbers{1, 1}}});
  EXPECT_EQ(row.verdict, Verdict::exact) << row.message;
}

/// One channel of zeros has the scale 1, the others theirs, a million times apart.
TEST(Int8Convolutions, EveryOutputChannelHasAScaleOfItsOwn) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(5);
  at::Tensor weight = at::randn({4, 2, 3, 3}, generator);
  weight.mul_(at::tensor({0.0F, 1e-6F, 1.0F, 1e6F}).view({4, 1, 1, 1}));
  const Result row = judged("int8-pt2e", at::kFloat, 2,
                            {{"input", at::randn({1, 2, 6, 6}, generator)}, {"weight", weight}});
  EXPECT_TRUE(sound(row)) << row.message;
}

class DynamicConvolution : public testing::TestWithParam<const char*> {};

/// What these engines return lies on the grid chosen for the input: an identity stays there.
TEST_P(DynamicConvolution, AnIdentityIsSound) {
  auto generator = at::make_generator<at::CPUGeneratorImpl>(5);
  for (const int dimensions : {1, 2, 3}) {
    Numbers sizes(static_cast<std::size_t>(dimensions) + 2, 4);
    Numbers window(sizes.size(), 1);
    window[0] = window[1] = 4;
    const Result row =
        judged(GetParam(), at::kFloat, dimensions,
               {{"input", at::randn(sizes, generator) + 0.3}, {"weight", at::eye(4).view(window)}});
    EXPECT_TRUE(sound(row)) << row.message;
  }
}

INSTANTIATE_TEST_SUITE_P(All, DynamicConvolution,
                         testing::Values("int8-dynamic", "int8-dynamic-onednn",
                                         "int8-dynamic-fbgemm"),
                         [](const auto& info) {
                           std::string name = info.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace plumb
