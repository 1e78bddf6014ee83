#include "findings/literal.hpp"

#include <cmath>
#include <limits>
#include <random>

#include <gtest/gtest.h>

namespace plumb {
namespace {

constexpr std::array kFormats = {Format::f16, Format::bf16, Format::f32, Format::f64};

TEST(NumberLiteral, ReadsBackToTheSameValueInEveryFormat) {
  std::mt19937_64 random(1);
  for (const Format format : kFormats) {
    const std::int64_t most = ordinal(format, traits(format).max_finite);
    std::uniform_int_distribution<std::int64_t> any(-most, most);
    for (int i = 0; i < 2000; ++i) {
      const double value = value_at(format, any(random));
      EXPECT_EQ(round_to(format, number_of(number_literal(format, value))), value);
    }
  }
}

TEST(NumberLiteral, IsTheShortest) {
  EXPECT_EQ(number_literal(Format::f32, static_cast<double>(0.1f)).dump(), "0.1");
  EXPECT_EQ(number_literal(Format::bf16, 3.140625).dump(), "3.14");
  EXPECT_EQ(number_literal(Format::f32, 3).dump(), "3");
  EXPECT_EQ(number_literal(Format::f32, -0.0).dump(), "-0.0");
  EXPECT_EQ(number_literal(std::nullopt, 1e300).dump(), "1e+300");
}

TEST(NumberLiteral, WritesEveryDigitOfAWholeNumber) {
  EXPECT_EQ(number_literal(Format::f32, 268435456).dump(), "268435456");
  EXPECT_EQ(number_literal(Format::f32, -0x1p52).dump(), "-4503599627370496");
  EXPECT_EQ(number_literal(Format::bf16, 0x1p60).dump(), "1.153e+18");
}

TEST(NumberLiteral, SpellsWhatJsonCannotHold) {
  EXPECT_EQ(number_literal(Format::f32, NAN), "nan");
  EXPECT_EQ(number_literal(Format::f32, -INFINITY), "-inf");
}

TEST(ValueAt, IsTheInverseOfOrdinal) {
  std::mt19937_64 random(2);
  for (const Format format : kFormats) {
    const FormatTraits& f = traits(format);
    for (const double value : {0.0, f.min_subnormal, f.min_normal, 1.0, f.max_finite}) {
      EXPECT_EQ(value_at(format, ordinal(format, value)), value) << f.name;
      EXPECT_EQ(value_at(format, ordinal(format, -value)), -value) << f.name;
    }
    const std::int64_t most = ordinal(format, f.max_finite);
    EXPECT_TRUE(std::isinf(value_at(format, most + 1))) << f.name;
    std::uniform_int_distribution<std::int64_t> any(-most, most);
    for (int i = 0; i < 2000; ++i) {
      const std::int64_t at = any(random);
      EXPECT_EQ(ordinal(format, value_at(format, at)), at) << f.name;
    }
  }
}

TEST(Bits, AreCountedAndTakenAwayToNearest) {
  EXPECT_EQ(significant_bits(0), 0);
  EXPECT_EQ(significant_bits(-4), 1);
  EXPECT_EQ(significant_bits(5.5), 4);
  EXPECT_EQ(significant_bits(0x1.000002p0), 24);
  EXPECT_EQ(with_bits(5.5, 1), 6 - 2);
  EXPECT_EQ(with_bits(5.5, 2), 6);
  EXPECT_EQ(with_bits(-5.5, 4), -5.5);
}

}  // namespace
}  // namespace plumb
