#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "harness/format.hpp"
#include "harness/half.hpp"
#include "harness/host_device.hpp"

/// What harness/format.hpp declares, with the traits as an argument: no table, so that a device
/// computes the same.
namespace plumb::arithmetic {

/// Of an array that is aligned as one of T is, whatever its declared type.
template <class T>
PLUMB_HOST_DEVICE T element(const void* data, std::size_t index) {
  const void* place = static_cast<const char*>(data) + index * sizeof(T);
  T value;
  std::memcpy(&value, __builtin_assume_aligned(place, sizeof(T)), sizeof(T));
  return value;
}

/// 2^exponent, a normal number.
PLUMB_HOST_DEVICE inline double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(1023 + exponent) << 52U);
}

PLUMB_HOST_DEVICE inline double larger(double a, double b) { return a > b ? a : b; }

/// The value of an eight-bit pattern whose top exponent is an ordinary one.
PLUMB_HOST_DEVICE inline double decode(unsigned bits, int significand_bits, int exponent_bits) {
  const int exponent = static_cast<int>(bits >> significand_bits) & ((1 << exponent_bits) - 1);
  const unsigned fraction = bits & ((1U << significand_bits) - 1);
  const int bias = (1 << (exponent_bits - 1)) - 1;
  const unsigned hidden = exponent == 0 ? 0 : 1U << significand_bits;
  const int power = (exponent == 0 ? 1 : exponent) - bias - significand_bits;
  const double magnitude = (hidden + fraction) * power_of_two(power);
  return (bits >> (significand_bits + exponent_bits) & 1U) != 0 ? -magnitude : magnitude;
}

PLUMB_HOST_DEVICE inline double decode_e5m2(unsigned bits) {
  if ((bits & 0x7cU) != 0x7cU) return decode(bits, 2, 5);
  if ((bits & 3U) != 0) return std::numeric_limits<double>::quiet_NaN();
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return (bits & 0x80U) != 0 ? -kInf : kInf;
}

PLUMB_HOST_DEVICE inline double decode_e4m3fn(unsigned bits) {
  if ((bits & 0x7fU) == 0x7fU) return std::numeric_limits<double>::quiet_NaN();
  return decode(bits, 3, 4);
}

PLUMB_HOST_DEVICE inline double load(Format format, const void* data, std::size_t index) {
  switch (format) {
    case Format::f16: return float_of_half(element<std::uint16_t>(data, index));
    case Format::bf16: return float_of_bfloat16(element<std::uint16_t>(data, index));
    case Format::f32: return element<float>(data, index);
    case Format::f64: return element<double>(data, index);
    case Format::e5m2: return decode_e5m2(element<std::uint8_t>(data, index));
    case Format::e4m3fn: break;
  }
  return decode_e4m3fn(element<std::uint8_t>(data, index));
}

/// The sum rounded to 53 bits, to odd: rounding that again to at most 51 bits is rounding once.
PLUMB_HOST_DEVICE inline double sum_to_odd(double hi, double lo) {
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

PLUMB_HOST_DEVICE inline double round_to(const FormatTraits& t, double hi, double lo) {
  if (!std::isfinite(hi)) lo = 0;
  if (t.bytes == sizeof(double)) return lo == 0 ? hi : hi + lo;
  const double out = t.has_infinity ? std::numeric_limits<double>::infinity()
                                    : std::numeric_limits<double>::quiet_NaN();
  const double sum = sum_to_odd(hi, lo);
  if (std::isnan(sum)) return sum;
  if (std::fabs(sum) >= 2 * t.max_finite) return std::copysign(out, sum);
  // Adding 1.5·2^52 units in the last place of the target leaves no room for anything below them.
  const double power =
      std::bit_cast<double>(std::bit_cast<std::uint64_t>(sum) & 0x7ff0000000000000U);
  const double shifter = larger(power, t.min_normal) * (1.5 * power_of_two(53 - t.precision));
  const double rounded = (sum + shifter) - shifter;
  return std::fabs(rounded) > t.max_finite ? std::copysign(out, sum) : std::copysign(rounded, sum);
}

/// The ordinal of a value that is not below the least normal one and finite.
PLUMB_HOST_DEVICE inline std::int64_t normal_ordinal(const FormatTraits& t, double magnitude) {
  const int shift = 53 - t.precision;
  const std::int64_t first = std::bit_cast<std::int64_t>(t.min_normal) >> shift;
  const std::int64_t below = std::int64_t{1} << (t.precision - 1);
  return (std::bit_cast<std::int64_t>(magnitude) >> shift) - first + below;
}

PLUMB_HOST_DEVICE inline std::int64_t ordinal(const FormatTraits& t, double value) {
  const double magnitude = std::fabs(value);
  std::int64_t position = 0;
  if (t.bytes == sizeof(double)) {
    position = std::bit_cast<std::int64_t>(magnitude);
  } else if (magnitude < t.min_normal) {
    position = static_cast<std::int64_t>(magnitude / t.min_subnormal);
  } else if (magnitude > t.max_finite) {
    position = normal_ordinal(t, t.max_finite) + 1;
  } else {
    position = normal_ordinal(t, magnitude);
  }
  return std::signbit(value) ? -position : position;
}

}  // namespace plumb::arithmetic
