#include "oracles/quad/exact.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace plumb::quad {
namespace {

/// Numbers of both signs over `bits` binary orders of magnitude either way.
std::vector<double> wide(std::size_t n, double bits, unsigned seed) {
  std::mt19937_64 engine(seed);
  std::uniform_real_distribution<double> exponent(-bits, bits);
  std::vector<double> values(n);
  for (double& x : values) x = std::exp2(exponent(engine)) * (engine() % 2 == 0 ? 1 : -1);
  return values;
}

TEST(ExactSum, CancelsWithoutARest) {
  for (const double bits : {1.0, 30.0, 60.0}) {
    std::vector<double> terms = wide(1001, bits, 1);
    for (std::size_t i = 0; i < 1001; ++i) terms.push_back(-terms[i]);
    terms.push_back(0x1p-100);
    std::shuffle(terms.begin(), terms.end(), std::mt19937(7));
    EXPECT_TRUE(exact_sum(terms) == Quad(0x1p-100)) << bits;
  }
}

TEST(ExactSum, OfDistancesFromACentre) {
  const std::vector<double> terms = {1e16, 1e16 + 2, 1e16 + 4, 1e16 - 8};
  EXPECT_TRUE(exact_sum(terms, 1e16) == Quad(-2));
  EXPECT_TRUE(exact_sum(terms, -1e16) == 8 * Quad(1e16) - 2);
}

TEST(ExactSum, HoldsTheExtremesOfDouble) {
  const double max = std::numeric_limits<double>::max();
  const double least = std::numeric_limits<double>::denorm_min();
  EXPECT_TRUE(exact_sum(std::vector<double>{max, max, max}) == 3 * Quad(max));
  EXPECT_TRUE(exact_sum(std::vector<double>{least, -3 * least}) == -2 * Quad(least));
  EXPECT_TRUE(exact_sum(std::vector<double>{max, least, -max}) ==
              Quad(0));  // 2^-2098 of the largest
  EXPECT_TRUE(exact_sum(std::vector<double>{}) == Quad(0));
  EXPECT_TRUE(exact_sum(std::vector<double>{0.0, -0.0}) == Quad(0));
}

TEST(ExactSum, FollowsIeeeWhereATermIsNotFinite) {
  EXPECT_TRUE(exact_sum(std::vector<double>{1, INFINITY, 2}) == kInfinity);
  EXPECT_TRUE(is_nan(exact_sum(std::vector<double>{INFINITY, -INFINITY})));
  EXPECT_TRUE(is_nan(exact_sum(std::vector<double>{1, NAN})));
}

TEST(ExactDot, IsTheSumOfExactProducts) {
  for (const double bits : {1.0, 20.0, 300.0, 1000.0}) {
    const std::vector<double> x = wide(257, bits, 3);
    const std::vector<double> y = wide(257, bits, 4);
    Quad sum = 0;
    Quad largest = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      const Quad product = Quad(x[k]) * Quad(y[k]);
      sum += product;
      largest = std::max(largest, fabsq(product));
    }
    EXPECT_TRUE(fabsq(exact_dot(x, y) - sum) <= Quad(0x1p-104) * largest) << bits;
  }
}

TEST(ExactDot, KeepsWhatAQuadSumLoses) {
  const std::vector<double> x = {0x1p500, 3, -0x1p500};
  const std::vector<double> y = {0x1p-400, 0x1p-30, 0x1p-400};
  EXPECT_TRUE(exact_dot(x, y) == Quad(3 * 0x1p-30));
}

TEST(ExactDot, OfEveryPairOfRows) {
  const std::vector<double> a = {1, 2, 3, INFINITY, 0, 1};
  const std::vector<double> b = {1, 1, 1, 0, 1, 0};
  const Factor left(a.data(), 2, 3);
  const Factor right(b.data(), 2, 3);
  EXPECT_TRUE(dot(left, 0, right, 0) == Quad(6));
  EXPECT_TRUE(dot(left, 0, right, 1) == Quad(2));
  EXPECT_TRUE(dot(left, 1, right, 0) == kInfinity);
  EXPECT_TRUE(is_nan(dot(left, 1, right, 1)));  // inf · 0
}

}  // namespace
}  // namespace plumb::quad
