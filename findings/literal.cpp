#include "findings/literal.hpp"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>

#include "harness/errors.hpp"
#include "harness/json_fields.hpp"

namespace plumb {
namespace {

/// Below 2^53 every whole number is a double.
bool is_exact_integer(double value) {
  return value == std::floor(value) && std::abs(value) < 0x1p53;
}

Json as_json(double value) {
  const bool negative_zero = value == 0 && std::signbit(value);
  if (!negative_zero && is_exact_integer(value)) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

Json number_literal(std::optional<Format> format, double value) {
  if (!std::isfinite(value)) return number_to_json(value);
  if (is_exact_integer(value)) return as_json(value);
  constexpr int kMostDigits = 17;  // tell any two doubles apart
  for (int digits = 1; digits < kMostDigits; ++digits) {
    char text[32];
    std::snprintf(text, sizeof text, "%.*g", digits, value);
    const double read = std::strtod(text, nullptr);
    if ((format ? round_to(*format, read) : read) == value) return as_json(read);
  }
  return as_json(value);
}

double number_of(const Json& literal) {
  if (literal.is_array()) return std::numeric_limits<double>::quiet_NaN();
  try {
    return parse_number(literal, "");
  } catch (const InputError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

double value_at(Format format, std::int64_t ordinal) {
  const FormatTraits& f = traits(format);
  const auto magnitude = static_cast<std::uint64_t>(ordinal < 0 ? -ordinal : ordinal);
  const int fraction_bits = f.precision - 1;
  const std::uint64_t hidden = std::uint64_t{1} << fraction_bits;
  const auto exponent = static_cast<int>(magnitude >> fraction_bits);
  const std::uint64_t fraction = magnitude & (hidden - 1);
  double value = static_cast<double>(fraction) * f.min_subnormal;
  if (exponent > 0) {
    // By the least normal, since a power of the least subnormal of float64 has no double.
    const double significand = static_cast<double>(hidden + fraction) / static_cast<double>(hidden);
    value = std::ldexp(significand * f.min_normal, exponent - 1);
  }
  if (value > f.max_finite) value = std::numeric_limits<double>::infinity();
  return ordinal < 0 ? -value : value;
}

double with_bits(double value, int bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double significand = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits);
}

int significant_bits(double value) {
  if (value == 0 || !std::isfinite(value)) return 0;
  int bits = 1;
  while (with_bits(value, bits) != value) ++bits;
  return bits;
}

}  // namespace plumb
