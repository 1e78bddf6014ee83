#pragma once

#include <cstddef>
#include <optional>

#include "harness/compare.hpp"

namespace plumb {

/// One output element with its oracle, hi + lo, and its sensitivity.
struct Pair {
  double y = 0;
  double hi = 0;
  double lo = 0;
  double spread = 0;
};

/// |y−g|, |g| and B of one element, computed in the same order of operations as the screens do.
/// Where S is NaN, B is as if it were 0.
struct Terms {
  double error = 0;
  double size = 0;
  double bound = 0;
  bool probed = true;

  double ratio() const;     ///< |y−g|/B, 0 where not probed
  double relative() const;  ///< |y−g|/|g|
};

Terms terms_of(const Pair& pair, const BoundTerms& bound);

/// Adds elements to a `Distances` one at a time, by the letter of its definitions, in any order.
class Tally {
 public:
  Tally(Format format, const BoundTerms& bound) : format_(format), bound_(bound) {}

  /// Everything but the three sums.
  void add(std::size_t index, const Pair& pair);
  /// The three sums, in extended range.
  void add_squares(const Pair& pair);
  /// r, rho and worst of an element whose y and g are finite.
  void add_ratio(std::size_t index, const Terms& terms);

  Distances& distances() { return distances_; }
  bool any_ratio() const { return any_ratio_; }

 private:
  bool add_agreeing_nonfinite(std::size_t index, const Pair& pair);
  void classify(std::size_t index, const Pair& pair, const Terms& terms, double rounded);
  void classify_finite(std::size_t index, double y, const Terms& terms, double rounded);

  Format format_;
  BoundTerms bound_;
  Distances distances_;
  bool any_ratio_ = false;
};

/// One more, at `index`.
void count_at(std::size_t& count, std::optional<std::size_t>& first, std::size_t index);

}  // namespace plumb
