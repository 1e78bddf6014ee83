#include "harness/compare_tally.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace plumb {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

double g_of(const Pair& pair) { return std::isfinite(pair.hi) ? pair.hi + pair.lo : pair.hi; }

std::int64_t steps_between(Format format, double a, double b) {
  const std::int64_t from = ordinal(format, a);
  const std::int64_t to = ordinal(format, b);
  std::int64_t steps = 0;
  const bool overflows = __builtin_sub_overflow(std::max(from, to), std::min(from, to), &steps);
  return overflows ? std::numeric_limits<std::int64_t>::max() : steps;
}

}  // namespace

void count_at(std::size_t& count, std::optional<std::size_t>& first, std::size_t index) {
  ++count;
  if (!first || index < *first) first = index;
}

double Terms::ratio() const {
  if (error == 0 || !probed || std::isinf(bound)) return 0;
  return error / bound;
}

double Terms::relative() const { return error == 0 ? 0 : error / size; }

Terms terms_of(const Pair& pair, const BoundTerms& bound) {
  const double size = std::abs(g_of(pair));
  const bool probed = !std::isnan(pair.spread);
  const bool spreads = probed && bound.conditional > 0;
  const double conditional = spreads ? bound.conditional * pair.spread : 0;
  return {.error = std::abs((pair.y - pair.hi) - pair.lo),
          .size = size,
          .bound = (bound.relative * size + conditional) + bound.absolute,
          .probed = probed};
}

void Tally::add(std::size_t index, const Pair& pair) {
  if (std::isnan(pair.spread)) ++distances_.unprobed;
  if (add_agreeing_nonfinite(index, pair)) return;
  const Terms terms = terms_of(pair, bound_);
  const double rounded = round_to(format_, pair.hi, pair.lo);
  if (std::isnan(pair.y)) count_at(distances_.nan, distances_.first_nan, index);
  if (std::isinf(pair.y)) count_at(distances_.inf, distances_.first_inf, index);
  const bool both_nan = std::isnan(pair.y) && std::isnan(rounded);
  if (pair.y != rounded && !both_nan) distances_.exact = false;
  if (!std::isnan(pair.y) && !std::isnan(rounded)) {
    distances_.max_ulp = std::max(distances_.max_ulp, steps_between(format_, pair.y, rounded));
  }
  classify(index, pair, terms, rounded);
  if (!std::isfinite(pair.y) || !std::isfinite(terms.size)) return;
  distances_.max_abs = std::max(distances_.max_abs, terms.error);
  distances_.max_rel = std::max(distances_.max_rel, terms.relative());
  add_ratio(index, terms);
  const bool flushes = pair.y == 0 && terms.size >= traits(format_).min_normal;
  if (flushes && terms.ratio() > 1) count_at(distances_.flushed, distances_.first_flushed, index);
}

// The common case of what is not finite, such as a row of masked scores: nothing else to settle.
bool Tally::add_agreeing_nonfinite(std::size_t index, const Pair& pair) {
  if (std::isnan(pair.y) && std::isnan(pair.hi)) {
    count_at(distances_.nan, distances_.first_nan, index);
    return true;
  }
  if (!std::isinf(pair.y) || pair.y != pair.hi) return false;
  count_at(distances_.inf, distances_.first_inf, index);
  return true;
}

void Tally::classify(std::size_t index, const Pair& pair, const Terms& terms, double rounded) {
  Distances& d = distances_;
  if (std::isfinite(terms.size)) return classify_finite(index, pair.y, terms, rounded);
  if (std::isfinite(pair.y)) return count_at(d.masked, d.first_masked, index);
  const bool agree = std::isnan(rounded) ? std::isnan(pair.y) : pair.y == rounded;
  if (!agree) count_at(d.wrong_nonfinite, d.first_wrong_nonfinite, index);
}

void Tally::classify_finite(std::size_t index, double y, const Terms& terms, double rounded) {
  Distances& d = distances_;
  const FormatTraits& t = traits(format_);
  const bool out_required = !std::isfinite(rounded);
  const bool either =
      terms.size + terms.bound >= t.overflow_bound && terms.size - terms.bound < t.overflow_bound;
  if (std::isfinite(y)) {
    if (out_required && !either) count_at(d.masked, d.first_masked, index);
    return;
  }
  // Where g = 0 both signs are its sign; a NaN that stands for an overflow has none.
  const bool right_kind = t.has_infinity ? std::isinf(y) : std::isnan(y);
  const bool same_sign = std::signbit(y) == std::signbit(rounded);
  const bool right_sign = !t.has_infinity || terms.size == 0 || same_sign;
  const bool agree = right_kind && right_sign && (out_required || either);
  if (agree) return count_at(d.overflowed, d.first_overflowed, index);
  count_at(d.wrong_nonfinite, d.first_wrong_nonfinite, index);
}

void Tally::add_ratio(std::size_t index, const Terms& terms) {
  Distances& d = distances_;
  const double ratio = terms.ratio();
  const bool first_of_equals = ratio == d.r && index < d.worst;
  if (any_ratio_ && ratio <= d.r && !first_of_equals) return;
  any_ratio_ = true;
  d.r = ratio;
  d.worst = index;
  if (terms.size > 0) {
    d.rho = terms.bound / terms.size;
  } else {
    d.rho = terms.error == 0 ? 0 : kInf;
  }
}

void Tally::add_squares(const Pair& pair) {
  const Terms terms = terms_of(pair, bound_);
  if (!std::isfinite(pair.y) || !std::isfinite(terms.size)) return;
  // Not `terms.error`: the difference of two huge values of opposite sign overflows a double.
  const long double error = (static_cast<long double>(pair.y) - pair.hi) - pair.lo;
  const long double size = terms.size;
  const long double bound = terms.bound;
  distances_.sum_sq_error += error * error;
  distances_.sum_sq_expected += size * size;
  distances_.sum_sq_bound += bound * bound;
}

}  // namespace plumb
