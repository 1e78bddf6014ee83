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

struct Error {
  double greatest = 0;  // max |y − g|; inf where one is finite in the type and the other is not
  double unit = 0;      // spacing of the format where that is
};

Error error_of(const Sample& s, const std::vector<double>& y) {
  const FormatTraits& format = traits(s.format);
  Error error;
  for (std::size_t i = 0; i < y.size(); ++i) {
    if (y[i] == s.rounded[i]) continue;
    const bool at_the_end = std::abs(s.truth[i]) > format.max_finite &&
                            std::abs(y[i]) >= format.max_finite * (1 - 4 * format.unit_roundoff);
    if (at_the_end && y[i] * s.truth[i] > 0) continue;  // either side of the greatest value
    const bool in_range = std::isfinite(y[i]) && std::isfinite(s.rounded[i]);
    const double distance = in_range ? std::abs(y[i] - s.truth[i]) : INFINITY;
    if (distance > error.greatest) error = {distance, spacing(format, s.truth[i])};
  }
  return error;
}

}  // namespace

bool has_effect(const Sample& planted, const std::vector<double>& twin) {
  const Error bug = error_of(planted, planted.output);
  const Error healthy = error_of(planted, twin);
  return bug.greatest > 0 && std::isfinite(healthy.greatest) &&
         bug.greatest >= 4 * healthy.greatest && bug.greatest - healthy.greatest >= bug.unit;
}

}  // namespace plumb::bench
