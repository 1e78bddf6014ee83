#include "harness/compare_tally.hpp"

#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/compare_reference.hpp"

namespace plumb {
namespace {

using reference::kInf;
using reference::kNan;
using ::testing::Optional;

constexpr BoundTerms kUlp{.relative = 0x1p-24, .conditional = 0, .absolute = 0x1p-150};

Distances of(const std::vector<float>& y, const std::vector<double>& g, BoundTerms bound = kUlp) {
  return compare(Format::f32, y.data(), {.hi = g.data()}, nullptr, bound, y.size());
}

TEST(CompareClasses, NanAgreesOnlyWithNan) {
  const Distances agree = of({NAN, 1}, {kNan, 1});
  EXPECT_TRUE(agree.exact);
  EXPECT_EQ(agree.nan, 1U);
  EXPECT_THAT(agree.first_nan, Optional(0U));
  EXPECT_EQ(agree.wrong_nonfinite + agree.masked, 0U);

  const Distances wrong = of({1, NAN, NAN, INFINITY}, {1, 2, kInf, kNan});
  EXPECT_EQ(wrong.wrong_nonfinite, 3U);
  EXPECT_THAT(wrong.first_wrong_nonfinite, Optional(1U));
  EXPECT_FALSE(wrong.exact);
  EXPECT_EQ(wrong.r, 0);

  const Distances masked = of({1, 2, 3}, {1, kNan, -kInf});
  EXPECT_EQ(masked.masked, 2U);
  EXPECT_THAT(masked.first_masked, Optional(1U));
  EXPECT_EQ(masked.max_abs, 0);
}

TEST(CompareClasses, InfinityAgreesOnlyWithItsOwnSign) {
  EXPECT_TRUE(of({INFINITY, -INFINITY}, {kInf, -kInf}).exact);
  const Distances d = of({INFINITY, -INFINITY}, {-kInf, 1});
  EXPECT_EQ(d.wrong_nonfinite, 2U);
  EXPECT_EQ(d.inf, 2U);
  EXPECT_THAT(d.first_inf, Optional(0U));
}

TEST(CompareClasses, TheGreatestFiniteValueIsOneStepFromInfinity) {
  const float top = std::numeric_limits<float>::max();
  const double threshold = traits(Format::f32).overflow_bound;
  const Distances d = of({top}, {threshold});
  EXPECT_EQ(d.max_ulp, 1);
  EXPECT_EQ(d.masked, 0U);  // within B of the threshold both are right
  EXPECT_EQ(of({INFINITY}, {threshold}).max_ulp, 0);
}

TEST(CompareClasses, OverflowIsExpectedWhereTheOracleLeavesTheType) {
  const Distances d = of({INFINITY, 1}, {1e39, 1});
  EXPECT_EQ(d.overflowed, 1U);
  EXPECT_THAT(d.first_overflowed, Optional(0U));
  EXPECT_EQ(d.wrong_nonfinite, 0U);
  EXPECT_TRUE(d.exact);
  EXPECT_EQ(of({-INFINITY}, {1e39}).wrong_nonfinite, 1U);
  EXPECT_EQ(of({NAN}, {1e39}).wrong_nonfinite, 1U);
  EXPECT_EQ(of({3e38F}, {1e39}).masked, 1U);
}

TEST(CompareClasses, WithinTheBoundOfTheThresholdFiniteAndInfiniteBothAgree) {
  const BoundTerms wide{.relative = 0.1};
  for (const double g : {3.3e38, 3.6e38}) {
    EXPECT_EQ(of({INFINITY}, {g}, wide).overflowed, 1U) << g;
    EXPECT_EQ(of({INFINITY}, {g}, wide).wrong_nonfinite, 0U) << g;
    EXPECT_EQ(of({3.35e38F}, {g}, wide).masked, 0U) << g;
  }
  EXPECT_EQ(of({INFINITY}, {3.0e38}, wide).wrong_nonfinite, 1U);
  EXPECT_EQ(of({3.35e38F}, {4.0e38}, wide).masked, 1U);
}

TEST(CompareClasses, WithoutABoundTheThresholdItselfIsOutOfRange) {
  const std::vector<float> y(16, std::numeric_limits<float>::max());
  std::vector<double> g(16, std::numeric_limits<float>::max());
  g[3] = traits(Format::f32).overflow_bound;
  const Distances d = of(y, g, {});
  EXPECT_EQ(d.masked, 1U);
  EXPECT_THAT(d.first_masked, Optional(3U));
}

TEST(CompareClasses, AroundZeroTheOverflowHasNoSign) {
  EXPECT_EQ(of({-INFINITY, INFINITY}, {0, 0}, {.absolute = 1e39}).overflowed, 2U);
  EXPECT_EQ(of({-INFINITY, INFINITY}, {0, 0}, {.absolute = 3e38}).wrong_nonfinite, 2U);
}

/// Terms of 1e76 cancel to 1e43: rounding them leaves any number, of either sign.
TEST(CompareClasses, WhereTheBoundReachesBeyondBothEndsEitherInfinityAgrees) {
  EXPECT_EQ(of({-INFINITY, INFINITY, 1}, {1e43, 1e43, 1e43}, {.absolute = 1e70}).overflowed, 2U);
  EXPECT_EQ(of({1}, {1e43}, {.absolute = 1e70}).masked, 0U);
  EXPECT_EQ(of({-INFINITY}, {1e43}, {.absolute = 1e42}).wrong_nonfinite, 1U);
  EXPECT_EQ(of({-INFINITY}, {1e38}, {.absolute = 4e38}).wrong_nonfinite, 1U);
}

TEST(CompareClasses, E4m3fnAnswersOverflowWithNan) {
  const std::vector<std::uint8_t> y{0x7f, 0x7e, 0x7f, 0x7e, 0x7f};  // NaN and 448
  const std::vector<double> g{500, 448, kInf, kInf, 1};
  const Distances d =
      compare(Format::e4m3fn, y.data(), {.hi = g.data()}, nullptr, {.relative = 0x1p-4}, y.size());
  EXPECT_EQ(d.overflowed, 1U);
  EXPECT_EQ(d.masked, 1U);
  EXPECT_THAT(d.first_masked, Optional(3U));
  EXPECT_EQ(d.wrong_nonfinite, 1U);
  EXPECT_THAT(d.first_wrong_nonfinite, Optional(4U));
}

TEST(CompareClasses, WithoutASurvivingProbeOnlyClassesCount) {
  const std::vector<float> y{100, NAN, 1};
  const std::vector<double> g{1, 1, 1};
  const std::vector<double> s(3, kNan);
  const Distances d =
      compare(Format::f32, y.data(), {.hi = g.data()}, s.data(), {0x1p-24, 1, 0}, 3);
  EXPECT_EQ(d.unprobed, 3U);
  EXPECT_EQ(d.r, 0);
  EXPECT_EQ(d.max_abs, 99);
  EXPECT_EQ(d.wrong_nonfinite, 1U);
}

TEST(CompareClasses, AnUnprobedElementIsTheWorstOnlyIfItIsTheFirst) {
  const std::vector<float> y(16, 1);
  const std::vector<double> g(16, 1);
  std::vector<double> s(16, 1);
  s[5] = kNan;
  EXPECT_EQ(
      compare(Format::f32, y.data(), {.hi = g.data()}, s.data(), {.conditional = 1}, 16).worst, 0U);
}

TEST(CompareClasses, FlushedIsAZeroBeyondTheBoundWhereTheTruthIsNormal) {
  const double normal = 0x1p-126;
  const Distances d = of({0, 0, 0}, {normal / 4, normal, 1});
  EXPECT_EQ(d.flushed, 2U);
  EXPECT_THAT(d.first_flushed, Optional(1U));
  EXPECT_EQ(of({0}, {normal}, {.absolute = normal}).flushed, 0U);
  std::vector<double> ones(4096, 1);
  EXPECT_EQ(of(std::vector<float>(4096, 0), ones).flushed, 4096U);
}

TEST(CompareClasses, TheFirstPlacesAreFoundBehindBlockBoundaries) {
  std::vector<float> y(5000, 1);
  const std::vector<double> g(5000, 1);
  y[1024] = NAN;
  y[3071] = INFINITY;
  y[3072] = INFINITY;
  const Distances d = of(y, g);
  EXPECT_THAT(d.first_nan, Optional(1024U));
  EXPECT_THAT(d.first_inf, Optional(3071U));
  EXPECT_EQ(d.inf, 2U);
  EXPECT_THAT(d.first_wrong_nonfinite, Optional(1024U));
  EXPECT_EQ(d.wrong_nonfinite, 3U);
}

}  // namespace
}  // namespace plumb
