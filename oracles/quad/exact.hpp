#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "oracles/quad/number.hpp"

namespace plumb::quad {

/// The sum of the distances of doubles from a centre. No intermediate rounding: terms are added as
/// integers in a window of 256 bits below the largest, which keeps it exact to 2^-180 of that term.
/// 10 times faster than adding in quad. IEEE rules where a term is not finite.
Quad exact_sum(std::span<const double> terms, double centre = 0);

/// Rows of doubles taken apart once, for many dot products.
class Factor {
 public:
  Factor(const double* values, std::int64_t rows, std::int64_t length);

  /// Row i of a times row j of b, exact to 2^-230 of the largest product; IEEE rules where an
  /// element is not finite. The rows are equally long.
  friend Quad dot(const Factor& a, std::int64_t i, const Factor& b, std::int64_t j);

 private:
  const double* values_;
  std::size_t length_;
  std::vector<std::int64_t> mantissas_;
  std::vector<std::int32_t> exponents_;
  std::vector<char> finite_;  // by row
};

Quad dot(const Factor& a, std::int64_t i, const Factor& b, std::int64_t j);

/// The sum of x_k y_k, exact in the same way.
Quad exact_dot(std::span<const double> x, std::span<const double> y);

}  // namespace plumb::quad
