#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "harness/compare.hpp"
#include "tests/harness/compare_reference.hpp"

namespace plumb {

inline constexpr Format kAllFormats[] = {Format::f16, Format::bf16,   Format::f32,
                                         Format::f64, Format::e4m3fn, Format::e5m2};

/// Outputs stored in a format, with their oracle in each form and their sensitivity.
struct Sample {
  Format format;
  std::vector<std::uint64_t> storage;  // patterns of y, packed
  std::vector<double> hi, lo, spread;
  std::vector<float> narrow;

  const void* y() const { return storage.data(); }

  void put(std::size_t i, std::uint64_t pattern) {
    const std::size_t bytes = traits(format).bytes;
    std::memcpy(reinterpret_cast<char*>(storage.data()) + i * bytes, &pattern, bytes);
  }
};

/// Outputs near their oracle, exact ones, and one in `rare` of anything at all.
inline Sample sample_of(Format format, std::size_t n, unsigned rare, unsigned seed) {
  using reference::kInf;
  using reference::kNan;
  constexpr double kStrange[] = {0.0,    -0.0,   kInf,    -kInf,    kNan,   1e300,
                                 -1e300, 1e-310, 0x1p-24, 65519.99, 3.4e38, 0x1p-1074};
  std::mt19937_64 random(seed);
  Sample sample{.format = format, .storage = std::vector<std::uint64_t>(n + 1)};
  for (std::size_t i = 0; i < n; ++i) {
    const bool strange = rare != 0 && random() % rare == 0;
    const double scale = std::ldexp(1.0, static_cast<int>(random() % 12) - 6);
    double g = (static_cast<double>(random() % 20001) / 1e4 - 1) * scale;
    if (strange) g = kStrange[random() % std::size(kStrange)];
    std::uint64_t pattern =
        std::isfinite(g) ? reference::nearest_pattern(format, g, std::signbit(g)) : random();
    if (random() % 2 == 0) pattern ^= random() % 4;  // a few steps off
    if (strange && random() % 2 == 0) pattern = random();
    sample.put(i, pattern);
    sample.hi.push_back(g);
    sample.lo.push_back(g * 0x1p-54 * (static_cast<double>(random() % 3) - 1));
    sample.spread.push_back(std::fabs(strange ? kStrange[random() % 5] : g));
    sample.narrow.push_back(static_cast<float>(g));
  }
  return sample;
}

/// The same figures; sums may differ in the order they were added.
inline void expect_same_distances(const Distances& a, const Distances& b) {
  const auto close = [](long double x, long double y) {
    return x == y || std::fabs(x - y) <= 1e-13L * std::fabs(x);
  };
  EXPECT_EQ(a.count, b.count);
  EXPECT_EQ(a.exact, b.exact);
  EXPECT_EQ(a.max_abs, b.max_abs);
  EXPECT_EQ(a.max_rel, b.max_rel);
  EXPECT_EQ(a.max_ulp, b.max_ulp);
  EXPECT_PRED2(close, a.sum_sq_error, b.sum_sq_error);
  EXPECT_PRED2(close, a.sum_sq_expected, b.sum_sq_expected);
  EXPECT_PRED2(close, a.sum_sq_bound, b.sum_sq_bound);
  EXPECT_EQ(a.nan, b.nan);
  EXPECT_EQ(a.inf, b.inf);
  EXPECT_EQ(a.first_nan, b.first_nan);
  EXPECT_EQ(a.first_inf, b.first_inf);
  EXPECT_EQ(a.wrong_nonfinite, b.wrong_nonfinite);
  EXPECT_EQ(a.first_wrong_nonfinite, b.first_wrong_nonfinite);
  EXPECT_EQ(a.masked, b.masked);
  EXPECT_EQ(a.first_masked, b.first_masked);
  EXPECT_EQ(a.overflowed, b.overflowed);
  EXPECT_EQ(a.first_overflowed, b.first_overflowed);
  EXPECT_EQ(a.r, b.r);
  EXPECT_EQ(a.rho, b.rho);
  EXPECT_EQ(a.worst, b.worst);
  EXPECT_EQ(a.flushed, b.flushed);
  EXPECT_EQ(a.first_flushed, b.first_flushed);
  EXPECT_EQ(a.unprobed, b.unprobed);
}

}  // namespace plumb
