#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace plumb {

/// The floating-point formats an output can be stored in.
enum class Format { f16, bf16, f32, f64, e4m3fn, e5m2 };

/// What the verdict rule needs to know of a format.
struct FormatTraits {
  std::string_view name;  ///< torch's name: "float16", …
  std::size_t bytes;      ///< storage per element
  int precision;          ///< significant bits, the hidden one included
  double unit_roundoff;   ///< 2^-precision
  double max_finite;      ///< greatest finite value
  double min_normal;      ///< least normal value
  double min_subnormal;   ///< least positive value; in f64 its half is 0
  double overflow_bound;  ///< |g| ≥ this rounds out of range. In f64 it is inf: a double rounds out
                          ///< of range exactly when it is infinite already
  bool has_infinity;  ///< false for e4m3fn, where out of range means NaN
};

const FormatTraits& traits(Format format);

/// The element at `index` of an array stored in `format`, exactly.
double load(Format format, const void* data, std::size_t index);

/// hi + lo rounded once, to nearest even: a value of the format, or ±inf (NaN without infinities)
/// where that is out of range. `lo` decides what looks like a tie in `hi`.
double round_to(Format format, double hi, double lo = 0);

/// The position of a value among the values of its format: 0 for ±0, 1 for the least subnormal,
/// negative below zero; neighbours differ by 1 and inf follows the greatest finite value.
/// `value` is not NaN.
std::int64_t ordinal(Format format, double value);

}  // namespace plumb
