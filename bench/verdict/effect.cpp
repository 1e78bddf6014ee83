#include "bench/verdict/effect.hpp"

#include <algorithm>
#include <cmath>

namespace plumb::bench {
namespace {

/// Distance to the next value of the format at g.
double spacing(const FormatTraits& format, double g) {
  const double size = std::min(std::abs(g), format.max_finite);
  if (size < format.min_normal) return format.min_subnormal;
  return std::ldexp(1.0, std::ilogb(size) - (format.precision - 1));
}

struct Errors {
  double greatest = 0;      // max |y − g|
  double unit = 0;          // spacing of the format where that is
  double greatest_ulp = 0;  // max |y − g| in units of the spacing at g
};

Errors errors_of(const Sample& s, const std::vector<double>& y) {
  const FormatTraits& format = traits(s.format);
  Errors errors;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == s.rounded[i]) continue;
    const double unit = spacing(format, s.truth[i]);
    double error = std::abs(y[i] - s.truth[i]);
    const bool at_the_end = std::abs(s.truth[i]) > format.max_finite &&
                            std::abs(y[i]) >= format.max_finite * (1 - 4 * format.unit_roundoff);
    if (at_the_end && y[i] * s.truth[i] > 0) continue;  // either side of the greatest value
    if (!std::isfinite(y[i]) || std::isinf(s.rounded[i])) error = INFINITY;
    if (error > errors.greatest) errors.greatest = error, errors.unit = unit;
    errors.greatest_ulp = std::max(errors.greatest_ulp, error / unit);
  }
  return errors;
}

bool exceeds(double planted, double twin, double unit) {
  return std::isfinite(twin) && planted >= 4 * twin && planted - twin >= unit;
}

}  // namespace

bool has_effect(const Sample& planted, const std::vector<double>& twin) {
  const Errors bug = errors_of(planted, planted.output);
  const Errors healthy = errors_of(planted, twin);
  return (bug.greatest > 0 && exceeds(bug.greatest, healthy.greatest, bug.unit)) ||
         exceeds(bug.greatest_ulp, healthy.greatest_ulp, 1);
}

}  // namespace plumb::bench
