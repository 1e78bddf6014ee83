#include "harness/format.hpp"

#include <array>
#include <cmath>
#include <cstring>
#include <random>

#include <gtest/gtest.h>

#include "tests/harness/compare_reference.hpp"

namespace plumb {
namespace {

using reference::Layout;

constexpr std::array kNarrow{Format::f16, Format::bf16, Format::e4m3fn, Format::e5m2};
constexpr std::array kAll{Format::f16,    Format::bf16, Format::f32,
                          Format::e4m3fn, Format::e5m2, Format::f64};

double stored(Format format, std::uint64_t pattern) { return load(format, &pattern, 0); }

bool same(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

TEST(Format, EveryNarrowPatternLoadsAsItsValueAndHasItsPosition) {
  for (const Format format : kNarrow) {
    const Layout f = reference::layout(format);
    for (std::uint64_t pattern = 0; pattern < 2 * reference::sign_bit(f); ++pattern) {
      const double value = stored(format, pattern);
      EXPECT_TRUE(same(value, reference::value_of(format, pattern))) << pattern;
      if (std::isnan(value)) continue;
      const auto position = static_cast<std::int64_t>(pattern & (reference::sign_bit(f) - 1));
      EXPECT_EQ(ordinal(format, value), std::signbit(value) ? -position : position) << pattern;
    }
  }
}

TEST(Format, EveryNarrowValueAndEveryMidpointRoundsAsBisectionSays) {
  for (const Format format : kNarrow) {
    const Layout f = reference::layout(format);
    for (std::uint64_t position = 0; position < f.out_of_range; ++position) {
      const auto value = static_cast<double>(reference::magnitude_at(f, position));
      const auto next = static_cast<double>(reference::magnitude_at(f, position + 1));
      const double middle = (value + next) / 2;
      for (const double g : {value, middle, std::nextafter(middle, 0), std::nextafter(middle, next),
                             -middle, std::nextafter(value, 0), std::nextafter(value, next)}) {
        const auto wanted = reference::nearest_pattern(format, g, std::signbit(g));
        EXPECT_TRUE(same(round_to(format, g), reference::value_of(format, wanted)))
            << traits(format).name << " " << g;
      }
    }
  }
}

TEST(Format, TheSecondPartOfADoubleDoubleDecidesTies) {
  for (const Format format : kNarrow) {
    const Layout f = reference::layout(format);
    for (std::uint64_t position = 0; position < f.out_of_range; ++position) {
      const auto value = static_cast<double>(reference::magnitude_at(f, position));
      const auto next = static_cast<double>(reference::magnitude_at(f, position + 1));
      const double middle = (value + next) / 2;
      const double above = reference::value_of(format, position + 1);
      EXPECT_TRUE(same(round_to(format, middle, 1e-60), above)) << middle;
      EXPECT_TRUE(same(round_to(format, middle, -1e-60), value)) << middle;
      EXPECT_TRUE(same(round_to(format, -middle, 1e-60), -value)) << middle;
    }
  }
  EXPECT_EQ(round_to(Format::f32, 1 + 0x1p-24), 1);
  EXPECT_EQ(round_to(Format::f32, 1 + 0x1p-24, 0x1p-80), 1 + 0x1p-23);
  EXPECT_EQ(round_to(Format::f32, 1 + 0x1p-24 + 0x1p-52, -0x1p-60), 1 + 0x1p-23);
  EXPECT_EQ(round_to(Format::f64, 1, 0x1p-53), 1);
  EXPECT_EQ(round_to(Format::f64, 1, 0x1.8p-53), 1 + 0x1p-52);
}

TEST(Format, SinglePrecisionRoundsAsTheProcessorDoes) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 2'000'000; ++i) {
    const double g = std::bit_cast<double>(random());
    const double wanted = static_cast<float>(g);
    ASSERT_TRUE(same(round_to(Format::f32, g), wanted)) << g;
    const double near = std::ldexp(std::remainder(g, 1), -static_cast<int>(i % 180));
    ASSERT_TRUE(same(round_to(Format::f32, near), static_cast<float>(near))) << near;
  }
}

TEST(Format, OutOfRangeIsInfinityAtTheThresholdAndNanInE4m3fn) {
  for (const Format format : {Format::f16, Format::bf16, Format::f32, Format::e5m2}) {
    const FormatTraits& t = traits(format);
    EXPECT_EQ(round_to(format, t.overflow_bound), reference::kInf);
    EXPECT_EQ(round_to(format, -t.overflow_bound), -reference::kInf);
    EXPECT_EQ(round_to(format, std::nextafter(t.overflow_bound, 0)), t.max_finite);
    EXPECT_EQ(round_to(format, t.overflow_bound, -1e-60), t.max_finite);
    EXPECT_EQ(round_to(format, 1e308), reference::kInf);
    EXPECT_EQ(round_to(format, -reference::kInf, reference::kNan), -reference::kInf);
  }
  EXPECT_EQ(round_to(Format::e4m3fn, 464), 448);
  EXPECT_EQ(round_to(Format::e4m3fn, std::nextafter(464, 0)), 448);
  EXPECT_TRUE(std::isnan(round_to(Format::e4m3fn, 464, 1e-60)));
  EXPECT_TRUE(std::isnan(round_to(Format::e4m3fn, traits(Format::e4m3fn).overflow_bound)));
  EXPECT_TRUE(std::isnan(round_to(Format::e4m3fn, reference::kInf)));
}

TEST(Format, TraitsAgreeWithThePatterns) {
  for (const Format format : kAll) {
    const FormatTraits& t = traits(format);
    const Layout f = reference::layout(format);
    EXPECT_EQ(t.bytes, static_cast<std::size_t>(f.bytes));
    EXPECT_EQ(t.precision, f.fraction_bits + 1);
    EXPECT_EQ(t.unit_roundoff, std::ldexp(1, -t.precision));
    EXPECT_EQ(t.max_finite, reference::value_of(format, f.out_of_range - 1));
    EXPECT_EQ(t.min_normal, reference::value_of(format, std::uint64_t{1} << f.fraction_bits));
    EXPECT_EQ(t.min_subnormal, reference::value_of(format, 1));
    EXPECT_EQ(t.has_infinity, f.infinite);
    EXPECT_EQ(ordinal(format, t.max_finite), static_cast<std::int64_t>(f.out_of_range) - 1);
    EXPECT_EQ(ordinal(format, reference::kInf), static_cast<std::int64_t>(f.out_of_range));
    EXPECT_EQ(ordinal(format, -t.min_subnormal), -1);
    EXPECT_EQ(ordinal(format, -0.0), 0);
  }
}

}  // namespace
}  // namespace plumb
