#include "harness/compare.hpp"

#include <cfenv>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/compare_reference.hpp"

#if defined(__SSE2__)
#include <xmmintrin.h>
#endif

namespace plumb {
namespace {

using reference::kInf;
using reference::kNan;
using ::testing::ElementsAre;

constexpr BoundTerms kUlp{.relative = 0x1p-24, .conditional = 0, .absolute = 0x1p-150};

Distances of(const std::vector<float>& y, const std::vector<double>& g, BoundTerms bound = kUlp) {
  return compare(Format::f32, y.data(), {.hi = g.data()}, nullptr, bound, y.size());
}

Distances of64(const std::vector<double>& y, const std::vector<double>& g, BoundTerms bound = {}) {
  return compare(Format::f64, y.data(), {.hi = g.data()}, nullptr, bound, y.size());
}

TEST(Compare, NothingIsExact) {
  const Distances d = of({}, {});
  EXPECT_EQ(d.count, 0U);
  EXPECT_TRUE(d.exact);
  EXPECT_EQ(d.r, 0);
}

TEST(Compare, AValueHasNoDistanceFromItself) {
  for (const std::size_t n : {1U, 7U, 8U, 1023U, 1024U, 1025U, 5000U}) {
    const std::vector<float> y(n, 1.25F);
    const Distances d = of(y, std::vector<double>(n, 1.25));
    EXPECT_TRUE(d.exact);
    EXPECT_EQ(d.max_abs, 0);
    EXPECT_EQ(d.max_rel, 0);
    EXPECT_EQ(d.max_ulp, 0);
    EXPECT_EQ(d.r, 0);
    EXPECT_EQ(d.worst, 0U);
    EXPECT_EQ(d.rho, (kUlp.relative * 1.25 + kUlp.absolute) / 1.25);
    EXPECT_EQ(d.sum_sq_error, 0);
    EXPECT_NEAR(static_cast<double>(d.sum_sq_expected), 1.5625 * static_cast<double>(n), 1e-9);
  }
}

TEST(Compare, ExactMeansRoundedOnceToNearestEven) {
  const double third = 1.0 / 3;
  EXPECT_TRUE(of({static_cast<float>(third)}, {third}).exact);
  EXPECT_FALSE(of({std::nextafter(static_cast<float>(third), 0.0F)}, {third}).exact);
  EXPECT_TRUE(of({1}, {1 + 0x1p-24}).exact);
  EXPECT_FALSE(of({1 + 0x1p-23F}, {1 + 0x1p-24}).exact);
}

TEST(Compare, ADoubleDoubleDecidesTies) {
  const std::vector<float> y{1 + 0x1p-23F};
  const std::vector<double> hi{1 + 0x1p-24};
  const std::vector<double> lo{0x1p-80};
  const Distances d =
      compare(Format::f32, y.data(), {.hi = hi.data(), .lo = lo.data()}, nullptr, kUlp, 1);
  EXPECT_TRUE(d.exact);
  EXPECT_EQ(d.max_abs, 0x1p-24);  // the difference itself is rounded to double
}

TEST(Compare, TheSecondPartEntersTheDifference) {
  const std::vector<double> y{1};
  const std::vector<double> lo{0x1p-60};
  const Distances d = compare(Format::f64, y.data(), {.hi = y.data(), .lo = lo.data()}, nullptr,
                              {.relative = 0x1p-53}, 1);
  EXPECT_EQ(d.max_abs, 0x1p-60);
  EXPECT_EQ(d.r, 0x1p-7);
  EXPECT_TRUE(d.exact);
}

TEST(Compare, ZerosOfEitherSignAreEqual) {
  const Distances d = of({0.0F, -0.0F}, {-0.0, 0.0}, {});
  EXPECT_TRUE(d.exact);
  EXPECT_EQ(d.max_ulp, 0);
  EXPECT_EQ(d.r, 0);
  EXPECT_EQ(d.rho, 0);
}

TEST(Compare, TheWorstElementIsTheLowestIndexOnTies) {
  for (const std::size_t first : {0U, 5U, 1023U, 1024U, 1025U, 2000U}) {
    std::vector<float> y(3000, 1);
    std::vector<double> g(3000, 1);
    for (std::size_t i = first; i < g.size(); i += 7) g[i] = 1 - 0x1p-10;
    const Distances d = of(y, g);
    EXPECT_EQ(d.worst, first);
    EXPECT_EQ(d.r, 0x1p-10 / (kUlp.relative * (1 - 0x1p-10) + kUlp.absolute));
  }
}

TEST(Compare, ARatioThatIsHigherByItsLastBitIsNotMissed) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> draw(1, 2);
  int found = 0;
  while (found < 100) {
    const double ratio = draw(random);
    const double bound = draw(random);
    const double error = ratio * bound;
    if (error / bound <= ratio) continue;
    ++found;
    // Small enough that what exceeds the bound is not looked at anyway.
    std::vector<double> y(2048, 0);
    std::vector<double> s(2048, 4);
    y[0] = ratio;
    y[1500] = error;
    s[1500] = 4 * bound;
    const std::vector<double> g(2048, 0);
    const Distances d =
        compare(Format::f64, y.data(), {.hi = g.data()}, s.data(), {.conditional = 1}, y.size());
    EXPECT_EQ(d.worst, 1500U);
    EXPECT_EQ(d.r, error / bound / 4);
  }
}

TEST(Compare, WhereTheBoundIsZeroAnyErrorIsInfinite) {
  const Distances d = of({1, 1 + 0x1p-23F, 1}, {1, 1, 1}, {});
  EXPECT_EQ(d.r, kInf);
  EXPECT_EQ(d.worst, 1U);
  EXPECT_EQ(d.rho, 0);
  EXPECT_EQ(of({1, 2}, {1, 2}, {}).r, 0);
}

TEST(Compare, RhoIsInfiniteWhereZeroIsMissed) {
  EXPECT_EQ(of({1}, {0}).rho, kInf);
  EXPECT_EQ(of({1}, {0}).max_rel, kInf);
  EXPECT_EQ(of({0}, {0}).rho, 0);
  EXPECT_EQ(of({0}, {0}).max_rel, 0);
}

TEST(Compare, SensitivityWidensTheBoundPerElement) {
  const std::vector<float> y{1.5F, 1.5F};
  const std::vector<double> g{1, 1};
  const std::vector<double> s{1, 4};
  const Distances d =
      compare(Format::f32, y.data(), {.hi = g.data()}, s.data(), {.conditional = 0.25}, 2);
  EXPECT_EQ(d.r, 2);
  EXPECT_EQ(d.worst, 0U);
  EXPECT_EQ(d.rho, 0.25);
}

TEST(Compare, SquaredSumsNeitherOverflowNorUnderflow) {
  for (const double scale : {1e300, 1e-300}) {
    const std::vector<double> g(4100, scale);
    const std::vector<double> y(4100, 2 * scale);
    const Distances d = of64(y, g, {.relative = 0.5});
    const auto each = 4100 * static_cast<long double>(scale) * scale;
    EXPECT_TRUE(std::isfinite(d.sum_sq_error));
    EXPECT_NEAR(static_cast<double>(d.sum_sq_error / each), 1, 1e-12);
    EXPECT_NEAR(static_cast<double>(d.sum_sq_expected / each), 1, 1e-12);
    EXPECT_NEAR(static_cast<double>(d.sum_sq_bound / each), 0.25, 1e-12);
  }
}

TEST(Compare, DifferencesBeyondTheRangeOfDoubleAreInfinite) {
  const Distances d = of64({1.5e308}, {-1.5e308}, {.relative = 0x1p-53});
  EXPECT_EQ(d.max_abs, kInf);
  EXPECT_EQ(d.r, kInf);
  EXPECT_EQ(d.max_ulp, std::numeric_limits<std::int64_t>::max());
  EXPECT_NEAR(static_cast<double>(d.sum_sq_error / 9e616L), 1, 1e-12);
}

TEST(Compare, WhereTheBoundIsInfiniteNothingIsTooLarge) {
  const std::vector<double> y{1.5e308};
  const std::vector<double> g{-1.5e308};
  const Distances d =
      compare(Format::f64, y.data(), {.hi = g.data()}, &kInf, {.conditional = 1}, 1);
  EXPECT_EQ(d.r, 0);
}

TEST(Compare, ANarrowOracleIsTheSameAsItsValuesInDouble) {
  const std::vector<float> y{1, 2.5F, -3};
  const std::vector<float> narrow{1.5F, 2.5F, -3.5F};
  const std::vector<double> wide(narrow.begin(), narrow.end());
  const Distances a = compare(Format::f32, y.data(), {.narrow = narrow.data()}, nullptr, kUlp, 3);
  const Distances b = of(y, wide);
  EXPECT_EQ(a.r, b.r);
  EXPECT_EQ(a.max_ulp, b.max_ulp);
  EXPECT_EQ(a.sum_sq_error, b.sum_sq_error);
}

TEST(Compare, EveryHalfPatternIsExactAgainstItsOwnValueAndNotAgainstItsNeighbour) {
  std::vector<std::uint16_t> patterns;
  std::vector<double> values;
  std::vector<double> neighbours;
  for (const Format format : {Format::f16, Format::bf16}) {
    const auto f = reference::layout(format);
    patterns.clear();
    values.clear();
    neighbours.clear();
    for (std::uint64_t p = 1; p < f.out_of_range - 1; ++p) {
      patterns.push_back(static_cast<std::uint16_t>(p));
      values.push_back(reference::value_of(format, p));
      neighbours.push_back(reference::value_of(format, p + 1));
    }
    const auto run = [&](const std::vector<double>& g) {
      return compare(format, patterns.data(), {.hi = g.data()}, nullptr, {}, g.size());
    };
    EXPECT_TRUE(run(values).exact);
    EXPECT_EQ(run(values).max_ulp, 0);
    EXPECT_FALSE(run(neighbours).exact);
    EXPECT_EQ(run(neighbours).max_ulp, 1);
  }
}

TEST(Compare, TheCallersFloatingPointModeDoesNotMatterAndIsKept) {
  const std::vector<float> y{0x1p-149F};
  const std::vector<double> g{0x1p-149};
  std::fesetround(FE_UPWARD);
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040U);  // flush subnormals, in and out
#endif
  const bool exact = of(y, g).exact && of({1}, {1 + 0x1p-26}).exact;
#if defined(__SSE2__)
  const unsigned kept = _mm_getcsr() & 0x8040U;
  _mm_setcsr(_mm_getcsr() & ~0x8040U);
  EXPECT_EQ(kept, 0x8040U);
#endif
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
  EXPECT_TRUE(exact);
}

