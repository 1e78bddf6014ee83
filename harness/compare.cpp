#include "harness/compare.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "harness/compare_screen.hpp"
#include "harness/compare_source.hpp"
#include "harness/compare_tally.hpp"

namespace plumb {
namespace {

using screen::Block;
using screen::Found;
using screen::Limits;
using screen::Peaks;

// Below this, squares that have underflowed could be missing from the sum.
constexpr double kTinySum = 0x1p-900;

screen::Rounding rounding_of(Format format) {
  if (format == Format::f64) return screen::twice;
  return format == Format::f32 ? screen::single : screen::narrow;
}

Limits limits_for(Format format, const BoundTerms& bound) {
  const FormatTraits& t = traits(format);
  Limits limits{.bound = bound, .min_normal = t.min_normal};
  if (rounding_of(format) != screen::narrow) return limits;
  limits.min_normal32 = static_cast<float>(t.min_normal);
  limits.shifter = std::ldexp(1.5, 53 - t.precision);
  limits.discard = 24 - t.precision;
  limits.subnormals = 1 << (t.precision - 1);
  limits.first_normal = (std::ilogb(t.min_normal) + 127) << (t.precision - 1);
  return limits;
}

// One comparison under way: screens each block, and settles what the screen could not.
class Comparison {
 public:
  Comparison(const screen::Kernels& kernels, Format format, const BoundTerms& bound)
      : screens_(kernels.screens[rounding_of(format)]),
        overflow_bound_(traits(format).overflow_bound),
        limits_(limits_for(format, bound)),
        tally_(format, bound) {}

  void take(const Block& block) {
    Block screened = block;
    screened.size -= block.size % screen::kGroup;
    if (screened.size > 0) take_screened(screened);
    settle(block, screened.size);
  }

  Distances& distances() { return tally_.distances(); }

 private:
  void take_screened(const Block& block) {
    const Found found =
        screens_.screen[block.lo != nullptr][block.sensitivity != nullptr](block, limits_);
    if (!unremarkable(found)) return take_apart(block);
    Distances& d = distances();
    d.max_abs = std::max(d.max_abs, found.max_abs);
    d.max_ulp = std::max(d.max_ulp, saturated(found.max_ulp));
    d.exact = d.exact && found.max_ulp == 0;
    add_sums(block, found);
    if (may_raise(block, found)) add_peaks(block);
  }

  bool may_raise(const Block& block, const Found& found) {
    const Distances& d = distances();
    if (!tally_.any_ratio()) return true;
    if (d.r == 0 && block.index(0) < d.worst) return true;
    return found.max_abs > 0 && (found.ratio_margin >= 0 || found.rel_margin >= 0);
  }

  // Settles the remarkable elements of a block one by one, and screens the others again. What is
  // remarkable as a whole, such as sums beyond the range of double, is settled entirely.
  void take_apart(const Block& block) {
    if (block.indices != nullptr) return settle(block, 0);
    selection_.clear();
    for (std::size_t i = 0; i < block.size; ++i) {
      const Pair pair = pair_at(block, i);
      const Terms terms = terms_of(pair, limits_.bound);
      const bool within = terms.size + terms.bound < overflow_bound_;
      if (within && std::isfinite(terms.error) && std::isfinite(pair.spread)) {
        selection_.add(block, i);
      } else {
        settle(block.index(i), pair);
      }
    }
    lift_limits();
    take(selection_.of(block));
  }

  // Elements from `begin` on, one by one.
  void settle(const Block& block, std::size_t begin) {
    for (std::size_t i = begin; i < block.size; ++i) settle(block.index(i), pair_at(block, i));
    lift_limits();
  }

  void settle(std::size_t index, const Pair& pair) {
    tally_.add(index, pair);
    tally_.add_squares(pair);
  }

  void add_peaks(const Block& block) {
    const Peaks peaks =
        screens_.peaks[block.lo != nullptr][block.sensitivity != nullptr](block, limits_);
    Distances& d = distances();
    d.max_rel = std::max(d.max_rel, peaks.rel);
    if (!tally_.any_ratio() || peaks.ratio >= d.r) add_worst(block, peaks.ratio);
    if (peaks.flushed > 0) add_flushed(block, peaks.flushed);
    lift_limits();
  }

