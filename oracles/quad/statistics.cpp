#include "oracles/quad/statistics.hpp"

#include <vector>

#include "oracles/quad/exact.hpp"

namespace plumb::quad {

Mean mean(std::span<const double> values) {
  const Quad count = Quad(values.size());
  const Quad rounded = exact_sum(values) / count;
  const auto near = static_cast<double>(rounded);
  if (!is_finite(rounded)) return {rounded, 0};
  return {Quad(near), exact_sum(values, near) / count};
}

Quad squared_distances(std::span<const double> values, const Mean& mean) {
  Quad sum = 0;
  // An error of the mean enters squared: its value is accurate enough.
  const Quad centre = mean.value();
  for (const double value : values) {
    const Quad distance = Quad(value) - centre;
    sum += distance * distance;
  }
  return sum;
}

Quad greatest(std::span<const double> values) {
  double peak = -__builtin_inf();
  for (const double value : values) {
    if (value != value) return kNaN;
    if (value > peak) peak = value;
  }
  return Quad(peak);
}

LogSumExp log_sum_exp(std::span<const double> values) {
  const Quad peak = greatest(values);
  if (!is_finite(peak)) return {peak, kNaN};
  Quad others = 0;
  bool met_peak = false;
  for (const double value : values) {
    if (!met_peak && Quad(value) == peak) {
      met_peak = true;
    } else {
      others += expq(Quad(value) - peak);
    }
  }
  return {peak, log1pq(others)};
}

Quad vector_norm(std::span<const Quad> values, Quad p) {
  const bool largest = p == kInfinity;
  const bool least = p == -kInfinity;
  Quad result = least && !values.empty() ? kInfinity : Quad(0);
  for (const Quad value : values) {
    const Quad size = fabsq(value);
    if (largest || least) {
      if (is_nan(size)) return kNaN;
      if (largest ? size > result : size < result) result = size;
    } else if (p == 0) {
      result += size != 0 ? 1 : 0;
    } else {
      result += p == 1 ? size : p == 2 ? size * size : powq(size, p);
    }
  }
  if (largest || least || p == 0 || p == 1) return result;
  return p == 2 ? sqrtq(result) : powq(result, 1 / p);
}

Quad vector_norm(std::span<const double> values, Quad p) {
  if (p == 2) return sqrtq(exact_dot(values, values));
  return vector_norm(std::vector<Quad>(values.begin(), values.end()), p);
}

}  // namespace plumb::quad
