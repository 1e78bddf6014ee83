#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

#include "harness/compare.hpp"

/// The comparison written a second time, slowly: from bit patterns and quad precision, sharing with
/// the harness only the struct it fills.
namespace plumb::reference {

__extension__ using Quad = __float128;

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// A format as a sequence of patterns: pattern k (sign aside) is the k-th value from zero.
struct Layout {
  int bytes;
  int fraction_bits;
  int bias;
  std::uint64_t out_of_range;  ///< the pattern after the greatest finite one
  bool infinite;
};

inline Layout layout(Format format) {
  switch (format) {
    case Format::f16: return {2, 10, 15, 0x7c00, true};
    case Format::bf16: return {2, 7, 127, 0x7f80, true};
    case Format::f32: return {4, 23, 127, 0x7f800000, true};
    case Format::f64: return {8, 52, 1023, 0x7ff0000000000000, true};
    case Format::e4m3fn: return {1, 3, 7, 0x7f, false};
    case Format::e5m2: break;
  }
  return {1, 2, 15, 0x7c, true};
}

inline std::uint64_t sign_bit(const Layout& f) { return std::uint64_t{1} << (8 * f.bytes - 1); }

inline Quad power_of_two(int exponent) {
  constexpr int kLeast = -1080;
  static const std::vector<Quad> powers = [] {
    std::vector<Quad> all(2200);
    Quad up = 1;
    Quad down = 1;
    for (int i = -kLeast; i < static_cast<int>(all.size()); ++i, up *= 2) all[i] = up;
    for (int i = -kLeast; i >= 0; --i, down /= 2) all[i] = down;
    return all;
  }();
  return powers[exponent - kLeast];
}

/// The value at a position, where the one out of range is as if the exponents went on.
inline Quad magnitude_at(const Layout& f, std::uint64_t position) {
  const std::uint64_t per_power = std::uint64_t{1} << f.fraction_bits;
  const std::uint64_t power = std::max<std::uint64_t>(position / per_power, 1);
  const std::uint64_t significand = position - (power - 1) * per_power;
  return significand * power_of_two(static_cast<int>(power) - f.bias - f.fraction_bits);
}

inline double value_of(Format format, std::uint64_t pattern) {
  const Layout f = layout(format);
  const std::uint64_t position = pattern & (sign_bit(f) - 1);
  double value = kNan;
  if (position == f.out_of_range && f.infinite) value = kInf;
  if (position < f.out_of_range) value = static_cast<double>(magnitude_at(f, position));
  return (pattern & sign_bit(f)) != 0 ? -value : value;
}

/// The pattern of g rounded once, to nearest even, by bisection over all patterns. g is not NaN.
inline std::uint64_t nearest_pattern(Format format, Quad g, bool negative) {
  const Layout f = layout(format);
  const Quad size = g < 0 ? -g : g;
  std::uint64_t below = 0;
  std::uint64_t above = f.out_of_range;
  if (size >= magnitude_at(f, above)) below = above;
  while (above - below > 1 && below < above) {
    const std::uint64_t middle = below + (above - below) / 2;
    (magnitude_at(f, middle) <= size ? below : above) = middle;
  }
  const Quad down = size - magnitude_at(f, below);
  const Quad up = magnitude_at(f, above) - size;
  const bool take_above = up < down || (up == down && above % 2 == 0);
  return (below < above && take_above ? above : below) | (negative ? sign_bit(f) : 0);
}

inline std::uint64_t pattern_at(Format format, const void* data, std::size_t index) {
  const auto bytes = static_cast<std::size_t>(layout(format).bytes);
  std::uint64_t pattern = 0;
  std::memcpy(&pattern, static_cast<const char*>(data) + index * bytes, bytes);
  return pattern;
}

inline void count(std::size_t& counter, std::optional<std::size_t>& first, std::size_t index) {
  ++counter;
  if (!first) first = index;
}

/// One element of the comparison, worked out from the definitions.
class Element {
 public:
  Element(Format format, std::uint64_t pattern, double hi, double lo, double spread,
          const BoundTerms& b)
      : format_(format), y(value_of(format, pattern)), g(std::isfinite(hi) ? hi + lo : hi) {
    size = std::fabs(g);
    probed = !std::isnan(spread);
    bound = b.relative * size;
    if (probed && b.conditional != 0) bound += b.conditional * spread;
    bound += b.absolute;
    error = std::fabs((y - hi) - lo);
    exact_error = static_cast<long double>(y) - hi - lo;
    if (std::isnan(g)) return;
    const Layout f = layout(format);
    target = std::isinf(g) ? f.out_of_range | (g < 0 ? sign_bit(f) : 0)
                           : nearest_pattern(format, Quad(hi) + Quad(lo), std::signbit(g));
    rounded = value_of(format, target);
    comparable = std::isfinite(y) && std::isfinite(g);
    if (std::isnan(y) || std::isnan(rounded)) return;
    const std::uint64_t mask = sign_bit(f) - 1;
    const bool same_sign = ((pattern ^ target) & sign_bit(f)) == 0;
    const std::uint64_t a = pattern & mask;
    const std::uint64_t c = target & mask;
    ulp = same_sign ? std::max(a, c) - std::min(a, c) : a + c;
  }

