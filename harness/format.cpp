#include "harness/format.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace plumb {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

constexpr std::array<FormatTraits, 6> kTraits{{
    {"float16", 2, 11, 0x1p-11, 65504, 0x1p-14, 0x1p-24, 65520, true},
    {"bfloat16", 2, 8, 0x1p-8, 0x1.fep127, 0x1p-126, 0x1p-133, 0x1.ffp127, true},
    {"float32", 4, 24, 0x1p-24, 0x1.fffffep127, 0x1p-126, 0x1p-149, 0x1.ffffffp127, true},
    {"float64", 8, 53, 0x1p-53, 0x1.fffffffffffffp1023, 0x1p-1022, 0x1p-1074, kInf, true},
    // 464 is the tie between 448 and the NaN pattern, and goes to the even 448.
    {"float8_e4m3fn", 1, 4, 0x1p-4, 448, 0x1p-6, 0x1p-9, 0x1.d000000000001p8, false},
    {"float8_e5m2", 1, 3, 0x1p-3, 57344, 0x1p-14, 0x1p-16, 61440, true},
}};

template <class T>
T element(const void* data, std::size_t index) {
  T value;
  std::memcpy(&value, static_cast<const char*>(data) + index * sizeof(T), sizeof(T));
  return value;
}

// A sign, exponent and significand pattern whose top exponent is an ordinary one.
double decode(unsigned bits, int significand_bits, int exponent_bits) {
  const int exponent = static_cast<int>(bits >> significand_bits) & ((1 << exponent_bits) - 1);
  const unsigned fraction = bits & ((1U << significand_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned hidden = exponent == 0 ? 0 : 1U << significand_bits;
  const double magnitude =
      std::ldexp(hidden + fraction, std::max(exponent, 1) - bias - significand_bits);
  return (bits >> (significand_bits + exponent_bits) & 1U) != 0 ? -magnitude : magnitude;
}

double decode_ieee(unsigned bits, int significand_bits, int exponent_bits) {
  const unsigned special = ((1U << exponent_bits) - 1) << significand_bits;
  if ((bits & special) != special) return decode(bits, significand_bits, exponent_bits);
  if ((bits & ((1U << significand_bits) - 1)) != 0) return std::nan("");
  return (bits >> (significand_bits + exponent_bits)) != 0 ? -kInf : kInf;
}

// The sum rounded to 53 bits, to odd: rounding that again to at most 51 bits is rounding once.
double sum_to_odd(double hi, double lo) {
  if (lo == 0) return hi;  // -0 keeps its sign
  const double sum = hi + lo;
  if (!std::isfinite(sum)) return sum;
  const double part = sum - hi;
  const double error = (hi - (sum - part)) + (lo - part);
  auto bits = std::bit_cast<std::uint64_t>(sum);
  if (error == 0 || (bits & 1U) != 0) return sum;
  bits = std::signbit(error) == std::signbit(sum) ? bits + 1 : bits - 1;
  return std::bit_cast<double>(bits);
}

}  // namespace

const FormatTraits& traits(Format format) { return kTraits[static_cast<std::size_t>(format)]; }

double load(Format format, const void* data, std::size_t index) {
  switch (format) {
    case Format::f16: return decode_ieee(element<std::uint16_t>(data, index), 10, 5);
    case Format::bf16: {
      const std::uint32_t bits = element<std::uint16_t>(data, index);
      return std::bit_cast<float>(bits << 16U);
    }
    case Format::f32: return element<float>(data, index);
    case Format::f64: return element<double>(data, index);
    case Format::e5m2: return decode_ieee(element<std::uint8_t>(data, index), 2, 5);
    case Format::e4m3fn: break;
  }
  const unsigned bits = element<std::uint8_t>(data, index);
  return (bits & 0x7fU) == 0x7fU ? std::nan("") : decode(bits, 3, 4);
}

double round_to(Format format, double hi, double lo) {
  if (!std::isfinite(hi)) lo = 0;
  const FormatTraits& t = traits(format);
  const double out = t.has_infinity ? kInf : std::numeric_limits<double>::quiet_NaN();
  if (format == Format::f64) return lo == 0 ? hi : hi + lo;
  const double sum = sum_to_odd(hi, lo);
  if (std::isnan(sum)) return sum;
  if (std::abs(sum) >= 2 * t.max_finite) return std::copysign(out, sum);
  // Adding 1.5·2^52 units in the last place of the target leaves no room for anything below them.
  const double power =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) & 0x7ff0000000000000);
  const double shifter = std::max(power, t.min_normal) * std::ldexp(1.5, 53 - t.precision);
  const double rounded = (sum + shifter) - shifter;
  return std::abs(rounded) > t.max_finite ? std::copysign(out, sum) : std::copysign(rounded, sum);
}

std::int64_t ordinal(Format format, double value) {
  const FormatTraits& t = traits(format);
  const double magnitude = std::abs(value);
  std::int64_t position = 0;
  if (format == Format::f64) {
    position = std::bit_cast<std::int64_t>(magnitude);
  } else if (magnitude < t.min_normal) {
    position = static_cast<std::int64_t>(magnitude / t.min_subnormal);
  } else if (magnitude > t.max_finite) {
    position = ordinal(format, t.max_finite) + 1;
  } else {
    const int shift = 53 - t.precision;
    const auto first = std::bit_cast<std::int64_t>(t.min_normal) >> shift;
    const auto below = std::int64_t{1} << (t.precision - 1);
    position = (std::bit_cast<std::int64_t>(magnitude) >> shift) - first + below;
  }
  return std::signbit(value) ? -position : position;
}

}  // namespace plumb