  // The first element of that ratio.
  void add_worst(const Block& block, double ratio) {
    for (std::size_t i = 0; i < block.size; ++i) {
      const Terms terms = terms_of(pair_at(block, i), limits_.bound);
      if (terms.ratio() == ratio) return tally_.add_ratio(block.index(i), terms);
    }
  }

  void add_flushed(const Block& block, std::size_t count) {
    Distances& d = distances();
    d.flushed += count;
    for (std::size_t i = 0; i < block.size; ++i) {
      const Terms terms = terms_of(pair_at(block, i), limits_.bound);
      if (d.first_flushed && block.index(i) >= *d.first_flushed) return;
      if (block.y(i) != 0 || terms.ratio() <= 1 || terms.size < limits_.min_normal) continue;
      d.first_flushed = block.index(i);
      return;
    }
  }

  // Beyond 1 every excess is of interest: the element may have been flushed.
  void lift_limits() {
    limits_.ratio = std::min(distances().r, 1.0);
    limits_.rel = distances().max_rel;
  }

  bool unremarkable(const Found& found) const {
    return std::isfinite(found.sum_sq_error) && std::isfinite(found.sum_sq_expected) &&
           std::isfinite(found.sum_sq_bound) && found.reach < overflow_bound_;
  }

  void add_sums(const Block& block, const Found& found) {
    if (underflows(block, found)) {
      for (std::size_t i = 0; i < block.size; ++i) tally_.add_squares(pair_at(block, i));
      return;
    }
    distances().sum_sq_error += found.sum_sq_error;
    distances().sum_sq_expected += found.sum_sq_expected;
    distances().sum_sq_bound += found.sum_sq_bound;
  }

  bool underflows(const Block& block, const Found& found) const {
    if (found.sum_sq_error < kTinySum && found.max_abs > 0) return true;
    const BoundTerms& b = limits_.bound;
    const bool bounded = b.relative > 0 || b.conditional > 0 || b.absolute > 0;
    if (found.sum_sq_bound < kTinySum && bounded && found.reach > 0) return true;
    return found.sum_sq_expected < kTinySum &&
           std::any_of(block.hi, block.hi + block.size, [](double g) { return g != 0; });
  }

  static std::int64_t saturated(std::uint64_t steps) {
    return static_cast<std::int64_t>(std::min<std::uint64_t>(steps, INT64_MAX));
  }

  const screen::Screens& screens_;
  double overflow_bound_;
  Limits limits_;
  Tally tally_;
  Selection selection_;
};

}  // namespace

Distances screen::compare_with(const Kernels& kernels, Format format, const void* y,
                               Expected expected, const double* sensitivity, BoundTerms bound,
                               std::size_t n) {
  const StandardArithmetic arithmetic;
  Source source(kernels, format, y, expected, sensitivity, n);
  Comparison comparison(kernels, format, bound);
  for (std::size_t first = 0; first < n; first += kBlock) comparison.take(source.block(first));
  comparison.distances().count = n;
  return comparison.distances();
}

Distances compare(Format format, const void* y, Expected expected, const double* sensitivity,
                  BoundTerms bound, std::size_t n) {
  const screen::Kernels& fastest = screen::available().back();
  return screen::compare_with(fastest, format, y, expected, sensitivity, bound, n);
}

ErrorHistogram compare_histogram(Format format, const void* y, Expected expected,
                                 const double* sensitivity, BoundTerms bound, std::size_t n) {
  const StandardArithmetic arithmetic;
  Source source(screen::available().back(), format, y, expected, sensitivity, n);
  ErrorHistogram histogram;
  std::map<int, std::size_t> bins;
  for (std::size_t first = 0; first < n; first += screen::kBlock) {
    const Block block = source.block(first);
    for (std::size_t i = 0; i < block.size; ++i) {
      const Terms terms = terms_of(pair_at(block, i), bound);
      if (!std::isfinite(block.y(i)) || !std::isfinite(terms.size) || !terms.probed) continue;
      const double ratio = terms.ratio();
      if (ratio == 0) {
        ++histogram.zero;
      } else if (std::isinf(ratio)) {
        ++histogram.infinite;
      } else {
        ++bins[std::ilogb(ratio)];
      }
    }
  }
  for (const auto& [exponent, count] : bins) histogram.bins.push_back({exponent, count});
  return histogram;
}

}  // namespace plumb
