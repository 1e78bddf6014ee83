#include "scenarios/training/clip_grad_norm.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

bool all_nan(const at::Tensor& tensor) { return tensor.isnan().all().item<bool>(); }
bool all_zero(const at::Tensor& tensor) { return tensor.eq(0).all().item<bool>(); }

std::vector<at::Tensor> seventy_thousand_of_250() { return {at::full({70000}, 250, at::kHalf)}; }

std::vector<at::Tensor> pair_of_1e20() { return {at::full({1}, 1e20f), at::full({1}, 1e20f)}; }

TEST(ClipGradNorm, LeavesASmallGradientAsItIs) {
  const at::Tensor gradient = at::tensor({0.3f, 0.4f});
  EXPECT_NEAR(clip_grad_norm_({gradient}, 1, NormIn::gradient_dtype), 0.5, 1e-6);
  EXPECT_TRUE(gradient.equal(at::tensor({0.3f, 0.4f})));
}

TEST(ClipGradNorm, ScalesALargeOneToTheLimit) {
  const std::vector<at::Tensor> gradients = {at::tensor({30.0f}), at::tensor({-40.0f})};
  EXPECT_EQ(clip_grad_norm_(gradients, 1, NormIn::float64), 50);
  EXPECT_NEAR(gradients[0].item<double>(), 0.6, 1e-6);
  EXPECT_NEAR(gradients[1].item<double>(), -0.8, 1e-6);
}

TEST(ClipGradNorm, OneNaNMakesEveryGradientNaN) {
  for (const NormIn accumulator : {NormIn::gradient_dtype, NormIn::float64}) {
    const std::vector<at::Tensor> gradients = {at::ones({2}), at::tensor({std::nanf(""), 1.0f})};
    EXPECT_TRUE(std::isnan(clip_grad_norm_(gradients, 1, accumulator)));
    EXPECT_TRUE(all_nan(gradients[0]) && all_nan(gradients[1]));
  }
}

TEST(ClipGradNorm, OneInfZeroesTheOthersAndBecomesNaN) {
  const std::vector<at::Tensor> gradients = {at::ones({2}), at::tensor({kInf, 1.0f})};
  EXPECT_EQ(clip_grad_norm_(gradients, 1, NormIn::gradient_dtype), kInf);
  EXPECT_TRUE(all_zero(gradients[0]));
  EXPECT_TRUE(std::isnan(gradients[1][0].item<float>()));
  EXPECT_EQ(gradients[1][1].item<float>(), 0);
}

TEST(ClipGradNorm, APairOf1e20IsSilentlyZeroedInFloat32) {
  const auto gradients = pair_of_1e20();
  EXPECT_EQ(clip_grad_norm_(gradients, 1, NormIn::gradient_dtype), kInf);
  EXPECT_TRUE(all_zero(gradients[0]) && all_zero(gradients[1]));
}

TEST(ClipGradNorm, APairOf1e20IsClippedWithTheNormInFloat64) {
  const auto gradients = pair_of_1e20();
  EXPECT_NEAR(clip_grad_norm_(gradients, 1, NormIn::float64) / std::sqrt(2e40), 1, 1e-6);
  EXPECT_NEAR(gradients[0].item<double>(), std::sqrt(0.5), 1e-6);
}

TEST(ClipGradNorm, SeventyThousandHalfEntriesOf250AreSilentlyZeroed) {
  const auto gradients = seventy_thousand_of_250();
  EXPECT_EQ(clip_grad_norm_(gradients, 1, NormIn::gradient_dtype), kInf);
  EXPECT_TRUE(all_zero(gradients[0]));
}

TEST(ClipGradNorm, SeventyThousandHalfEntriesOf250AreClippedWithTheNormInFloat64) {
  const auto gradients = seventy_thousand_of_250();
  EXPECT_NEAR(clip_grad_norm_(gradients, 1, NormIn::float64), 66143.8, 0.1);
  EXPECT_NEAR(grad_norm(gradients, NormIn::float64), 1, 1e-3);
}

// The norm 4e7 is finite in fp32, but 1 / norm is below half the least fp16 subnormal.
TEST(ClipGradNorm, ACoefficientThatUnderflowsDoesNotZeroTheGradientsWithFloat64) {
  const at::Tensor gradient = at::full({1000000}, 40000, at::kHalf);
  EXPECT_NEAR(clip_grad_norm_({gradient}, 1000, NormIn::float64), 4e7, 1);
  EXPECT_NEAR(grad_norm({gradient}, NormIn::float64), 1000, 1);
}

TEST(ClipGradNorm, ANegativeLimitReversesTheGradient) {  // pytorch#31367
  const at::Tensor gradient = at::tensor({3.0f, 4.0f});
  clip_grad_norm_({gradient}, -1, NormIn::gradient_dtype);
  EXPECT_LT(gradient[0].item<double>(), 0);
}

TEST(ClipGradNorm, RaisesOnANonfiniteNormOnlyWhereAsked) {
  const auto gradients = pair_of_1e20();
  try {
    clip_grad_norm_(gradients, 1, NormIn::gradient_dtype, /*error_if_nonfinite=*/true);
    FAIL() << "nothing was raised";
  } catch (const c10::Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("The total norm of order 2 for gradients from "
                                                 "`parameters` is non-finite, so it cannot be "
                                                 "clipped."));
  }
  EXPECT_EQ(gradients[0].item<float>(), 1e20f);
}

TEST(ClipGradNorm, AnEmptyListHasNormZero) {
  EXPECT_EQ(clip_grad_norm_({}, 1, NormIn::gradient_dtype), 0);
}

}  // namespace
}  // namespace plumb
