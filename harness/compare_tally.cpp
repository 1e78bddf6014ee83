#include "harness/compare_tally.hpp"

namespace plumb {

void Tally::add_squares(const Pair& pair) {
  const Terms terms = terms_of(pair, bound_);
  if (!std::isfinite(pair.y) || !std::isfinite(terms.size)) return;
  // Not `terms.error`: the difference of two huge values of opposite sign overflows a double.
  const long double error = (static_cast<long double>(pair.y) - pair.hi) - pair.lo;
  const long double size = terms.size;
  const long double bound = terms.bound;
  distances().sum_sq_error += error * error;
  distances().sum_sq_expected += size * size;
  distances().sum_sq_bound += bound * bound;
}

}  // namespace plumb
