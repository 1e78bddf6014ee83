#include <cmath>

#include <gmock/gmock.h>

#include "harness/errors.hpp"
#include "tests/scenarios/arm_result.hpp"

namespace plumb {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::MatchesRegex;

const std::string kName = "clipping-disabled";

TEST(ClippingDisabled, OneUnclippedStepOverflowsTheNextForwardPassAndNaNSpreadsToEveryParameter) {
  const Result result = arm_result(kName, "faulty");
  EXPECT_EQ(result.verdict, Verdict::nonfinite);
  EXPECT_THAT(result.where, MatchesRegex("FIRST_BAD\\(h\\[[0-9]+\\], step 1\\)"));
  EXPECT_THAT(result.message, HasSubstr("SPREAD(0.0 % after step 0, 100.0 % after step 1)"));
  EXPECT_EQ(curve(result, "NaN share of the parameters by step").back(), 1);
}

// Backpropagation multiplies by the recurrent matrix once per time step: gain^length per factor h,
// twice, since the gradient of a squared error is a product of two such states.
TEST(ClippingDisabled, TheFirstGradientNormGrowsWithTheGainToTheLength) {
  const auto first_norm = [](double length) {
    return curve(arm_result(kName, "fixed", {{"length", length}, {"steps", 1}}),
                 "gradient norm by step")
        .front();
  };
  const double growth = std::log(first_norm(90) / first_norm(60)) / 30;
  EXPECT_NEAR(growth, 2 * std::log(1.3), 0.15);
}

TEST(ClippingDisabled, DiesAtGainOneToo) {
  const Result result = arm_result(kName, "faulty", {{"gain", 1}});
  EXPECT_EQ(result.verdict, Verdict::nonfinite);
  EXPECT_THAT(result.message, HasSubstr("step 1)"));
}

TEST(ClippingDisabled, WithClippingEverythingIsFiniteAndTheNetLearns) {
  for (const double gain : {1.0, 1.3}) {
    const Result result = arm_result(kName, "fixed", {{"gain", gain}});
    EXPECT_EQ(result.verdict, Verdict::stable) << result.message;
    EXPECT_THAT(curve(result, "NaN share of the parameters by step"), Each(0.0));
    EXPECT_LT(curve(result, "loss by step").back(), curve(result, "loss by step").front());
  }
}

TEST(ClippingDisabled, AGradientNormBeyondTheSquareRootOfTheFloatRangeIsReached) {
  const Result result = arm_result(kName, "fixed");
  EXPECT_GT(curve(result, "gradient norm by step").front(), std::sqrt(3.4e38));
}

TEST(ClippingDisabled, ANormThatOverflowsInTheGradientsDtypeIsCaughtAsZeroed) {
  const Result result = arm_result(kName, "mutant");
  EXPECT_EQ(result.verdict, Verdict::invariant_broken);
  EXPECT_EQ(result.where, "zeroed-gradients");
  EXPECT_THAT(result.message, HasSubstr("ZEROED(40 of 40 steps)"));
  EXPECT_THAT(curve(result, "NaN share of the parameters by step"), Each(0.0));
}

TEST(ClippingDisabled, HoldsForOtherSeeds) {
  for (const std::uint64_t seed : {1, 2}) {
    EXPECT_EQ(arm_result(kName, "faulty", {}, seed).verdict, Verdict::nonfinite);
    EXPECT_EQ(arm_result(kName, "fixed", {}, seed).verdict, Verdict::stable);
    EXPECT_EQ(arm_result(kName, "mutant", {}, seed).verdict, Verdict::invariant_broken);
  }
}

TEST(ClippingDisabled, GivesTheSameBitsAgain) {
  for (const char* arm : {"faulty", "fixed"}) {
    EXPECT_EQ(arm_result(kName, arm).digest, arm_result(kName, arm).digest);
  }
}

TEST(ClippingDisabled, RefusesACountThatIsNone) {
  EXPECT_THROW(arm_result(kName, "fixed", {{"steps", 0}}), UsageError);
  EXPECT_THROW(arm_result(kName, "fixed", {{"length", 2.5}}), UsageError);
}

}  // namespace
}  // namespace plumb
