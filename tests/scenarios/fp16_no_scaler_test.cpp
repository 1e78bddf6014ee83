#include <cmath>

#include <gmock/gmock.h>

#include "tests/scenarios/arm_result.hpp"

namespace plumb {
namespace {

using testing::Each;
using testing::HasSubstr;

const std::string kName = "fp16-no-scaler";

double mean_flushed(const Result& result) {
  return std::get<double>(row(table(result, "against the fp32 twin"), "zero gradient entries")[1]);
}

// The gradient that enters fp16 is 2 (y - t) factor / entries. At factor 1e-5 and 512 x 8 entries
// it is below 2^-25, half the least subnormal, for every |y - t| < 6: all of it must round to zero.
TEST(Fp16NoScaler, WithoutAScalerEveryGradientIsExactlyZeroAndTheLossIsFlat) {
  const Result result = arm_result(kName, "faulty");
  EXPECT_EQ(result.verdict, Verdict::invariant_broken);
  EXPECT_EQ(result.where, "zero-gradients");
  EXPECT_THAT(result.message, HasSubstr("100.0 % of the gradient entries are exactly zero"));
  EXPECT_THAT(curve(result, "share of zero gradients"), Each(1.0));
  const std::vector<double> loss = curve(result, "loss, this arm");
  EXPECT_THAT(loss, Each(loss.front()));
  EXPECT_LT(curve(result, "loss, fp32 twin").back(), loss.back() / 2);
}

TEST(Fp16NoScaler, WithADynamicScalerTrainingFollowsTheFp32Twin) {
  const Result result = arm_result(kName, "fixed");
  EXPECT_EQ(result.verdict, Verdict::stable) << result.message;
  EXPECT_LT(mean_flushed(result), 0.01);
  EXPECT_NEAR(curve(result, "loss, this arm").back() / curve(result, "loss, fp32 twin").back(), 1,
              0.02);
}

TEST(Fp16NoScaler, AScalerPinnedAtOneIsCaught) {
  const Result result = arm_result(kName, "mutant");
  EXPECT_EQ(result.verdict, Verdict::invariant_broken);
  EXPECT_EQ(result.digest, arm_result(kName, "faulty").digest);
}

// notes: 0 % at factor 1, 6.1 % at 1e-3, 100 % at 1e-5, on another net of this kind.
TEST(Fp16NoScaler, TheShareOfZeroGradientsGrowsAsTheLossShrinks) {
  EXPECT_LT(mean_flushed(arm_result(kName, "faulty", {{"factor", 1}})), 0.001);
  const double some = mean_flushed(arm_result(kName, "faulty", {{"factor", 1e-3}}));
  EXPECT_GT(some, 0.01);
  EXPECT_LT(some, 0.3);
}

TEST(Fp16NoScaler, IsHealthyAtFactorOneWithoutAnyScaler) {
  EXPECT_EQ(arm_result(kName, "faulty", {{"factor", 1}}).verdict, Verdict::stable);
}

TEST(Fp16NoScaler, HoldsForOtherSeeds) {
  for (const std::uint64_t seed : {1, 2}) {
    EXPECT_EQ(arm_result(kName, "faulty", {}, seed).verdict, Verdict::invariant_broken);
    EXPECT_EQ(arm_result(kName, "fixed", {}, seed).verdict, Verdict::stable);
  }
}

TEST(Fp16NoScaler, GivesTheSameBitsAgain) {
  EXPECT_EQ(arm_result(kName, "fixed").digest, arm_result(kName, "fixed").digest);
}

}  // namespace
}  // namespace plumb