TEST(CompareHistogram, CountsRatiosByPowerOfTwo) {
  const std::vector<double> y{1, 1.5, 2, 3, 2.75, kNan};
  const std::vector<double> g(6, 1);
  const ErrorHistogram h =
      compare_histogram(Format::f64, y.data(), {.hi = g.data()}, nullptr, {.relative = 1}, 6);
  EXPECT_EQ(h.zero, 1U);
  EXPECT_EQ(h.infinite, 0U);
  EXPECT_THAT(h.bins, ElementsAre(HistogramBin{-1, 1}, HistogramBin{0, 2}, HistogramBin{1, 1}));
}

TEST(CompareHistogram, CountsErrorsWithoutABoundApart) {
  const std::vector<double> y{1, 2};
  const std::vector<double> g{1, 1};
  const ErrorHistogram h =
      compare_histogram(Format::f64, y.data(), {.hi = g.data()}, nullptr, {}, 2);
  EXPECT_EQ(h.zero, 1U);
  EXPECT_EQ(h.infinite, 1U);
  EXPECT_TRUE(h.bins.empty());
}

TEST(CompareHistogram, LeavesOutWhatWasNotProbed) {
  const std::vector<double> y{1, 2};
  const std::vector<double> s{kNan, 1};
  const std::vector<double> g{1, 1};
  const ErrorHistogram h =
      compare_histogram(Format::f64, y.data(), {.hi = g.data()}, s.data(), {.conditional = 1}, 2);
  EXPECT_EQ(h.zero, 0U);
  EXPECT_THAT(h.bins, ElementsAre(HistogramBin{0, 1}));
}

}  // namespace
}  // namespace plumb
