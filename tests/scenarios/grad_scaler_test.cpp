#include "scenarios/training/grad_scaler.hpp"

#include <cmath>
#include <limits>

#include <gmock/gmock.h>

#include <ATen/ATen.h>

namespace plumb {
namespace {

using testing::HasSubstr;

constexpr float kInf = std::numeric_limits<float>::infinity();

GradScaler scaler_of(GradScaler::Rules rules) { return {rules, c10::kCPU}; }

bool never_steps(GradScaler& scaler, const at::Tensor& gradient) {
  return !scaler.step({gradient}, [] { ADD_FAILURE() << "the optimizer ran"; });
}

/// One step and update with a gradient of this value.
void take_step(GradScaler& scaler, float gradient) {
  scaler.step({at::full({4}, gradient)}, [] {});
  scaler.update();
}

template <typename Call>
std::string error_of(Call call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "";
}

TEST(GradScaler, StartsWithTheRulesOfTorch) {
  const GradScaler scaler = scaler_of({});
  EXPECT_EQ(scaler.scale(), 65536);
  EXPECT_EQ(scaler.good_steps(), 0);
  EXPECT_EQ(scaler.scaled(at::ones({})).item<double>(), 65536);
}

TEST(GradScaler, UnscalesGradientsInPlace) {
  GradScaler scaler = scaler_of({});
  const at::Tensor gradient = at::full({3}, 65536.0f);
  scaler.unscale_({gradient, at::Tensor()});
  EXPECT_TRUE(gradient.equal(at::ones({3})));
}

TEST(GradScaler, GrowsAfterTheIntervalAndCountsAgainFromZero) {
  GradScaler scaler = scaler_of({.initial_scale = 8, .growth_interval = 3});
  take_step(scaler, 1);
  take_step(scaler, 1);
  EXPECT_EQ(scaler.scale(), 8);
  EXPECT_EQ(scaler.good_steps(), 2);
  take_step(scaler, 1);
  EXPECT_EQ(scaler.scale(), 16);
  EXPECT_EQ(scaler.good_steps(), 0);
}

TEST(GradScaler, IsConstantFor1999HealthySteps) {
  GradScaler scaler = scaler_of({});
  for (int step = 0; step < 1999; ++step) take_step(scaler, 1);
  EXPECT_EQ(scaler.scale(), 65536);
  take_step(scaler, 1);
  EXPECT_EQ(scaler.scale(), 131072);
}

TEST(GradScaler, HalvesAndForgetsGoodStepsAfterInf) {
  GradScaler scaler = scaler_of({.initial_scale = 8, .growth_interval = 3});
  take_step(scaler, 1);
  take_step(scaler, 1);
  take_step(scaler, kInf);
  EXPECT_EQ(scaler.scale(), 4);
  EXPECT_EQ(scaler.good_steps(), 0);
}

TEST(GradScaler, SkipsTheOptimizerOnInfAndOnNaN) {
  GradScaler scaler = scaler_of({});
  EXPECT_TRUE(never_steps(scaler, at::full({2}, kInf)));
  scaler.update();
  EXPECT_TRUE(never_steps(scaler, at::full({2}, std::nanf(""))));
  scaler.update();
  EXPECT_TRUE(scaler.step({at::ones({2})}, [] {}));
}

TEST(GradScaler, StaysAtTwoToThe127WhereTheProductWouldBeInf) {
  GradScaler scaler = scaler_of({.initial_scale = std::ldexp(1.0, 126), .growth_interval = 1});
  take_step(scaler, 1);
  EXPECT_EQ(scaler.scale(), std::ldexp(1.0, 127));
  take_step(scaler, 1);
  EXPECT_EQ(scaler.scale(), std::ldexp(1.0, 127));
}

TEST(GradScaler, RaisesOnASecondUnscale) {
  GradScaler scaler = scaler_of({});
  const at::Tensor gradient = at::ones({2});
  scaler.unscale_({gradient});
  EXPECT_THAT(error_of([&] { scaler.unscale_({gradient}); }),
              HasSubstr("unscale_() has already been called on this optimizer since the last "
                        "update()."));
  scaler.step({gradient}, [] {});
  EXPECT_THAT(error_of([&] { scaler.unscale_({gradient}); }),
              HasSubstr("unscale_() is being called after step()."));
  EXPECT_THAT(error_of([&] { scaler.step({gradient}, [] {}); }),
              HasSubstr("step() has already been called since the last update()."));
}

TEST(GradScaler, RaisesWithoutGradients) {
  GradScaler scaler = scaler_of({});
  EXPECT_THAT(error_of([&] { scaler.step({at::Tensor()}, [] {}); }),
              HasSubstr("No inf checks were recorded for this optimizer."));
  EXPECT_THAT(error_of([&] { scaler_of({}).update(); }),
              HasSubstr("No inf checks were recorded prior to update."));
}

TEST(GradScaler, RefusesHalfPrecisionGradients) {
  GradScaler scaler = scaler_of({});
  EXPECT_THAT(error_of([&] { scaler.unscale_({at::ones({2}, at::kHalf)}); }),
              HasSubstr("Attempting to unscale FP16 gradients."));
}

TEST(GradScaler, RefusesFactorsThatGoTheWrongWay) {
  EXPECT_THAT(error_of([] { scaler_of({.growth = 1}); }), HasSubstr("growth factor must be > 1"));
  EXPECT_THAT(error_of([] { scaler_of({.backoff = 1}); }), HasSubstr("backoff factor must be < 1"));
}

// pytorch#99640: a scale below 2^-128 has no finite reciprocal in fp32, and the inf check looks at
// the gradient before it is multiplied by that.
TEST(GradScaler, WritesInfIntoTheWeightsAfter144SkipsAndIsZeroAfter166) {
  GradScaler scaler = scaler_of({});
  int skips = 0;
  const auto inverse = [&] { return 1.0f / float(scaler.scale()); };
  for (; !std::isinf(inverse()); ++skips) take_step(scaler, std::nanf(""));
  EXPECT_EQ(skips, 144);
  EXPECT_NEAR(scaler.scale(), 2.94e-39, 0.01e-39);

  const at::Tensor weights = at::ones({4});
  const at::Tensor gradient = at::full({4}, 1e-3f);
  EXPECT_TRUE(scaler.step({gradient}, [&] { weights.sub_(gradient, 0.1); }));
  EXPECT_TRUE(weights.eq(-kInf).all().item<bool>());
  scaler.update();

  for (; scaler.scale() > 0; ++skips) take_step(scaler, std::nanf(""));
  EXPECT_EQ(skips, 166);
}

}  // namespace
}  // namespace plumb