  double ratio() const {
    if (!probed || error == 0 || bound == kInf) return 0;
    return bound == 0 ? kInf : error / bound;
  }
  bool same() const { return y == rounded || (std::isnan(y) && std::isnan(rounded)); }
  bool out_required() const { return !std::isfinite(rounded); }
  bool near_threshold() const { return is_out(size + bound) && !is_out(size - bound); }
  bool near_both_thresholds() const { return is_out(bound - size); }

 private:
  bool is_out(double x) const {
    if (format_ == Format::f64) return x == kInf;
    const Layout f = layout(format_);
    const Quad half = (magnitude_at(f, f.out_of_range) + magnitude_at(f, f.out_of_range - 1)) / 2;
    return f.infinite ? Quad(x) >= half : Quad(x) > half;  // the tie itself, but not in e4m3fn
  }

  Format format_;

 public:
  double y, g;
  double size = 0, bound = 0, error = 0, rounded = kNan;
  long double exact_error = 0;
  std::uint64_t target = 0, ulp = 0;
  bool probed = true, comparable = false;
};

inline void classify(const Element& e, Format format, std::size_t i, Distances& d) {
  const bool infinities = layout(format).infinite;
  const bool y_out = infinities ? std::isinf(e.y) : std::isnan(e.y);
  const bool sign_agrees = !infinities || (e.y < 0) == (e.g < 0) || e.near_both_thresholds();
  if (std::isfinite(e.g)) {
    if (std::isfinite(e.y)) {
      if (e.out_required() && !e.near_threshold()) count(d.masked, d.first_masked, i);
    } else if (y_out && sign_agrees && (e.out_required() || e.near_threshold())) {
      count(d.overflowed, d.first_overflowed, i);
    } else {
      count(d.wrong_nonfinite, d.first_wrong_nonfinite, i);
    }
  } else if (std::isfinite(e.y)) {
    count(d.masked, d.first_masked, i);
  } else if (!e.same()) {
    count(d.wrong_nonfinite, d.first_wrong_nonfinite, i);
  }
}

inline void measure(const Element& e, double min_normal, std::size_t i, bool first, Distances& d) {
  d.max_abs = std::max(d.max_abs, e.error);
  if (e.error > 0) d.max_rel = std::max(d.max_rel, e.error / e.size);
  d.sum_sq_error += e.exact_error * e.exact_error;
  d.sum_sq_expected += static_cast<long double>(e.size) * e.size;
  d.sum_sq_bound += static_cast<long double>(e.bound) * e.bound;
  const double ratio = e.ratio();
  if (ratio > 1 && e.y == 0 && e.size >= min_normal) count(d.flushed, d.first_flushed, i);
  if (!first && ratio <= d.r) return;
  d.r = ratio;
  d.worst = i;
  if (e.size == 0) d.rho = e.error == 0 ? 0 : kInf;
  if (e.size != 0) d.rho = e.bound / e.size;
}

inline Distances compare(Format format, const void* y, Expected expected, const double* sensitivity,
                         BoundTerms bound, std::size_t n) {
  Distances d{.count = n};
  const Layout f = layout(format);
  const auto min_normal = static_cast<double>(magnitude_at(f, std::uint64_t{1} << f.fraction_bits));
  bool first = true;
  for (std::size_t i = 0; i < n; ++i) {
    const double hi = expected.hi != nullptr ? expected.hi[i] : expected.narrow[i];
    const double lo = expected.hi != nullptr && expected.lo != nullptr ? expected.lo[i] : 0;
    const double spread = sensitivity != nullptr ? sensitivity[i] : 0;
    const Element e(format, pattern_at(format, y, i), hi, lo, spread, bound);
    if (std::isnan(e.y)) count(d.nan, d.first_nan, i);
    if (std::isinf(e.y)) count(d.inf, d.first_inf, i);
    if (!e.probed) ++d.unprobed;
    if (!e.same()) d.exact = false;
    const auto steps = std::min<std::uint64_t>(e.ulp, INT64_MAX);
    d.max_ulp = std::max(d.max_ulp, static_cast<std::int64_t>(steps));
    classify(e, format, i, d);
    if (!e.comparable) continue;
    measure(e, min_normal, i, first, d);
    first = false;
  }
  return d;
}

}  // namespace plumb::reference
