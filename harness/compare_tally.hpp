#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include "harness/compare.hpp"
#include "harness/format_arithmetic.hpp"

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

  /// |y−g|/B, 0 where not probed
  PLUMB_HOST_DEVICE double ratio() const {
    if (error == 0 || !probed || std::isinf(bound)) return 0;
    return error / bound;
  }
  /// |y−g|/|g|
  PLUMB_HOST_DEVICE double relative() const { return error == 0 ? 0 : error / size; }
};

PLUMB_HOST_DEVICE inline Terms terms_of(const Pair& pair, const BoundTerms& bound) {
  const double g = std::isfinite(pair.hi) ? pair.hi + pair.lo : pair.hi;
  const double size = std::fabs(g);
  const bool probed = !std::isnan(pair.spread);
  const bool spreads = probed && bound.conditional > 0;
  const double conditional = spreads ? bound.conditional * pair.spread : 0;
  return {.error = std::fabs((pair.y - pair.hi) - pair.lo),
          .size = size,
          .bound = (bound.relative * size + conditional) + bound.absolute,
          .probed = probed};
}

/// One more, at `index`.
PLUMB_HOST_DEVICE inline void count_at(std::size_t& count, std::optional<std::size_t>& first,
                                       std::size_t index) {
  ++count;
  if (!first || index < *first) first = index;
}

/// Adds elements to `Figures` one at a time, by the letter of the definitions of `Distances`, in
/// any order, on the host or a device. Everything but the three sums: those need extended range.
template <class Figures>
class TallyInto {
 public:
  PLUMB_HOST_DEVICE TallyInto(const FormatTraits& format, const BoundTerms& bound)
      : format_(format), bound_(bound) {}

  PLUMB_HOST_DEVICE void add(std::size_t index, const Pair& pair) {
    const Terms terms = terms_of(pair, bound_);
    // The rule, and quickly settled: finite, probed and nowhere near the overflow threshold.
    const bool ordinary = std::isfinite(terms.error) && std::isfinite(pair.spread) &&
                          terms.size + terms.bound < format_.overflow_bound;
    if (!ordinary && std::isnan(pair.spread)) ++figures_.unprobed;
    if (!ordinary && add_agreeing_nonfinite(index, pair)) return;
    const double rounded = arithmetic::round_to(format_, pair.hi, pair.lo);
    add_steps(pair.y, rounded);
    if (!ordinary) add_classes(index, pair.y, terms, rounded);
    if (std::isfinite(pair.y) && std::isfinite(terms.size)) add_error(index, pair.y, terms);
  }

  /// r, rho and worst of an element whose y and g are finite.
  PLUMB_HOST_DEVICE void add_ratio(std::size_t index, const Terms& terms) {
    Figures& d = figures_;
    // A quotient below r needs no division; where it rounds to r, an earlier element keeps it.
    if (any_ratio_ && index > d.worst && terms.error < d.r * terms.bound) return;
    const double ratio = terms.ratio();
    const bool first_of_equals = ratio == d.r && index < d.worst;
    if (any_ratio_ && ratio <= d.r && !first_of_equals) return;
    any_ratio_ = true;
    d.r = ratio;
    d.worst = index;
    if (terms.size > 0) {
      d.rho = terms.bound / terms.size;
    } else {
      d.rho = terms.error == 0 ? 0 : std::numeric_limits<double>::infinity();
    }
  }

  PLUMB_HOST_DEVICE Figures& figures() { return figures_; }
  PLUMB_HOST_DEVICE bool any_ratio() const { return any_ratio_; }

  /// Adds what another tally of the same comparison has of other elements.
  PLUMB_HOST_DEVICE void merge(const TallyInto& other);

