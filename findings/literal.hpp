#pragma once

#include <cstdint>
#include <optional>

#include "harness/format.hpp"
#include "harness/result.hpp"

namespace plumb {

/// The shortest decimal that a case reads as `value` in the format (in float64 without one):
/// 0.1 for the float nearest to it. "nan", "inf" and "-inf" as words; whole numbers below 2^53 as
/// integers, all digits of them.
Json number_literal(std::optional<Format> format, double value);

/// The number of a case's JSON; NaN for what is no number.
double number_of(const Json& literal);

/// Inverse of `ordinal`: 0 for +0, neighbours differ by 1, inf follows the greatest finite value.
double value_at(Format format, std::int64_t ordinal);

/// The value with at most `bits` significant bits that is nearest.
double with_bits(double value, int bits);

/// Significant bits of a finite value; 0 for 0.
int significant_bits(double value);

}  // namespace plumb