 private:
  PLUMB_HOST_DEVICE void add_steps(double y, double rounded) {
    const bool y_nan = std::isnan(y);
    if (y_nan || std::isnan(rounded)) {
      if (!(y_nan && std::isnan(rounded))) figures_.exact = false;
      return;
    }
    if (y == rounded) return;
    figures_.exact = false;
    const std::int64_t from = arithmetic::ordinal(format_, y);
    const std::int64_t to = arithmetic::ordinal(format_, rounded);
    const std::uint64_t steps =
        from > to ? static_cast<std::uint64_t>(from) - static_cast<std::uint64_t>(to)
                  : static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from);
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const auto counted = static_cast<std::int64_t>(steps < kMost ? steps : kMost);
    if (counted > figures_.max_ulp) figures_.max_ulp = counted;
  }

  PLUMB_HOST_DEVICE void add_error(std::size_t index, double y, const Terms& terms) {
    Figures& d = figures_;
    if (terms.error > d.max_abs) d.max_abs = terms.error;
    if (terms.error > 0 && !(terms.error < d.max_rel * terms.size)) {
      d.max_rel = arithmetic::larger(terms.relative(), d.max_rel);
    }
    add_ratio(index, terms);
    const bool flushes = y == 0 && terms.size >= format_.min_normal;
    if (flushes && terms.ratio() > 1) count_at(d.flushed, d.first_flushed, index);
  }

  // The common case of what is not finite, such as a row of masked scores: nothing else to settle.
  PLUMB_HOST_DEVICE bool add_agreeing_nonfinite(std::size_t index, const Pair& pair) {
    if (std::isnan(pair.y) && std::isnan(pair.hi)) {
      count_at(figures_.nan, figures_.first_nan, index);
      return true;
    }
    if (!std::isinf(pair.y) || pair.y != pair.hi) return false;
    count_at(figures_.inf, figures_.first_inf, index);
    return true;
  }

  PLUMB_HOST_DEVICE void add_classes(std::size_t index, double y, const Terms& terms,
                                     double rounded) {
    Figures& d = figures_;
    if (std::isnan(y)) count_at(d.nan, d.first_nan, index);
    if (std::isinf(y)) count_at(d.inf, d.first_inf, index);
    if (std::isfinite(terms.size)) return classify_finite(index, y, terms, rounded);
    if (std::isfinite(y)) return count_at(d.masked, d.first_masked, index);
    const bool agree = std::isnan(rounded) ? std::isnan(y) : y == rounded;
    if (!agree) count_at(d.wrong_nonfinite, d.first_wrong_nonfinite, index);
  }

  PLUMB_HOST_DEVICE void classify_finite(std::size_t index, double y, const Terms& terms,
                                         double rounded) {
    Figures& d = figures_;
    const FormatTraits& t = format_;
    const bool out_required = !std::isfinite(rounded);
    const bool either =
        terms.size + terms.bound >= t.overflow_bound && terms.size - terms.bound < t.overflow_bound;
    if (std::isfinite(y)) {
      if (out_required && !either) count_at(d.masked, d.first_masked, index);
      return;
    }
    // Where B reaches beyond the other end too (at g = 0, or where huge terms cancel) both signs
    // are right; a NaN that stands for an overflow has none.
    const bool right_kind = t.has_infinity ? std::isinf(y) : std::isnan(y);
    const bool same_sign = std::signbit(y) == std::signbit(rounded);
    const bool both_ends = terms.bound - terms.size >= t.overflow_bound;
    const bool right_sign = !t.has_infinity || both_ends || same_sign;
    const bool agree = right_kind && right_sign && (out_required || either);
    if (agree) return count_at(d.overflowed, d.first_overflowed, index);
    count_at(d.wrong_nonfinite, d.first_wrong_nonfinite, index);
  }

  const FormatTraits& format_;
  BoundTerms bound_;
  Figures figures_;
  bool any_ratio_ = false;
};

/// On the host, with the sums.
class Tally : public TallyInto<Distances> {
 public:
  Tally(Format format, const BoundTerms& bound)
      : TallyInto<Distances>(traits(format), bound), bound_(bound) {}

  /// The three sums, in extended range.
  void add_squares(const Pair& pair);

  Distances& distances() { return figures(); }

 private:
  BoundTerms bound_;
};

}  // namespace plumb
